package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// stepWithin bounds one round trip, so that a silently cut link is noticed.
	stepWithin = 4 * time.Second
	// statementTimeout is the server's own bound.
	statementTimeout = 3500 * time.Millisecond
	// idleTimeout is how long a gateway that stopped in the middle can stop the others.
	idleTimeout = time.Second
)

// serverStarted is since when the server has given out transaction ids without
// taking any back. When one of its processes crashes the server starts itself
// anew without a new start time; but then it drops its statistics, and says when.
const serverStarted = `(SELECT greatest(pg_postmaster_start_time(), stats_reset) FROM pg_stat_get_wal())`

// session is a transaction on a connection, of a few round trips, each a batch.
type session struct {
	conn *pgx.Conn

	clock   time.Time // of the database, once read
	id      string    // of the transaction
	started time.Time // of the server
}

// queueBegin begins the transaction. Its bounds are the transaction's own: a
// pooler would refuse them as start-up parameters. So are the pool's settings
// where its connections can not have them.
func (s *session) queueBegin(b *pgx.Batch, lockWait time.Duration) {
	b.Queue("BEGIN")
	queueSettings(b, s.conn)
	b.Queue(`-- name: SetTimeouts
		SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
		       set_config('idle_in_transaction_session_timeout', $3, true)`,
		milliseconds(statementTimeout), milliseconds(lockWait), milliseconds(idleTimeout))
}

// queueClock reads the time, in a statement of its own: one that waits for a
// lock has read it before the wait.
func (s *session) queueClock(b *pgx.Batch) {
	b.Queue(`-- name: ClockAfterLock
		SELECT clock_timestamp(), pg_current_xact_id()::text, ` + serverStarted).
		QueryRow(func(row pgx.Row) error { return row.Scan(&s.clock, &s.id, &s.started) })
}

// send is one round trip.
func (s *session) send(ctx context.Context, b *pgx.Batch) error {
	ctx, done := context.WithTimeout(ctx, stepWithin)
	defer done()
	return s.conn.SendBatch(ctx, b).Close()
}

// commit is the last round trip.
func (s *session) commit(ctx context.Context, b *pgx.Batch) error {
	var tag string
	b.Queue("COMMIT").Exec(func(ct pgconn.CommandTag) error { tag = ct.String(); return nil })
	if err := s.send(ctx, b); err != nil {
		return err
	}
	if tag != "COMMIT" {
		return fmt.Errorf("commit answered %q", tag)
	}
	return nil
}

// abandon rolls back, and says which error it is if there is nothing left to
// roll back: ifLost, with the reason. The connection is left without a
// transaction, or closed.
func (s *session) abandon(ctx context.Context, err, ifLost error) error {
	ctx, done := context.WithTimeout(ctx, stepWithin)
	defer done()
	if !s.conn.IsClosed() {
		if _, rollback := s.conn.Exec(ctx, "ROLLBACK"); rollback == nil {
			return err
		}
		_ = s.conn.Close(ctx)
	}
	if err == nil { // nothing was to be written, so nothing was lost
		return nil
	}
	return fmt.Errorf("%w: %w", ifLost, err)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
