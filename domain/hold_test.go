package domain

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// connection is a client that holds LOT1 through a gateway.
type connection struct {
	t      *testing.T
	cancel context.CancelCauseFunc
	events chan *HoldEvent
	ended  chan error
}

// connect holds LOT1 for a minute, with 30 seconds of grace.
func (p *plant) connect(gateway int, user, session string) *connection {
	p.t.Helper()
	ctx, cancel := context.WithCancelCause(as(user))
	h, err := p.gateways[gateway].Hold(ctx, OccupyInput{ItemType: "lot", ItemName: "lot1", Session: session, TTLSeconds: seconds(60)}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	c := &connection{t: p.t, cancel: cancel, events: make(chan *HoldEvent, 100), ended: make(chan error, 1)}
	go func() { c.ended <- h.Run(ctx, func(e *HoldEvent) { c.events <- e }) }()
	synctest.Wait()
	return c
}

var errDropped = errors.New("dropped")

func (c *connection) drop()     { c.cancel(errDropped); <-c.ended }
func (c *connection) complete() { c.cancel(ErrCompleted); <-c.ended }

// told wants the next event, and nothing after it.
func (c *connection) told(kind HoldKind) *HoldEvent {
	c.t.Helper()
	synctest.Wait()
	select {
	case e := <-c.events:
		is(c.t, "told", e.Kind, kind)
		return e
	default:
		c.t.Fatalf("told nothing, want %s", kind)
		return nil
	}
}

func (c *connection) toldNothing() {
	c.t.Helper()
	synctest.Wait()
	select {
	case e := <-c.events:
		c.t.Fatalf("told %s %+v", e.Kind, e.Occupancy)
	default:
	}
}

func (p *plant) history(want ...Event) {
	p.t.Helper()
	p.sweep()
	same(p.t, "history", strs(p.store.events(lot1)), strs(want)...)
}

func strs(events []Event) (list []string) {
	for _, e := range events {
		list = append(list, string(e))
	}
	return list
}

func TestAHoldLivesAsLongAsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		c := p.connect(0, "kim", "A")
		first := c.told(HoldOccupied)
		is(t, "code", first.Payload.Code, CodeGranted)
		is(t, "token", *first.FencingToken, first.Occupancy.FencingToken)
		time.Sleep(time.Hour)
		c.toldNothing()
		is(t, "renewals", p.row(lot1).Renewals, 180)
		denied := p.connect(1, "lee", "B")
		e := denied.told(HoldDenied)
		is(t, "the other is told", e.Payload.Code, CodeHeld)
		is(t, "with no token", e.FencingToken == nil, true)
		if err := <-denied.ended; err != nil {
			t.Error(err)
		}
		c.complete()
		p.history(EventOccupied, EventWindowClosed)
	})
}

func TestADroppedHoldComesBackOnAnotherGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		c := p.connect(0, "kim", "A")
		token := *c.told(HoldOccupied).FencingToken
		time.Sleep(time.Minute + 5*time.Second)
		c.drop()
		is(t, "left", time.Until(p.row(lot1).ExpireTime).Round(time.Millisecond), 30*time.Second)
		time.Sleep(29 * time.Second)
		back := p.connect(1, "kim", "A")
		e := back.told(HoldOccupied)
		is(t, "code", e.Payload.Code, CodeReentered)
		is(t, "token", *e.FencingToken, token)
		time.Sleep(time.Hour)
		back.toldNothing()
		back.complete()
		p.history(EventOccupied, EventWindowClosed)
	})
}

func TestADroppedHoldThatStaysAwayExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		p.connect(0, "kim", "A").drop()
		time.Sleep(30*time.Second - time.Millisecond)
		p.history(EventOccupied)
		time.Sleep(2 * time.Millisecond)
		p.history(EventOccupied, EventConnectionLost)
		is(t, "state", p.row(lot1).State, StateExpired)
	})
}

// The old gateway does not know yet that its connection is dead, and goes on
// renewing, while the client has long come back on another one.
func TestAHalfOpenConnectionThatIsNoticedLate(t *testing.T) {
	for _, late := range []time.Duration{time.Second, 25 * time.Second, 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlant(t, 2)
			dead := p.connect(0, "kim", "A")
			time.Sleep(13 * time.Second)
			back := p.connect(1, "kim", "A")
			back.told(HoldOccupied)
			time.Sleep(late)
			dead.drop()
			if left := time.Until(p.row(lot1).ExpireTime); left <= 30*time.Second {
				t.Errorf("%v later only %v were left", late, left)
			}
			time.Sleep(10 * time.Minute)
			back.toldNothing()
			p.history(EventOccupied)
			back.complete()
			p.history(EventOccupied, EventWindowClosed)
		})
	}
}

// A window that closes its subscription and opens it again: the end of the first
// may come later than the beginning of the second.
func TestALateCompleteDoesNotEndTheNextHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		first := p.connect(0, "kim", "A")
		second := p.connect(0, "kim", "A")
		second.told(HoldOccupied)
		first.complete()
		time.Sleep(10 * time.Minute)
		second.toldNothing()
		second.complete()
		p.history(EventOccupied, EventWindowClosed)
	})
}

// What the window renews by itself is given back all the same.
func TestACompleteGivesBackWhatWasRenewedBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		c := p.connect(0, "kim", "A")
		must(p.gateways[1].Renew(as("kim"), RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t)
		c.complete()
		p.history(EventOccupied, EventWindowClosed)
	})
}

// Both connections of a window end at once.
func TestTwoHoldsOfOneWindowEndTogether(t *testing.T) {
	for _, completed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlant(t, 1)
			both := []*connection{p.connect(0, "kim", "A"), p.connect(0, "kim", "A")}
			for _, c := range both {
				if completed {
					c.cancel(ErrCompleted)
				} else {
					c.cancel(errDropped)
				}
			}
			for _, c := range both {
				<-c.ended
			}
			if completed {
				p.history(EventOccupied, EventWindowClosed)
				return
			}
			time.Sleep(30*time.Second + time.Millisecond)
			p.history(EventOccupied, EventConnectionLost)
		})
	}
}

// They are lost one after the other, in either order: the last leaves the grace, also
// for what the other one has written.
func TestTwoHoldsOfOneWindowAreLost(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlant(t, 1)
			both := []*connection{p.connect(0, "kim", "A"), p.connect(0, "kim", "A")}
			both[order[0]].drop()
			is(t, "it goes on", p.row(lot1).EndEvent, "")
			both[order[1]].drop()
			is(t, "it is lost", p.row(lot1).EndEvent, EventConnectionLost)
			is(t, "left", time.Until(p.row(lot1).ExpireTime).Round(time.Millisecond), 30*time.Second)
			time.Sleep(31 * time.Second)
			p.history(EventOccupied, EventConnectionLost)
		})
	}
}

// Across gateways a complete may come later than the next hold of the window began, and
// means this grant all the same. The next one is told at once, so that nobody works on.
func TestALateCompleteAtAnotherGatewayIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		first, second := p.connect(0, "kim", "A"), p.connect(1, "kim", "A")
		second.told(HoldOccupied)
		first.complete()
		is(t, "lost", second.told(HoldLost).Event, EventWindowClosed)
		p.history(EventOccupied, EventWindowClosed)
	})
}

// Two connections of one session, of which the one that writes is lost: the other
// takes over before the grace is over.
func TestALivingConnectionTakesUpWhatAnotherLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		quiet := p.connect(0, "kim", "A")
		quiet.told(HoldOccupied)
		p.connect(1, "kim", "A").drop()
		time.Sleep(time.Second)
		is(t, "called", p.row(lot1).EndEvent, "")
		time.Sleep(10 * time.Minute)
		quiet.toldNothing()
		quiet.complete()
		p.history(EventOccupied, EventWindowClosed)
	})
}

func TestAHoldIsToldOfChangesAndOfItsLoss(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(s *Service, token int64) error
		event Event
	}{
		"forced": {func(s *Service, token int64) error {
			_, err := s.ForceFree(as("boss", RoleSupervisor), ForceFreeInput{ItemType: "LOT", ItemName: "LOT1", Reason: "why", FencingToken: token})
			return err
		}, EventForced},
		"transferred": {func(s *Service, _ int64) error {
			_, err := s.Transfer(as("kim"), TransferInput{ItemType: "LOT", ItemName: "LOT1", ToUserID: "lee", Session: "A"})
			return err
		}, EventTransferred},
		"taken over": {func(s *Service, _ int64) error {
			_, err := s.Occupy(as("kim"), OccupyInput{ItemType: "LOT", ItemName: "LOT1", Session: "B", TakeOver: true})
			return err
		}, EventTakenOver},
		"freed": {func(s *Service, _ int64) error {
			_, err := s.Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"})
			return err
		}, EventFreed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlant(t, 2)
				h := p.connect(0, "kim", "A")
				token := *h.told(HoldOccupied).FencingToken
				moved := OccupyInput{ItemType: "LOT", ItemName: "LOT1", Session: "A", UIName: "SPC", TTLSeconds: seconds(60)}
				must(p.gateways[1].Occupy(as("kim"), moved))(t)
				is(t, "screen", h.told(HoldChanged).Occupancy.UIName, "SPC")
				if err := c.end(p.gateways[1], token); err != nil {
					t.Fatal(err)
				}
				is(t, "lost", h.told(HoldLost).Event, c.event)
				if err := <-h.ended; err != nil {
					t.Error(err)
				}
				is(t, "what others hold is left alone", p.row(lot1).Version, 3)
				h.toldNothing()
			})
		})
	}
}

// The feed brings nothing, so that the renewal finds out.
func TestALossIsFoundByTheRenewalToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		c := p.connect(0, "kim", "A")
		c.told(HoldOccupied)
		p.feed.failWith(ErrUnavailable)
		must(p.gateways[0].Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t)
		time.Sleep(20 * time.Second)
		e := c.told(HoldLost)
		is(t, "state", e.Occupancy.State, StateFree)
		p.feed.failWith(nil)
	})
}

func TestAHoldWhileTheDatabaseIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		c := p.connect(0, "kim", "A")
		c.told(HoldOccupied)
		store := p.gateways[0].Store.(*storeOf)
		store.away.Store(true)
		time.Sleep(50 * time.Second) // of 60
		store.away.Store(false)
		time.Sleep(time.Hour)
		c.toldNothing()
		store.away.Store(true)
		time.Sleep(2 * time.Minute)
		store.away.Store(false)
		time.Sleep(time.Second)
		is(t, "it has run out", c.told(HoldLost).Occupancy.State, StateExpired)
		p.history(EventOccupied, EventExpired)
	})
}

// The gateway stops: its clients come back on another one.
func TestAStoppingGatewayLeavesTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		c := p.connect(0, "kim", "A")
		c.told(HoldOccupied)
		hub := p.gateways[0].Hub
		hub.reading.Lock()
		hub.cutAll(context.Canceled)
		hub.reading.Unlock()
		if err := <-c.ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		is(t, "called", p.row(lot1).EndEvent, EventConnectionLost)
		is(t, "subscribers", hub.Subscribers(), 0)
	})
}

// The client has gone before the item was granted: it is not held by nobody.
func TestAClientThatLeavesWhileItIsGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		ctx, cancel := context.WithCancelCause(as("kim"))
		p.store.before = func() { cancel(ErrCompleted) }
		h := must(p.gateways[0].Hold(ctx, OccupyInput{ItemType: "LOT", ItemName: "LOT1"}, nil))(t)
		p.store.before = nil
		if err := h.Run(ctx, func(*HoldEvent) {}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		p.history(EventOccupied, EventWindowClosed)
	})
}

// The rows of a hold say that a service acts, from the first to the last.
func TestAServiceHoldsForAUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		kim := must(Caller{UserID: "svc", Roles: []Role{RoleService}}.ActingFor("kim"))(t)
		ctx, cancel := context.WithCancelCause(WithCaller(context.Background(), kim))
		h := must(p.gateways[0].Hold(ctx, OccupyInput{ItemType: "LOT", ItemName: "LOT1", TTLSeconds: seconds(60)}, nil))(t)
		ended := make(chan error)
		go func() { ended <- h.Run(ctx, func(*HoldEvent) {}) }()
		time.Sleep(30 * time.Second)
		is(t, "renewed by", p.row(lot1).UpdatedBy, "svc")
		is(t, "renewals", p.row(lot1).Renewals, 1)
		cancel(ErrCompleted)
		<-ended
		p.history(EventOccupied, EventWindowClosed)
		is(t, "given back by", p.row(lot1).UpdatedBy, "svc")
		is(t, "the holder", p.row(lot1).UserID, "kim")
	})
}

func TestWrongHoldsAreNamed(t *testing.T) {
	s, hub, _ := newHub(t)
	in := OccupyInput{ItemType: "LOT", ItemName: "LOT1", TTLSeconds: seconds(60)}
	for _, grace := range []int{-1, 61, 1 << 30} {
		_, err := s.Hold(as("kim"), in, &grace)
		wrongAt(t, err, "graceSeconds")
	}
	in.TTLSeconds = seconds(0)
	_, err := s.Hold(as("kim"), in, nil)
	wrongAt(t, err, "input.ttlSeconds")
	if _, err := s.Hold(context.Background(), in, nil); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
	in.TTLSeconds = seconds(10)
	h := must(s.Hold(as("kim"), in, nil))(t)
	is(t, "grace of a short TTL", h.grace, 10*time.Second)
	h.sub.Close()
	is(t, "subscribers", hub.Subscribers(), 0)
}
