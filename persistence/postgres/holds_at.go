package postgres

import (
	"context"
	"time"

	"occupy/domain"
)

// HeldAt implements domain.Archive. Where it has to look the items tell: one is left
// out if it was new after the instant, or was given back before and has not been
// touched since. Of each other one the last row up to then tells whether it was held,
// and the next row that is not of the same grant, or the item itself, until when.
func (s *Store) HeldAt(ctx context.Context, q domain.HeldAtQuery) (domain.Page[domain.HoldEntry], error) {
	page, err := answer(ctx, s.adhoc, heldAtQuestion(q))
	if err == nil && len(page.Nodes) == 0 {
		err = s.checkAnyKept(ctx, q.At)
	}
	return page, err
}

// checkAnyKept tells "nothing was held" from "it is no longer known".
// Returns a domain.InputError if there were items, and all rows of that time are past
// the retention.
func (s *Store) checkAnyKept(ctx context.Context, at time.Time) error {
	gone := false
	err := s.adhoc.QueryRow(ctx, `-- name: IsAllHistoryGone
		SELECT NOT EXISTS (SELECT FROM ct_occupy_item_history WHERE time_key < $2)
		   AND EXISTS (SELECT FROM ct_occupy_item i WHERE i.version > 0 AND i.reg_dt <= $1 AND NOT EXISTS (
			SELECT FROM ct_occupy_item_history h WHERE h.item_type = i.item_type AND h.item_name = i.item_name AND h.version = 1))`,
		at, timeKeyFrom(at.Truncate(time.Microsecond).Add(time.Microsecond))).Scan(&gone)
	if err == nil && gone {
		return &domain.InputError{Argument: "at", Problem: "is before the history that is kept"}
	}
	return err
}

func heldAtQuestion(q domain.HeldAtQuery) question[domain.HoldEntry] {
	c := &conditions{}
	at := q.At.Truncate(time.Microsecond)
	moment, before := c.value(at), c.value(timeKeyFrom(at.Add(time.Microsecond)))
	c.add("i.version > 0 AND i.reg_dt <= " + moment)
	c.add("(i.state = 'OCCUPIED' OR i.updt_dt > " + moment + ")")
	c.add("h.state = 'OCCUPIED' AND k.until > " + moment)
	c.hold(&q.Where, heldAtColumns)
	from := ` FROM ct_occupy_item i
		CROSS JOIN LATERAL (
			SELECT time_key, item_type, item_name, state, user_id, start_time, fencing_token FROM ct_occupy_item_history
			WHERE item_type = i.item_type AND item_name = i.item_name AND time_key < ` + before + `
			ORDER BY time_key DESC LIMIT 1
		) h ` + howItEnded
	return question[domain.HoldEntry]{
		list:  "-- name: ListHeldAt\n\t\tSELECT " + selected(heldAtColumns, holdNames) + ", now()" + from,
		count: "-- name: CountHeldAt\n\t\tSELECT count(*)" + from,
		where: c,
		order: keyset{columns: []string{"i.item_type", "i.item_name"}},
		cut:   q.Cut,
		scan:  scanHold,
		cursor: func(h *domain.HoldEntry) domain.Cursor {
			return domain.Cursor{string(domain.ByHoldItem), h.ItemType, h.ItemName}
		},
	}
}

// howItEnded joins, to a row h of a hold of item i, its end k. That is found in the
// next row n that is not of the same grant. If that is another's grant, what was
// known of the hold last is in the row l before it; if there is none, in the item.
const howItEnded = `LEFT JOIN LATERAL (
			SELECT time_key, state, event, expire_time, reg_dt, session_id, ui_name, menu_name, renewals, reg_usr_id, comment
			FROM ct_occupy_item_history
			WHERE item_type = h.item_type AND item_name = h.item_name AND time_key > h.time_key
			  AND (state <> 'OCCUPIED' OR fencing_token <> h.fencing_token)
			ORDER BY time_key LIMIT 1
		) n ON true
		LEFT JOIN LATERAL (
			SELECT session_id, ui_name, menu_name FROM ct_occupy_item_history
			WHERE n.state = 'OCCUPIED' AND item_type = h.item_type AND item_name = h.item_name
			  AND time_key >= h.time_key AND time_key < n.time_key
			ORDER BY time_key DESC LIMIT 1
		) l ON true
		CROSS JOIN LATERAL (
			SELECT CASE WHEN n.state IS NULL THEN i.expire_time WHEN n.state = 'EXPIRED' THEN n.expire_time ELSE n.reg_dt END AS until,
			       n.state IS NULL AND i.expire_time > now() AS lasts,
			       CASE n.state WHEN 'OCCUPIED' THEN NULL WHEN 'FREE' THEN n.renewals WHEN 'EXPIRED' THEN n.renewals ELSE i.renewals END AS renewals,
			       coalesce(l.session_id, n.session_id, i.session_id) AS session_id,
			       coalesce(l.ui_name, n.ui_name, i.ui_name) AS ui_name,
			       coalesce(l.menu_name, n.menu_name, i.menu_name) AS menu_name,
			       coalesce(n.event, nullif(i.end_event, ''), 'EXPIRED') AS event
		) k`

var heldAtColumns = withLength(map[string]string{
	"item_type": "i.item_type", "item_name": "i.item_name", "user_id": "h.user_id", "session_id": "k.session_id",
	"ui_name": "k.ui_name", "menu_name": "k.menu_name", "fencing_token": "h.fencing_token", "renewals": "k.renewals",
	"start_time": "h.start_time", "end_time": "CASE WHEN NOT k.lasts THEN k.until END", "event": "CASE WHEN NOT k.lasts THEN k.event END",
	"ended_by": "coalesce(n.reg_usr_id, '')", "comment": "coalesce(n.comment, '')",
	"hold_key": "coalesce(n.time_key, " + lastingKey("h") + ")",
})
