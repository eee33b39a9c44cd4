package domain

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"
)

// fakeFeed is a history whose transactions may commit in any order.
type fakeFeed struct {
	mu      sync.Mutex
	system  string
	started time.Time
	clock   time.Time
	next    uint64
	running map[uint64]bool
	rows    []*Change // in the order of writing
	last    map[ItemKey]Occupancy
	reads   int

	// now is the time, if it goes by; else it only ticks. Never the same twice.
	now func() time.Time
	// rowsNow are the rows as they are, if they are more than the history says.
	rowsNow func() []Occupancy
	// fail is what a read returns.
	fail error
	// around is what others do while Matching is under way, before and after
	// its snapshot is taken.
	around func()
}

var _ Feed = (*fakeFeed)(nil)

func newFeed() *fakeFeed {
	return &fakeFeed{system: "plant", started: noon, clock: noon, next: 100, running: map[uint64]bool{}, last: map[ItemKey]Occupancy{}}
}

// tick is the server's clock, which never says the same twice.
func (f *fakeFeed) tick() time.Time {
	f.clock = f.clock.Add(time.Microsecond)
	if f.now != nil {
		f.clock = f.now()
	}
	return f.clock
}

func (f *fakeFeed) begin() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	f.running[f.next-1] = true
	return f.next - 1
}

// write has an item change hands, or come back if the holder is "".
func (f *fakeFeed) write(tx uint64, holder string, keys ...ItemKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range keys {
		o, known := f.last[key]
		e := &Change{Kind: KindChanged, Event: EventOccupied, At: f.tick(), TxID: tx}
		if known {
			e.Previous = &o
		}
		e.Occupancy = Occupancy{ItemKey: key, State: StateOccupied, UserID: holder, Version: o.Version + 1}
		if holder == "" {
			e.Event, e.Occupancy.State, e.Occupancy.UserID = EventFreed, StateFree, o.UserID
		}
		f.rows = append(f.rows, e)
		f.last[key] = e.Occupancy
	}
}

// append has a change of an item be written.
func (f *fakeFeed) append(c *Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, known := f.last[c.Occupancy.ItemKey]; known {
		c.Previous = &o
	}
	f.rows = append(f.rows, c)
	f.last[c.Occupancy.ItemKey] = c.Occupancy
}

func (f *fakeFeed) commit(tx uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, tx)
}

// change is a whole transaction.
func (f *fakeFeed) change(holder string, keys ...ItemKey) {
	tx := f.begin()
	f.write(tx, holder, keys...)
	f.commit(tx)
}

func (f *fakeFeed) failWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *fakeFeed) position() Position {
	s := Snapshot{Xmin: f.next, Xmax: f.next, Running: slices.Sorted(maps.Keys(f.running))}
	if len(s.Running) > 0 {
		s.Xmin = s.Running[0]
	}
	return Position{System: f.system, Started: f.started, Snapshot: s, Clock: f.tick()}
}

func (f *fakeFeed) read(ctx context.Context, rows func(Position)) (Position, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	if f.fail != nil {
		return Position{}, f.fail
	}
	p := f.position()
	rows(p)
	return p, ctx.Err()
}

func (f *fakeFeed) Position(ctx context.Context) (Position, error) {
	return f.read(ctx, func(Position) {})
}

func (f *fakeFeed) Changes(ctx context.Context, since Position) (events []*Change, p Position, err error) {
	if since.System != f.system {
		return nil, p, ErrFeedBroken
	}
	p, err = f.read(ctx, func(p Position) {
		for _, e := range f.rows {
			if p.Snapshot.Sees(e.TxID) && !since.has(e, p.Started) {
				events = append(events, e)
			}
		}
	})
	return events, p, err
}

// crash loses what runs, and gives its ids and some that nobody saw out again.
func (f *fakeFeed) crash() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = slices.DeleteFunc(f.rows, func(c *Change) bool { return f.running[c.TxID] })
	f.last = map[ItemKey]Occupancy{}
	used := uint64(99)
	for _, c := range f.rows {
		f.last[c.Occupancy.ItemKey] = c.Occupancy
		used = max(used, c.TxID)
	}
	clear(f.running)
	f.next, f.started = used+1, f.tick()
}

func (f *fakeFeed) Matching(ctx context.Context, filter OccupancyFilter) (items []Occupancy, p Position, err error) {
	if f.around != nil {
		f.around()
		defer f.around()
	}
	p, err = f.read(ctx, func(p Position) {
		now := map[ItemKey]Occupancy{}
		for _, e := range f.rows {
			if p.Snapshot.Sees(e.TxID) {
				now[e.Occupancy.ItemKey] = e.Occupancy
			}
		}
		if f.rowsNow != nil {
			for _, o := range f.rowsNow() {
				now[o.ItemKey] = o
			}
		}
		for _, o := range now {
			if o.AsOf = p.Clock; filter.Matches(&o) {
				items = append(items, o)
			}
		}
	})
	slices.SortFunc(items, func(a, b Occupancy) int { return a.Compare(b.ItemKey) })
	return items, p, err
}

func (f *fakeFeed) Occupied(ctx context.Context, after Occupancy, limit int) (items []Occupancy, err error) {
	all, _, err := f.Matching(ctx, OccupancyFilter{States: []State{StateOccupied}})
	slices.SortFunc(all, byExpiry)
	for _, o := range all {
		if byExpiry(o, after) > 0 && o.Renewals > 0 && len(items) < limit {
			items = append(items, o)
		}
	}
	return items, err
}

func byExpiry(a, b Occupancy) int {
	return cmp.Or(a.ExpireTime.Compare(b.ExpireTime), a.Compare(b.ItemKey))
}

// testBell counts rings, and can be rung.
type testBell struct {
	NoBell
	mu    sync.Mutex
	rings int
	rung  chan struct{}
}

func newBell() *testBell { return &testBell{rung: make(chan struct{}, 1)} }

func (b *testBell) Rung() <-chan struct{} { return b.rung }

func (b *testBell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings++
}

// newHub is a hub that the test has read by itself, and the use cases on it.
func newHub(t *testing.T) (*Service, *Hub, *fakeFeed) {
	t.Helper()
	feed := newFeed()
	hub := NewHub(feed, NoBell{})
	s, _ := newService(t, func(c *ServiceConfig) { c.Feed, c.Hub = feed, hub })
	return s, hub, feed
}

// watch subscribes for the length of the test.
func watch(t *testing.T, s *Service, f *OccupancyFilter, snapshot bool) *Subscription {
	t.Helper()
	sub := must(s.Watch(as("kim"), Watch{Filter: f, Snapshot: snapshot}))(t)
	t.Cleanup(sub.Close)
	return sub
}

// told is what a subscriber has been told and not yet taken, in short:
// "SNAPSHOT LOT1 v3 kim".
func told(t *testing.T, sub *Subscription) (short []string) {
	t.Helper()
	events, err := sub.take()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		o := e.Occupancy
		who := o.UserID
		if o.State == StateFree {
			who = "nobody"
		}
		short = append(short, string(e.Kind)+" "+o.ItemName+" v"+itoa(int(o.Version))+" "+who)
	}
	return short
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
