package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// outcome is what a caller knows of a call.
type outcome string

const (
	ok      outcome = "ok"
	refused outcome = "refused"
	undone  outcome = "undone"  // it was not sent, or UNAVAILABLE: nothing was changed
	unknown outcome = "unknown" // no answer came, or OUTCOME_UNKNOWN: it may have been done, or still be
)

// item is an item's type and name.
type item struct{ Type, Name string }

// occupancy is an item as an answer shows it.
type occupancy struct {
	ItemType, ItemName    string
	State                 string
	UserID, Session       string
	Token                 int64 `json:"fencingToken,string"`
	Version               int64 `json:",string"`
	Renewals              int64 `json:",string"`
	StartTime             time.Time
	ExpireTime, UpdatedAt time.Time
}

func (o occupancy) item() item { return item{o.ItemType, o.ItemName} }

// What is asked about items.
type verb string

const (
	occupy verb = "occupy"
	renew  verb = "renew"
	free   verb = "free"
	look   verb = "look"
)

// op is one call about one or several items.
type op struct {
	id            int64
	verb          verb
	gateway       int
	user, session string
	token         int64 // shown; 0 = none
	takeOver      bool
	ttl           time.Duration
	items         []item

	call, back time.Time
	outcome    outcome
	code       string
	// seen are the items of an answer: those asked for, or those in the way.
	seen []occupancy
}

// screen is the name of the screen that an occupy comes from: by it, each row of the history
// that a grant wrote says which call wrote it. It is also the mark of a commit for the wires.
func (o *op) screen() string { return screenOf(o.id) }

// draw is one call for values of a sequence.
type draw struct {
	name               string
	count              int64
	epoch, first, last int64
	outcome            outcome
}

// lots is one call for LOT IDs.
type lots struct {
	user, request string
	count         int
	ids           []string
	outcome       outcome
}

// sight is a change that a subscriber was told of.
type sight struct {
	life     int // which of its connections
	item     item
	version  int64
	state    string
	snapshot bool
}

// subscription is all that one subscriber was told.
type subscription struct {
	sights  []sight
	resyncs int
}

// episode is a fault that was had.
type episode struct {
	fault      string
	gateway    int // -1: not that of one gateway
	from, over time.Time
}

// vitals are what a gateway uses.
type vitals struct{ goroutines, files, memory float64 }

// record is all of a run.
type record struct {
	ops           []*op
	draws         []draw
	lots          []lots
	subscriptions []subscription
	episodes      []episode
	strange       []string // answers that nobody should get
	fresh, last   []vitals // of each gateway: just started, and at the end
	connections   int      // to the database, once all gateways are gone
	tables        tables
}

// recorder collects from many goroutines.
type recorder struct {
	mu  sync.Mutex
	ids atomic.Int64
	record
}

func add[T any](r *recorder, list *[]T, v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, v)
}
