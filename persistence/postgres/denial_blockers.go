package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// blockerColumns are what blockers can be counted by, in the order of domain.Blocker.
var blockerColumns = []string{"d.blocker_user_id", "d.blocker_ui_name", "d.item_type", "d.item_name"}

var blockerGroups = map[domain.BlockerGroup][]string{
	domain.ByBlockerUser:   blockerColumns[:1],
	domain.ByBlockerScreen: blockerColumns[1:2],
	domain.ByBlockedItem:   blockerColumns[2:],
}

// TopBlockers implements domain.DenialStore. Somebody's own other window counts only
// if it is asked for.
func (s *Store) TopBlockers(ctx context.Context, q domain.BlockerQuery) ([]domain.Blocker, error) {
	group := blockerGroups[q.By]
	columns := make([]string, len(blockerColumns))
	for i, column := range blockerColumns {
		columns[i] = "''"
		if slices.Contains(group, column) {
			columns[i] = column
		}
	}
	c := denialConditions("d", q.Where)
	if q.Where.OwnWindow == nil {
		c.add("d.user_id <> d.blocker_user_id")
	}
	limit := c.value(q.Limit)
	return ask(ctx, s, `-- name: TopBlockers
		SELECT `+strings.Join(columns, ", ")+`,
		       count(*), sum(d.attempts)::bigint, count(DISTINCT d.user_id), count(DISTINCT (d.item_type, d.item_name)),
		       coalesce(sum(extract(epoch FROM g.reg_dt - d.first_dt)), 0)::float8, count(*) FILTER (WHERE g.reg_dt IS NULL)
		FROM ct_occupy_denial d `+grantAfter("d", "g")+`
		WHERE `+c.String()+`
		GROUP BY `+strings.Join(group, ", ")+`
		ORDER BY count(*) DESC, `+strings.Join(group, ", ")+` LIMIT `+limit, c.args,
		func(rows pgx.Rows) (b domain.Blocker, err error) {
			return b, rows.Scan(&b.UserID, &b.UIName, &b.ItemType, &b.ItemName,
				&b.Denials, &b.Attempts, &b.Askers, &b.Items, &b.WaitedSeconds, &b.GaveUp)
		})
}

// CrossedPairs implements domain.DenialStore: two denials, each of whose blocker is
// the other's asker, at a moment when both holds were there. Each pair comes once,
// and the period is that in which the first of the two began to want.
func (s *Store) CrossedPairs(ctx context.Context, q domain.BlockerQuery) ([]domain.CrossedPair, error) {
	c := denialConditions("d", q.Where)
	from, to := c.value(*q.Where.At.Gte), c.value(q.Where.At.Lt.Add(domain.MaxWait))
	limit := c.value(q.Limit)
	return ask(ctx, s, `-- name: CrossedPairs
		SELECT e.first_dt, `+denialColumns("d", "g")+`, `+denialColumns("e", "k")+`
		FROM ct_occupy_denial d
		JOIN ct_occupy_denial e ON e.user_id = d.blocker_user_id AND e.blocker_user_id = d.user_id
			AND e.first_dt >= `+from+` AND e.first_dt < `+to+`
			AND (e.first_dt, e.denial_id) > (d.first_dt, d.denial_id) AND e.first_dt < d.first_dt + interval '1 day'
			AND (e.item_type, e.item_name) <> (d.item_type, d.item_name)
			AND e.blocker_start_time <= d.last_dt `+
		grantAfter("d", "g")+` `+grantAfter("e", "k")+`
		WHERE `+c.String()+` AND d.user_id <> d.blocker_user_id
		  AND NOT EXISTS (
			SELECT FROM ct_occupy_item_history h
			WHERE h.item_type = d.item_type AND h.item_name = d.item_name
			  AND h.time_key > `+keyOf("d.first_dt")+` AND h.time_key < `+keyOf("e.first_dt")+`
			  AND (h.state <> 'OCCUPIED' OR h.fencing_token <> d.fencing_token))
		ORDER BY e.first_dt, e.denial_id, d.denial_id LIMIT `+limit, c.args,
		func(rows pgx.Rows) (p domain.CrossedPair, err error) {
			p.One, p.Other = &domain.Denial{}, &domain.Denial{}
			dests := append([]any{instant{&p.Since}}, denialDests(p.One)...)
			return p, rows.Scan(append(dests, denialDests(p.Other)...)...)
		})
}

// ask asks one question, planned for its values.
func ask[T any](ctx context.Context, s *Store, sql string, args []any, scan func(pgx.Rows) (T, error)) (list []T, err error) {
	b := planned(byValues)
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		list, err = collect(rows, scan)
		return err
	})
	err = s.adhoc.tooMuch(s.adhoc.ask(ctx, b))
	return list, err
}
