package postgres

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// maxChanges is how many changes a reader can take at once.
const maxChanges = 50_000

// changes are what was committed since a position, in order of their time keys.
type changes struct {
	standing
	events   []*domain.Change
	timeKeys []string
}

// Changes implements domain.Feed.
func (s *Store) Changes(ctx context.Context, since domain.Position) ([]*domain.Change, domain.Position, error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	c, err := s.committedSince(ctx, since)
	switch {
	case err != nil:
	case !c.Follows(since):
		err = fmt.Errorf("%w: another database", domain.ErrFeedBroken)
	case len(c.events) > maxChanges:
		err = fmt.Errorf("%w: more than %d changes", domain.ErrFeedBroken, maxChanges)
	default:
		err = s.readPrevious(ctx, c, c.linkPrevious())
	}
	if err == nil && c.Clock.Sub(since.Clock) > longAway {
		err = s.stillKept(ctx, since)
	}
	if err != nil {
		return nil, domain.Position{}, err
	}
	return c.events, c.Position, nil
}

// longAway is how long nobody is away who reads all the time: what they missed
// is kept for much longer.
const longAway = time.Hour

// stillKept looks, after the read, whether the history still has all that was
// written since a position. Returns ErrFeedBroken if it has not.
func (s *Store) stillKept(ctx context.Context, since domain.Position) error {
	var kept bool
	err := s.floor.QueryRow(ctx, `-- name: IsStillKept
		SELECT coalesce(min(right(c.relname::text, 6)) <= $1, false)
		FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
		WHERE p.inhparent = 'ct_occupy_item_history'::regclass AND NOT p.inhdetachpending`, monthKey(since.Clock.UTC())).Scan(&kept)
	if err == nil && !kept {
		return fmt.Errorf("%w: months of it are gone", domain.ErrFeedBroken)
	}
	return translate(err)
}

// idRanges are ranges of transaction ids, each without its end.
type idRanges struct {
	starts, ends []uint64
	again        []bool // given out again, perhaps, by a server that was started since
}

func (r *idRanges) add(start, end uint64, again bool) {
	r.starts, r.ends, r.again = append(r.starts, start), append(r.ends, end), append(r.again, again)
}

// unseenBy are the transactions that a snapshot has not seen end, and those
// that it has but that a crash may have taken back since.
func unseenBy(seen domain.Snapshot) *idRanges {
	r := &idRanges{}
	start := seen.Xmin - min(seen.Xmin, domain.LostIDs)
	for _, running := range seen.Running {
		r.add(start, running, true)
		r.add(running, running+1, false)
		start = running + 1
	}
	r.add(start, seen.Xmax, true)
	r.add(seen.Xmax, math.MaxInt64, false)
	return r
}

// committedSince reads where the reader stands now and what was committed since.
//
// Both are of one statement, so that what the snapshot has not seen is not
// among the rows, and comes next time. If the server was started since, however
// often, what was seen before has an earlier key than the time of that read, and
// what was written under ids given out again a later one. That time is not held
// against the clock of another life: it may have been set back, but not before
// that life began.
//
// The ranges have ends, and LIMIT is inside, so that the planner goes by TX_ID
// whatever its statistics say. The last one ends where the snapshot does: a
// restored row may have an id that is not reached yet.
func (s *Store) committedSince(ctx context.Context, since domain.Position) (*changes, error) {
	c := &changes{}
	ids := unseenBy(since.Snapshot)
	b := planned(onceForAll)
	b.Queue(readChanges, ids.starts, ids.ends, ids.again, since.Started, maxChanges+1, since.Clock).Query(c.scan)
	if err := s.floor.SendBatch(ctx, b).Close(); err != nil {
		return nil, translate(err)
	}
	return c, c.parse()
}

const readChanges = `-- name: ReadChanges
		WITH here AS MATERIALIZED (` + here + `),
		fresh AS MATERIALIZED (
			SELECT h.*
			FROM (
				SELECT r.start_id, least(r.end_id, pg_snapshot_xmax(pg_current_snapshot())) AS end_id,
				       CASE WHEN r.again THEN to_char(least(here.started, $6) AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')
				            ELSE '' END AS start_key
				FROM here CROSS JOIN unnest($1::xid8[], $2::xid8[], $3::boolean[]) AS r (start_id, end_id, again)
				WHERE NOT r.again OR here.started <> $4
			) r
			JOIN ct_occupy_item_history h ON h.tx_id >= r.start_id AND h.tx_id < r.end_id AND h.time_key >= r.start_key
			LIMIT $5
		)
		SELECT here.*, h.time_key, h.event, h.tx_id, ` + changeColumns + `
		FROM here
		LEFT JOIN fresh h ON true
		LEFT JOIN ct_occupy_item i ON i.item_type = h.item_type AND i.item_name = h.item_name
		ORDER BY h.time_key`

// changeColumns are occupancyColumns as a history row, called h, has them. Who
// registered the item is not in its history, and never changes.
const changeColumns = `h.item_type, h.item_name, h.state, h.user_id, h.session_id, h.start_time, h.expire_time,
		h.ui_name, h.menu_name, h.fencing_token, h.version, h.renewals,
		i.reg_usr_id, i.reg_dt, h.reg_usr_id, h.reg_dt, '' AS end_event`

func (c *changes) scan(rows pgx.Rows) error {
	for rows.Next() {
		e := &domain.Change{Kind: domain.KindChanged}
		var timeKey string
		dests := append(c.dests(), &timeKey, &e.Event, &e.TxID)
		dests = append(dests, occupancyDests(&e.Occupancy)...)
		if err := rows.Scan(skipNulls(rows, dests)...); err != nil {
			return err
		}
		if timeKey == "" {
			continue // nothing but where the reader stands
		}
		e.At, e.Occupancy.AsOf = e.Occupancy.UpdatedAt, c.Clock
		c.events, c.timeKeys = append(c.events, e), append(c.timeKeys, timeKey)
	}
	return rows.Err()
}

// linkPrevious tells each event the item before it, if that is among the
// changes too. Returns which events are still to be told.
func (c *changes) linkPrevious() (missing []int) {
	last := map[domain.ItemKey]domain.Occupancy{}
	for i, e := range c.events {
		o := e.Occupancy
		if before, ok := last[o.ItemKey]; ok {
			e.Previous = &before
		} else if o.Version > 1 {
			missing = append(missing, i)
		}
		last[o.ItemKey] = o
	}
	return missing
}

// readPrevious reads the items before those events. It is a statement of its
// own, which the usual read does without: as a part of it, it would have every
// month's partition made ready each time, used or not. The past does not
// change, so that it may be read later.
func (s *Store) readPrevious(ctx context.Context, c *changes, missing []int) error {
	if len(missing) == 0 {
		return nil
	}
	keys, timeKeys := make([]domain.ItemKey, len(missing)), make([]string, len(missing))
	for n, i := range missing {
		keys[n], timeKeys[n] = c.events[i].Occupancy.ItemKey, c.timeKeys[i]
	}
	types, names := columnsOf(keys)
	b := planned(onceForAll)
	b.Queue(readPrevious, types, names, timeKeys).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var n int
			o := &domain.Occupancy{AsOf: c.Clock}
			if err := rows.Scan(skipNulls(rows, append([]any{&n}, occupancyDests(o)...))...); err != nil {
				return err
			}
			c.events[missing[n-1]].Previous = o
		}
		return rows.Err()
	})
	return translate(s.floor.SendBatch(ctx, b).Close())
}

const readPrevious = `-- name: ReadPrevious
		SELECT k.n, ` + changeColumns + `
		FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (item_type, item_name, time_key, n)
		CROSS JOIN LATERAL (
			SELECT * FROM ct_occupy_item_history
			WHERE item_type = k.item_type AND item_name = k.item_name AND time_key < k.time_key
			ORDER BY time_key DESC LIMIT 1
		) h
		LEFT JOIN ct_occupy_item i ON i.item_type = k.item_type AND i.item_name = k.item_name
		ORDER BY k.n`
