package postgres

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
)

// pastID is the first transaction id that a server gives out: long ago.
const pastID = "3"

// mendAtOnce is how many rows one transaction mends.
const mendAtOnce = 10_000

// MendRestored sets the TX_IDs that this server is yet to reach to one that is
// long past, and reports how many there were: after a restore from a dump, rows
// have ids of another server, and would be told as new when this one gets there.
//
// Without such rows it looks into an index and changes nothing. Safe to call by
// any number of gateways at once, and while others work.
func (s *Store) MendRestored(ctx context.Context) (mended int64, err error) {
	for {
		n, err := s.mendSome(ctx)
		mended += n
		if err != nil {
			return mended, fmt.Errorf("mend restored history: %w", translate(err))
		}
		if n == 0 {
			break
		}
	}
	if mended > 0 {
		slog.Info("the history was restored: transaction ids of another server are set to a past one", "rows", mended)
	}
	return mended, nil
}

func (s *Store) mendSome(ctx context.Context) (mended int64, err error) {
	var ahead bool
	err = s.floor.QueryRow(ctx, `-- name: HasRestoredRows
		SELECT EXISTS (SELECT FROM ct_occupy_item_history WHERE tx_id >= pg_snapshot_xmax(pg_current_snapshot()))`).Scan(&ahead)
	if err != nil || !ahead {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, s.floor, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL occupy.maintenance = 'on'`); err != nil {
			return err
		}
		// What another gateway is mending is skipped: it does the rest.
		tag, err := tx.Exec(ctx, `-- name: LockAndMendRestored
			WITH ahead AS MATERIALIZED (
				SELECT time_key, item_type, item_name FROM ct_occupy_item_history
				WHERE tx_id >= pg_snapshot_xmax(pg_current_snapshot())
				ORDER BY tx_id LIMIT $2 FOR UPDATE SKIP LOCKED
			)
			UPDATE ct_occupy_item_history h SET tx_id = $1::text::xid8
			FROM ahead a
			WHERE h.time_key = a.time_key AND h.item_type = a.item_type AND h.item_name = a.item_name`, pastID, mendAtOnce)
		mended = tag.RowsAffected()
		return err
	})
	return mended, err
}
