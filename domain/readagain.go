package domain

import (
	"context"
	"maps"
)

// rowsAtOnce is how many rows are read before changes have their turn again.
const rowsAtOnce = 5000

// readAgain goes through the rows that are occupied, after some renewals may have been
// missed: so many with each read of the feed, so that no change has to wait for all of
// them. Guarded by Hub.reading.
type readAgain struct {
	atOnce int
	// behind are those for whom renewals were left out, because they were slow.
	behind map[*Subscription]struct{}

	going bool
	more  bool                       // some may have been missed since it began
	last  Occupancy                  // that was read
	whom  map[*Subscription]struct{} // of those that were behind, whom this makes good
}

// rowsRead are some of those rows.
type rowsRead struct {
	read    bool
	renewed []*Change
	behind  map[*Subscription]struct{} // are told what the others know, too
}

// note notes that renewals were left out.
func (r *readAgain) note(sub *Subscription) {
	if r.behind == nil {
		r.behind = map[*Subscription]struct{}{}
	}
	r.behind[sub] = struct{}{}
}

func (r *readAgain) forget(sub *Subscription) {
	delete(r.behind, sub)
	delete(r.whom, sub)
}

// begin begins with the first row, if some renewals may have been missed, by all or by
// those who were slow and are not any more.
func (r *readAgain) begin(missed bool) {
	if r.going {
		r.more = r.more || missed
		return
	}
	ready := maps.Clone(r.behind)
	maps.DeleteFunc(ready, func(sub *Subscription, _ struct{}) bool { return !sub.isIdle() })
	if !missed && len(ready) == 0 {
		return
	}
	maps.DeleteFunc(r.behind, func(sub *Subscription, _ struct{}) bool { _, is := ready[sub]; return is })
	r.going, r.more, r.last, r.whom = true, false, Occupancy{}, ready
}

// readRows reads the next rows, if there are any to be read.
func (h *Hub) readRows(ctx context.Context, missed bool) rowsRead {
	r := &h.readAgain
	r.begin(missed)
	if !r.going {
		return rowsRead{}
	}
	items, err := h.feed.Occupied(ctx, r.last, r.atOnce)
	if err != nil {
		return rowsRead{} // the next read goes on here
	}
	now := rowsRead{true, asRenewals(items), r.whom}
	if len(items) == r.atOnce {
		r.last = items[len(items)-1]
		signal(h.wake)
		return now
	}
	r.going = false
	if r.more {
		h.hear(nil, true)
	}
	return now
}
