package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"occupy/domain"
)

// TestAnyFilterFindsItemsAsInMemory does for what is now what
// TestAnyFilterFindsWhatItFindsInMemory does for the past.
func TestAnyFilterFindsItemsAsInMemory(t *testing.T) {
	s, past := remember(t, 900)
	exec(t, s, `UPDATE ct_occupy_item SET expire_time = now() + (version % 2 * 2 - 1) * interval '1 day' WHERE state = 'OCCUPIED'`)
	service, ctx := asker(s)
	items, err := service.Occupancies(ctx, nil, nil, domain.PageArgs{First: new(domain.MaxPageSize)})
	if err != nil || items.More {
		t.Fatal(err, items.More)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := ofItems(past.where(t, 0))
		want := map[domain.ItemKey]bool{}
		for _, o := range items.Nodes {
			if h := asEntry(o); holds(&w, &h) {
				want[o.ItemKey] = true
			}
		}
		where := presently(&w)
		order := []*domain.OccupancyOrder{{Field: drawItemField(t), Direction: drawDirection(t)}, {Field: domain.ByUser, Direction: drawDirection(t)}}
		if order[0].Field == domain.ByUser {
			order = order[:1]
		}
		got := leaf(t, func(page domain.PageArgs) (domain.Page[domain.Occupancy], error) {
			return service.Occupancies(ctx, where, order, page)
		}, len(want))
		for _, o := range got {
			if !want[o.ItemKey] {
				t.Fatalf("%v is found, or found twice, by %+v", o.ItemKey, where)
			}
			delete(want, o.ItemKey)
		}
		if len(want) > 0 {
			t.Fatalf("%v are not found by %+v", want, where)
		}
	})
}

func drawItemField(t *rapid.T) domain.OccupancyField {
	return rapid.SampledFrom([]domain.OccupancyField{
		domain.ByItem, domain.ByUser, domain.ByStartTime, domain.ByExpireTime, domain.ByUpdatedAt,
	}).Draw(t, "field")
}

func asEntry(o domain.Occupancy) domain.HistoryEntry {
	return domain.HistoryEntry{ItemKey: o.ItemKey, State: o.State, UserID: o.UserID, Session: o.Session,
		StartTime: o.StartTime, ExpireTime: o.ExpireTime, UIName: o.UIName, MenuName: o.MenuName}
}

// ofItems leaves out of a filter what items do not have.
func ofItems(w domain.HistoryWhere) domain.HistoryWhere {
	w.Event, w.At, w.HeldSeconds, w.Comment = nil, nil, nil, nil
	for _, list := range []*[]*domain.HistoryWhere{&w.And, &w.Or} {
		for i, inner := range *list {
			of := ofItems(*inner)
			(*list)[i] = &of
		}
	}
	if w.Not != nil {
		of := ofItems(*w.Not)
		w.Not = &of
	}
	return w
}

func presently(w *domain.HistoryWhere) *domain.OccupancyWhere {
	if w == nil {
		return nil
	}
	all := func(list []*domain.HistoryWhere) (of []*domain.OccupancyWhere) {
		if list != nil {
			of = []*domain.OccupancyWhere{}
		}
		for _, inner := range list {
			of = append(of, presently(inner))
		}
		return of
	}
	return &domain.OccupancyWhere{And: all(w.And), Or: all(w.Or), Not: presently(w.Not), ItemType: w.ItemType, ItemName: w.ItemName,
		UserID: w.UserID, Session: w.Session, State: w.State, UIName: w.UIName, MenuName: w.MenuName,
		StartTime: w.StartTime, ExpireTime: w.ExpireTime}
}

// TestPagesStayRightWhileRowsAreAdded walks through lists, in every order and from
// both ends, to which rows are added before, in and after every page: what was there
// comes once, and nothing comes twice.
func TestPagesStayRightWhileRowsAreAdded(t *testing.T) {
	s, past := remember(t, 300)
	service, ctx := asker(s)
	added := 0
	busy := func() {
		for range 3 {
			added++
			like := past.rows[added*7919%len(past.rows)]
			mustOccupy(t, s, key(fmt.Sprint(added*7919%1000, " ", added)), domain.Occupy{
				Claim: domain.Claim{UserID: like.UserID}, TTL: time.Minute, UIName: like.UIName, MenuName: like.MenuName})
		}
	}
	everything := &domain.HistoryWhere{At: &domain.TimeFilter{Gte: &past.during.From}}
	for _, field := range historyFields {
		for _, direction := range []domain.Direction{domain.Ascending, domain.Descending} {
			for _, backward := range []bool{false, true} {
				order := []*domain.HistoryOrder{{Field: field, Direction: direction}, {Field: domain.ByHistoryUser, Direction: domain.Ascending}}
				if field == domain.ByHistoryUser {
					order = order[:1]
				}
				before := known(t, s, `SELECT time_key FROM ct_occupy_item_history`)
				name := fmt.Sprint(field, direction, backward)
				walkOn(t, name, backward, before, func(page domain.PageArgs) domain.Page[domain.HistoryEntry] {
					busy()
					return check(service.History(ctx, everything, order, page))(t)
				}, func(h domain.HistoryEntry) string { return h.TimeKey })
			}
		}
	}
}

func known(t testing.TB, s *Store, sql string) map[string]bool {
	t.Helper()
	rows, err := s.floor.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, k := range keys {
		all[k] = true
	}
	return all
}

func check[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// walkOn walks through a list, and checks that it has each row of before once.
func walkOn[T any](t testing.TB, name string, backward bool, before map[string]bool, ask func(domain.PageArgs) domain.Page[T], nameOf func(T) string) {
	t.Helper()
	args, size := domain.PageArgs{}, 100
	if args.First = &size; backward {
		args.First, args.Last = nil, &size
	}
	seen := map[string]bool{}
	for more := true; more; {
		page := ask(args)
		more = page.More
		for _, n := range page.Nodes {
			if seen[nameOf(n)] {
				t.Fatalf("%s: %s came twice", name, nameOf(n))
			}
			seen[nameOf(n)] = true
			delete(before, nameOf(n))
		}
		if len(page.Cursors) > 0 {
			first, last := page.Cursors[0].String(), page.Cursors[len(page.Cursors)-1].String()
			if args.After = &last; backward {
				args.After, args.Before = nil, &first
			}
		}
	}
	if len(before) > 0 {
		t.Errorf("%s: %d rows did not come", name, len(before))
	}
}
