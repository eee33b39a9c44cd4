package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// listing is a list that people page through.
type listing[T any] struct {
	cut         domain.Cut
	page, count func() (sql string, args []any) // page gives one row more, which tells whether there are more
	scan        func(pgx.Rows) (T, error)
	cursor      func(*T) domain.Cursor
	oneWay      bool // there is one good plan, whatever the values
}

// read asks for the page, and for the count of all that matches if that is
// wanted, in one round trip.
func read[T any](ctx context.Context, db *adhoc, l listing[T]) (domain.Page[T], error) {
	page := domain.Page[T]{Cut: l.cut}
	way := byValues
	if l.oneWay {
		way = onceForAll
	}
	b := planned(way)
	if l.cut.Total {
		sql, args := l.count()
		b.Queue(sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&page.Total) })
	}
	sql, args := l.page()
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		page.Nodes, err = collect(rows, l.scan)
		return err
	})
	if err := db.ask(ctx, b); err != nil {
		return domain.Page[T]{}, db.tooMuch(err)
	}
	page.More = len(page.Nodes) > l.cut.Limit
	page.Nodes = page.Nodes[:min(len(page.Nodes), l.cut.Limit)]
	if l.cut.Backward {
		slices.Reverse(page.Nodes)
	}
	for i := range page.Nodes {
		page.Cursors = append(page.Cursors, l.cursor(&page.Nodes[i]))
	}
	return page, nil
}

// question is a listing from one place.
type question[T any] struct {
	list, count string // SQL up to WHERE
	where       *conditions
	order       keyset
	cut         domain.Cut
	scan        func(pgx.Rows) (T, error)
	cursor      func(*T) domain.Cursor
	oneWay      bool
}

func answer[T any](ctx context.Context, db *adhoc, q question[T]) (domain.Page[T], error) {
	return read(ctx, db, listing[T]{cut: q.cut, page: q.page, count: q.total, scan: q.scan, cursor: q.cursor, oneWay: q.oneWay})
}

func (q *question[T]) page() (sql string, args []any) {
	where := q.where.clone()
	q.order.between(where, q.cut)
	limit := where.value(q.cut.Limit + 1)
	return q.list + "\n\t\tWHERE " + where.String() +
		"\n\t\tORDER BY " + q.order.by(q.cut.Backward) + " LIMIT " + limit, where.args
}

func (q *question[T]) total() (sql string, args []any) {
	return q.count + "\n\t\tWHERE " + q.where.String(), q.where.args
}

func collect[T any](rows pgx.Rows, scan func(pgx.Rows) (T, error)) ([]T, error) {
	list := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// Ways to plan a statement.
const (
	// byValues suits questions, each of which is another one.
	byValues = "force_custom_plan"
	// onceForAll suits what is read all the time and must not be planned anew.
	onceForAll = "force_generic_plan"
)

// planned starts a batch whose statements are planned in that way. A batch is
// a transaction of its own, at whose end the setting is gone.
func planned(way string) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(`-- name: PlanStatements
		SELECT set_config('plan_cache_mode', $1, true)`, way)
	return b
}
