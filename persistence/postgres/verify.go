package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

var _ domain.Verifier = (*Store)(nil)

// verifyItems is how many items one step holds against the history.
const verifyItems = 2000

// VerifyStep implements domain.Verifier. A day is small enough to be sorted in
// memory, and its statement too short to keep a vacuum of the floor's tables waiting.
func (s *Store) VerifyStep(ctx context.Context, from domain.VerifyFrom) (domain.Verification, error) {
	if from.Item != nil {
		return s.verifyItems(ctx, *from.Item)
	}
	day, err := s.dayAfter(ctx, from.Day)
	if err != nil || day == "" {
		return domain.Verification{Next: &domain.VerifyFrom{Item: &domain.ItemKey{}}}, err
	}
	return s.verifyDay(ctx, day)
}

// endOfDay comes after every key that begins with a day's digits, and before those
// of the next.
const endOfDay = ":"

// dayAfter is the first day after one that has rows; after "", the first of all.
// Returns "" if there is none.
func (s *Store) dayAfter(ctx context.Context, day string) (next string, err error) {
	from := day
	if day != "" {
		from += endOfDay
	}
	b := &pgx.Batch{}
	b.Queue(`-- name: NextDayOfHistory
		SELECT coalesce(left(min(time_key), 8), '') FROM ct_occupy_item_history WHERE time_key >= $1`, from).
		QueryRow(func(row pgx.Row) error { return row.Scan(&next) })
	err = s.adhoc.askPrimary(ctx, b)
	return next, err
}

func (s *Store) verifyDay(ctx context.Context, day string) (v domain.Verification, err error) {
	v.Next = &domain.VerifyFrom{Day: day}
	b := planned(byValues) // which tells the database the months to look in
	b.Queue(findFaultsOfDay, day, day+endOfDay, domain.MaxFaults).Query(func(rows pgx.Rows) error {
		var f foundFault
		_, err := pgx.ForEachRow(rows, append([]any{&v.Rows, &v.FaultCount}, f.dests()...), func() error {
			v.Faults = f.appendTo(v.Faults)
			return nil
		})
		return err
	})
	err = s.adhoc.askPrimary(ctx, b)
	return v, err
}

func (s *Store) verifyItems(ctx context.Context, after domain.ItemKey) (v domain.Verification, err error) {
	b := &pgx.Batch{}
	b.Queue(findFaultsOfItems, after.ItemType, after.ItemName, verifyItems).Query(func(rows pgx.Rows) error {
		var f foundFault
		_, err := pgx.ForEachRow(rows, append([]any{&after.ItemType, &after.ItemName}, f.dests()...), func() error {
			v.Items++
			v.Faults = f.appendTo(v.Faults)
			return nil
		})
		return err
	})
	err = s.adhoc.askPrimary(ctx, b)
	v.FaultCount = int64(len(v.Faults))
	if v.Items == verifyItems {
		v.Next = &domain.VerifyFrom{Item: &after}
	}
	return v, err
}

// foundFault is a fault, or none.
type foundFault struct {
	itemType, itemName, problem *string
	version                     *int64
}

func (f *foundFault) dests() []any { return []any{&f.itemType, &f.itemName, &f.version, &f.problem} }

func (f *foundFault) appendTo(all []domain.Fault) []domain.Fault {
	if f.problem == nil {
		return all
	}
	return append(all, domain.Fault{ItemKey: domain.ItemKey{ItemType: *f.itemType, ItemName: *f.itemName}, Version: *f.version, Problem: *f.problem})
}

// oldestMonth is the first month that is kept.
const oldestMonth = `
		months AS MATERIALIZED (
			SELECT min(right(c.relname::text, 6)) AS oldest
			FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
			WHERE p.inhparent = 'ct_occupy_item_history'::regclass AND NOT p.inhdetachpending
		)`

// findFaultsOfDay holds each row of a day against the one before it, which may be of
// another day. It answers at least one row: how many it has looked at.
const findFaultsOfDay = `-- name: FindFaultsOfDay
		WITH` + oldestMonth + `,
		day AS MATERIALIZED (
			SELECT h.item_type, h.item_name, h.version, h.time_key, h.state, h.event, h.user_id, h.session_id,
			       h.start_time, h.expire_time, h.fencing_token, h.renewals,
			       row_number() OVER item = 1 AS is_first, lead(h.version) OVER item IS NULL AS is_last,
			       lag(h.version) OVER item AS version_before, lag(h.time_key) OVER item AS time_key_before,
			       lag(h.state) OVER item AS state_before, lag(h.user_id) OVER item AS user_id_before,
			       lag(h.session_id) OVER item AS session_id_before, lag(h.start_time) OVER item AS start_time_before,
			       lag(h.fencing_token) OVER item AS token_before, lag(h.renewals) OVER item AS renewals_before
			FROM ct_occupy_item_history h
			WHERE h.time_key >= $1 AND h.time_key < $2
			WINDOW item AS (PARTITION BY h.item_type, h.item_name ORDER BY h.version, h.time_key)
		),
		faults AS (
			SELECT h.item_type, h.item_name, h.version, f.problem
			FROM day h
			LEFT JOIN LATERAL (
				SELECT p.* FROM ct_occupy_item_history p
				WHERE h.is_first AND p.item_type = h.item_type AND p.item_name = h.item_name AND p.time_key < $1
				ORDER BY p.time_key DESC LIMIT 1
			) p ON true
			LEFT JOIN ct_occupy_item i ON i.item_type = h.item_type AND i.item_name = h.item_name
			CROSS JOIN LATERAL (SELECT
				coalesce(h.version_before, p.version) AS version, coalesce(h.time_key_before, p.time_key) AS time_key,
				coalesce(h.state_before, p.state, 'FREE') AS state, coalesce(h.user_id_before, p.user_id) AS user_id,
				coalesce(h.session_id_before, p.session_id) AS session_id,
				CASE WHEN h.is_first THEN p.start_time ELSE h.start_time_before END AS start_time,
				coalesce(h.token_before, p.fencing_token, 0) AS token, coalesce(h.renewals_before, p.renewals) AS renewals
			) was
			CROSS JOIN LATERAL (SELECT
				h.fencing_token = was.token AND h.user_id = was.user_id AND h.start_time = was.start_time
				AND (h.session_id = was.session_id OR was.session_id = '')
				AND h.renewals >= was.renewals AS same_hold,
				h.fencing_token = was.token + 1 AND h.renewals = 0 AS new_hold,
				was.version IS NULL AND h.version > 1 AS cut_off
			) t
			CROSS JOIN LATERAL (SELECT CASE
				WHEN btrim(h.user_id) = '' OR h.start_time IS NULL OR h.expire_time IS NULL
					THEN 'has no holder or no time'
				WHEN NOT CASE h.event
					WHEN 'CONNECTION_LOST' THEN h.state IN ('FREE', 'EXPIRED')
					WHEN 'EXPIRED' THEN h.state = 'EXPIRED'
					WHEN 'MAX_HOLD' THEN h.state = 'EXPIRED'
					WHEN 'FREED' THEN h.state = 'FREE'
					WHEN 'WINDOW_CLOSED' THEN h.state = 'FREE'
					WHEN 'FORCED' THEN h.state = 'FREE'
					WHEN 'OCCUPIED' THEN h.state = 'OCCUPIED'
					WHEN 'REENTERED' THEN h.state = 'OCCUPIED'
					WHEN 'TAKEN_OVER' THEN h.state = 'OCCUPIED'
					WHEN 'TRANSFERRED' THEN h.state = 'OCCUPIED'
					ELSE false END
					THEN h.event || ' does not lead to ' || h.state
				WHEN t.cut_off AND to_char(i.reg_dt AT TIME ZONE 'UTC', 'YYYYMM') >= (SELECT oldest FROM months)
					THEN 'the versions before it are missing'
				WHEN h.version <> was.version + 1
					THEN 'follows version ' || was.version
				WHEN h.time_key <= was.time_key
					THEN 'has no later time key than the version before it'
				WHEN NOT t.cut_off AND NOT CASE
					WHEN was.state <> 'OCCUPIED' THEN h.event = 'OCCUPIED' AND t.new_hold
					WHEN h.event = 'OCCUPIED' THEN false
					WHEN h.event = 'TRANSFERRED' THEN t.new_hold
					WHEN h.event = 'TAKEN_OVER' THEN t.new_hold AND h.user_id = was.user_id
					ELSE t.same_hold END
					THEN h.event || ', user ' || h.user_id || ', token ' || h.fencing_token || ' does not follow '
					     || was.state || coalesce(', user ' || was.user_id, '') || ', token ' || was.token
				WHEN h.is_last AND i.version IS NULL
					AND NOT EXISTS (SELECT FROM ct_occupy_item_history n
					                WHERE n.item_type = h.item_type AND n.item_name = h.item_name AND n.time_key >= $2)
					THEN 'the item is missing'
				END AS problem
			) f
			WHERE f.problem IS NOT NULL
		)
		SELECT n.rows, coalesce(f.count, 0), f.item_type, f.item_name, f.version, f.problem
		FROM (SELECT count(*) AS rows FROM day) n
		LEFT JOIN (
			SELECT *, count(*) OVER () AS count FROM faults ORDER BY item_type, item_name, version LIMIT $3
		) f ON true
		ORDER BY f.item_type, f.item_name, f.version`

// findFaultsOfItems holds each of some items against its last row, and answers a row
// an item.
const findFaultsOfItems = `-- name: FindFaultsOfItems
		WITH` + oldestMonth + `
		SELECT i.item_type, i.item_name, i.item_type, i.item_name, coalesce(h.version, i.version), CASE
			WHEN h.version IS NULL
				THEN CASE WHEN to_char(CASE i.state WHEN 'OCCUPIED' THEN i.start_time ELSE i.updt_dt END AT TIME ZONE 'UTC', 'YYYYMM')
				               >= (SELECT oldest FROM months)
				     THEN 'has no history' END
			WHEN i.version <> h.version
				THEN 'the item has version ' || i.version
			WHEN (i.state, i.user_id, i.fencing_token, i.start_time, i.ui_name, i.menu_name)
				IS DISTINCT FROM (h.state, h.user_id, h.fencing_token, h.start_time, h.ui_name, h.menu_name)
				OR i.session_id <> h.session_id AND NOT (h.session_id = '' AND h.state = 'OCCUPIED')
				THEN 'the item has another state, holder, token, start or screen'
			WHEN h.state = 'OCCUPIED'
				-- A lost connection brings the end nearer, and counts as a renewal.
				AND (i.expire_time < h.expire_time AND (i.renewals = h.renewals OR i.expire_time < i.updt_dt)
				     OR i.expire_time IS NULL OR i.renewals < h.renewals) IS NOT FALSE
				OR h.state <> 'OCCUPIED'
				AND (i.expire_time, i.renewals) IS DISTINCT FROM (h.expire_time, h.renewals)
				THEN 'the item has another expiry or number of renewals'
			END
		FROM (
			SELECT * FROM ct_occupy_item
			WHERE version > 0 AND (item_type, item_name) > ($1, $2)
			ORDER BY item_type, item_name LIMIT $3
		) i
		LEFT JOIN LATERAL (
			SELECT * FROM ct_occupy_item_history h
			WHERE h.item_type = i.item_type AND h.item_name = i.item_name
			ORDER BY h.time_key DESC LIMIT 1
		) h ON true
		ORDER BY i.item_type, i.item_name`
