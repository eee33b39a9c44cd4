package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

var _ domain.Feed = (*Store)(nil)

// maxMatching is how many items a subscriber can take.
const maxMatching = 50_000

// here is where the reader of a statement stands.
//
// The log's own name for the timeline is right from the moment of a promotion
// on, unlike the control file's, and there is none on a replica, which would
// lag behind.
const here = `SELECT c.system_identifier || '/' || d.oid AS system,
			('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint AS timeline,
			` + serverStarted + ` AS started,
			pg_current_snapshot()::text AS snapshot,
			clock_timestamp() AS clock
		FROM pg_control_system() c, pg_database d
		WHERE d.datname = current_database()`

// standing is what here reads.
type standing struct {
	domain.Position
	snapshot string
}

func (s *standing) dests() []any {
	return []any{&s.System, &s.Timeline, instant{&s.Started}, &s.snapshot, instant{&s.Clock}}
}

func (s *standing) parse() (err error) {
	s.Snapshot, err = domain.ParseSnapshot(s.snapshot)
	return err
}

// Position implements domain.Feed.
func (s *Store) Position(ctx context.Context) (domain.Position, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	var at standing
	err := s.floor.QueryRow(ctx, "-- name: ReadPosition\n\t\t"+here).Scan(at.dests()...)
	if err != nil {
		return domain.Position{}, translate(err)
	}
	err = at.parse()
	return at.Position, err
}

// Matching implements domain.Feed.
func (s *Store) Matching(ctx context.Context, f domain.OccupancyFilter) ([]domain.Occupancy, domain.Position, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	var at standing
	var items []domain.Occupancy
	where := occupancyConditions(f.Where())
	limit := where.value(maxMatching + 1)
	b := planned(byValues)
	b.Queue(`-- name: ListMatching
		WITH here AS MATERIALIZED (`+here+`)
		SELECT here.*, `+occupancyColumns+`
		FROM here
		LEFT JOIN ct_occupy_item i ON `+where.String()+`
		ORDER BY i.item_type, i.item_name LIMIT `+limit, where.args...).Query(func(rows pgx.Rows) (err error) {
		items, err = scanMatching(rows, &at)
		return err
	})
	if err := s.floor.SendBatch(ctx, b).Close(); err != nil {
		return nil, domain.Position{}, translate(err)
	}
	if len(items) > maxMatching {
		return nil, domain.Position{}, &domain.InputError{Argument: "filter",
			Problem: fmt.Sprintf("matches more than %d items: narrow it", maxMatching)}
	}
	err := at.parse()
	return items, at.Position, err
}

func scanMatching(rows pgx.Rows, at *standing) ([]domain.Occupancy, error) {
	var items []domain.Occupancy
	for rows.Next() {
		var o domain.Occupancy
		if err := rows.Scan(skipNulls(rows, append(at.dests(), occupancyDests(&o)...))...); err != nil {
			return nil, err
		}
		if o.Version == 0 {
			return nil, rows.Err() // nothing but where we stand
		}
		items = append(items, o.Seen(at.Clock))
	}
	return items, rows.Err()
}

// Occupied implements domain.Feed.
func (s *Store) Occupied(ctx context.Context, after domain.Occupancy, limit int) ([]domain.Occupancy, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	rows, err := s.floor.Query(ctx, `-- name: ListOccupied
		SELECT statement_timestamp(), `+occupancyColumns+` FROM ct_occupy_item i
		WHERE state = 'OCCUPIED' AND renewals > 0 AND expire_time > statement_timestamp() AND expire_time >= $1
		  AND (expire_time, item_type, item_name) > ($1, $2, $3)
		ORDER BY expire_time, item_type, item_name LIMIT $4`,
		after.ExpireTime, after.ItemType, after.ItemName, limit)
	if err != nil {
		return nil, translate(err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o domain.Occupancy, err error) {
		err = row.Scan(append([]any{instant{&o.AsOf}}, occupancyDests(&o)...)...)
		return o, err
	})
	return items, translate(err)
}

// skipNulls leaves alone what the row has no value for.
func skipNulls(rows pgx.Rows, dests []any) []any {
	for i, v := range rows.RawValues() {
		if v == nil {
			dests[i] = nil
		}
	}
	return dests
}
