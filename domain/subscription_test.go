package domain

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestASnapshotThenItsChanges(t *testing.T) {
	s, hub, feed := newHub(t)
	feed.change("kim", lots("LOT2", "LOT1")...)
	feed.change("", lots("LOT2")...)
	sub := watch(t, s, &OccupancyFilter{States: []State{StateOccupied}}, true)
	feed.change("lee", lots("LOT2")...)
	hub.runOnce(t.Context())
	same(t, "told", told(t, sub), "SNAPSHOT LOT1 v1 kim", "CHANGED LOT2 v3 lee")
}

// What commits while the snapshot is being taken is in it, or comes after it,
// and never both, whether or not the hub has read it by then.
func TestNoGapAndNoRepeatAroundASnapshot(t *testing.T) {
	s, hub, feed := newHub(t)
	early, late := feed.begin(), feed.begin()
	feed.write(early, "kim", lots("EARLY")...)
	feed.write(late, "kim", lots("LATE")...)
	before, after := func() {
		feed.change("kim", lots("BEFORE")...)
		feed.commit(early)
		hub.runOnce(t.Context())
	}, func() {
		feed.change("kim", lots("AFTER")...)
		feed.commit(late)
		hub.runOnce(t.Context())
	}
	feed.around = func() { before(); before = after }
	sub := watch(t, s, nil, true)
	hub.runOnce(t.Context())
	same(t, "told", told(t, sub),
		"SNAPSHOT BEFORE v1 kim", "SNAPSHOT EARLY v1 kim", "CHANGED LATE v1 kim", "CHANGED AFTER v1 kim")
	feed.change("lee", lots("EARLY", "BEFORE")...)
	hub.runOnce(t.Context())
	same(t, "from then on", told(t, sub), "CHANGED EARLY v2 lee", "CHANGED BEFORE v2 lee")
}

// A read of the hub that began before a commit is handed out after the snapshot
// that has it.
func TestNoRepeatAfterAReadThatWasBehind(t *testing.T) {
	_, hub, feed := newHub(t)
	late := feed.begin()
	feed.write(late, "kim", lot1)
	sub := must(hub.Subscribe(t.Context(), OccupancyFilter{}, false))(t)
	behind := feed.position()
	feed.commit(late)
	items, position, _ := feed.Matching(t.Context(), OccupancyFilter{})
	sub.start(asChanges(KindSnapshot, items), nowhere, newMark(position))
	sub.offer(nil, hub.at, newMark(behind))
	hub.runOnce(t.Context())
	same(t, "told", told(t, sub), "SNAPSHOT LOT1 v1 kim")
}

// witness is a subscriber of everything and what had happened when it came.
type witness struct {
	sub      *Subscription
	snapshot bool
	since    map[ItemKey]int64 // committed versions, at least
	seen     map[ItemKey]int64
}

// check takes what the witness was told: each item's versions without a gap.
func (w *witness) check(t *testing.T, seed uint64) {
	events, err := w.sub.take()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		o := e.Occupancy
		before, told := w.seen[o.ItemKey]
		switch {
		case e.Kind == KindSnapshot && !told:
		case !told && !w.snapshot && o.Version <= w.since[o.ItemKey]+1:
		case !told && w.snapshot && o.Version == 1:
		case told && o.Version == before+1:
		default:
			t.Fatalf("seed %d: %s of %s version %d after %d", seed, e.Kind, o.ItemKey, o.Version, before)
		}
		w.seen[o.ItemKey] = o.Version
	}
}

// world is a random course of transactions, reads and subscribers.
type world struct {
	t    *testing.T
	r    *rand.Rand
	s    *Service
	hub  *Hub
	feed *fakeFeed

	locked    map[ItemKey]uint64
	committed map[ItemKey]int64
	witnesses []*witness
}

func (w *world) write() {
	key := ItemKey{"LOT", itoa(w.r.IntN(5))}
	if _, locked := w.locked[key]; locked {
		return
	}
	tx := w.feed.begin()
	w.feed.write(tx, "kim", key)
	w.locked[key] = tx
}

func (w *world) commit() {
	for key, tx := range w.locked {
		w.feed.commit(tx)
		w.committed[key] = w.feed.last[key].Version
		delete(w.locked, key)
		return
	}
}

func (w *world) subscribe() {
	since := map[ItemKey]int64{}
	for key, v := range w.committed {
		since[key] = v
	}
	snapshot := w.r.IntN(2) == 0
	w.feed.around = func() {
		for range w.r.IntN(4) {
			w.write()
			w.commit()
		}
		if w.r.IntN(2) == 0 { // the hub may read between joining and the snapshot, and after it
			w.hub.runOnce(w.t.Context())
		}
	}
	sub := must(w.s.Watch(as("kim"), Watch{Snapshot: snapshot}))(w.t)
	w.witnesses = append(w.witnesses, &witness{sub, snapshot, since, map[ItemKey]int64{}})
}

func TestRule21_EveryWitnessIsToldEverythingOnce(t *testing.T) {
	for seed := range uint64(400) {
		s, hub, feed := newHub(t)
		w := &world{
			t: t, r: rand.New(rand.NewPCG(seed, 0)), s: s, hub: hub, feed: feed,
			locked: map[ItemKey]uint64{}, committed: map[ItemKey]int64{},
		}
		for range 80 {
			switch w.r.IntN(8) {
			case 0, 1, 2:
				w.write()
			case 3, 4:
				w.commit()
			case 5, 6:
				hub.runOnce(t.Context())
			case 7:
				w.subscribe()
			}
		}
		for len(w.locked) > 0 {
			w.commit()
		}
		hub.runOnce(t.Context())
		for _, witness := range w.witnesses {
			witness.check(t, seed)
			for key, last := range w.committed {
				if witness.seen[key] != last && (witness.snapshot || last > witness.since[key]) {
					t.Fatalf("seed %d: %s was told up to version %d of %d", seed, key, witness.seen[key], last)
				}
			}
			witness.sub.Close()
		}
	}
}

// The server was started again between the snapshot and the next read: its
// transaction ids say nothing about those of the snapshot.
func TestASnapshotOfAnotherLifeHidesNothing(t *testing.T) {
	s, hub, feed := newHub(t)
	feed.next = 1000
	sub := watch(t, s, nil, true)
	feed.started = feed.started.Add(time.Minute)
	hub.at.Snapshot = Snapshot{Xmin: 500, Xmax: 500} // reads again from before
	feed.next = 600                                  // ids of lost transactions are given again
	feed.change("kim", lot1)
	hub.runOnce(t.Context())
	same(t, "told", told(t, sub), "CHANGED LOT1 v1 kim")
}

func TestRule23_ASlowOneIsCutAndTheOthersGoOn(t *testing.T) {
	s, hub, feed := newHub(t)
	slow, quick := watch(t, s, nil, false), watch(t, s, nil, false)
	keys := make([]ItemKey, 1024)
	for i := range keys {
		keys[i] = ItemKey{"LOT", itoa(i)}
	}
	got := 0
	for range MaxQueue / len(keys) {
		feed.change("kim", keys...)
		hub.runOnce(t.Context())
		events, err := quick.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got += len(events)
	}
	is(t, "up to the bound nobody is cut", hub.Subscribers(), 2)
	feed.change("kim", lot1)
	hub.runOnce(t.Context())
	is(t, "then one is", hub.Subscribers(), 1)
	if events, err := slow.take(); len(events) > 0 || !errors.Is(err, ErrTooSlow) {
		t.Errorf("the slow one: %d events, %v", len(events), err)
	}
	events, err := quick.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the quick one has all", got+len(events), MaxQueue+1)
}

// A large snapshot is not the subscriber's slowness.
func TestRule23_ALargeSnapshotIsNotSlowness(t *testing.T) {
	s, hub, feed := newHub(t)
	keys := make([]ItemKey, MaxQueue+1)
	for i := range keys {
		keys[i] = ItemKey{"LOT", itoa(i)}
	}
	feed.change("kim", keys...)
	sub := watch(t, s, nil, true)
	feed.change("lee", keys[1:]...)
	hub.runOnce(t.Context())
	is(t, "subscribers", hub.Subscribers(), 1)
	feed.change("lee", lot1)
	hub.runOnce(t.Context())
	is(t, "one too many", hub.Subscribers(), 0)
	if _, err := sub.take(); !errors.Is(err, ErrTooSlow) {
		t.Error(err)
	}
}

func TestOnlyWhatMatchesFillsAQueue(t *testing.T) {
	s, hub, feed := newHub(t)
	sub := watch(t, s, &OccupancyFilter{ItemTypes: []string{"cst"}}, false)
	for range 3 {
		feed.change("kim", make([]ItemKey, MaxQueue)...)
		hub.runOnce(t.Context())
	}
	feed.change("kim", ItemKey{"CST", "C1"})
	hub.runOnce(t.Context())
	same(t, "told", told(t, sub), "CHANGED C1 v1 kim")
}

func TestNextWaitsAndLeavesWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, feed := newHub(t)
		sub := watch(t, s, &OccupancyFilter{ItemTypes: []string{"LOT"}}, true) // nothing there yet
		feed.change("kim", ItemKey{"CST", "C1"})
		s.Hub.runOnce(t.Context()) // nothing for this one
		ctx, leave := context.WithTimeout(t.Context(), time.Minute)
		defer leave()
		if _, err := sub.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		feed.change("kim", lot1)
		s.Hub.runOnce(t.Context())
		if events, err := sub.Next(t.Context()); err != nil || len(events) != 1 {
			t.Errorf("%v, %v", events, err)
		}
	})
}

func TestSnapshotsOfPostgres(t *testing.T) {
	for text, want := range map[string]Snapshot{
		"10:20:10,14,15": {Xmin: 10, Xmax: 20, Running: []uint64{10, 14, 15}},
		"20:20:":         {Xmin: 20, Xmax: 20},
		"18446744073709551614:18446744073709551615:": {Xmin: 1<<64 - 2, Xmax: 1<<64 - 1},
	} {
		got := must(ParseSnapshot(text))(t)
		if got.Xmin != want.Xmin || got.Xmax != want.Xmax || !slices.Equal(got.Running, want.Running) {
			t.Errorf("%s: %+v", text, got)
		}
		is(t, "and back", got.String(), text)
	}
	s := Snapshot{Xmin: 10, Xmax: 20, Running: []uint64{10, 14, 15}}
	for tx, sees := range map[uint64]bool{9: true, 10: false, 11: true, 14: false, 19: true, 20: false, 21: false} {
		is(t, itoa(int(tx)), s.Sees(tx), sees)
	}
	for _, text := range []string{"", "1:2", "1:2:3:4", "a:2:", "1:2:x", "1:2:3,", "-1:2:"} {
		if s, err := ParseSnapshot(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}
