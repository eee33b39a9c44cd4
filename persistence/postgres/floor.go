package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// readWithin bounds the plain reads of the floor.
const readWithin = 5 * time.Second

// itemRead is a caller's wish to read items, and what it found.
type itemRead struct {
	keys  []domain.ItemKey
	items []domain.Occupancy
	clock time.Time
}

type readCall = call[*itemRead]

// Read implements domain.Store. Callers that come while reads are under way
// share the next one. The clock is zero if none of the items was ever seen.
func (s *Store) Read(ctx context.Context, keys []domain.ItemKey) ([]domain.Occupancy, time.Time, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	r := &itemRead{keys: keys}
	if err := s.reads.do(ctx, r); err != nil {
		return nil, time.Time{}, translate(err)
	}
	return r.items, r.clock, nil
}

func rowsOfRead(r *itemRead) int { return len(r.keys) }

// readGroup reads once for all callers, under a deadline of its own: no
// caller's leaving can take the others' answer away.
func (s *Store) readGroup(ctx context.Context, calls []*readCall) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	var keys []domain.ItemKey
	for _, c := range calls {
		keys = append(keys, c.request.keys...)
	}
	var found map[domain.ItemKey]domain.Occupancy
	var clock time.Time
	err := retried(ctx, func() (err error) {
		found, clock, err = s.readItems(ctx, inLockOrder(keys))
		return lostIfConnection(err) // a connection of the pool may be dead; reading again does no harm
	})
	for _, c := range calls {
		c.request.clock = clock
		for _, key := range c.request.keys {
			o, ok := found[key]
			if !ok {
				o = unseen(key)
			}
			c.request.items = append(c.request.items, o)
		}
		c.done <- err
	}
}

func (s *Store) readItems(ctx context.Context, keys []domain.ItemKey) (map[domain.ItemKey]domain.Occupancy, time.Time, error) {
	var clock time.Time
	types, names := columnsOf(keys)
	rows, err := s.floor.Query(ctx, `-- name: ReadItems
		SELECT `+occupancyColumns+`, clock_timestamp()
		FROM unnest($1::text[], $2::text[]) AS k (item_type, item_name)
		JOIN ct_occupy_item i ON i.item_type = k.item_type AND i.item_name = k.item_name
		ORDER BY i.item_type, i.item_name`, types, names)
	if err != nil {
		return nil, clock, err
	}
	defer rows.Close()
	found := make(map[domain.ItemKey]domain.Occupancy, len(keys))
	for rows.Next() {
		var o domain.Occupancy
		if err := rows.Scan(append(occupancyDests(&o), instant{&clock})...); err != nil {
			return nil, clock, err
		}
		found[o.ItemKey] = o
	}
	return found, clock, rows.Err()
}

// HeldBy implements domain.Store.
func (s *Store) HeldBy(ctx context.Context, q domain.HeldQuery) ([]domain.ItemKey, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	rows, err := s.floor.Query(ctx, `-- name: ListHeldBy
		SELECT item_type, item_name FROM ct_occupy_item
		WHERE state = 'OCCUPIED' AND user_id = $1 AND session_id = $2 AND expire_time > clock_timestamp()
		  AND CASE WHEN $3::text[] IS NULL THEN item_type <> 'SLOT' ELSE item_type = ANY ($3) END
		  AND (item_type, item_name) > ($4, $5)
		ORDER BY item_type, item_name LIMIT $6`,
		q.UserID, q.Session, q.ItemTypes, q.After.ItemType, q.After.ItemName, q.Limit)
	if err != nil {
		return nil, translate(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[domain.ItemKey])
	return keys, translate(err)
}

// Overdue implements domain.Store. It goes by the statement's time: one that may
// change from row to row is no bound for an index, and this only lists what is
// judged again under the lock.
func (s *Store) Overdue(ctx context.Context, after domain.OverdueItem, limit int) ([]domain.OverdueItem, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	rows, err := s.floor.Query(ctx, `-- name: ListOverdue
		SELECT item_type, item_name, expire_time FROM ct_occupy_item
		WHERE state = 'OCCUPIED' AND expire_time <= statement_timestamp() AND expire_time >= $1
		  AND (expire_time, item_type, item_name) > ($1, $2, $3)
		ORDER BY expire_time, item_type, item_name LIMIT $4`,
		after.ExpireTime, after.ItemType, after.ItemName, limit)
	if err != nil {
		return nil, translate(err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o domain.OverdueItem, err error) {
		return o, row.Scan(&o.ItemType, &o.ItemName, &o.ExpireTime)
	})
	return items, translate(err)
}
