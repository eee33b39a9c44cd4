package domain

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// CleanupLock is the slot lock of the job that writes EXPIRED rows for what
// nobody looks up.
var CleanupLock = ItemKey{ItemType: Slot, ItemName: jobPrefix + "slot-lock:cleanup"}

const (
	sweepEvery = 500 * time.Millisecond
	sweepBatch = 500
	// maxAway is how many items may find the database away, or be locked by
	// somebody, before a sweep gives up until its next run.
	maxAway = 3
	// cleanupTTL is how soon another gateway takes over from a killed one.
	cleanupTTL = 5 * time.Second
	// SystemUser is the actor of what the service does by itself, and the
	// holder of its own jobs' locks.
	SystemUser = "occupy"
)

// Sweeper writes EXPIRED rows for what nobody looks up (rules 16 and 17). One
// gateway does, the one that holds CleanupLock; it keeps the lock between runs,
// for taking it anew each time would fill the history.
type Sweeper struct {
	Store   Store
	MaxHold time.Duration
	// Session is this process's: drawn at random at its start.
	Session string
}

// Run sweeps until ctx ends, then gives the lock back.
func (w *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := w.RunOnce(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("sweep", "err", err)
		}
		select {
		case <-ctx.Done():
			w.release(context.WithoutCancel(ctx))
			return
		case <-tick.C:
		}
	}
}

// RunOnce sweeps all that is overdue, if this process holds the lock or can
// have it. Returns how many EXPIRED rows it wrote.
func (w *Sweeper) RunOnce(ctx context.Context) (swept int, err error) {
	var after OverdueItem
	for {
		if mine, err := w.lock(ctx); !mine || err != nil {
			return swept, err
		}
		overdue, err := w.Store.Overdue(ctx, after, sweepBatch)
		if err != nil || len(overdue) == 0 {
			return swept, err
		}
		n, err := w.sweep(ctx, overdue)
		swept += n
		if err != nil {
			return swept, err
		}
		if len(overdue) < sweepBatch {
			return swept, nil
		}
		after = overdue[len(overdue)-1]
	}
}

// sweep expires a batch; if that fails, each by itself, so that one broken row
// does not stop the rest.
func (w *Sweeper) sweep(ctx context.Context, overdue []OverdueItem) (swept int, err error) {
	keys := make([]ItemKey, len(overdue))
	for i, o := range overdue {
		keys[i] = o.ItemKey
	}
	if swept, err = w.expire(ctx, keys...); err == nil {
		return swept, nil
	}
	away := 0 // in a row: then it is not the rows
	for _, key := range keys {
		n, err := w.expire(ctx, key)
		swept += n
		switch {
		case err == nil:
			away = 0
		case errors.Is(err, ErrUnavailable):
			if away++; away == maxAway || ctx.Err() != nil {
				return swept, err
			}
		default:
			slog.Error("sweep: item left overdue", "item", key, "err", err)
		}
	}
	return swept, nil
}

func (w *Sweeper) expire(ctx context.Context, keys ...ItemKey) (swept int, err error) {
	err = w.Store.Update(ctx, Update{Keys: keys, Decide: func(clock time.Time, items []Occupancy) (all []Transition) {
		for _, o := range items {
			all = append(all, o.Expire(clock, SystemUser, w.MaxHold)...)
		}
		swept = len(all)
		return all
	}})
	if err != nil {
		return 0, err
	}
	return swept, nil
}

// lock takes the cleanup lock, or extends it when half its time is gone.
func (w *Sweeper) lock(ctx context.Context) (mine bool, err error) {
	c := Occupy{Claim: w.claim(), TTL: cleanupTTL}
	items, clock, err := w.Store.Read(ctx, []ItemKey{CleanupLock})
	if err != nil {
		return false, err
	}
	switch code, _ := items[0].Occupy(clock, c); {
	case !code.OK():
		return false, nil
	case code == CodeReentered && items[0].ExpireTime.Sub(clock) > cleanupTTL/2:
		return true, nil
	}
	err = w.Store.Update(ctx, Update{Keys: []ItemKey{CleanupLock}, MayGrant: true,
		Decide: func(clock time.Time, items []Occupancy) []Transition {
			code, done := items[0].Occupy(clock, c)
			mine = code.OK()
			return done
		}})
	return mine && err == nil, err
}

func (w *Sweeper) release(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, cleanupTTL)
	defer done()
	err := w.Store.Update(ctx, Update{Keys: []ItemKey{CleanupLock},
		Decide: func(clock time.Time, items []Occupancy) []Transition {
			_, done := items[0].Free(clock, Free{Claim: w.claim(), How: EventFreed})
			return done
		}})
	if err != nil {
		slog.Warn("sweep: lock left to expire", "err", err)
	}
}

func (w *Sweeper) claim() Claim { return Claim{UserID: SystemUser, Session: w.Session} }
