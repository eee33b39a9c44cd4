package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// detachWithin is how long one month is waited for: until those who read the history
// when it began have done so.
const detachWithin = 2 * time.Minute

// pastRetention is the comment of a partition that is to go. Whatever else somebody has
// detached, to keep it elsewhere, is not touched.
const pastRetention = "Past the retention of the history: to be dropped."

// DropHistory takes away the months of the history that were over longer than keep ago,
// by the database's clock, and returns how many those were.
//
// A month is detached and then dropped, and nobody waits for either: to detach it
// concurrently waits itself for whoever reads the history at the moment. If one reads on
// for too long, or the gateway ends in the middle, the next call goes on from there.
func (s *Store) DropHistory(ctx context.Context, keep time.Duration) (dropped int, err error) {
	now, err := s.Clock(ctx)
	if err != nil {
		return 0, err
	}
	conn, err := s.floor.Acquire(ctx)
	if err != nil {
		return 0, translate(err)
	}
	defer conn.Release()
	old, err := oldPartitions(ctx, conn.Conn(), partitionName(monthOf(now.Add(-keep), 0)))
	if err != nil || len(old) == 0 {
		return 0, err
	}
	defer conn.Conn().Close(context.WithoutCancel(ctx)) // it has another time limit than its pool's
	if _, err := conn.Exec(ctx, `SET statement_timeout = `+milliseconds(detachWithin)); err != nil {
		return 0, translate(err)
	}
	for _, p := range old {
		if err := p.drop(ctx, conn.Conn()); err != nil {
			return dropped, fmt.Errorf("drop %s: %w", p.name, err)
		}
		dropped++
	}
	return dropped, nil
}

// oldPartition is one that is to go, or that has begun to.
type oldPartition struct {
	name                string
	attached, detaching bool
}

// oldPartitions lists those before one, oldest first.
func oldPartitions(ctx context.Context, conn *pgx.Conn, before string) ([]oldPartition, error) {
	rows, err := conn.Query(ctx, `-- name: ListOldPartitions
		SELECT c.relname::text, i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
		FROM pg_class c
		LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
		WHERE c.relname LIKE 'ct\_occupy\_item\_history\_%' AND c.relname < $1 AND c.relkind = 'r'
		  AND (i.inhparent = 'ct_occupy_item_history'::regclass
		       OR i.inhrelid IS NULL AND obj_description(c.oid, 'pg_class') = $2)
		ORDER BY c.relname`, before, pastRetention)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p oldPartition, err error) {
		return p, row.Scan(&p.name, &p.attached, &p.detaching)
	})
}

// drop goes on where the last one stopped. Each step commits: to detach concurrently
// may not be in a transaction.
func (p oldPartition) drop(ctx context.Context, conn *pgx.Conn) error {
	name := pgx.Identifier{p.name}.Sanitize()
	detach := "ALTER TABLE " + historyTable + " DETACH PARTITION " + name
	var steps []string
	switch {
	case p.detaching:
		steps = []string{detach + " FINALIZE"}
	case p.attached:
		steps = []string{"COMMENT ON TABLE " + name + " IS '" + pastRetention + "'", detach + " CONCURRENTLY"}
	}
	for _, step := range append(steps, "DROP TABLE "+name) {
		if _, err := conn.Exec(ctx, step); err != nil {
			if isTimeout(err) {
				return fmt.Errorf("somebody has been reading the history all the time: %w", err)
			}
			return err
		}
	}
	return nil
}
