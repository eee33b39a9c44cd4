package main

import (
	"math"
	"time"

	"github.com/anishathalye/porcupine"
)

// The rules of one item once more, written down independently of the program, for porcupine: whether
// the answers of all callers could be those of one item that does one thing after the other.

// row is the state of an item. When a hold that somebody may have got or extended without hearing of
// it ends is not known but for its bounds.
type row struct {
	held                     bool // or ran out: which of both is a question of the time
	user, session            string
	token, version, renewals int64
	lo, hi                   int64 // bounds of the end, in microseconds
}

// asked is a call as the model sees it: about one item, and with the time in which it was decided.
type asked struct {
	*op
	item     item
	from, to int64
}

const never = math.MaxInt64

// told is what was answered about one item.
type told struct {
	outcome outcome
	code    string
	one     bool       // the call was about this item alone
	seen    *occupancy // nil: nothing was said about it
}

// next is a way on from a state.
type next struct {
	code string
	row  row
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// step gives the states that the item may be in after the call was answered so.
func step(r row, a asked, t told) (after []row) {
	ways := r.ways(a, t)
	if t.outcome == unknown {
		after = append(after, r) // it was never done
		for _, w := range ways {
			if w.row != r {
				after = append(after, w.row)
			}
		}
		return after
	}
	for _, w := range ways {
		if w.answers(t) && w.row.looksLike(t.seen, a) {
			after = append(after, w.row.knowing(t.seen))
		}
	}
	return after
}

// answers tells whether the answer has the code of this way. That of a call for several items is
// about all of them together.
func (n next) answers(t told) bool {
	if t.one {
		return n.code == t.code
	}
	granted := n.code == "GRANTED" || n.code == "REENTERED" || n.code == "TAKEN_OVER"
	return granted == (t.outcome == ok)
}

// ways are the answers that the rules allow: as a held item if it may have been held at the time, and
// as one that is not if that may be.
func (r row) ways(a asked, t told) (ways []next) {
	if r.held && a.from < r.hi {
		ways = append(ways, r.whenHeld(a, t))
	}
	if !r.held || a.to >= r.lo {
		ways = append(ways, r.whenNot(a, t))
	}
	return ways
}

func (r row) whenNot(a asked, t told) next {
	switch {
	case a.verb == look:
		return next{row: r}
	case a.verb == occupy:
		if r.held {
			r.version++ // that it ran out is a row of the history of its own
		}
		return next{"GRANTED", r.granted(a, t)}
	case a.verb == free && r.held:
		return next{"ALREADY_EXPIRED", r}
	case a.verb == free:
		return next{"ALREADY_FREE", r}
	case r.held:
		return next{"EXPIRED", r}
	}
	return next{"NOT_OCCUPIED", r}
}

func (r row) whenHeld(a asked, t told) next {
	shows := r.session == a.session || a.item.Type != "SLOT" && a.token == r.token
	switch {
	case a.verb == look:
		return next{row: r}
	case a.verb == occupy && r.user != a.user:
		return next{"HELD", r}
	case a.verb == occupy && r.session == a.session:
		return next{"REENTERED", r.extended(a, t, a.item.Type != "SLOT")}
	case a.verb == occupy && a.item.Type == "SLOT":
		return next{"HELD", r}
	case a.verb == occupy && a.takeOver:
		return next{"TAKEN_OVER", r.granted(a, t)}
	case a.verb == occupy:
		return next{"HELD_IN_OTHER_WINDOW", r}
	case r.user != a.user || !shows:
		return next{"NOT_HOLDER", r}
	case a.token != 0 && a.token != r.token:
		return next{"STALE_TOKEN", r}
	case a.verb == renew:
		return next{"RENEWED", r.extended(a, t, false)}
	}
	r.held = false
	r.version++
	return next{"FREED", r}
}

// granted is the row of a new hold.
func (r row) granted(a asked, t told) row {
	r.version++
	r.token++
	r.held, r.user, r.session, r.renewals = true, a.user, a.session, 0
	r.lo, r.hi = micros(a.call.Add(a.ttl)), never
	if t.seen != nil {
		r.lo = micros(t.seen.ExpireTime)
		r.hi = r.lo
	}
	return r
}

// extended is the row of a longer hold. Nothing is ever shortened.
func (r row) extended(a asked, t told, anotherScreen bool) row {
	r.renewals++
	if anotherScreen {
		r.version++
	}
	if t.seen == nil {
		r.lo, r.hi = max(r.lo, micros(a.call.Add(a.ttl))), never
		return r
	}
	until := micros(t.seen.UpdatedAt.Add(a.ttl))
	r.lo, r.hi = max(r.lo, until), max(r.hi, until)
	if end := micros(t.seen.ExpireTime); r.lo <= end && end <= r.hi {
		r.lo, r.hi = end, end
	} else {
		r.lo, r.hi = 1, 0 // no such hold: nothing looks like it
	}
	return r
}

// looksLike tells whether what was shown of the item is this state of it.
func (r row) looksLike(seen *occupancy, a asked) bool {
	if seen == nil || r.lo > r.hi {
		return r.lo <= r.hi
	}
	same := r.user == seen.UserID && r.session == seen.Session && r.token == seen.Token && r.renewals == seen.Renewals
	end := micros(seen.ExpireTime)
	ends := r.lo <= end && end <= r.hi
	switch seen.State {
	case "OCCUPIED":
		return same && ends && r.held && r.version == seen.Version && a.from < end
	case "EXPIRED": // written down already, or only seen
		return same && ends && r.held && (r.version == seen.Version || r.version+1 == seen.Version) && a.to >= end
	}
	return same && !r.held && r.version == seen.Version
}

// knowing is the state once its end was told.
func (r row) knowing(seen *occupancy) row {
	if seen != nil && r.held {
		r.lo = micros(seen.ExpireTime)
		r.hi = r.lo
	}
	return r
}

// ofOneItem is the model.
var ofOneItem = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{row{}} },
	Step: func(state, input, output any) (after []any) {
		for _, r := range step(state.(row), input.(asked), output.(told)) {
			after = append(after, r)
		}
		return after
	},
}).ToModel()
