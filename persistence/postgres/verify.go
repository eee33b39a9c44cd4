package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

const (
	// maxFaults is how many faults one Verify tells of.
	maxFaults = 1000
	// verifyWithin is longer than other questions may take: it reads everything.
	verifyWithin = 10 * time.Minute
)

// Verify implements domain.Archive (rule 20). It tells of at most a thousand
// faults, one a row, in order of item and version, and reads one snapshot, so
// that changes made meanwhile are no faults.
//
// Months that are gone are no fault: an item that is older than what is kept
// may start with any version, and one that has not changed since may have no
// history at all.
func (s *Store) Verify(ctx context.Context) ([]domain.Fault, error) {
	var faults []domain.Fault
	once := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.adhoc, once, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", verifyWithin.Milliseconds())); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, findFaults, maxFaults)
		if err != nil {
			return err
		}
		faults, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f domain.Fault, err error) {
			return f, row.Scan(&f.ItemType, &f.ItemName, &f.Version, &f.Problem)
		})
		return err
	})
	return faults, translate(err)
}

// findFaults holds each history row against the one before it and, if it is the
// item's last, against the item; then it looks for items without any.
const findFaults = `-- name: FindFaults
		WITH months AS MATERIALIZED (
			SELECT min(right(c.relname::text, 6)) AS oldest
			FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
			WHERE p.inhparent = 'ct_occupy_item_history'::regclass
		),
		rows AS (
			SELECT h.*, lag(h.version) OVER item IS NULL AS is_first, lead(h.version) OVER item IS NULL AS is_last,
			       lag(h.version) OVER item AS was_version, lag(h.time_key) OVER item AS was_time_key,
			       coalesce(lag(h.state) OVER item, 'FREE') AS was_state, lag(h.user_id) OVER item AS was_user_id,
			       lag(h.session_id) OVER item AS was_session_id, lag(h.start_time) OVER item AS was_start_time,
			       coalesce(lag(h.fencing_token) OVER item, 0) AS was_token, lag(h.renewals) OVER item AS was_renewals
			FROM ct_occupy_item_history h
			WINDOW item AS (PARTITION BY h.item_type, h.item_name ORDER BY h.version, h.time_key)
		)
		SELECT h.item_type, h.item_name, h.version, f.problem
		FROM rows h
		LEFT JOIN ct_occupy_item i ON i.item_type = h.item_type AND i.item_name = h.item_name
		CROSS JOIN LATERAL (SELECT
			h.fencing_token = h.was_token AND h.user_id = h.was_user_id AND h.start_time = h.was_start_time
			AND (h.session_id = h.was_session_id OR h.was_session_id = '')
			AND h.renewals >= h.was_renewals AS same_hold,
			h.fencing_token = h.was_token + 1 AND h.renewals = 0 AS new_hold
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
			WHEN h.is_first AND h.version > 1
				AND to_char(i.reg_dt AT TIME ZONE 'UTC', 'YYYYMM') >= (SELECT oldest FROM months)
				THEN 'the versions before it are missing'
			WHEN h.version <> h.was_version + 1
				THEN 'follows version ' || h.was_version
			WHEN h.time_key <= h.was_time_key
				THEN 'has no later time key than the version before it'
			WHEN NOT (h.is_first AND h.version > 1) AND NOT CASE
				WHEN h.was_state <> 'OCCUPIED' THEN h.event = 'OCCUPIED' AND t.new_hold
				WHEN h.event = 'OCCUPIED' THEN false
				WHEN h.event = 'TRANSFERRED' THEN t.new_hold
				WHEN h.event = 'TAKEN_OVER' THEN t.new_hold AND h.user_id = h.was_user_id
				ELSE t.same_hold END
				THEN h.event || ', user ' || h.user_id || ', token ' || h.fencing_token || ' does not follow '
				     || h.was_state || coalesce(', user ' || h.was_user_id, '') || ', token ' || h.was_token
			WHEN NOT h.is_last
				THEN NULL
			WHEN i.version IS NULL
				THEN 'the item is missing'
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
			END AS problem
		) f
		WHERE f.problem IS NOT NULL
		UNION ALL
		SELECT i.item_type, i.item_name, i.version, 'has no history'
		FROM ct_occupy_item i
		WHERE i.version > 0
		  AND to_char(CASE i.state WHEN 'OCCUPIED' THEN i.start_time ELSE i.updt_dt END AT TIME ZONE 'UTC', 'YYYYMM')
		      >= (SELECT oldest FROM months)
		  AND NOT EXISTS (SELECT FROM ct_occupy_item_history h
		                  WHERE h.item_type = i.item_type AND h.item_name = i.item_name)
		ORDER BY 1, 2, 3 LIMIT $1`
