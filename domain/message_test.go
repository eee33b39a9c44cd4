package domain

import (
	"strings"
	"testing"

	"golang.org/x/text/language"
)

func TestRule02_ADenialIsReadyToShow(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	store.at(-5) // 65 seconds before the end; the plant is at UTC+9
	english := must(s.Occupy(as("lee"), occupyLot1("")))(t).Message
	is(t, "en", english, "LOT LOT1 is in use by kim on MES / Lookup, since 2026-03-02 21:00:00 until 2026-03-02 21:01:00 (1 min 0 s left).")
	store.at(20)
	ko := must(s.Occupy(korean("lee"), occupyLot1("")))(t).Message
	is(t, "ko", ko, "LOT LOT1: 다른 사용자가 작업 중입니다. kim 님, 화면 MES / Lookup, 2026-03-02 21:00:00부터 2026-03-02 21:01:00까지 (남은 시간 40초)")
}

// A message that is about a holder names all of it, in both languages.
func TestMessagesNameTheHolder(t *testing.T) {
	s, _ := newService(t)
	seen := held().Seen(after(10))
	for _, code := range []Code{CodeHeld, CodeHeldInOtherWindow, CodeNotHolder, CodeStaleToken, CodeTransferred} {
		for name, c := range map[string]struct {
			language language.Tag
			left     string
		}{"en": {language.English, "50 s"}, "ko": {language.Korean, "50초"}} {
			got := s.message(Caller{Language: c.language}, code, &seen)
			for _, part := range []string{"LOT LOT1", "kim", "MES", "Lookup", "21:00:00", "21:01:00", c.left} {
				if !strings.Contains(got, part) {
					t.Errorf("%s, %s: %q lacks %s", code, name, got, part)
				}
			}
		}
	}
}

func TestEveryCodeHasAMessageInBothLanguages(t *testing.T) {
	s, _ := newService(t)
	seen := held().Seen(after(10))
	for _, code := range []Code{
		CodeGranted, CodeReentered, CodeTakenOver, CodeHeld, CodeHeldInOtherWindow, CodeRenewed, CodeTransferred, CodeVerified,
		CodeNotOccupied, CodeExpired, CodeFreed, CodeLeft, CodeAlreadyFree, CodeAlreadyExpired, CodeNotHolder, CodeStaleToken,
	} {
		en, ko := s.message(Caller{Language: language.English}, code, &seen), s.message(Caller{Language: language.Korean}, code, &seen)
		if !strings.Contains(en, "LOT LOT1") || !strings.Contains(ko, "LOT LOT1") || en == ko || strings.Contains(en+ko, "%!") {
			t.Errorf("%s: %q, %q", code, en, ko)
		}
	}
}

func TestNamesWithPercentSigns(t *testing.T) {
	s, store := newService(t)
	store.put(held(func(o *Occupancy) { o.UserID, o.UIName, o.MenuName = "%s", "%d", "" }))
	got := must(s.Occupy(as("lee"), occupyLot1("")))(t).Message
	if !strings.Contains(got, "%s on %d,") {
		t.Error(got)
	}
}

func TestAHolderWithoutAScreen(t *testing.T) {
	s, store := newService(t)
	store.put(held(func(o *Occupancy) { o.UIName, o.MenuName = "", "" }))
	if got := must(s.Occupy(as("lee"), occupyLot1("")))(t).Message; !strings.Contains(got, "kim, since") {
		t.Error(got)
	}
	if got := must(s.Occupy(korean("lee"), occupyLot1("")))(t).Message; !strings.Contains(got, "kim 님, 2026") {
		t.Error(got)
	}
}

func TestMessagesOfSeveral(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("lee", "", "LOT1", "LOT2", "LOT3")...)
	in := OccupyAllInput{Items: items("LOT1", "LOT2", "LOT3")}
	if got := must(s.OccupyAll(korean("kim"), in))(t).Message; !strings.Contains(got, "lee 님") || !strings.Contains(got, "외 2건") {
		t.Error(got)
	}
	is(t, "re-entered, ko", must(s.OccupyAll(korean("lee"), in))(t).Message, "3개 항목을 모두 점유했습니다.")
	is(t, "freed, en", must(s.FreeAll(as("lee"), FreeAllInput{}))(t).Message, "Given back: 3.")
	is(t, "freed, ko", must(s.FreeAll(korean("lee"), FreeAllInput{}))(t).Message, "0개 항목의 점유를 해제했습니다.")
}

func TestLanguages(t *testing.T) {
	for accept, want := range map[string]language.Tag{
		"": language.English, "en": language.English, "ko": language.Korean, "ko-KR": language.Korean,
		"ko-KR,ko;q=0.9,en-US;q=0.8": language.Korean, "en-US,ko;q=0.5": language.English, "fr": language.English,
		"fr, ko;q=0.1": language.Korean, "nonsense;;": language.English, "*": language.English,
	} {
		is(t, accept, matchLanguage(accept), want)
	}
}
