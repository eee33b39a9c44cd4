package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"occupy/domain"
)

// updateCall is a call of Store.Update.
type updateCall = call[domain.Update]

const (
	// lockWait is longer than a stopped gateway can keep its locks.
	lockWait = 2 * time.Second
	// searchWait is the lock wait while looking for the one caller that made a
	// group fail, so that the innocent are answered soon.
	searchWait = 200 * time.Millisecond
	// tries is how often one and the same transaction is run.
	tries = 5
)

// errLost marks that the connection broke and that nothing was committed.
var errLost = errors.New("connection lost")

// attempt carries out some calls in one transaction, all or none.
type attempt[R any] func(ctx context.Context, calls []*call[R], lockWait time.Duration) error

// settle carries out a group and answers each of its callers, under a deadline of
// its own.
func settle[R any](ctx context.Context, patience time.Duration, calls []*call[R], once attempt[R]) {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	settleWithin(ctx, calls, lockWait, once)
}

// settleWithin tries the group whole; if it fails for what may be one caller's
// fault, its halves, down to one. Only who fails alone is told.
func settleWithin[R any](ctx context.Context, calls []*call[R], lockWait time.Duration, once attempt[R]) {
	err := retried(ctx, func() error { return once(ctx, calls, lockWait) })
	if err != nil && len(calls) > 1 && !isEverybodys(err) && ctx.Err() == nil {
		half := len(calls) / 2
		settleWithin(ctx, calls[:half], searchWait, once)
		settleWithin(ctx, calls[half:], searchWait, once)
		return
	}
	noteMissingPartition(err)
	for _, c := range calls {
		if err != nil {
			c.err = err
		}
		c.done <- c.err
	}
}

// retried runs a transaction until it is committed or fails for a reason of its own.
func retried(ctx context.Context, once func() error) (err error) {
	for try := range tries {
		err = once()
		if err == nil || !isRetryable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * 50 * time.Millisecond):
		}
	}
	return err
}

// update runs one transaction for the callers.
func (s *Store) update(ctx context.Context, calls []*updateCall, lockWait time.Duration) error {
	conn, err := s.floor.Acquire(ctx)
	if err != nil {
		return err
	}
	t := newTransaction(conn.Conn(), calls, s.made)
	err = t.run(ctx, lockWait)
	conn.Release() // before asking for the outcome, which needs one too
	if errors.Is(err, errLostAtCommit) {
		err = s.outcome(ctx, t.session, t.imprint())
	}
	if err == nil {
		s.tell(t)
	}
	return err
}

// tell says what was committed to whoever wants to know.
func (s *Store) tell(t *transaction) {
	s.metrics.committed(t)
	if f := s.committed.Load(); f != nil && len(t.history) > 0 {
		(*f)()
	}
	if f := s.renewed.Load(); f != nil && len(t.renewed) > 0 {
		(*f)(t.renewals())
	}
}

// lastNoted is when a missing partition was last logged, in seconds.
var lastNoted atomic.Int64

// noteMissingPartition logs, once a minute, what callers only hear of as
// UNAVAILABLE and only an operator can mend.
func noteMissingPartition(err error) {
	now := time.Now().Unix()
	if last := lastNoted.Load(); isMissingPartition(err) && now-last >= 60 && lastNoted.CompareAndSwap(last, now) {
		slog.Error("nothing can be changed: the history has no partition for this month, and the job that makes them ahead has failed", "err", err)
	}
}
