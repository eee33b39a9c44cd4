package domain

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// CleanupLock is the slot lock of the job that writes EXPIRED rows for what
// nobody looks up.
var CleanupLock = JobKey("slot-lock:cleanup")

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

// Sweeper writes EXPIRED rows for what nobody looks up (rule 16).
type Sweeper struct {
	Store   Store
	MaxHold time.Duration
}

// Job is the sweeper's work, to be done by one gateway at a time (rule 17).
func (w *Sweeper) Job() Job {
	return Job{Key: CleanupLock, Every: sweepEvery, TTL: cleanupTTL, Work: func(ctx context.Context) error {
		_, err := w.RunOnce(ctx)
		return err
	}}
}

// RunOnce sweeps all that is overdue, until ctx ends. Returns how many EXPIRED
// rows it wrote, and the last error that left an item overdue.
func (w *Sweeper) RunOnce(ctx context.Context) (swept int, err error) {
	var after OverdueItem
	var broken error
	for ctx.Err() == nil {
		overdue, err := w.Store.Overdue(ctx, after, sweepBatch)
		if err != nil {
			return swept, err
		}
		if len(overdue) == 0 {
			return swept, broken
		}
		n, fault := w.sweep(ctx, overdue)
		swept += n
		if fault != nil {
			broken = fault
		}
		if n == 0 && fault != nil || len(overdue) < sweepBatch {
			return swept, broken
		}
		after = overdue[len(overdue)-1]
	}
	return swept, context.Cause(ctx)
}

// sweep expires a batch; if that fails, each by itself, so that one broken row
// does not stop the rest. Returns the last error of an item, if any.
func (w *Sweeper) sweep(ctx context.Context, overdue []OverdueItem) (swept int, err error) {
	keys := make([]ItemKey, len(overdue))
	for i, o := range overdue {
		keys[i] = o.ItemKey
	}
	if swept, err = w.expire(ctx, keys...); err == nil {
		return swept, nil
	}
	err = nil
	away := 0 // in a row: then it is not the rows
	for _, key := range keys {
		n, fault := w.expire(ctx, key)
		swept += n
		if fault == nil {
			away = 0
			continue
		}
		err = fault
		if !errors.Is(fault, ErrUnavailable) {
			slog.Error("sweep: item left overdue", "item", key, "err", fault)
		} else if away++; away == maxAway || ctx.Err() != nil {
			return swept, fault
		}
	}
	return swept, err
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
