package domain

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// ErrLockLost is the cause of the end of a context under Hold: the lock may be
// another's by now, so the work must stop.
var ErrLockLost = errors.New("lock lost")

// Job is work that one gateway at a time does, again and again.
type Job struct {
	// Key is its slot lock. Make it with JobKey.
	Key ItemKey
	// Every is its period.
	Every time.Duration
	// TTL is how soon another gateway takes over from one that was killed.
	TTL  time.Duration
	Work func(ctx context.Context) error
}

// JobKey is the slot lock of a job of this service.
func JobKey(name string) ItemKey { return ItemKey{ItemType: Slot, ItemName: jobPrefix + name} }

// JobRun is one run of a job.
type JobRun struct {
	Key    ItemKey
	Every  time.Duration
	Margin time.Duration // how much later than due is not yet overdue
	By     string
	Took   time.Duration
	Err    error
}

// JobLog remembers when jobs ran, by the database's clock.
type JobLog interface {
	// DueIn says how long it is until a job is due; not more than 0 means now.
	DueIn(ctx context.Context, key ItemKey) (time.Duration, error)
	// Ran remembers a run that has just ended, and when the next one is due.
	Ran(ctx context.Context, r JobRun) error
}

// SlotBoard shows the slot locks.
type SlotBoard interface {
	// SlotLocks lists the slot locks that were ever taken and begin with a
	// prefix, by key, with how the jobs among them go.
	SlotLocks(ctx context.Context, prefix string, limit int) ([]SlotState, error)
}

// Jobs runs jobs under their slot locks.
//
// A job's lock is held from one run to the next by the gateway that leads it,
// for as long as that lives: so there is one run a period however far apart the
// gateways' clocks are, and the history has a row a change of leader instead of
// two rows a run. The holder is this process, by a session drawn at its start:
// a lock that names no instance would be "own" to all of them.
type Jobs struct {
	Store   Store
	Log     JobLog
	Session string // drawn at random at the start of the process
	Node    string
}

// recordEvery bounds how often a job's runs are written down.
const recordEvery = 10 * time.Second

// Run does a job whenever it is due and this gateway leads it, until ctx ends.
func (j *Jobs) Run(ctx context.Context, job Job) {
	for ctx.Err() == nil {
		_, err := j.Hold(ctx, job.Key, job.TTL, func(ctx context.Context) error { return j.lead(ctx, job) })
		if err != nil && ctx.Err() == nil {
			slog.Warn("job", "key", job.Key.ItemName, "err", err)
		}
		pause(ctx, job.TTL/3)
	}
}

// Hold does work while it holds a slot lock, and gives the lock back in the
// end, even if ctx has ended. The lock is renewed meanwhile; when it is lost, or
// may be, because the database could not be asked in time, work's context ends
// with the cause ErrLockLost.
//
// Returns false if another has the lock, and otherwise work's error.
func (j *Jobs) Hold(ctx context.Context, key ItemKey, ttl time.Duration, work func(ctx context.Context) error) (bool, error) {
	asked := time.Now()
	if mine, err := j.take(ctx, key, ttl); !mine || err != nil {
		return false, err
	}
	ctx, end := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		j.keep(ctx, key, ttl, asked, end)
	}()
	defer func() {
		end(nil)
		<-renewed
		j.release(context.WithoutCancel(ctx), key, ttl)
	}()
	return true, work(ctx)
}

// keep renews the lock until ctx ends, and ends it when the lock is lost. What
// is left of it is counted from before the question was sent, so that it can
// only be longer.
func (j *Jobs) keep(ctx context.Context, key ItemKey, ttl time.Duration, asked time.Time, end context.CancelCauseFunc) {
	for pause(ctx, ttl/3) {
		surely := ttl - ttl/6 - time.Since(asked)
		within, done := context.WithTimeout(ctx, max(0, surely))
		sent := time.Now()
		mine, err := j.take(within, key, ttl)
		done()
		switch {
		case err == nil && mine:
			asked = sent
		case err == nil, time.Since(asked) >= ttl-ttl/3:
			end(ErrLockLost)
			return
		}
	}
}

// take takes a lock, or extends it.
func (j *Jobs) take(ctx context.Context, key ItemKey, ttl time.Duration) (mine bool, err error) {
	c := Occupy{Claim: j.claim(), TTL: ttl}
	items, clock, err := j.Store.Read(ctx, []ItemKey{key})
	if err != nil {
		return false, err
	}
	if code, _ := items[0].Occupy(clock, c); !code.OK() {
		return false, nil
	}
	err = j.Store.Update(ctx, Update{Keys: []ItemKey{key}, MayGrant: true,
		Decide: func(clock time.Time, items []Occupancy) []Transition {
			code, done := items[0].Occupy(clock, c)
			mine = code.OK()
			return done
		}})
	return mine && err == nil, err
}

func (j *Jobs) release(ctx context.Context, key ItemKey, ttl time.Duration) {
	ctx, done := context.WithTimeout(ctx, ttl)
	defer done()
	err := j.Store.Update(ctx, Update{Keys: []ItemKey{key},
		Decide: func(clock time.Time, items []Occupancy) []Transition {
			_, done := items[0].Free(clock, Free{Claim: j.claim(), How: EventFreed})
			return done
		}})
	if err != nil {
		slog.Warn("job: lock left to expire", "key", key.ItemName, "err", err)
	}
}

func (j *Jobs) claim() Claim { return Claim{UserID: SystemUser, Session: j.Session} }

// lead runs a job whenever it is due, until ctx ends.
func (j *Jobs) lead(ctx context.Context, job Job) error {
	var recorded time.Time
	due, err := j.Log.DueIn(ctx, job.Key)
	if err != nil {
		return err
	}
	if job.Every < recordEvery { // what is written down is rougher than that
		due = 0
	}
	for pause(ctx, due) {
		began := time.Now()
		err := job.Work(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			slog.Error("job", "key", job.Key.ItemName, "err", err)
		}
		if err != nil || time.Since(recorded) >= recordEvery {
			recorded = time.Now()
			j.record(ctx, job, time.Since(began), err)
		}
		due = max(0, job.Every-time.Since(began))
	}
	return context.Cause(ctx)
}

func (j *Jobs) record(ctx context.Context, job Job, took time.Duration, err error) {
	run := JobRun{Key: job.Key, Every: max(job.Every, recordEvery), Margin: 2 * job.TTL, By: j.Node, Took: took, Err: err}
	if err := j.Log.Ran(ctx, run); err != nil && ctx.Err() == nil {
		slog.Warn("job: run not written down", "key", job.Key.ItemName, "err", err)
	}
}

// pause waits, and tells whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
