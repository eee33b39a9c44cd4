package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// AnalyzeHistory refreshes what the planner knows of the history as a whole: how many users there are, or screens, over
// all months. Autovacuum does that for each month and never for all of them together; without it every grouping of
// months is planned for 200 groups.
//
// It shares the history with readers and writers, reads no faster than an autovacuum does, and leaves out the months
// that one is at.
func (s *Store) AnalyzeHistory(ctx context.Context) error {
	return translate(pgx.BeginFunc(ctx, s.floor.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `-- name: AnalyzeHistory
			SET LOCAL statement_timeout = '1h'; SET LOCAL vacuum_cost_delay = '2ms';
			ANALYZE (SKIP_LOCKED) ct_occupy_item_history`)
		return err
	}))
}
