package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// dropWithin is how long a call waits until those who read the history when it began
// have done so.
const dropWithin = 2 * time.Minute

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
	before := partitionName(monthOf(now.Add(-keep), 0))
	waiting, done := context.WithTimeout(ctx, dropWithin)
	defer done()
	for {
		old, err := oldPartitions(ctx, s.floor.Pool, before)
		if err != nil || len(old) == 0 {
			return dropped, translate(err)
		}
		switch err := old[0].drop(waiting, s.floor.Pool); {
		case err == nil:
			dropped++
		case waiting.Err() != nil && ctx.Err() == nil:
			return dropped, fmt.Errorf("drop %s: somebody has been reading the history all the time: %w", old[0].name, err)
		case isStale(err): // what a gateway that has ended began, the server went on with
		case !isTimeout(err): // of the connection, which gives up sooner
			return dropped, fmt.Errorf("drop %s: %w", old[0].name, err)
		}
	}
}

// oldPartition is one that is to go, or that has begun to.
type oldPartition struct {
	name                string
	attached, detaching bool
}

// oldPartitions lists those before one, the oldest first after the one that is being
// detached: there can be only one of those.
func oldPartitions(ctx context.Context, pool *pgxpool.Pool, before string) ([]oldPartition, error) {
	rows, err := pool.Query(ctx, `-- name: ListOldPartitions
		SELECT c.relname::text, i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
		FROM pg_class c
		LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
		WHERE c.relname LIKE 'ct\_occupy\_item\_history\_%' AND c.relname < $1 AND c.relkind = 'r'
		  AND (i.inhparent = 'ct_occupy_item_history'::regclass
		       OR i.inhrelid IS NULL AND obj_description(c.oid, 'pg_class') = $2)
		ORDER BY i.inhdetachpending DESC NULLS LAST, c.relname`, before, pastRetention)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p oldPartition, err error) {
		return p, row.Scan(&p.name, &p.attached, &p.detaching)
	})
}

// drop goes on where the last one stopped. Each step comes alone and commits: to detach
// concurrently may not be in a transaction. So no step has a time limit of its own, which
// a pooler would hand on to whoever has the connection next.
func (p oldPartition) drop(ctx context.Context, pool *pgxpool.Pool) error {
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
		if _, err := pool.Exec(ctx, step); err != nil {
			return err
		}
	}
	return nil
}
