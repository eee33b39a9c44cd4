package domain

import "time"

// State is the state of an item.
type State string

// The states. An item never seen is FREE.
const (
	StateOccupied State = "OCCUPIED"
	StateFree     State = "FREE"
	StateExpired  State = "EXPIRED"
)

// Event is how an item came into the state of a history row.
type Event string

// The events, by the state that they lead to.
const (
	EventOccupied    Event = "OCCUPIED"    // granted: OCCUPIED
	EventReentered   Event = "REENTERED"   // same holder, other UI or menu: OCCUPIED
	EventTakenOver   Event = "TAKEN_OVER"  // moved to another window of the same user: OCCUPIED
	EventTransferred Event = "TRANSFERRED" // handed to another user: OCCUPIED

	EventFreed          Event = "FREED"           // the work was done (OK): FREE
	EventWindowClosed   Event = "WINDOW_CLOSED"   // FREE
	EventConnectionLost Event = "CONNECTION_LOST" // FREE, or EXPIRED after a grace
	EventForced         Event = "FORCED"          // ended by a supervisor: FREE

	EventExpired Event = "EXPIRED"  // time ran out: EXPIRED
	EventMaxHold Event = "MAX_HOLD" // the longest allowed hold ran out: EXPIRED
)

// AllEvents lists the events in that order.
var AllEvents = []Event{EventOccupied, EventReentered, EventTakenOver, EventTransferred,
	EventFreed, EventWindowClosed, EventConnectionLost, EventForced, EventExpired, EventMaxHold}

// Occupancy is the row of an item: who holds it, or held it last.
type Occupancy struct {
	ItemKey
	State   State
	UserID  string // holder, or the last one; "" if never held
	Session string // "" if the holder has none

	StartTime  time.Time // zero if never held
	ExpireTime time.Time
	UIName     string
	MenuName   string

	FencingToken int64
	Version      int64
	Renewals     int64
	// EndEvent is what an expiry is to be called in the history, if that is
	// known before: EventConnectionLost. "" for one that just comes.
	EndEvent Event

	RegisteredBy string
	RegisteredAt time.Time
	UpdatedBy    string
	UpdatedAt    time.Time

	// AsOf is the database's time when the row was read; set by Seen.
	AsOf time.Time
}

// Seen is the row as a reader at that time is to see it: EXPIRED as soon as
// its time has run out, whether or not anybody has written that down yet.
func (o Occupancy) Seen(clock time.Time) Occupancy {
	if o.State == StateOccupied && !o.heldAt(o.now(clock)) {
		o.State = StateExpired
	}
	o.AsOf = clock
	return o
}

// Holder is who holds the item. Returns nil if nobody does.
func (o Occupancy) Holder() *Holder {
	if o.State != StateOccupied {
		return nil
	}
	return &Holder{
		UserID: o.UserID, Session: o.Session, UIName: o.UIName, MenuName: o.MenuName,
		StartTime: o.StartTime, ExpireTime: o.ExpireTime, FencingToken: o.FencingToken,
		RemainingSeconds: o.RemainingSeconds(),
	}
}

// RemainingSeconds is how long the hold lasts from AsOf, rounded up, so that 0
// means that it is over and nothing else.
func (o Occupancy) RemainingSeconds() int {
	if o.State != StateOccupied {
		return 0
	}
	left := o.ExpireTime.Sub(o.now(o.AsOf))
	return int(max(0, (left+time.Second-1)/time.Second))
}

// Holder is who occupies an item, from which screen, since when and until when.
type Holder struct {
	UserID           string
	Session          string
	UIName           string
	MenuName         string
	StartTime        time.Time
	ExpireTime       time.Time
	FencingToken     int64
	RemainingSeconds int
}

// now is the time that counts for this item: a database clock that steps back
// must not disorder it, and must not touch any other item either.
func (o Occupancy) now(clock time.Time) time.Time {
	if o.UpdatedAt.After(clock) {
		return o.UpdatedAt
	}
	return clock
}

func (o Occupancy) heldAt(now time.Time) bool {
	return o.State == StateOccupied && now.Before(o.ExpireTime)
}
