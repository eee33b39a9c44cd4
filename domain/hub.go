package domain

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// pollEvery is how long a lost ring can delay a change.
const pollEvery = time.Second

// readWithin bounds one read of the feed, so that a database that does not
// answer is noticed.
const readWithin = 5 * time.Second

// Hub hands the changes of the feed to this process's subscribers. It reads
// only while there are any, one read at a time, at every ring and every second.
// Make one with NewHub and Run it.
type Hub struct {
	feed  Feed
	bell  Bell
	wake  chan struct{}
	turns chan struct{} // taken by subscribers who read by themselves

	renewals  renewals
	readAgain readAgain

	// reading is held over each read and its hand-out, and while a subscriber
	// joins: it has to join between two reads to miss nothing.
	reading sync.Mutex
	at      *Mark
	subs    subscribers
	ended   bool // Run has returned: nobody would be told anything

	failing bool // the last read failed; used by Run only

	// These are asked for while a read may be under way.
	subscribers, reads, failures atomic.Int64
	told                         atomic.Pointer[func(lag time.Duration)]
}

// NewHub makes a hub that is told of changes by bell and by Ring.
func NewHub(feed Feed, bell Bell) *Hub {
	return &Hub{
		readAgain: readAgain{atOnce: rowsAtOnce},
		feed:      feed, bell: bell, wake: make(chan struct{}, 1), turns: make(chan struct{}, catchUps),
		subs: newSubscribers(),
	}
}

// Ring says that this gateway has committed changes. It never blocks.
func (h *Hub) Ring() {
	signal(h.wake)
	h.bell.Ring()
}

// Run reads and hands out until ctx ends. Then every subscription ends.
func (h *Hub) Run(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			h.reading.Lock()
			h.ended = true
			h.cutAll(ctx.Err())
			h.reading.Unlock()
			return
		case <-h.wake:
		case <-h.bell.Rung():
		case <-tick.C:
		}
		h.runOnce(ctx)
	}
}

// runOnce reads what has changed and hands it out.
func (h *Hub) runOnce(ctx context.Context) {
	h.reading.Lock()
	defer h.reading.Unlock()
	if len(h.subs.all) == 0 {
		return
	}
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	// Before the changes, so that those bring all that a renewal comes after.
	renewed := h.takeRenewed(ctx)
	changes, position, err := h.feed.Changes(ctx, h.at.Position)
	h.noteFailure(err)
	if errors.Is(err, ErrFeedBroken) {
		h.cutAll(err)
		return
	}
	if err != nil {
		h.putBack(renewed)
		return // the next read starts where this one did
	}
	before := h.at
	h.at = newMark(position)
	h.handOut(changes, before)
	h.noteLag(changes)
	h.handOutRenewed(changes, renewed)
}

// handOut tells what was read since a position.
func (h *Hub) handOut(changes []*Change, before *Mark) {
	h.subs.each(changes, func(sub *Subscription, theirs []*Change) {
		if !sub.offer(theirs, before, h.at) {
			h.remove(sub)
		}
	})
}

// noteFailure logs when reading starts to fail and when it works again.
func (h *Hub) noteFailure(err error) {
	failing := err != nil
	h.reads.Add(1)
	if failing {
		h.failures.Add(1)
	}
	switch {
	case failing == h.failing, errors.Is(err, context.Canceled): // this gateway stops
		return
	case failing:
		slog.Warn("feed: it can not be read; subscribers hear of changes once it can", "err", err)
	default:
		slog.Info("feed: it is read again")
	}
	h.failing = failing
}

// noteLag tells how old the oldest of some changes was when it was read.
func (h *Hub) noteLag(changes []*Change) {
	if told := h.told.Load(); told != nil && len(changes) > 0 {
		(*told)(h.at.Clock.Sub(changes[0].At))
	}
}

// OnTold has f called each time that changes were handed out, with the time from the
// oldest of them to its being read, both by the database's clock. f must not block.
func (h *Hub) OnTold(f func(lag time.Duration)) { h.told.Store(&f) }

func (h *Hub) cutAll(err error) {
	for sub := range h.subs.all {
		sub.end(err)
		h.remove(sub)
	}
}

// Subscribe starts to collect what matches the filter, from now on.
// Close the subscription in the end. Returns ErrUnavailable once Run has ended.
func (h *Hub) Subscribe(ctx context.Context, f OccupancyFilter, renewals bool) (*Subscription, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	if h.ended {
		return nil, ErrUnavailable
	}
	if len(h.subs.all) == 0 {
		ctx, done := context.WithTimeout(ctx, readWithin)
		defer done()
		position, err := h.feed.Position(ctx)
		if err != nil {
			return nil, err
		}
		h.at = newMark(position)
	}
	sub := &Subscription{hub: h, filter: f, renewals: renewals, wake: make(chan struct{}, 1), begun: h.at, at: h.at}
	h.subs.add(sub)
	h.subscribers.Add(1)
	if renewals {
		h.wantRenewals(1)
	}
	return sub, nil
}

// remove forgets a subscription, once.
func (h *Hub) remove(sub *Subscription) {
	if !h.subs.remove(sub) {
		return
	}
	h.subscribers.Add(-1)
	h.readAgain.forget(sub)
	if sub.renewals {
		h.wantRenewals(-1)
	}
}

// Subscribers counts those who are listening now. It never waits, also while the
// database does not answer.
func (h *Hub) Subscribers() int { return int(h.subscribers.Load()) }

// Reads counts the reads of the feed since the start, all and those that failed.
func (h *Hub) Reads() (all, failed int) { return int(h.reads.Load()), int(h.failures.Load()) }
