package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// replica is a streaming replica for people's questions, and the watch over it:
// how far it is behind is looked at all the time, not when somebody asks.
//
// Behind is measured against what the primary's log had reached, and when this
// process saw it so. The time of the last transaction replayed would say that a
// replica is far behind when nothing happens, and that one whose connection is
// cut is not.
type replica struct {
	pool    *pool // for the questions
	look    *pool // of one connection, for the watch: the questions may take all of theirs
	primary *pool
	maxLag  time.Duration

	marks   []mark // of the primary, the oldest first; the watch's alone
	noting  sync.Mutex
	term    atomic.Pointer[term]
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// term is a time during which the replica serves, or does not for one reason.
type term struct {
	why  string          // it does not; empty if it serves
	over context.Context // ends if it does not answer any more
	end  context.CancelFunc
}

// mark is how far the primary's log was, and when.
type mark struct {
	at  time.Time
	lsn int64
}

// place is where a server is, and which one.
type place struct {
	system   string
	started  time.Time
	recovers bool
	lsn      int64
}

// lookEvery is how often the replica is looked at; more often if it may hardly be behind.
const lookEvery = time.Second

func watchReplica(r *replica) *replica {
	r.begin("it has not been looked at yet")
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.stopped.Go(func() { r.watch(ctx) })
	return r
}

func (r *replica) watch(ctx context.Context) {
	every := min(lookEvery, r.maxLag/4)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		looking, done := context.WithTimeout(ctx, max(every, lookEvery))
		err := r.judge(looking)
		done()
		if ctx.Err() != nil {
			return
		}
		r.note(err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// judge compares the replica with the primary. Returns what speaks against
// asking it, if anything.
func (r *replica) judge(ctx context.Context) error {
	now := time.Now()
	primary, err := placeOf(ctx, r.primary)
	if err != nil {
		return fmt.Errorf("the primary can not be compared: %w", err)
	}
	r.marks = append(r.marks, mark{now, primary.lsn})
	replica, err := placeOf(ctx, r.look)
	switch {
	case err != nil:
		return err
	case replica.system != primary.system:
		return errors.New("it is of another database")
	case !replica.recovers && !replica.started.Equal(primary.started):
		return errors.New("it is a replica no more: it takes writes of its own")
	}
	return r.behind(now, replica.lsn)
}

// behind judges by the last mark that the replica has reached, and forgets those
// that say nothing any more.
func (r *replica) behind(now time.Time, lsn int64) error {
	reached := -1
	for i, m := range r.marks {
		if m.lsn <= lsn {
			reached = i
		}
	}
	r.marks = r.marks[max(reached, 0):]
	lag := now.Sub(r.marks[0].at)
	if reached >= 0 && lag <= r.maxLag {
		return nil
	}
	// To reach one of these would not be enough; the first one stays, to tell how far it is behind.
	first := r.marks[0]
	r.marks = slices.DeleteFunc(r.marks, func(m mark) bool { return m != first && now.Sub(m.at) > r.maxLag })
	return fmt.Errorf("it is about %v behind", lag.Round(time.Second/10))
}

// placeOf asks a server where it is: what it has replayed, or written if it
// replays nothing.
func placeOf(ctx context.Context, p *pool) (at place, err error) {
	err = p.QueryRow(ctx, `-- name: ReadPlace
		SELECT c.system_identifier::text, pg_postmaster_start_time(), pg_is_in_recovery(),
		       (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::bigint
		FROM pg_control_system() c`).Scan(&at.system, &at.started, &at.recovers, &at.lsn)
	return at, err
}

// keepsUp tells whether the replica may be asked.
func (r *replica) keepsUp() bool { return r != nil && r.term.Load().why == "" }

// during ends with ctx, or as soon as the replica is found not to answer.
func (r *replica) during(ctx context.Context) (asking context.Context, done func()) {
	asking, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.term.Load().over, cancel)
	return asking, func() { stop(); cancel() }
}

// failed has the primary asked until the replica has been looked at again, if
// that is what an answer of it says.
func (r *replica) failed(err error) {
	if isConnection(err) {
		r.note(err)
	}
}

// note keeps what speaks against the replica, and logs when that begins and ends.
func (r *replica) note(err error) {
	r.noting.Lock()
	defer r.noting.Unlock()
	why := ""
	if err != nil {
		why = err.Error()
	}
	before := r.term.Load()
	if why == before.why {
		return
	}
	r.begin(why)
	switch {
	case why == "":
		slog.Info("people's questions go to the replica")
	case before.why == "":
		slog.Warn("people's questions go to the primary: the replica does not serve", "err", err)
	}
	if isConnection(err) {
		before.end()
	}
}

func (r *replica) begin(why string) {
	t := &term{why: why}
	t.over, t.end = context.WithCancel(context.Background())
	r.term.Store(t)
}

// notes says what an operator should know.
func (r *replica) notes() []string {
	if r == nil {
		return nil
	}
	why := r.term.Load().why
	if why == "" {
		return nil
	}
	return []string{"people's questions go to the primary: the replica does not serve: " + why}
}

func (r *replica) close() {
	r.stop()
	r.stopped.Wait()
	r.look.Close()
	r.pool.Close()
}
