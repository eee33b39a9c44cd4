package domain

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// jobLog remembers runs in memory.
type jobLog struct {
	store *memory
	mu    sync.Mutex
	due   map[ItemKey]time.Time
	runs  []JobRun
}

func (l *jobLog) DueIn(_ context.Context, key ItemKey) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.due[key].Sub(l.store.now()), nil
}

func (l *jobLog) Ran(_ context.Context, r JobRun) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due[r.Key] = l.store.now().Add(r.Every - r.Took)
	l.runs = append(l.runs, r)
	return nil
}

var logs sync.Map // of the store: gateways share the log as they share the database

func jobs(store *memory, session string) *Jobs {
	log, _ := logs.LoadOrStore(store, &jobLog{store: store, due: map[ItemKey]time.Time{}})
	return &Jobs{Store: store, Log: log.(*jobLog), Session: session, Node: "node of " + session}
}

// runJob does a job in a bubble until stop is called.
func runJob(t *testing.T, j *Jobs, job Job) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { j.Run(ctx, job); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

var nightly = JobKey("nightly")

func lockRow(session string, until time.Time) Occupancy {
	return held(func(o *Occupancy) {
		o.ItemKey, o.UserID, o.Session, o.ExpireTime = nightly, SystemUser, session, until
		o.StartTime = until.Add(-time.Hour)
		o.UpdatedAt = o.StartTime
	})
}

func nothing(context.Context) error { return nil }

func TestRule17_OneGatewayAtATime(t *testing.T) {
	store := newMemory(t)
	for name, c := range map[string]struct {
		session string
		until   time.Time
		mine    bool
	}{
		"another has it":              {"another process", after(101), false},
		"one without a session":       {"", after(101), false},
		"another's has run out":       {"another process", after(100), true},
		"this process has it already": {"this process", after(101), true},
	} {
		store.at(100)
		store.put(lockRow(c.session, c.until))
		before := store.updates
		mine, err := jobs(store, "this process").Hold(t.Context(), nightly, time.Minute, nothing)
		if mine != c.mine || err != nil {
			t.Errorf("%s: %v, %v", name, mine, err)
		}
		if !mine && store.updates != before {
			t.Errorf("%s: a refusal took a lock", name)
		}
	}
}

func TestHoldGivesTheLockBackThoughItsContextEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		ctx, leave := context.WithCancel(t.Context())
		trouble := errors.New("trouble")
		mine, err := jobs(store, "a").Hold(ctx, nightly, time.Minute, func(context.Context) error { leave(); return trouble })
		if !mine || !errors.Is(err, trouble) {
			t.Error(mine, err)
		}
		is(t, "state", store.row(nightly).State, StateFree)
	})
}

// Case J8: a job longer than its TTL goes on, for its lock is renewed.
func TestALongJobKeepsItsLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		mine, err := jobs(store, "a").Hold(t.Context(), nightly, 10*time.Second, func(ctx context.Context) error {
			time.Sleep(10 * time.Minute)
			if other, _ := jobs(store, "b").Hold(ctx, nightly, 10*time.Second, nothing); other {
				t.Error("a second one was let in")
			}
			return ctx.Err()
		})
		if !mine || err != nil {
			t.Error(mine, err)
		}
		if got := store.events(nightly); !slices.Equal(got, []Event{EventOccupied, EventFreed}) {
			t.Errorf("history of the lock: %v", got)
		}
	})
}

// Case J8's other side: whoever has lost the lock is told, and before another can have it.
func TestWorkIsToldThatTheLockIsLost(t *testing.T) {
	for name, lose := range map[string]func(*memory){
		"it is another's": func(store *memory) { store.put(lockRow("another process", time.Now().Add(time.Hour))) },
		"nobody can be asked": func(store *memory) {
			store.mu.Lock()
			defer store.mu.Unlock()
			store.fail = func(Update) error { return ErrUnavailable }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemory(t)
				store.now = time.Now
				_, err := jobs(store, "a").Hold(t.Context(), nightly, 9*time.Second, func(ctx context.Context) error {
					until := store.row(nightly).ExpireTime
					lose(store)
					<-ctx.Done()
					if !time.Now().Before(until) {
						t.Errorf("told %v after the lock could be another's", time.Since(until))
					}
					return context.Cause(ctx)
				})
				if !errors.Is(err, ErrLockLost) {
					t.Error(err)
				}
			})
		})
	}
}

// Case J5: a short job, gateways that ask at different moments: one run a period.
func TestOneRunAPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		var mu sync.Mutex
		var runs []time.Time
		job := Job{Key: nightly, Every: time.Hour, TTL: 10 * time.Second, Work: func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			runs = append(runs, time.Now())
			return nil
		}}
		start := time.Now()
		first := runJob(t, jobs(store, "a"), job)
		time.Sleep(2 * time.Second)
		second := runJob(t, jobs(store, "b"), job)
		time.Sleep(90 * time.Minute)
		first() // shut down in the middle of a period: the other takes over, and waits for its turn
		time.Sleep(24 * time.Hour)
		second()
		mu.Lock()
		defer mu.Unlock()
		if want := 26; len(runs) != want {
			t.Errorf("%d runs in 25.5 hours, want %d", len(runs), want)
		}
		for i, at := range runs {
			if late := at.Sub(start) - time.Duration(i)*time.Hour; late < 0 || late > time.Minute {
				t.Errorf("run %d came %v after its time", i, late)
			}
		}
	})
}

func TestRunsAreWrittenDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		trouble := errors.New("trouble")
		n := 0
		job := Job{Key: nightly, Every: time.Second, TTL: 10 * time.Second, Work: func(context.Context) error {
			if n++; n == 5 {
				return trouble
			}
			return nil
		}}
		j := jobs(store, "a")
		stop := runJob(t, j, job)
		time.Sleep(time.Minute)
		stop()
		runs := j.Log.(*jobLog).runs
		if len(runs) < 6 || len(runs) > 8 {
			t.Errorf("%d entries for a minute of one run a second, want one in ten seconds and the trouble", len(runs))
		}
		if !slices.ContainsFunc(runs, func(r JobRun) bool { return errors.Is(r.Err, trouble) }) {
			t.Error("the trouble was not written down")
		}
		is(t, "by", runs[0].By, "node of a")
	})
}

// A gateway that leads keeps the lock between runs and gives it back at its end.
func TestRule17_TheLockIsKeptAndGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		first := sweeping(t, store, "first")
		synctest.Wait()
		second := sweeping(t, store, "second")
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := store.events(CleanupLock); !slices.Equal(got, []Event{EventOccupied}) {
			t.Errorf("an hour of sweeping nothing: %v", got)
		}
		is(t, "kept by", store.row(CleanupLock).Session, "first")
		if store.updates > 60*60 {
			t.Errorf("%d locking updates in an hour", store.updates)
		}
		first()
		time.Sleep(cleanupTTL)
		synctest.Wait()
		is(t, "given back, and taken by", store.row(CleanupLock).Session, "second")
		second()
		want := []Event{EventOccupied, EventFreed, EventOccupied, EventFreed}
		if got := store.events(CleanupLock); !slices.Equal(got, want) {
			t.Errorf("history of the lock: %v", got)
		}
	})
}

func TestRule17_AKilledGatewaysJobIsPickedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		killed := lockRow("killed", time.Now().Add(cleanupTTL))
		killed.ItemKey = CleanupLock
		store.put(killed)
		sweeping(t, store, "next")
		time.Sleep(2 * cleanupTTL)
		synctest.Wait()
		is(t, "picked up by", store.row(CleanupLock).Session, "next")
	})
}

func TestAJobOutlivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(t)
		store.now = time.Now
		store.fail = func(Update) error { return ErrUnavailable }
		stop := sweeping(t, store, "only")
		time.Sleep(time.Minute)
		synctest.Wait()
		store.mu.Lock()
		store.fail = nil
		store.mu.Unlock()
		time.Sleep(cleanupTTL)
		synctest.Wait()
		is(t, "back", store.row(CleanupLock).Session, "only")
		stop()
	})
}
