package postgres

import (
	"context"
	"time"

	"occupy/domain"
)

// Census is what the tables hold, at one time.
type Census struct {
	ByState map[domain.State]int64 // as seen by a reader, see domain.Occupancy.Seen
	// Overdue is for how long the sweeper has left the oldest that has run out.
	Overdue time.Duration
	// MonthsAhead is for how many months to come the history has a partition.
	MonthsAhead int
}

// Census counts. It reads the whole table of occupancies, so it is not to be asked
// for often. It is the service's own question: analysts who fill their connections do
// not keep it waiting.
func (s *Store) Census(ctx context.Context) (Census, error) {
	var occupied, free, expired int64
	var overdue float64
	c := Census{}
	err := s.floor.QueryRow(ctx, `-- name: CountOccupancies
		SELECT count(*) FILTER (WHERE state = 'OCCUPIED' AND expire_time > at),
		       count(*) FILTER (WHERE state = 'FREE'),
		       count(*) FILTER (WHERE state = 'EXPIRED' OR state = 'OCCUPIED' AND expire_time <= at),
		       COALESCE(extract(epoch FROM max(at - expire_time) FILTER (WHERE state = 'OCCUPIED' AND expire_time <= at)), 0)::float8,
		       (SELECT count(*) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
		        WHERE inhparent = 'ct_occupy_item_history'::regclass
		          AND c.relname > 'ct_occupy_item_history_' || to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYYMM'))
		FROM ct_occupy_item, statement_timestamp() AS at
		WHERE version > 0`).Scan(&occupied, &free, &expired, &overdue, &c.MonthsAhead)
	if err != nil {
		return c, translate(err)
	}
	c.ByState = map[domain.State]int64{domain.StateOccupied: occupied, domain.StateFree: free, domain.StateExpired: expired}
	c.Overdue = time.Duration(overdue * float64(time.Second))
	return c, nil
}
