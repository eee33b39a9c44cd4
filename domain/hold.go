package domain

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// HoldKind says what the client of a hold is told.
type HoldKind string

// The kinds of what the client of a hold is told.
const (
	HoldOccupied HoldKind = "OCCUPIED" // first: it is theirs
	HoldDenied   HoldKind = "DENIED"   // first and last: it was refused
	HoldChanged  HoldKind = "CHANGED"  // it is still theirs
	HoldLost     HoldKind = "LOST"     // last: it is not theirs any more
)

// HoldEvent is one thing that the client of a hold is told.
type HoldEvent struct {
	Kind HoldKind
	// Payload is how the occupying ended; nil but in the first event.
	Payload      *Answer
	Occupancy    *Occupancy
	FencingToken *int64 // of the hold; nil if it was refused
	Event        Event  // how the item came into this state; "" in the first event
	At           time.Time
}

const (
	// defaultGrace is how long a lost connection may take to come back.
	defaultGrace = 30 * time.Second
	// keepAgainAfter is how soon a renewal that failed is tried again.
	keepAgainAfter = time.Second
)

// Hold is an item that is occupied for as long as a connection lives. Make one
// with Service.Hold and Run it.
type Hold struct {
	service *Service
	sub     *Subscription // nil if it was refused
	key     ItemKey
	claim   Claim
	occupy  Occupy
	grace   time.Duration
	holding *holding // nil if it was refused at once

	first    *HoldEvent
	version  int64 // what was told last
	renewals int64 // as this hold has written it
}

// Hold occupies an item for Run to hold. A refusal is no error: Run tells it.
// graceSeconds nil is half a minute, or the TTL if that is less.
func (s *Service) Hold(ctx context.Context, in OccupyInput, graceSeconds *int) (*Hold, error) {
	o, err := s.occupying(ctx, in)
	if err != nil {
		return nil, err
	}
	h := &Hold{service: s, key: o.key, occupy: o.Occupy}
	k := s.check("")
	h.grace = k.grace("graceSeconds", graceSeconds, o.TTL)
	if err := k.fault(); err != nil {
		return nil, err
	}
	denial, err := s.denied(ctx, o.caller, o.key, o.judge)
	if denial != nil || err != nil {
		h.begin(denial)
		return h, err
	}
	s.holds.running.Add(1)
	h.holding = s.holds.enter(h.holder())
	if err = h.take(ctx, o); err != nil || h.sub == nil {
		s.holds.leave(h.holder())
		s.holds.running.Done()
	}
	return h, err
}

// take occupies the item.
func (h *Hold) take(ctx context.Context, o *occupying) error {
	// First this, so that nothing that comes after the grant is missed.
	only := OccupancyFilter{ItemTypes: []string{o.key.ItemType}, ItemNames: []string{o.key.ItemName}}
	sub, err := h.service.Hub.Subscribe(ctx, only, true)
	if err != nil {
		return err
	}
	// To its end, whoever leaves: it would be held by nobody otherwise.
	answer, err := h.service.update(context.WithoutCancel(ctx), o.caller, o.key, true, o.judge)
	if err == nil {
		h.begin(answer)
	}
	if err != nil || !answer.OK {
		sub.Close()
		return err
	}
	h.sub = sub
	return nil
}

// grace checks how long a lost connection may take to come back.
func (k *checker) grace(argument string, seconds *int, ttl time.Duration) time.Duration {
	if seconds == nil {
		return min(defaultGrace, ttl)
	}
	grace := time.Duration(*seconds) * time.Second
	if grace < 0 || grace > ttl {
		k.fail(argument, "must be between 0 and the TTL, "+itoa(int(ttl/time.Second))+" seconds")
	}
	return grace
}

// begin makes the first event of how the occupying ended.
func (h *Hold) begin(a *Answer) {
	if a == nil {
		return
	}
	h.first = &HoldEvent{Kind: HoldDenied, Payload: a, Occupancy: a.Occupancy, At: a.Occupancy.AsOf}
	if !a.OK {
		h.service.Refusals.note(h.occupy, a.Occupancy)
	} else {
		o := a.Occupancy
		h.version, h.renewals = o.Version, o.Renewals
		h.service.holds.wrote(h.holding, o.stamp())
		h.claim = h.occupy.Claim
		h.claim.FencingToken = &o.FencingToken
		h.first.Kind, h.first.FencingToken = HoldOccupied, h.claim.FencingToken
	}
}

// Run tells how the occupying ended and what becomes of the item, and renews it,
// until it is lost or ctx ends. If the cause of that is ErrCompleted the item is
// given back at once; any other is a lost connection, which has its grace.
//
// Returns nil if there is nothing more to tell, and otherwise why it ended: ctx's
// error, or that of the Hub.
func (h *Hold) Run(ctx context.Context, tell func(*HoldEvent)) (err error) {
	if h.sub == nil {
		tell(h.first)
		return nil
	}
	lost := false
	defer func() {
		h.sub.Close()
		h.service.holds.leave(h.holder())
		if !lost {
			h.part(ctx)
		}
		h.service.holds.running.Done()
	}()
	tell(h.first)
	lost, err = h.keepAndWatch(ctx, tell)
	return err
}

// keepAndWatch returns whether the item was lost, or why it ended otherwise.
func (h *Hold) keepAndWatch(ctx context.Context, tell func(*HoldEvent)) (lost bool, err error) {
	renew := time.NewTimer(h.occupy.TTL / 3)
	defer renew.Stop()
	for ctx.Err() == nil {
		orphaned := false
		select {
		case <-ctx.Done():
			continue
		case <-renew.C:
		case <-h.sub.wake:
			events, err := h.sub.take()
			if err != nil {
				return false, err
			}
			if lost, orphaned = h.watch(events, tell); lost {
				return true, nil
			}
			if !orphaned {
				continue
			}
		}
		again, gone := h.keep()
		if gone != nil {
			tell(gone)
			return true, nil
		}
		renew.Reset(again)
	}
	return false, ctx.Err()
}

// watch tells what has changed. It returns whether the item was lost, and whether
// a connection of the same session says that it was lost, which this one was not.
func (h *Hold) watch(events []*OccupancyEvent, tell func(*HoldEvent)) (lost, orphaned bool) {
	for _, e := range events {
		o := e.Occupancy
		switch {
		case e.Kind == KindRenewed:
			orphaned = o.EndEvent != "" && o.FencingToken == *h.claim.FencingToken && o.Renewals != h.renewals
			continue
		case o.Version <= h.version:
			continue // what this hold has written, or found
		}
		h.version = o.Version
		told := h.event(HoldChanged, o, e.Event, e.At)
		if o.State != StateOccupied || o.FencingToken != *h.claim.FencingToken {
			told.Kind = HoldLost
		}
		tell(told)
		if told.Kind == HoldLost {
			return true, false
		}
	}
	return false, orphaned
}

func (h *Hold) event(kind HoldKind, o Occupancy, event Event, at time.Time) *HoldEvent {
	return &HoldEvent{Kind: kind, Occupancy: &o, FencingToken: h.claim.FencingToken, Event: event, At: at}
}

// keep renews the item, if nobody else does. Returns when to do so again, or what
// to tell if it is lost.
func (h *Hold) keep() (again time.Duration, gone *HoldEvent) {
	c := Keep{Claim: h.claim, Renewals: h.renewals, TTL: h.occupy.TTL, MaxHold: h.occupy.MaxHold}
	written, err := h.update(func(o Occupancy, clock time.Time) []Transition {
		code, done := o.Keep(clock, c)
		gone = nil
		if seen := o.Seen(clock); !code.OK() {
			gone = h.event(HoldLost, seen, "", clock)
		}
		return done
	})
	if err != nil {
		slog.Debug("hold: not renewed", "item", h.key, "err", err)
		return min(keepAgainAfter, h.occupy.TTL/3), nil
	}
	h.service.holds.wrote(h.holding, written)
	return h.occupy.TTL / 3, gone
}

// part gives the item back, or leaves it the grace, unless another connection of
// the same holder has it: a window that is opened anew may begin its next hold
// before this one has ended. The last of them parts for all, whoever wrote last.
func (h *Hold) part(ctx context.Context) {
	completed := errors.Is(context.Cause(ctx), ErrCompleted)
	renewals := h.service.holds.written(h.holding).renewals
	_, err := h.update(func(o Occupancy, clock time.Time) (done []Transition) {
		switch {
		case h.service.holds.has(h.holder()): // asked under the lock of the item
		case completed:
			_, done = o.Free(clock, Free{Claim: h.claim, How: EventWindowClosed})
		default:
			done = o.LoseConnection(clock, LoseConnection{h.claim, renewals, h.grace, h.occupy.MaxHold})
		}
		return done
	})
	if err != nil {
		slog.Warn("hold: left to expire", "item", h.key, "err", err)
	}
}

// update has a rule judge the item, keeps in mind what it has written, and returns
// that, the zero stamp if nothing. It does not end with the connection: what was
// written would not be known then.
func (h *Hold) update(judge func(Occupancy, time.Time) []Transition) (written stamp, err error) {
	err = h.service.Store.Update(context.Background(), Update{Keys: []ItemKey{h.key}, Decide: func(clock time.Time, items []Occupancy) []Transition {
		written = stamp{}
		done := judge(items[0], clock)
		if len(done) > 0 {
			written = done[len(done)-1].stamp()
		}
		return done
	}})
	if err == nil && written != (stamp{}) {
		h.renewals = written.renewals
	}
	return written, err
}
