package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"occupy/domain"
)

// errLostAtCommit marks that the connection broke after the commit may have
// been sent.
var errLostAtCommit = errors.New("connection lost at commit")

// askEvery is how often the database is asked what became of a transaction.
const askEvery = 50 * time.Millisecond

// outcome finds out what became of a transaction whose connection was lost at
// the commit. Returns nil if it was committed, errLost if it was not, and
// domain.ErrOutcomeUnknown if nobody could be asked in time. written is the
// history that it wrote, if any.
func (s *Store) outcome(ctx context.Context, t session, written []domain.Transition) error {
	for {
		status, err := s.ask(ctx, t, written)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return fmt.Errorf("%w before the commit took effect", errLost)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", domain.ErrOutcomeUnknown, errors.Join(errLostAtCommit, err))
		case <-time.After(askEvery):
		}
	}
}

// ask reads the status of a transaction: "committed", "aborted" or "in progress".
//
// A server that was started since may have given the id out again, if it lost
// the transaction in a crash. Then what counts is whether the history has what
// was written. Where nothing was, there were renewals only, and those may be
// run again.
func (s *Store) ask(ctx context.Context, t session, written []domain.Transition) (status string, err error) {
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	var h domain.Transition
	if len(written) > 0 {
		h = written[0]
	}
	err = s.floor.QueryRow(ctx, `-- name: AskOutcome
		SELECT CASE
			WHEN `+serverStarted+` = $2 THEN pg_xact_status($1::text::xid8)
			WHEN EXISTS (
				SELECT FROM ct_occupy_item_history
				WHERE tx_id = $1::text::xid8 AND item_type = $3 AND item_name = $4 AND version = $5 AND reg_dt = $6
			) THEN 'committed'
			ELSE 'aborted' END`,
		t.id, t.started, h.ItemType, h.ItemName, h.Version, h.UpdatedAt).Scan(&status)
	return status, err
}
