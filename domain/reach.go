package domain

import (
	"cmp"
	"time"
)

// MaxSpan is the longest period that a question may read through by no index but
// that of time: a quarter of a year.
const MaxSpan = 92 * 24 * time.Hour

// reach is how far a question sends the database: whether an index leads to its
// rows, and if not, through which period it has to read.
type reach struct {
	led      bool // to items, or to users
	from, to *time.Time
	narrows  bool // by anything but that period
}

// reach is that of a checked filter.
func (w *HistoryWhere) reach() reach {
	own := *w
	own.At = nil
	r := reach{led: picks(w.ItemType) && picks(w.ItemName) || picks(w.UserID), narrows: !own.empty()}
	if w.At != nil {
		r.from, r.to = w.At.Gte, w.At.Lt
	}
	return joined(r, w.And, w.Or, (*HistoryWhere).reach)
}

func (w *HistoryWhere) empty() bool {
	return w.And == nil && w.Or == nil && w.Not == nil &&
		cmp.Or(w.ItemType, w.ItemName, w.UserID, w.Session, w.UIName, w.MenuName, w.Comment) == nil &&
		w.State == nil && w.Event == nil && cmp.Or(w.StartTime, w.ExpireTime, w.At) == nil && w.HeldSeconds == nil
}

// picks tells whether a filter names what it wants, one by one.
func picks(f *TextFilter) bool { return f != nil && f.In != nil }

// joined is a reach with that of the filters that must hold as well.
func joined[W any](r reach, and, or []*W, reachOf func(*W) reach) reach {
	for _, w := range and {
		o := reachOf(w)
		r.led = r.led || o.led
		r.from, r.to = latest(r.from, o.from), earliest(r.to, o.to)
	}
	if or == nil {
		return r
	}
	any := reach{led: true} // of none
	for i, w := range or {
		o := reachOf(w)
		any.led = any.led && o.led
		if i == 0 {
			any.from, any.to = o.from, o.to
		}
		if any.from != nil {
			any.from = earliest(o.from, any.from)
		}
		if any.to != nil {
			any.to = latest(o.to, any.to)
		}
		if o.from == nil {
			any.from = nil
		}
		if o.to == nil {
			any.to = nil
		}
	}
	r.led = r.led || any.led
	r.from, r.to = latest(r.from, any.from), earliest(r.to, any.to)
	return r
}

// longer tells whether the period is longer than a span, or has no end.
func (r reach) longer(span time.Duration) bool {
	return (&TimeFilter{Gte: r.from, Lt: r.to}).longer(span)
}

// bounded checks that a question can be answered soon: an index leads to its rows,
// or it reads through a period that is not too long.
func (k *checker) bounded(r reach, field string, span time.Duration) {
	days := itoa(int(span / (24 * time.Hour)))
	switch {
	case r.led:
	case r.from == nil:
		k.fail("where", "has to say where to look: "+field+" from an instant on (gte), for at most "+days+
			" days, or a userId, or an itemType and itemName (eq or in)")
	case r.longer(span):
		k.fail("where."+field, "is longer than "+days+" days: take a shorter period, or name a userId, or an itemType and itemName (eq or in)")
	}
}
