package redis

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"occupy/domain"
)

const (
	// tellEvery is how long renewals are collected, so that of one item only the
	// last is told.
	tellEvery = 50 * time.Millisecond
	// maxWaiting is how many may wait; maxTold how many are told in one message.
	maxWaiting, maxTold = 20_000, 200
)

// renewals are those of this gateway that wait to be told to the others.
type renewals struct {
	tell chan struct{} // there are some, or some were lost
	// wanted is when another gateway last said that it listens.
	wanted atomic.Pointer[time.Time]
	hear   atomic.Pointer[func([]*domain.Change, bool)] // nil: this one does not

	mu      sync.Mutex
	waiting map[domain.ItemKey]*domain.Change
	lost    bool
}

// Tell implements domain.Bell. While nobody listens it does nothing.
func (b *Bell) Tell(renewed []*domain.Change) {
	if !b.isWanted() {
		return
	}
	r := &b.renewals
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[domain.ItemKey]*domain.Change{}
	}
	for _, c := range renewed {
		if last := r.waiting[c.Occupancy.ItemKey]; last == nil || c.IsAfter(last) {
			r.waiting[c.Occupancy.ItemKey] = c
		}
	}
	if len(r.waiting) > maxWaiting {
		r.waiting, r.lost = nil, true
	}
	signal(r.tell)
}

// Listen implements domain.Bell. The others are told at once.
func (b *Bell) Listen(hear func(renewed []*domain.Change, missed bool)) {
	if hear == nil {
		b.renewals.hear.Store(nil)
		return
	}
	b.renewals.hear.Store(&hear)
	signal(b.beat)
}

func (b *Bell) isWanted() bool {
	wanted := b.renewals.wanted.Load()
	return wanted != nil && time.Since(*wanted) <= awayAfter
}

// noteWanted hears that another gateway listens. What was not told until now,
// because nobody did, it has missed.
func (b *Bell) noteWanted() {
	if !b.isWanted() {
		b.lose()
	}
	now := time.Now()
	b.renewals.wanted.Store(&now)
}

// lose notes that some are not told, so that the others read for themselves.
func (b *Bell) lose() {
	b.renewals.mu.Lock()
	defer b.renewals.mu.Unlock()
	b.renewals.lost = true
	signal(b.renewals.tell)
}

func (r *renewals) take() (waiting []*domain.Change, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.waiting {
		waiting = append(waiting, c)
	}
	lost = r.lost
	r.waiting, r.lost = nil, false
	return waiting, lost
}

// publishRenewed tells what waits. What Redis does not take is lost, which is
// told once it takes that.
func (b *Bell) publishRenewed(ctx context.Context) {
	waiting, lost := b.renewals.take()
	err := error(nil)
	if lost {
		err = b.publish(ctx, wordMissed)
	}
	for len(waiting) > 0 && err == nil {
		n := min(len(waiting), maxTold)
		var body []byte
		if body, err = json.Marshal(waiting[:n]); err == nil {
			err = b.publish(ctx, wordRenewed, string(body))
		}
		waiting = waiting[n:]
	}
	if err != nil {
		b.renewals.mu.Lock()
		defer b.renewals.mu.Unlock()
		b.renewals.lost = true // told at the next beat
	}
}

// hearRenewed hands on what another gateway tells; no body: that it lost some.
func (b *Bell) hearRenewed(body string) {
	hear := b.renewals.hear.Load()
	if hear == nil {
		return
	}
	var renewed []*domain.Change
	if body != "" {
		if err := json.Unmarshal([]byte(body), &renewed); err != nil {
			slog.Debug("redis: renewals that can not be read", "err", err)
		}
	}
	renewed = slices.DeleteFunc(renewed, func(c *domain.Change) bool { return c == nil })
	(*hear)(renewed, len(renewed) == 0)
}
