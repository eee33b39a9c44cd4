package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"occupy/domain"
)

// occupancyColumns are an item's, in the order of occupancyDests; the table is called i.
const occupancyColumns = `i.item_type, i.item_name, i.state, i.user_id, i.session_id, i.start_time, i.expire_time,
	i.ui_name, i.menu_name, i.fencing_token, i.version, i.renewals,
	i.reg_usr_id, i.reg_dt, i.updt_usr_id, i.updt_dt, i.end_event`

// occupancyDests says where occupancyColumns are to be scanned to.
func occupancyDests(o *domain.Occupancy) []any {
	return []any{&o.ItemType, &o.ItemName, &o.State, &o.UserID, &o.Session,
		instant{&o.StartTime}, instant{&o.ExpireTime}, &o.UIName, &o.MenuName,
		&o.FencingToken, &o.Version, &o.Renewals,
		&o.RegisteredBy, instant{&o.RegisteredAt}, &o.UpdatedBy, instant{&o.UpdatedAt}, &o.EndEvent}
}

// instant scans a time into UTC, and none into the zero time.
type instant struct{ t *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (i instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	*i.t = time.Time{}
	if v.Valid {
		*i.t = v.Time.UTC()
	}
	return nil
}

func columnsOf(keys []domain.ItemKey) (types, names []string) {
	types, names = make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		types[i], names[i] = key.ItemType, key.ItemName
	}
	return types, names
}

// column is one column of many rows, as a statement takes it.
func column[R, V any](rows []R, value func(*R) V) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = value(&rows[i])
	}
	return values
}

// queueItems writes locked rows. A locked row exists, so this is no upsert: that
// would only hide that a lock was missing.
func queueItems(b *pgx.Batch, rows []domain.Occupancy) {
	type row = domain.Occupancy
	b.Queue(`-- name: WriteLockedItems
		UPDATE ct_occupy_item i
		SET state = t.state, user_id = t.user_id, session_id = t.session_id,
		    start_time = t.start_time, expire_time = t.expire_time,
		    ui_name = t.ui_name, menu_name = t.menu_name,
		    fencing_token = t.fencing_token, version = t.version, renewals = t.renewals,
		    reg_usr_id = t.reg_usr_id, reg_dt = t.reg_dt, updt_usr_id = t.updt_usr_id, updt_dt = t.updt_dt,
		    end_event = t.end_event
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
		            $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[],
		            $13::text[], $14::timestamptz[], $15::text[], $16::timestamptz[], $17::text[])
		  AS t (item_type, item_name, state, user_id, session_id, start_time, expire_time,
		        ui_name, menu_name, fencing_token, version, renewals,
		        reg_usr_id, reg_dt, updt_usr_id, updt_dt, end_event)
		WHERE i.item_type = t.item_type AND i.item_name = t.item_name`,
		column(rows, func(o *row) string { return o.ItemType }),
		column(rows, func(o *row) string { return o.ItemName }),
		column(rows, func(o *row) string { return string(o.State) }),
		column(rows, func(o *row) string { return o.UserID }),
		column(rows, func(o *row) string { return o.Session }),
		column(rows, func(o *row) time.Time { return o.StartTime }),
		column(rows, func(o *row) time.Time { return o.ExpireTime }),
		column(rows, func(o *row) string { return o.UIName }),
		column(rows, func(o *row) string { return o.MenuName }),
		column(rows, func(o *row) int64 { return o.FencingToken }),
		column(rows, func(o *row) int64 { return o.Version }),
		column(rows, func(o *row) int64 { return o.Renewals }),
		column(rows, func(o *row) string { return o.RegisteredBy }),
		column(rows, func(o *row) time.Time { return o.RegisteredAt }),
		column(rows, func(o *row) string { return o.UpdatedBy }),
		column(rows, func(o *row) time.Time { return o.UpdatedAt }),
		column(rows, func(o *row) string { return string(o.EndEvent) }))
}

// queueHistory appends history rows, in order: the time key's sequence is drawn
// under the rows' locks, so that it rises with the version of an item.
func queueHistory(b *pgx.Batch, rows []domain.Transition) {
	type row = domain.Transition
	b.Queue(`-- name: AppendHistory
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, user_id, session_id,
			start_time, expire_time, ui_name, menu_name, fencing_token, version, renewals,
			event, comment, reg_usr_id, reg_dt)
		SELECT t.time || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
		       t.item_type, t.item_name, t.state, t.user_id, t.session_id,
		       t.start_time, t.expire_time, t.ui_name, t.menu_name, t.fencing_token, t.version, t.renewals,
		       t.event, t.comment, t.reg_usr_id, t.reg_dt
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
		            $7::timestamptz[], $8::timestamptz[], $9::text[], $10::text[],
		            $11::bigint[], $12::bigint[], $13::bigint[],
		            $14::text[], $15::text[], $16::text[], $17::timestamptz[])
		  AS t (time, item_type, item_name, state, user_id, session_id,
		        start_time, expire_time, ui_name, menu_name, fencing_token, version, renewals,
		        event, comment, reg_usr_id, reg_dt)`,
		column(rows, func(h *row) string { return domain.TimeKeyPrefix(h.UpdatedAt) }),
		column(rows, func(h *row) string { return h.ItemType }),
		column(rows, func(h *row) string { return h.ItemName }),
		column(rows, func(h *row) string { return string(h.State) }),
		column(rows, func(h *row) string { return h.UserID }),
		column(rows, func(h *row) string { return h.Session }),
		column(rows, func(h *row) time.Time { return h.StartTime }),
		column(rows, func(h *row) time.Time { return h.ExpireTime }),
		column(rows, func(h *row) string { return h.UIName }),
		column(rows, func(h *row) string { return h.MenuName }),
		column(rows, func(h *row) int64 { return h.FencingToken }),
		column(rows, func(h *row) int64 { return h.Version }),
		column(rows, func(h *row) int64 { return h.Renewals }),
		column(rows, func(h *row) string { return string(h.Event) }),
		column(rows, func(h *row) string { return h.Comment }),
		column(rows, func(h *row) string { return h.UpdatedBy }),
		column(rows, func(h *row) time.Time { return h.UpdatedAt }))
}
