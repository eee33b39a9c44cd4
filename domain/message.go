package domain

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/language"
)

var languages = language.NewMatcher([]language.Tag{language.English, language.Korean})

// matchLanguage picks Korean or English for an Accept-Language text.
func matchLanguage(accept string) language.Tag {
	tag, _ := language.MatchStrings(languages, accept)
	if base, _ := tag.Base(); base.String() == "ko" {
		return language.Korean
	}
	return language.English
}

// phrase is one sentence in both languages; %[1]s is the item, %[2]s the holder
// with screen and times, or what else the code is about.
type phrase struct{ en, ko string }

var phrases = map[Code]phrase{
	CodeGranted:           {"%[1]s is yours until %[3]s.", "%[1]s: %[3]s까지 점유했습니다."},
	CodeReentered:         {"%[1]s is still yours, until %[3]s.", "%[1]s: 이미 점유 중입니다. %[3]s까지 연장되었습니다."},
	CodeTakenOver:         {"%[1]s was moved to this window, until %[3]s.", "%[1]s: 이 창으로 점유를 옮겼습니다. %[3]s까지."},
	CodeHeld:              {"%[1]s is in use by %[2]s.", "%[1]s: 다른 사용자가 작업 중입니다. %[2]s"},
	CodeHeldInOtherWindow: {"%[1]s is held in your other window: %[2]s.", "%[1]s: 본인의 다른 창에서 작업 중입니다. %[2]s"},
	CodeRenewed:           {"%[1]s is yours until %[3]s.", "%[1]s: %[3]s까지 연장했습니다."},
	CodeTransferred:       {"%[1]s was handed over to %[2]s.", "%[1]s: 점유를 넘겼습니다. %[2]s"},
	CodeVerified:          {"%[1]s is held as claimed, until %[3]s.", "%[1]s: 점유가 확인되었습니다. %[3]s까지."},
	CodeNotOccupied:       {"%[1]s is not occupied by anybody.", "%[1]s: 점유 중이 아닙니다."},
	CodeExpired:           {"The time for %[1]s ran out at %[3]s.", "%[1]s: 점유 시간이 %[3]s에 만료되었습니다."},
	CodeLeft:              {"%[1]s is kept until %[3]s, and free then.", "%[1]s: %[3]s까지 유지되고, 그 뒤에 해제됩니다."},
	CodeFreed:             {"%[1]s is free.", "%[1]s: 점유를 해제했습니다."},
	CodeAlreadyFree:       {"%[1]s was free already.", "%[1]s: 이미 해제되어 있습니다."},
	CodeAlreadyExpired:    {"The time for %[1]s had run out already, at %[3]s.", "%[1]s: 점유 시간이 이미 %[3]s에 만료되었습니다."},
	CodeNotHolder:         {"%[1]s is not yours: it is held by %[2]s.", "%[1]s: 점유자가 아닙니다. 현재 점유자: %[2]s"},
	CodeStaleToken:        {"%[1]s has changed hands since: it is held by %[2]s.", "%[1]s: 그 사이 점유가 바뀌었습니다. 현재 점유자: %[2]s"},
}

// message says how a command ended, ready to show.
func (s *Service) message(c Caller, code Code, o *Occupancy) string {
	p := phrases[code]
	if c.Language == language.Korean {
		return strings.TrimSpace(fmt.Sprintf(p.ko+"%[4]s", o.ItemKey, s.holderKo(o), s.clock(o.ExpireTime), ""))
	}
	return fmt.Sprintf(p.en+"%[4]s", o.ItemKey, s.holderEn(o), s.clock(o.ExpireTime), "")
}

// messageAll says how occupyAll ended.
func (s *Service) messageAll(c Caller, a *OccupyAllAnswer) string {
	if a.OK {
		return pick(c, phrase{"Yours: all of the %d asked for.", "%d개 항목을 모두 점유했습니다."}, len(a.Occupancies))
	}
	first := a.Blockers[0]
	code := CodeHeld
	if first.UserID == c.UserID && first.ItemType != Slot {
		code = CodeHeldInOtherWindow
	}
	text := s.message(c, code, first)
	if more := len(a.Blockers) - 1; more > 0 {
		text += pick(c, phrase{" %d more stood in the way.", " 외 %d건이 점유 중입니다."}, more)
	}
	return text
}

// messageFreedAll says how freeAll ended.
func (s *Service) messageFreedAll(c Caller, n int) string {
	return pick(c, phrase{"Given back: %d.", "%d개 항목의 점유를 해제했습니다."}, n)
}

func pick(c Caller, p phrase, args ...any) string {
	if c.Language == language.Korean {
		return fmt.Sprintf(p.ko, args...)
	}
	return fmt.Sprintf(p.en, args...)
}

func (s *Service) holderEn(o *Occupancy) string {
	text := o.UserID
	if screen := screen(o); screen != "" {
		text += " on " + screen
	}
	return fmt.Sprintf("%s, since %s until %s (%s left)", text, s.clock(o.StartTime), s.clock(o.ExpireTime), leftEn(o.RemainingSeconds()))
}

func (s *Service) holderKo(o *Occupancy) string {
	text := o.UserID + " 님"
	if screen := screen(o); screen != "" {
		text += ", 화면 " + screen
	}
	return fmt.Sprintf("%s, %s부터 %s까지 (남은 시간 %s)", text, s.clock(o.StartTime), s.clock(o.ExpireTime), leftKo(o.RemainingSeconds()))
}

func screen(o *Occupancy) string {
	return strings.Trim(o.UIName+" / "+o.MenuName, " /")
}

// clock is an instant in the plant's time.
func (s *Service) clock(t time.Time) string {
	return t.In(s.TimeZone).Format("2006-01-02 15:04:05")
}

func leftEn(seconds int) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d h %d min", seconds/3600, seconds%3600/60)
}

func leftKo(seconds int) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d초", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d분 %d초", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d시간 %d분", seconds/3600, seconds%3600/60)
}

// messageLots says what LOT IDs were given.
func (s *Service) messageLots(c Caller, a *LotAnswer) string {
	first, last := a.IDs[0], a.IDs[len(a.IDs)-1]
	text := pick(c, phrase{"%d LOT IDs, %s to %s.", "LOT ID %d개: %s ~ %s."}, len(a.IDs), first, last)
	if a.Warning == nil {
		return text
	}
	if *a.Warning == LotOverflown {
		return text + pick(c, phrase{" The numbers of this day are longer than the rule's width.", " 당일 번호가 규칙의 자릿수를 넘었습니다."})
	}
	return text + pick(c, phrase{" %d more fit the rule's width.", " 규칙의 자릿수에 %d개 남았습니다."}, a.Remaining)
}

// messageVoided says how voidLotId ended.
func (s *Service) messageVoided(c Caller, a *VoidAnswer) string {
	if a.Code == CodeVoided {
		return pick(c, phrase{"%s is void.", "%s: 무효 처리했습니다."}, a.Entry.LotID)
	}
	return pick(c, phrase{"%s was void already: %s.", "%s: 이미 무효입니다. 사유: %s"}, a.Entry.LotID, a.Entry.VoidReason)
}
