package domain

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Renewals write no history, so that no feed brings them. Each gateway tells
// them to the others, best effort, and those that want them put each in its
// place between the changes of its item:
//
//   - not before the change that it comes after, which the feed brings: what was
//     known before a read is told after it;
//   - not after one that it comes before: (version, renewals) is held against
//     what was told last. That is remembered for a while, and what comes later
//     than that is not told at all.
//
// Whenever some may have been missed, the rows that are occupied are read.

const (
	// renewalsWait is how long renewals are collected, so that of one item only
	// the last is told.
	renewalsWait = 100 * time.Millisecond
	// maxRenewals is how many may wait.
	maxRenewals = 20_000
	// renewalsLate is how old a renewal may be when it is told.
	renewalsLate = 30 * time.Second
)

// renewals are those that wait to be told.
type renewals struct {
	wanted atomic.Int64 // subscribers

	mu      sync.Mutex
	waiting map[ItemKey]*Change
	missed  bool

	told recent // guarded by Hub.reading
}

// Renewed says which holds this gateway has extended. It never blocks.
func (h *Hub) Renewed(renewed []*Change) {
	h.bell.Tell(renewed)
	h.hear(renewed, false)
}

// hear collects renewals, by whomever, if anybody here wants them.
func (h *Hub) hear(renewed []*Change, missed bool) {
	if h.renewals.wanted.Load() > 0 && h.renewals.collect(renewed, missed) {
		time.AfterFunc(renewalsWait, func() { signal(h.wake) })
	}
}

// wantRenewals counts who wants them, under Hub.reading.
func (h *Hub) wantRenewals(more int64) {
	switch n := h.renewals.wanted.Add(more); {
	case n == 1 && more > 0:
		h.bell.Listen(h.hear)
	case n == 0:
		h.bell.Listen(nil)
		h.renewals.take()
		h.renewals.told = recent{}
		h.readAgain = readAgain{atOnce: h.readAgain.atOnce}
	}
}

// collect tells whether these are the first that wait.
func (r *renewals) collect(renewed []*Change, missed bool) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = len(r.waiting) == 0 && !r.missed
	if r.waiting == nil {
		r.waiting = map[ItemKey]*Change{}
	}
	for _, c := range renewed {
		if last := r.waiting[c.Occupancy.ItemKey]; last == nil || c.IsAfter(last) {
			r.waiting[c.Occupancy.ItemKey] = c
		}
	}
	r.missed = r.missed || missed
	if len(r.waiting) > maxRenewals {
		r.waiting, r.missed = nil, true
	}
	return first && (len(renewed) > 0 || missed)
}

func (r *renewals) take() (waiting map[ItemKey]*Change, missed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting, missed = r.waiting, r.missed
	r.waiting, r.missed = nil, false
	return waiting, missed
}

// renewedNow are the renewals to tell after the next read.
type renewedNow struct {
	waiting []*Change
	rows    rowsRead
}

// takeRenewed takes what waits.
func (h *Hub) takeRenewed(ctx context.Context) (now renewedNow) {
	waiting, missed := h.renewals.take()
	for _, c := range waiting {
		now.waiting = append(now.waiting, c)
	}
	if h.renewals.wanted.Load() > 0 {
		now.rows = h.readRows(ctx, missed)
	}
	return now
}

// putBack has renewals wait for the next read.
func (h *Hub) putBack(now renewedNow) {
	h.renewals.collect(now.waiting, now.rows.read)
	for sub := range now.rows.behind {
		h.readAgain.note(sub)
	}
}

// asRenewals are the rows that were renewed, as they are now.
func asRenewals(items []Occupancy) (renewed []*Change) {
	for _, c := range asChanges(KindRenewed, items) {
		if c.Occupancy.Renewals > 0 {
			c.At = c.Occupancy.UpdatedAt
			renewed = append(renewed, c)
		}
	}
	return renewed
}

// handOutRenewed tells the renewals that have their place after these changes.
func (h *Hub) handOutRenewed(changes []*Change, now renewedNow) {
	if h.renewals.wanted.Load() == 0 {
		return
	}
	told := &h.renewals.told
	told.at(h.at.Clock)
	for _, c := range changes {
		told.note(&c.Occupancy)
	}
	var fresh, again []*Change
	for _, c := range now.rows.renewed {
		switch {
		case told.note(&c.Occupancy):
			fresh = append(fresh, c)
		case told.is(&c.Occupancy):
			again = append(again, c)
		}
	}
	for _, c := range now.waiting {
		switch {
		case h.at.Clock.Sub(c.At) > renewalsLate:
			h.hear(nil, true)
		case told.note(&c.Occupancy):
			fresh = append(fresh, c)
		}
	}
	for sub := range now.rows.behind {
		h.offerRenewed(sub, again)
	}
	h.subs.each(fresh, h.offerRenewed)
}

func (h *Hub) offerRenewed(sub *Subscription, renewed []*Change) {
	if sub.offerRenewed(renewed, h.at) {
		h.readAgain.note(sub)
	}
}

// stamp orders all that ever happens to an item.
type stamp struct{ version, renewals int64 }

func (o *Occupancy) stamp() stamp { return stamp{o.Version, o.Renewals} }

// IsAfter tells whether this happened after another change of the same item.
func (c *Change) IsAfter(other *Change) bool {
	return c.Occupancy.stamp().after(other.Occupancy.stamp())
}

func (s stamp) after(t stamp) bool {
	return s.version > t.version || (s.version == t.version && s.renewals > t.renewals)
}

// recent remembers what was told last of each item, for at least twice as long
// as a renewal may be late.
type recent struct {
	now, before map[ItemKey]stamp
	since       time.Time
}

// at moves on to a time.
func (r *recent) at(clock time.Time) {
	if r.now == nil || clock.Sub(r.since) >= 2*renewalsLate {
		r.before, r.now, r.since = r.now, map[ItemKey]stamp{}, clock
	}
}

// note remembers what is told of an item. Returns false if that or later was
// told before.
func (r *recent) note(o *Occupancy) bool {
	if last, known := r.last(o.ItemKey); known && !o.stamp().after(last) {
		return false
	}
	r.now[o.ItemKey] = o.stamp()
	return true
}

// is tells whether this is what was told last of an item.
func (r *recent) is(o *Occupancy) bool {
	last, known := r.last(o.ItemKey)
	return known && o.stamp() == last
}

func (r *recent) last(key ItemKey) (stamp, bool) {
	last, known := r.now[key]
	if !known {
		last, known = r.before[key]
	}
	return last, known
}
