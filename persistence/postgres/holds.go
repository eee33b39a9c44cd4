package postgres

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// A hold is read from the row that ended it, which has all of it, and not from the
// one that began it: that would have to be followed to its end for each. The ends are
// in four places, for each of which there is an index.

// holdSource is a place that has ends of holds.
type holdSource struct {
	from, only string
	columns    map[string]string
	// ended adds what leads to the ends of a period; the filter itself is exact.
	ended func(*conditions, *domain.TimeFilter)
}

// holdNames are a hold's columns, in the order of scanHold.
var holdNames = []string{"item_type", "item_name", "user_id", "session_id", "ui_name", "menu_name", "fencing_token", "renewals",
	"start_time", "end_time", "event", "ended_by", "comment", "hold_key"}

// holdSources are those of all holds; no hold is in two.
var holdSources = []holdSource{
	{
		from: "ct_occupy_item_history h", only: "h.state = 'FREE'",
		columns: holdColumns("h", "h", "h.reg_dt"), ended: endedByKey,
	}, {
		from: "ct_occupy_item_history h", only: "h.state = 'EXPIRED'",
		columns: holdColumns("h", "h", "h.expire_time"), ended: endedByExpiry,
	}, {
		from: "ct_occupy_item_history h " + rowBefore, only: "h.event IN ('TAKEN_OVER', 'TRANSFERRED')",
		columns: holdColumns("h", "p", "h.reg_dt", "renewals", "NULL::bigint"), ended: endedByKey,
	}, {
		from: "ct_occupy_item i", only: "i.version > 0 AND i.state = 'OCCUPIED'",
		columns: holdColumns("i", "i", "CASE WHEN i.expire_time <= now() THEN i.expire_time END",
			"event", "CASE WHEN i.expire_time <= now() THEN coalesce(nullif(i.end_event, ''), 'EXPIRED') END",
			"ended_by", "''", "comment", "''", "hold_key", lastingKey("i")),
		ended: func(*conditions, *domain.TimeFilter) {},
	},
}

// rowBefore joins the row of the same item before h.
const rowBefore = `CROSS JOIN LATERAL (
			SELECT user_id, session_id, ui_name, menu_name, fencing_token, start_time FROM ct_occupy_item_history
			WHERE item_type = h.item_type AND item_name = h.item_name AND time_key < h.time_key
			ORDER BY time_key DESC LIMIT 1
		) p`

// lastingKey comes after every key of the history.
func lastingKey(item string) string { return "('~' || " + keyOf(item+".start_time") + `) COLLATE "C"` }

// holdColumns are those of a hold that a row of table end ended, and that row of
// table held belongs to; others differ, by name and SQL.
func holdColumns(end, held, endTime string, others ...string) map[string]string {
	columns := map[string]string{"item_type": end + ".item_type", "item_name": end + ".item_name", "end_time": endTime,
		"event": end + ".event", "ended_by": end + ".reg_usr_id", "comment": end + ".comment", "hold_key": end + ".time_key"}
	for _, name := range []string{"user_id", "session_id", "ui_name", "menu_name", "fencing_token", "renewals", "start_time"} {
		columns[name] = held + "." + name
	}
	for i := 0; i < len(others); i += 2 {
		columns[others[i]] = others[i+1]
	}
	return withLength(columns)
}

// withLength adds how long a hold lasted: up to now, and as what it is ordered by.
func withLength(columns map[string]string) map[string]string {
	from, to := columns["start_time"], columns["end_time"]
	columns["held"] = "(coalesce(" + to + ", now()) - " + from + ")"
	columns["held_us"] = "coalesce((extract(epoch FROM " + to + " - " + from + ") * 1000000)::bigint, " + strconv.Itoa(math.MaxInt64) + ")"
	return columns
}

func endedByKey(c *conditions, f *domain.TimeFilter) { c.timeKeys("h.time_key", f) }

// endedByExpiry: an expiry may have been found, and written, any time after it.
func endedByExpiry(c *conditions, f *domain.TimeFilter) {
	c.timeKeys("h.time_key", &domain.TimeFilter{Gte: f.Gte})
	c.times("h.expire_time", f)
}

// selected lists columns under their names.
func selected(columns map[string]string, names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = columns[name] + " AS " + name
	}
	return strings.Join(list, ", ")
}

// hold adds the conditions on a hold, whose columns are given by name.
func (c *conditions) hold(w *domain.HoldWhere, columns map[string]string) {
	c.text(columns["item_type"], w.ItemType)
	c.text(columns["item_name"], w.ItemName)
	c.text(columns["user_id"], w.UserID)
	c.text(columns["session_id"], w.Session)
	c.text(columns["ui_name"], w.UIName)
	c.text(columns["menu_name"], w.MenuName)
	c.text(columns["ended_by"], w.EndedBy)
	c.text(columns["comment"], w.Comment)
	c.times(columns["start_time"], w.From)
	c.times(columns["end_time"], w.To)
	c.seconds(columns["held"], w.Seconds)
	if f := w.EndReason; f != nil {
		values(c, columns["event"], f.Eq, f.Ne, f.In)
	}
	if w.Open != nil {
		c.add("((" + columns["end_time"] + ") IS NULL) = " + c.value(*w.Open))
	}
	branches(c, w.And, w.Or, w.Not, func(c *conditions, w *domain.HoldWhere) { c.hold(w, columns) })
}

// fromHoldSources is what all sources have of what a filter finds, each as part says.
// Returns the parameters after those given.
func fromHoldSources(w *domain.HoldWhere, args []any, part func(holdSource, *conditions) string) (string, []any) {
	ended := w.Ended()
	parts := make([]string, len(holdSources))
	for i, source := range holdSources {
		c := &conditions{args: args}
		c.add(source.only)
		source.ended(c, &ended)
		c.hold(w, source.columns)
		parts[i] = "(" + part(source, c) + ")"
		args = c.args
	}
	return strings.Join(parts, "\n\t\tUNION ALL\n\t\t"), args
}

// Holds implements domain.Archive.
func (s *Store) Holds(ctx context.Context, q domain.HoldQuery) (domain.Page[domain.HoldEntry], error) {
	return read(ctx, s.adhoc, holdListing(q))
}

func holdListing(q domain.HoldQuery) listing[domain.HoldEntry] {
	order, cursor := ordered(q.Terms(), holdKeys)
	by := order.by(q.Cut.Backward)
	return listing[domain.HoldEntry]{
		cut: q.Cut,
		// Each source gives as many as a page may need, in order.
		page: func() (string, []any) {
			sql, args := fromHoldSources(&q.Where, []any{q.Cut.Limit + 1}, func(source holdSource, c *conditions) string {
				order.of(source.columns).between(c, q.Cut)
				return "SELECT " + selected(source.columns, append(holdNames, "held_us")) + " FROM " + source.from +
					"\n\t\tWHERE " + c.String() + "\n\t\tORDER BY " + by + " LIMIT $1"
			})
			return "-- name: ListHolds\n\t\tSELECT " + strings.Join(holdNames, ", ") + ", now() FROM (\n\t\t" + sql + "\n\t\t) k\n\t\tORDER BY " +
				by + " LIMIT $1", args
		},
		count: func() (string, []any) {
			sql, args := fromHoldSources(&q.Where, nil, func(source holdSource, c *conditions) string {
				return "SELECT FROM " + source.from + "\n\t\tWHERE " + c.String()
			})
			return "-- name: CountHolds\n\t\tSELECT count(*) FROM (\n\t\t" + sql + "\n\t\t) k", args
		},
		scan:   scanHold,
		cursor: cursor,
	}
}

// scanHold reads holdNames and the clock.
func scanHold(rows pgx.Rows) (h domain.HoldEntry, err error) {
	var clock time.Time
	var event *domain.Event
	err = rows.Scan(&h.ItemType, &h.ItemName, &h.UserID, &h.Session, &h.UIName, &h.MenuName, &h.FencingToken, &h.Renewals,
		instant{&h.From}, instant{&h.To}, &event, &h.EndedBy, &h.Comment, &h.Key, instant{&clock})
	if event != nil {
		h.EndReason, clock = *event, h.To
	}
	h.Seconds = clock.Sub(h.From).Seconds()
	return h, err
}

var holdKeys = map[string]sortKey[domain.HoldEntry]{
	string(domain.ByHoldEnd): {[]string{"hold_key", "item_type", "item_name"},
		func(h *domain.HoldEntry) []string { return []string{h.Key, h.ItemType, h.ItemName} }},
	string(domain.ByHoldStart): {[]string{"start_time"},
		func(h *domain.HoldEntry) []string { return []string{h.From.Format(time.RFC3339Nano)} }},
	string(domain.ByHoldItem): {[]string{"item_type", "item_name"},
		func(h *domain.HoldEntry) []string { return []string{h.ItemType, h.ItemName} }},
	string(domain.ByHoldUser): {[]string{"user_id"},
		func(h *domain.HoldEntry) []string { return []string{h.UserID} }},
	string(domain.ByHoldSeconds): {[]string{"held_us"},
		func(h *domain.HoldEntry) []string { return []string{heldMicroseconds(h)} }},
}

func heldMicroseconds(h *domain.HoldEntry) string {
	if h.To.IsZero() {
		return strconv.Itoa(math.MaxInt64)
	}
	return strconv.FormatInt(h.To.Sub(h.From).Microseconds(), 10)
}
