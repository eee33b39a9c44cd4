package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

var _ domain.DenialStore = (*Store)(nil)

// WriteDenials implements domain.DenialStore. Rows are in the order of their key, so
// that gateways that write the same ones wait for each other and never in a circle.
func (s *Store) WriteDenials(ctx context.Context, all []domain.Denial) error {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	type row = domain.Denial
	_, err := s.floor.Exec(ctx, `-- name: WriteDenials
		INSERT INTO ct_occupy_denial AS d (item_type, item_name, fencing_token, user_id, session_id, ui_name, menu_name,
			blocker_user_id, blocker_session_id, blocker_ui_name, blocker_menu_name, blocker_start_time,
			attempts, first_dt, last_dt)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
			$8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[],
			$13::bigint[], $14::timestamptz[], $15::timestamptz[])
		ON CONFLICT (item_type, item_name, fencing_token, user_id, session_id) DO UPDATE
		SET attempts = d.attempts + excluded.attempts, last_dt = greatest(d.last_dt, excluded.last_dt)`,
		column(all, func(d *row) string { return d.ItemType }),
		column(all, func(d *row) string { return d.ItemName }),
		column(all, func(d *row) int64 { return d.FencingToken }),
		column(all, func(d *row) string { return d.UserID }),
		column(all, func(d *row) string { return d.Session }),
		column(all, func(d *row) string { return d.UIName }),
		column(all, func(d *row) string { return d.MenuName }),
		column(all, func(d *row) string { return d.BlockerUserID }),
		column(all, func(d *row) string { return d.BlockerSession }),
		column(all, func(d *row) string { return d.BlockerUIName }),
		column(all, func(d *row) string { return d.BlockerMenuName }),
		column(all, func(d *row) time.Time { return d.BlockerSince }),
		column(all, func(d *row) int64 { return d.Attempts }),
		column(all, func(d *row) time.Time { return d.FirstAt }),
		column(all, func(d *row) time.Time { return d.LastAt }))
	return translate(err)
}

// purgeBatch is how many rows one statement removes.
const purgeBatch = 2000

// PurgeDenials implements domain.DenialStore.
func (s *Store) PurgeDenials(ctx context.Context, age time.Duration) (purged int, err error) {
	for ctx.Err() == nil {
		tag, err := s.floor.Exec(ctx, `-- name: PurgeDenials
			DELETE FROM ct_occupy_denial WHERE ctid = ANY (ARRAY(
				SELECT ctid FROM ct_occupy_denial
				WHERE first_dt < statement_timestamp() - $1 * interval '1 s' ORDER BY first_dt LIMIT $2))`,
			age.Seconds(), purgeBatch)
		if err != nil {
			return purged, translate(err)
		}
		purged += int(tag.RowsAffected())
		if tag.RowsAffected() < purgeBatch {
			return purged, nil
		}
	}
	return purged, ctx.Err()
}

// Denials implements domain.DenialStore.
func (s *Store) Denials(ctx context.Context, q domain.DenialQuery) (domain.Page[domain.Denial], error) {
	return answer(ctx, s.adhoc, denialQuestion(q))
}

func denialQuestion(q domain.DenialQuery) question[domain.Denial] {
	return question[domain.Denial]{
		list: `-- name: ListDenials
		SELECT d.denial_id, ` + denialColumns("d", "g") + `
		FROM ct_occupy_denial d ` + grantAfter("d", "g"),
		count: `-- name: CountDenials
		SELECT count(*) FROM ct_occupy_denial d`,
		where: denialConditions("d", q.Where),
		order: keyset{columns: []string{"d.first_dt", "d.denial_id"}, descending: q.Direction == domain.Descending},
		cut:   q.Cut,
		scan: func(rows pgx.Rows) (d domain.Denial, err error) {
			return d, rows.Scan(append([]any{&d.ID}, denialDests(&d)...)...)
		},
		cursor: func(d *domain.Denial) domain.Cursor {
			return domain.Cursor{domain.DenialOrder, d.FirstAt.Format(time.RFC3339Nano), strconv.FormatInt(d.ID, 10)}
		},
	}
}

// denialColumns are a denial's, in the order of denialDests; its table is called d,
// and the grant after it g.
func denialColumns(d, g string) string {
	columns := ""
	for _, c := range []string{"item_type", "item_name", "fencing_token", "user_id", "session_id", "ui_name", "menu_name",
		"blocker_user_id", "blocker_session_id", "blocker_ui_name", "blocker_menu_name", "blocker_start_time",
		"attempts", "first_dt", "last_dt"} {
		columns += d + "." + c + ", "
	}
	return columns + g + ".reg_dt"
}

func denialDests(d *domain.Denial) []any {
	return []any{&d.ItemType, &d.ItemName, &d.FencingToken, &d.UserID, &d.Session, &d.UIName, &d.MenuName,
		&d.BlockerUserID, &d.BlockerSession, &d.BlockerUIName, &d.BlockerMenuName, instant{&d.BlockerSince},
		&d.Attempts, instant{&d.FirstAt}, instant{&d.LastAt}, instant{&d.GotItAt}}
}

// keyOf is a time as the front of the keys of history rows written then.
func keyOf(time string) string {
	return "to_char((" + time + ") AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')"
}

// grantAfter joins the grant of the item to who was refused it, within a day
// (domain.MaxWait): found by the item's index, in the month or two that the day lies in.
func grantAfter(d, g string) string {
	return `LEFT JOIN LATERAL (
			SELECT h.reg_dt FROM ct_occupy_item_history h
			WHERE h.item_type = ` + d + `.item_type AND h.item_name = ` + d + `.item_name
			  AND h.time_key > ` + keyOf(d+".first_dt") + ` AND h.time_key < ` + keyOf(d+".first_dt + interval '1 day'") + `
			  AND h.user_id = ` + d + `.user_id AND h.event IN ('OCCUPIED', 'TAKEN_OVER', 'TRANSFERRED')
			ORDER BY h.time_key LIMIT 1
		) ` + g + ` ON true`
}

// denialConditions are those on ct_occupy_denial.
func denialConditions(d string, w domain.DenialWhere) *conditions {
	c := &conditions{}
	c.text(d+".item_type", w.ItemType)
	c.text(d+".item_name", w.ItemName)
	c.text(d+".user_id", w.UserID)
	c.text(d+".ui_name", w.UIName)
	c.text(d+".blocker_user_id", w.BlockerUserID)
	c.text(d+".blocker_ui_name", w.BlockerUIName)
	c.times(d+".first_dt", w.At)
	if w.MinAttempts != nil {
		c.add(d + ".attempts >= " + c.value(*w.MinAttempts))
	}
	if w.OwnWindow != nil {
		c.add("(" + d + ".user_id = " + d + ".blocker_user_id) = " + c.value(*w.OwnWindow))
	}
	return c
}
