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

// imprint is what a transaction left, by which it is known again.
type imprint struct {
	domain.Occupancy // as it wrote the item; zero if it wrote none
	inHistory        bool
}

// imprint picks a row that the transaction has written.
func (t *transaction) imprint() imprint {
	if len(t.history) > 0 {
		return imprint{t.history[0].Occupancy, true}
	}
	for key := range t.dirty {
		return imprint{t.items[key], false}
	}
	return imprint{}
}

// outcome finds out what became of a transaction whose connection was lost at
// the commit. Returns nil if it was committed, errLost if it was not, and
// domain.ErrOutcomeUnknown if nobody could be asked in time, or knows any more.
func (s *Store) outcome(ctx context.Context, t session, left imprint) error {
	for {
		status, err := s.ask(ctx, t, left)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return fmt.Errorf("%w before the commit took effect", errLost)
		case err == nil && status == "unknown":
			return domain.ErrOutcomeUnknown
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
// the transaction in a crash. Then what counts is whether what it left is there: a
// row of the history or, after renewals alone, which write none, the item itself. If
// that was changed since, nobody can tell from it: "unknown". To run a renewal again
// that may have taken effect would have it count twice, or be refused though it did.
func (s *Store) ask(ctx context.Context, t session, left imprint) (status string, err error) {
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	err = s.floor.QueryRow(ctx, `-- name: AskOutcome
		SELECT CASE
			WHEN `+serverStarted+` = $2 THEN pg_xact_status($1::text::xid8)
			WHEN EXISTS (
				SELECT FROM ct_occupy_item_history
				WHERE $8 AND tx_id = $1::text::xid8 AND item_type = $3 AND item_name = $4 AND version = $5 AND reg_dt = $6
			) THEN 'committed'
			ELSE coalesce((
				SELECT CASE
					WHEN (version, renewals, updt_dt) = ($5, $7, $6) THEN 'committed'
					WHEN (version, renewals) >= ($5, $7) THEN 'unknown' END
				FROM ct_occupy_item WHERE NOT $8 AND item_type = $3 AND item_name = $4
			), 'aborted') END`,
		t.id, t.started, left.ItemType, left.ItemName, left.Version, left.UpdatedAt, left.Renewals, left.inHistory).Scan(&status)
	return status, err
}
