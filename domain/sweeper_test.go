package domain

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func sweeper(store Store) *Sweeper { return &Sweeper{Store: store} }

// overdue has rows be held until noon and a little after, by when they are overdue.
func overdue(store *memory, n int) (keys []ItemKey) {
	store.at(100)
	for i := range n {
		key := ItemKey{"LOT", fmt.Sprintf("L%05d", i)}
		store.put(held(func(o *Occupancy) { o.ItemKey, o.ExpireTime = key, after(1+i/700) }))
		keys = append(keys, key)
	}
	return keys
}

func swept(t *testing.T, store *memory, keys ...ItemKey) {
	t.Helper()
	for _, key := range keys {
		if got := store.events(key); !slices.Equal(got, []Event{EventExpired}) {
			t.Errorf("%s: %v, want EXPIRED once", key, got)
		}
	}
}

func TestRule16_AllThatIsOverdueIsSweptInBatches(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, 2*sweepBatch+7)
	store.put(held(func(o *Occupancy) { o.ExpireTime = after(101) })) // LOT1
	store.fail = func(u Update) error {
		if len(u.Keys) > sweepBatch {
			return fmt.Errorf("%d at once", len(u.Keys))
		}
		return nil
	}
	is(t, "rows", must(sweeper(store).RunOnce(t.Context()))(t), len(keys))
	is(t, "updates: three batches", store.updates, 3)
	swept(t, store, keys[0], keys[sweepBatch-1], keys[sweepBatch], keys[2*sweepBatch+6])
	is(t, "what is held", store.row(lot1).State, StateOccupied)
	is(t, "by whom", store.history[1].UpdatedBy, SystemUser)
	is(t, "once", must(sweeper(store).RunOnce(t.Context()))(t), 0)
}

// S1: renewed between the sweeper's look and its lock.
func TestRule16_ARenewedOneIsNotSwept(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, 2)
	store.before = func() {
		renewed := store.row(keys[0])
		renewed.ExpireTime, renewed.Renewals = after(200), 3
		store.put(renewed)
	}
	is(t, "rows", must(sweeper(store).RunOnce(t.Context()))(t), 1)
	swept(t, store, keys[1])
	is(t, "the renewed one", store.row(keys[0]).State, StateOccupied)
}

// A lookup was faster: one EXPIRED row an expiry.
func TestRule16_OneRowAnExpiry(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, 1)
	s, _ := newService(t, func(c *ServiceConfig) { c.Store = store })
	raced := false
	store.before = func() {
		if !raced {
			raced = true
			must(s.Occupy(as("lee"), OccupyInput{ItemType: "LOT", ItemName: keys[0].ItemName, TTLSeconds: seconds(9)}))(t)
		}
	}
	is(t, "swept", must(sweeper(store).RunOnce(t.Context()))(t), 0)
	if got := store.events(keys[0]); !slices.Equal(got, []Event{EventExpired, EventOccupied}) {
		t.Errorf("history %v", got)
	}
}

func TestRule16_OneBrokenRowDoesNotStopTheRest(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, sweepBatch+3)
	broken := errors.New("this row is broken")
	store.fail = func(u Update) error {
		if slices.Contains(u.Keys, keys[5]) {
			return broken
		}
		return nil
	}
	n, err := sweeper(store).RunOnce(t.Context())
	if n != len(keys)-1 || !errors.Is(err, broken) {
		t.Errorf("%d, %v", n, err)
	}
	swept(t, store, keys[4], keys[6], keys[sweepBatch+2])
	is(t, "the broken one", store.row(keys[5]).State, StateOccupied)
	if n, err := sweeper(store).RunOnce(t.Context()); n != 0 || !errors.Is(err, broken) {
		t.Errorf("again: %d, %v", n, err)
	}
	store.fail = nil
	is(t, "mended", must(sweeper(store).RunOnce(t.Context()))(t), 1)
}

// S3: the database goes away in the middle.
func TestRule16_WhatAnOutageLeftIsSweptLater(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, sweepBatch+50)
	w := sweeper(store)
	store.fail = func(Update) error {
		if store.updates > 1 { // the first batch
			return ErrUnavailable
		}
		return nil
	}
	if n, err := w.RunOnce(t.Context()); n != sweepBatch || !errors.Is(err, ErrUnavailable) {
		t.Errorf("%d, %v", n, err)
	}
	store.fail = nil
	is(t, "later", must(w.RunOnce(t.Context()))(t), 50)
	swept(t, store, keys...)
}

func TestRule16_TheMaximumHoldIsSeenBySweepersToo(t *testing.T) {
	store := newMemory(t)
	store.put(held())
	store.at(60)
	w := sweeper(store)
	w.MaxHold = time.Minute
	is(t, "rows", must(w.RunOnce(t.Context()))(t), 1)
	if got := store.events(lot1); !slices.Equal(got, []Event{EventMaxHold}) {
		t.Errorf("history %v", got)
	}
}

// sweeping runs the sweeper's job in a bubble until stop is called.
func sweeping(t *testing.T, store *memory, session string) (stop func()) {
	return runJob(t, jobs(store, session), sweeper(store).Job())
}

func TestRule16_SweptWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		sweeping(t, store, "only")
		time.Sleep(333 * time.Millisecond)
		s, _ := newService(t, func(c *ServiceConfig) { c.Store = store })
		in := occupyLot1("A")
		in.TTLSeconds = seconds(10)
		must(s.Occupy(as("kim"), in))(t)
		time.Sleep(10*time.Second - time.Millisecond)
		synctest.Wait()
		is(t, "just before", len(store.events(lot1)), 1)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := store.events(lot1); !slices.Equal(got, []Event{EventOccupied, EventExpired}) {
			t.Errorf("a second later: %v", got)
		}
	})
}

// One item that is locked by somebody for long looks like a database that is away.
func TestRule16_ALockedRowIsNotAnOutage(t *testing.T) {
	store := newMemory(t)
	keys := overdue(store, 20)
	store.fail = func(u Update) error {
		if slices.Contains(u.Keys, keys[3]) || slices.Contains(u.Keys, keys[7]) || slices.Contains(u.Keys, keys[8]) {
			return ErrUnavailable
		}
		return nil
	}
	if n, err := sweeper(store).RunOnce(t.Context()); n != len(keys)-3 || !errors.Is(err, ErrUnavailable) {
		t.Errorf("%d, %v: what can not be swept must be told", n, err)
	}
}

func TestRule16_AnOutageIsNotTriedRowByRow(t *testing.T) {
	store := newMemory(t)
	overdue(store, sweepBatch)
	store.fail = func(Update) error { return ErrUnavailable }
	if n, err := sweeper(store).RunOnce(t.Context()); n != 0 || !errors.Is(err, ErrUnavailable) {
		t.Errorf("%d, %v", n, err)
	}
	is(t, "updates: the batch, and a few rows", store.updates, 1+maxAway)
}
