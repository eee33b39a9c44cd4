package domain

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func occupyLot1(session string) OccupyInput {
	return OccupyInput{ItemType: "LOT", ItemName: "LOT1", Session: session, TTLSeconds: seconds(60), UIName: "MES", MenuName: "Lookup"}
}

// The life of one item through the use cases, step by step.
func TestTheLifeOfAnItem(t *testing.T) {
	s, store := newService(t)
	step := func(what string, a *Answer, err error, want Code, state State) *Answer {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		is(t, what, a.Code, want)
		is(t, what+": ok", a.OK, want.OK())
		is(t, what+": state", a.Occupancy.State, state)
		if a.Message == "" {
			t.Errorf("%s: no message", what)
		}
		return a
	}
	a, err := s.Occupy(as("kim"), occupyLot1("A"))
	step("occupy", a, err, CodeGranted, StateOccupied)
	a, err = s.Occupy(as("kim"), OccupyInput{ItemType: "lot", ItemName: " lot1", Session: "A"})
	step("again, L13", a, err, CodeReentered, StateOccupied)
	a, err = s.Occupy(as("lee"), occupyLot1("B"))
	denial := step("another", a, err, CodeHeld, StateOccupied)
	is(t, "who holds it", denial.Occupancy.UserID, "kim")
	a, err = s.Occupy(as("kim"), occupyLot1("B"))
	step("another window", a, err, CodeHeldInOtherWindow, StateOccupied)
	a, err = s.Renew(as("kim"), RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "A", TTLSeconds: seconds(600)})
	renewed := step("renew", a, err, CodeRenewed, StateOccupied)
	is(t, "until", renewed.Occupancy.ExpireTime, after(600))
	a, err = s.Transfer(as("kim"), TransferInput{ItemType: "LOT", ItemName: "LOT1", ToUserID: " lee ", ToSession: "B", Session: "A"})
	moved := step("transfer", a, err, CodeTransferred, StateOccupied)
	is(t, "to", moved.Occupancy.UserID+moved.Occupancy.Session, "leeB")
	a, err = s.Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"})
	step("free by the old holder, U1", a, err, CodeNotHolder, StateOccupied)
	a, err = s.ForceFree(as("boss", RoleSupervisor), ForceFreeInput{ItemType: "LOT", ItemName: "LOT1", Reason: "end of shift", FencingToken: 1})
	step("force with an old token, U10", a, err, CodeStaleToken, StateOccupied)
	a, err = s.ForceFree(as("boss", RoleSupervisor), ForceFreeInput{ItemType: "LOT", ItemName: "LOT1", Reason: "end of shift", FencingToken: 2})
	step("force", a, err, CodeFreed, StateFree)
	a, err = s.Free(as("lee"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "B", How: FreeWindowClosed})
	step("free", a, err, CodeAlreadyFree, StateFree)
	a, err = s.Renew(as("lee"), RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "B"})
	step("renew", a, err, CodeNotOccupied, StateFree)
	want := []Event{EventOccupied, EventTransferred, EventForced}
	if got := store.events(lot1); !slices.Equal(got, want) {
		t.Errorf("history %v, want %v", got, want)
	}
	is(t, "reason", store.history[2].Comment, "end of shift")
	is(t, "actor", store.history[2].UpdatedBy, "boss")
}

// L6: nothing has swept.
func TestRule05And15_ThroughTheUseCases(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	store.at(60)
	is(t, "seen", must(s.Occupancy(as("lee", RoleAnalyst), "LOT", "LOT1"))(t).State, StateExpired)
	if h := must(s.Holder(as("lee"), "LOT", "LOT1"))(t); h != nil {
		t.Errorf("held by %+v", h)
	}
	is(t, "free", must(s.Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Code, CodeAlreadyExpired)
	is(t, "occupy", must(s.Occupy(as("lee"), occupyLot1("B")))(t).Code, CodeGranted)
	is(t, "old start", store.history[0].StartTime, noon)
	want := []Event{EventExpired, EventOccupied}
	if got := store.events(lot1); !slices.Equal(got, want) {
		t.Errorf("history %v, want %v", got, want)
	}
}

func TestRule02_ADenialWritesNothingAndOnlyTheFirstLocks(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	for range 100 { // R3
		is(t, "code", must(s.Occupy(as("lee"), occupyLot1("B")))(t).Code, CodeHeld)
	}
	is(t, "locking updates", store.updates, 1)
	is(t, "row", store.row(lot1), held())
	store.at(60)
	is(t, "code", must(s.Occupy(as("lee"), occupyLot1("B")))(t).Code, CodeGranted)
	is(t, "locking updates", store.updates, 2)
}

func TestContestedItemsAreRememberedInBoundedNumber(t *testing.T) {
	var c contested
	key := func(n int) ItemKey { return ItemKey{"LOT", itoa(n)} }
	for n := range 3 * maxContested {
		c.note(key(n))
		if !c.has(key(n)) || !c.has(key(max(0, n-maxContested+1))) {
			t.Fatal("forgotten too soon", n)
		}
	}
	is(t, "the first", c.has(key(0)), false)
	is(t, "number", len(c.present)+len(c.former), 2*maxContested)
	c.forget(key(3*maxContested - 1))
	is(t, "the last", c.has(key(3*maxContested-1)), false)
}

// Somebody was faster between the plain read and the lock.
func TestRule02_TheLockDecides(t *testing.T) {
	s, store := newService(t)
	store.before = func() { store.put(held()) }
	a := must(s.Occupy(as("lee"), occupyLot1("B")))(t)
	is(t, "code", a.Code, CodeHeld)
	is(t, "holder", a.Occupancy.UserID, "kim")
	is(t, "wait", *a.RetryAfterSeconds, 60)
	is(t, "history rows", len(store.history), 0)
}

func TestRetryAfterIsForWhomWaitingWouldHelp(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	store.at(20)
	is(t, "another's", *must(s.Occupy(as("lee"), occupyLot1("")))(t).RetryAfterSeconds, 40)
	is(t, "other window's", *must(s.Occupy(as("kim"), occupyLot1("B")))(t).RetryAfterSeconds, 40)
	for _, a := range []*Answer{
		must(s.Occupy(as("kim"), occupyLot1("A")))(t),
		must(s.Free(as("lee"), FreeInput{ItemType: "LOT", ItemName: "LOT1"}))(t),
	} {
		if a.RetryAfterSeconds != nil {
			t.Errorf("%s: wait %d s", a.Code, *a.RetryAfterSeconds)
		}
	}
}

func TestVerifyHolder(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	a := must(s.VerifyHolder(as("backend", RoleService), HolderClaim{ItemType: "lot", ItemName: "lot1", UserID: " kim", Session: "A", FencingToken: token(7)}))(t)
	is(t, "code", a.Code, CodeVerified)
	is(t, "holder", a.Occupancy.UserID, "kim")
	a = must(s.VerifyHolder(as("backend"), HolderClaim{ItemType: "LOT", ItemName: "LOT1", UserID: "kim", Session: "A", FencingToken: token(6)}))(t)
	is(t, "code", a.Code, CodeStaleToken)
	is(t, "locking updates", store.updates, 0)
}

// The caller has gone by the time the store takes it up.
func TestRule12_AFreeThatHasStartedIsDone(t *testing.T) {
	s, store := newService(t)
	gone := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	store.put(held())
	is(t, "free", must(s.Free(gone(as("kim")), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Code, CodeFreed)
	store.put(held())
	force := ForceFreeInput{ItemType: "LOT", ItemName: "LOT1", FencingToken: 7, Reason: "why"}
	is(t, "force", must(s.ForceFree(gone(as("boss", RoleSupervisor)), force))(t).Code, CodeFreed)
	store.put(held())
	is(t, "all", len(must(s.FreeAll(gone(as("kim")), FreeAllInput{Session: "A"}))(t).Occupancies), 1)

	store.put(held())
	if _, err := s.Renew(gone(as("kim")), RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a renewal that nobody waits for: %v", err)
	}
}

func TestAStoreThatFailsIsNoAnswer(t *testing.T) {
	s, store := newService(t)
	store.put(held())
	store.fail = func(Update) error { return ErrOutcomeUnknown }
	answers := map[string]error{
		"occupy":    onlyError(s.Occupy(as("kim"), occupyLot1("A"))),
		"renew":     onlyError(s.Renew(as("kim"), RenewInput{ItemType: "LOT", ItemName: "LOT1"})),
		"free":      onlyError(s.Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1"})),
		"occupyAll": onlyError(s.OccupyAll(as("kim"), OccupyAllInput{Items: items("LOT1"), Session: "A"})),
		"freeAll":   onlyError(s.FreeAll(as("kim"), FreeAllInput{Session: "A"})),
	}
	for name, err := range answers {
		if !errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// onlyError is the error; an answer beside one is a bug.
func onlyError[T any](a *T, err error) error {
	if a != nil {
		return errors.New("answered")
	}
	return err
}

func TestMaximumHoldIsTheServices(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Limits.MaxHold = 90 * time.Second })
	in := occupyLot1("A")
	in.TTLSeconds = seconds(600)
	is(t, "occupy", must(s.Occupy(as("kim"), in))(t).Occupancy.ExpireTime, after(90))
	is(t, "renew", must(s.Renew(as("kim"), RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "A", TTLSeconds: seconds(600)}))(t).Occupancy.ExpireTime, after(90))
	is(t, "all", must(s.OccupyAll(as("kim"), OccupyAllInput{Items: items("LOT2"), TTLSeconds: seconds(600)}))(t).Occupancies[0].ExpireTime, after(90))
	is(t, "transfer", must(s.Transfer(as("kim"), TransferInput{ItemType: "LOT", ItemName: "LOT1", ToUserID: "lee", Session: "A", TTLSeconds: seconds(600)}))(t).Occupancy.ExpireTime, after(90))
}
