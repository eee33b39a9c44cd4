package domain

import (
	"context"
	"strings"
	"time"
)

// LotEntry is one LOT ID that was given out.
type LotEntry struct {
	LotID     string
	Rule      string
	Day       time.Time
	Seq       int64
	UserID    string
	RequestID string
	IssuedAt  time.Time

	VoidReason string // "" = valid
	VoidedBy   string
	VoidedAt   time.Time
}

// Date is the entry's business day, yyyy-MM-dd.
func (e LotEntry) Date() string { return e.Day.Format(time.DateOnly) }

// Voided tells whether the ID is not to be used.
func (e LotEntry) Voided() bool { return !e.VoidedAt.IsZero() }

// LotWhere narrows the ledger. All that is given must hold.
type LotWhere struct {
	LotID, Rule *TextFilter
	UserID      *TextFilter
	RequestID   *TextFilter
	Date        *DateFilter
	Voided      *bool
}

// DateFilter narrows a day: from Gte up to, and with, Lte.
type DateFilter struct{ Gte, Lte *string }

// LotQuery is a checked question for the ledger, in order of (day, rule,
// number). A cursor is ("LOT", day, rule, number).
type LotQuery struct {
	Where     LotWhere
	Direction Direction
	Cut       Cut
}

// LotDay is what one day of a rule used.
type LotDay struct {
	Rule   string
	Day    time.Time
	Last   int64 // the counter
	Issued int64
	Voided int64
	// Gaps are numbers that were counted and are not in the ledger. One
	// transaction writes both, so there is none unless somebody was at the tables.
	Gaps []*LotGap
}

// Date is the business day, yyyy-MM-dd.
func (d LotDay) Date() string { return d.Day.Format(time.DateOnly) }

// LotGap is a range of numbers that are not in the ledger.
type LotGap struct{ First, Last int64 }

// LotIDs lists what was given out, the newest first unless told otherwise.
func (s *Service) LotIDs(ctx context.Context, where *LotWhere, direction *Direction, page PageArgs) (Page[LotEntry], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[LotEntry]{}, err
	}
	k := s.check("")
	q := LotQuery{Direction: Descending}
	if direction != nil {
		q.Direction = *direction
	}
	if where != nil {
		w := *where
		w.LotID = k.textFilter("where.lotId", w.LotID, trimmed)
		w.Rule = k.textFilter("where.rule", w.Rule, trimmed)
		w.UserID = k.textFilter("where.userId", w.UserID, trimmed)
		w.RequestID = k.textFilter("where.requestId", w.RequestID, trimmed)
		k.dateFilter("where.date", w.Date)
		q.Where = w
	}
	q.Cut = k.cut(page, "LOT", validLotCursor, 3)
	if err := k.fault(); err != nil {
		return Page[LotEntry]{}, err
	}
	return s.Lots.LotIDs(ctx, q)
}

func validLotCursor(c Cursor) bool {
	_, err := time.Parse(time.DateOnly, c[1])
	return err == nil && c[3] != "" && len(c[3]) <= 18 && strings.Trim(c[3], "0123456789") == ""
}

func (k *checker) dateFilter(argument string, f *DateFilter) {
	if f == nil {
		return
	}
	from, to := k.date(argument+".gte", f.Gte), k.date(argument+".lte", f.Lte)
	if from != nil && to != nil && from.After(*to) {
		k.fail(argument, "ends before it starts: gte must not be after lte")
	}
}

// maxLotDays bounds a question for days.
const maxLotDays = 400

// LotDays lists what each day of a rule used, with the gaps.
func (s *Service) LotDays(ctx context.Context, rule, from, to string) ([]*LotDay, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	rule = k.name("rule", rule, MaxLotPart)
	first, last := k.date("from", &from), k.date("to", &to)
	if first != nil && last != nil && (first.After(*last) || last.Sub(*first) > maxLotDays*24*time.Hour) {
		k.fail("to", "must be at most "+itoa(maxLotDays)+" days after from, and not before it")
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	days, err := s.Lots.LotDays(ctx, rule, *first, *last)
	return pointers(days), err
}

// VoidAnswer is how voidLotId ended.
type VoidAnswer struct {
	OK      bool
	Code    Code
	Message string
	Entry   *LotEntry
}

// VoidLotID marks an ID as not to be used. Its number is never given again.
func (s *Service) VoidLotID(ctx context.Context, lotID, reason string) (*VoidAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("")
	lotID = k.name("lotId", lotID, MaxItemName)
	reason = k.name("reason", reason, MaxReason)
	if err := k.fault(); err != nil {
		return nil, err
	}
	entry, done, err := s.Lots.VoidLotID(context.WithoutCancel(ctx), lotID, reason, caller.UserID)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, &InputError{Argument: "lotId", Problem: "was never given out"}
	}
	a := &VoidAnswer{OK: true, Code: CodeAlreadyVoid, Entry: entry}
	if done {
		a.Code = CodeVoided
	}
	a.Message = s.messageVoided(caller, a)
	return a, nil
}
