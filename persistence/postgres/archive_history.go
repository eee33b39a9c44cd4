package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// historyColumns are a history row's, in the order of scanEntry; the table is called h.
const historyColumns = `h.time_key, h.item_type, h.item_name, h.state, h.event, h.user_id, h.session_id,
	h.start_time, h.expire_time, h.ui_name, h.menu_name, h.fencing_token, h.version, h.renewals,
	h.comment, h.reg_usr_id, h.reg_dt`

func scanEntry(row pgx.Row) (h domain.HistoryEntry, err error) {
	err = row.Scan(&h.TimeKey, &h.ItemType, &h.ItemName, &h.State, &h.Event, &h.UserID, &h.Session,
		instant{&h.StartTime}, instant{&h.ExpireTime}, &h.UIName, &h.MenuName,
		&h.FencingToken, &h.Version, &h.Renewals, &h.Comment, &h.Actor, instant{&h.At})
	return h, err
}

// History implements domain.Archive.
func (s *Store) History(ctx context.Context, q domain.HistoryQuery) (domain.Page[domain.HistoryEntry], error) {
	return answer(ctx, s.adhoc, historyQuestion(q))
}

func historyQuestion(q domain.HistoryQuery) question[domain.HistoryEntry] {
	order, cursor := ordered(q.Terms(), historyKeys)
	return question[domain.HistoryEntry]{
		list: `-- name: ListHistory
		SELECT ` + historyColumns + `
		FROM ct_occupy_item_history h`,
		count: `-- name: CountHistory
		SELECT count(*) FROM ct_occupy_item_history h`,
		where:  historyConditions(q.Where),
		order:  order,
		cut:    q.Cut,
		scan:   func(rows pgx.Rows) (domain.HistoryEntry, error) { return scanEntry(rows) },
		cursor: cursor,
		// One item's rows are read by its own index, in order. To plan that anew
		// over every month would take ten times as long.
		oneWay: isOne(q.Where.ItemType) && isOne(q.Where.ItemName),
	}
}

var historyKeys = map[string]sortKey[domain.HistoryEntry]{
	string(domain.ByTime): {[]string{"h.time_key"},
		func(h *domain.HistoryEntry) []string { return []string{h.TimeKey} }},
	string(domain.ByHistoryItem): {[]string{"h.item_type", "h.item_name"},
		func(h *domain.HistoryEntry) []string { return []string{h.ItemType, h.ItemName} }},
	string(domain.ByHistoryUser): {[]string{"h.user_id"},
		func(h *domain.HistoryEntry) []string { return []string{h.UserID} }},
	string(domain.ByHistoryEvent): {[]string{"h.event"},
		func(h *domain.HistoryEntry) []string { return []string{string(h.Event)} }},
	string(domain.ByHistoryUI): {[]string{"h.ui_name"},
		func(h *domain.HistoryEntry) []string { return []string{h.UIName} }},
	string(domain.ByHistoryMenu): {[]string{"h.menu_name"},
		func(h *domain.HistoryEntry) []string { return []string{h.MenuName} }},
	string(domain.ByHistoryStart): {[]string{"h.start_time"},
		func(h *domain.HistoryEntry) []string { return []string{h.StartTime.Format(time.RFC3339Nano)} }},
	string(domain.ByHistoryExpires): {[]string{"h.expire_time"},
		func(h *domain.HistoryEntry) []string { return []string{h.ExpireTime.Format(time.RFC3339Nano)} }},
}

func isOne(f *domain.TextFilter) bool { return f != nil && len(f.In) == 1 && len(f.Prefixes) == 0 }

// HistoryEntry implements domain.Archive.
func (s *Store) HistoryEntry(ctx context.Context, timeKey string, key domain.ItemKey) (*domain.HistoryEntry, error) {
	h, err := scanEntry(s.adhoc.QueryRow(ctx, `-- name: ReadHistoryEntry
		SELECT `+historyColumns+`
		FROM ct_occupy_item_history h
		WHERE h.time_key = $1 AND h.item_type = $2 AND h.item_name = $3`, timeKey, key.ItemType, key.ItemName))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &h, nil
}

// HolderAt implements domain.Archive. The holder's ExpireTime is when the hold
// ended or, if it has not, when it is going to end as far as is known.
//
// That is never the time that the history row was written with, which renewals
// outlive (rule 19): a hold ends with the item's next row that is not of the
// same grant, and one without such a row with the present row.
func (s *Store) HolderAt(ctx context.Context, key domain.ItemKey, at time.Time) (*domain.Holder, error) {
	o := domain.Occupancy{ItemKey: key, State: domain.StateOccupied}
	before := timeKeyFrom(at.Truncate(time.Microsecond).Add(time.Microsecond))
	b := planned(byValues)
	b.Queue(`-- name: ReadHolderAt
		SELECT h.user_id, h.session_id, h.ui_name, h.menu_name, h.start_time, h.fencing_token, u.until, now()
		FROM (
			SELECT * FROM ct_occupy_item_history
			WHERE item_type = $1 AND item_name = $2 AND time_key < $3
			ORDER BY time_key DESC LIMIT 1
		) h
		LEFT JOIN LATERAL (
			SELECT state, reg_dt, expire_time FROM ct_occupy_item_history
			WHERE item_type = $1 AND item_name = $2 AND time_key > h.time_key
			  AND (state <> 'OCCUPIED' OR fencing_token <> h.fencing_token)
			ORDER BY time_key LIMIT 1
		) n ON true
		LEFT JOIN ct_occupy_item i ON i.item_type = $1 AND i.item_name = $2
		CROSS JOIN LATERAL (
			SELECT CASE WHEN n.state IS NULL THEN i.expire_time
			            WHEN n.state = 'EXPIRED' THEN n.expire_time
			            ELSE n.reg_dt END AS until
		) u
		WHERE h.state = 'OCCUPIED' AND u.until > $4`, key.ItemType, key.ItemName, before, at).
		QueryRow(func(row pgx.Row) error {
			return row.Scan(&o.UserID, &o.Session, &o.UIName, &o.MenuName, instant{&o.StartTime},
				&o.FencingToken, instant{&o.ExpireTime}, instant{&o.AsOf})
		})
	err := s.adhoc.ask(ctx, b)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, s.checkKept(ctx, key, before, at)
	}
	if err != nil {
		return nil, err
	}
	holder := o.Holder()
	if at.Before(o.AsOf) {
		holder.RemainingSeconds = 0 // what is left now says nothing of the past
	}
	return holder, nil
}

// checkKept tells "nobody held it" from "it is no longer known".
// Returns a domain.InputError if the item's rows of that time are past the retention.
func (s *Store) checkKept(ctx context.Context, key domain.ItemKey, before string, at time.Time) error {
	gone := false
	b := planned(byValues)
	b.Queue(`-- name: IsHistoryGone
		SELECT EXISTS (SELECT FROM ct_occupy_item WHERE item_type = $1 AND item_name = $2 AND reg_dt <= $4)
		   AND NOT EXISTS (SELECT FROM ct_occupy_item_history WHERE item_type = $1 AND item_name = $2 AND (time_key < $3 OR version = 1))`,
		key.ItemType, key.ItemName, before, at).QueryRow(func(row pgx.Row) error { return row.Scan(&gone) })
	if err := s.adhoc.ask(ctx, b); err != nil {
		return err
	}
	if gone {
		return &domain.InputError{Argument: "at", Problem: "is before the history that is kept of this item"}
	}
	return nil
}
