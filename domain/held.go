package domain

import (
	"cmp"
	"context"
	"time"
)

// HoldEntry is one grant of an item from its start to its end (rule 19), with what
// was known of it last.
type HoldEntry struct {
	ItemKey
	UserID           string
	Session          string // the last one, as are the screen and the menu
	UIName, MenuName string
	FencingToken     int64
	// Renewals is how often it was renewed or re-entered; nil if that is not known,
	// as of one that was handed over or taken over.
	Renewals *int64

	From time.Time
	To   time.Time // zero while it lasts
	// Seconds is how long it lasted, or has lasted.
	Seconds float64
	// EndReason is the event that ended it; "" while it lasts.
	EndReason Event
	EndedBy   string // "" also if its time ran out and nobody has looked yet
	Comment   string // a supervisor's reason to end it

	// Key is what holds are ordered by their end with; those that last come after
	// all others.
	Key string
}

// HoldWhere narrows holds. All that is given must hold.
type HoldWhere struct {
	And, Or            []*HoldWhere
	Not                *HoldWhere
	ItemType, ItemName *TextFilter
	UserID             *TextFilter
	Session            *TextFilter
	UIName, MenuName   *TextFilter
	From, To           *TimeFilter
	Seconds            *SecondsFilter
	EndReason          *EventFilter
	EndedBy            *TextFilter
	Comment            *TextFilter
	Open               *bool // whether it lasts
}

// HoldField is what holds can be ordered by.
type HoldField string

// The orders of holds. Those that last come, by END and by SECONDS, after all others.
const (
	ByHoldEnd     HoldField = "END"
	ByHoldStart   HoldField = "START"
	ByHoldItem    HoldField = "ITEM"
	ByHoldUser    HoldField = "USER"
	ByHoldSeconds HoldField = "SECONDS"
)

// HoldOrder is a term of the order of holds.
type HoldOrder struct {
	Field     HoldField
	Direction Direction
}

// HoldQuery is a checked question for holds. A cursor has the values of its Terms.
type HoldQuery struct {
	Where HoldWhere
	Order []HoldOrder
	Cut   Cut
}

// HeldAtQuery is a checked question for the holds of an instant, in order of the item.
// A cursor is ("ITEM", item type, item name).
type HeldAtQuery struct {
	Where HoldWhere
	At    time.Time
	Cut   Cut
}

// Terms is the whole order: up to END, which makes it unique.
func (q HoldQuery) Terms() []Term {
	terms := make([]Term, len(q.Order))
	for i, o := range q.Order {
		terms[i] = Term{string(o.Field), o.Direction == Descending}
	}
	return unique(terms, string(ByHoldEnd))
}

// Ended is the period in which every hold ended, if it has, that the filter finds.
func (w *HoldWhere) Ended() TimeFilter {
	r := w.reach()
	return TimeFilter{Gte: r.from, Lt: r.to}
}

// Holds lists who held what, from when to when, and how it ended.
func (s *Service) Holds(ctx context.Context, where *HoldWhere, order []*HoldOrder, page PageArgs) (Page[HoldEntry], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[HoldEntry]{}, err
	}
	k := s.check("")
	q := HoldQuery{Order: values(order)}
	if len(q.Order) == 0 {
		q.Order = []HoldOrder{{ByHoldEnd, Descending}}
	}
	if where != nil {
		q.Where = k.holdWhere("where", 1, *where)
	}
	q.Cut = k.orderedCut(page, q.Terms())
	if err := s.bounded(ctx, k, q.reads(), "to", MaxSpan); err != nil {
		return Page[HoldEntry]{}, err
	}
	return s.Archive.Holds(ctx, q)
}

// HeldAt lists who held what at an instant, by item. One still to come is answered
// from what is known now.
func (s *Service) HeldAt(ctx context.Context, where *HoldWhere, at time.Time, page PageArgs) (Page[HoldEntry], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[HoldEntry]{}, err
	}
	k := s.check("")
	q := HeldAtQuery{At: at}
	k.instant("at", at)
	if where != nil {
		q.Where = k.holdWhere("where", 1, *where)
	}
	q.Cut = k.orderedCut(page, []Term{{Field: string(ByHoldItem)}})
	if err := k.fault(); err != nil {
		return Page[HoldEntry]{}, err
	}
	return s.Archive.HeldAt(ctx, q)
}

func (k *checker) holdWhere(at string, depth int, w HoldWhere) HoldWhere {
	if !k.part(at, depth) {
		return w
	}
	w.ItemType, w.ItemName = k.itemFilters(at, w.ItemType, w.ItemName)
	w.UserID = k.textFilter(at+".userId", w.UserID, trimmed)
	w.Session = k.textFilter(at+".session", w.Session, trimmed)
	w.UIName = k.textFilter(at+".uiName", w.UIName, trimmed)
	w.MenuName = k.textFilter(at+".menuName", w.MenuName, trimmed)
	w.EndedBy = k.textFilter(at+".endedBy", w.EndedBy, trimmed)
	w.Comment = k.textFilter(at+".comment", w.Comment, trimmed)
	if w.EndReason != nil {
		k.few(at+".endReason.in", len(w.EndReason.In))
	}
	w.From = k.timeFilter(at+".from", w.From)
	w.To = k.timeFilter(at+".to", w.To)
	k.secondsFilter(at+".seconds", w.Seconds)
	branches(k, at, depth, &w.And, &w.Or, &w.Not, k.holdWhere)
	return w
}

// reads is what answering takes: in order of the end and without a filter the holds of
// a page lie side by side.
func (q HoldQuery) reads() reach {
	r := q.Where.reach()
	r.led = r.led || !r.narrows && q.Order[0].Field == ByHoldEnd && !q.Cut.Total
	return r
}

// never is after every instant of the database's.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// reach is that of a checked filter. What began after an instant ended after it.
func (w *HoldWhere) reach() reach {
	own := *w
	own.To = nil
	r := reach{led: picks(w.ItemType) && picks(w.ItemName) || picks(w.UserID), narrows: !own.empty()}
	if w.To != nil {
		r.from, r.to = w.To.Gte, w.To.Lt
	}
	if w.From != nil {
		r.from = latest(r.from, w.From.Gte)
	}
	if w.Open != nil && *w.Open {
		r.from, r.to = &never, &time.Time{} // none of them has ended
	}
	return joined(r, w.And, w.Or, (*HoldWhere).reach)
}

func (w *HoldWhere) empty() bool {
	return w.And == nil && w.Or == nil && w.Not == nil && w.Open == nil && w.Seconds == nil && w.EndReason == nil &&
		cmp.Or(w.ItemType, w.ItemName, w.UserID, w.Session, w.UIName, w.MenuName, w.EndedBy, w.Comment) == nil &&
		cmp.Or(w.From, w.To) == nil
}
