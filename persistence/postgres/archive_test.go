package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"occupy/domain"
)

// exec changes the database by hand.
func exec(t testing.TB, s *Store, sql string, args ...any) {
	t.Helper()
	if _, err := s.floor.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func is(list ...string) *domain.TextFilter { return &domain.TextFilter{In: list} }

func startsWith(prefixes ...string) *domain.TextFilter {
	return &domain.TextFilter{Prefixes: prefixes}
}

// occupancies asks for one page, and names what is on it.
func occupancies(t testing.TB, s *Store, q domain.OccupancyQuery) (domain.Page[domain.Occupancy], string) {
	t.Helper()
	page, err := s.Occupancies(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(page.Nodes))
	for i, o := range page.Nodes {
		names[i] = o.ItemName
	}
	return page, strings.Join(names, " ")
}

func TestOccupanciesWhere(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	start := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, ui_name, menu_name, start_time, expire_time, version, fencing_token)
		VALUES ('LOT', 'a', 'OCCUPIED', 'kim', 'u1', 'm1', $1::timestamptz, clock_timestamp() + interval '1 hour', 1, 1),
		       ('LOT', 'b', 'OCCUPIED', 'kim', 'u2', 'm1', $1::timestamptz + interval '1 us', clock_timestamp(), 1, 1),
		       ('LOT', 'c', 'EXPIRED', 'lee', 'u2', 'm2', $1::timestamptz + interval '2 us', $1, 2, 1),
		       ('CST', 'd', 'FREE', 'lee', '', '', $1::timestamptz + interval '3 us', $1, 2, 1),
		       ('CST', 'e', 'FREE', '', '', '', NULL, NULL, 0, 0)`, start)
	state := func(list ...domain.State) *domain.StateFilter { return &domain.StateFilter{In: list} }
	at := func(d time.Duration) *time.Time { v := start.Add(d); return &v }
	free := domain.StateFree
	for _, c := range []struct {
		want  string
		where domain.OccupancyWhere
	}{
		{"d a b c", domain.OccupancyWhere{}},
		{"a b c", domain.OccupancyWhere{ItemType: is("LOT")}},
		{"d b", domain.OccupancyWhere{ItemName: is("b", "d", "e")}},
		{"", domain.OccupancyWhere{ItemName: is([]string{}...)}},
		{"c", domain.OccupancyWhere{ItemType: is("LOT"), UserID: is("lee")}},
		{"d", domain.OccupancyWhere{UIName: is("")}},
		{"a b", domain.OccupancyWhere{MenuName: is("m1")}},
		{"a", domain.OccupancyWhere{State: state(domain.StateOccupied)}},
		{"b c", domain.OccupancyWhere{State: state(domain.StateExpired)}},
		{"d", domain.OccupancyWhere{State: &domain.StateFilter{Eq: &free}}},
		{"d", domain.OccupancyWhere{State: &domain.StateFilter{Eq: &free, In: []domain.State{domain.StateFree, domain.StateOccupied}}}},
		{"", domain.OccupancyWhere{State: &domain.StateFilter{Eq: &free, In: []domain.State{domain.StateOccupied}}}},
		{"d a", domain.OccupancyWhere{State: state(domain.StateOccupied, domain.StateFree)}},
		{"", domain.OccupancyWhere{State: state([]domain.State{}...)}},
		{"b c", domain.OccupancyWhere{StartTime: &domain.TimeFilter{Gte: at(time.Microsecond), Lt: at(3 * time.Microsecond)}}},
		{"d b c", domain.OccupancyWhere{StartTime: &domain.TimeFilter{Gte: at(time.Nanosecond)}}},
		{"a", domain.OccupancyWhere{StartTime: &domain.TimeFilter{Lt: at(time.Nanosecond)}}},
		{"d c", domain.OccupancyWhere{ExpireTime: &domain.TimeFilter{Lt: at(time.Second)}}},
	} {
		page, got := occupancies(t, s, domain.OccupancyQuery{Where: c.where, Cut: domain.Cut{Limit: 10, Total: true}})
		if got != c.want || page.Total == nil || *page.Total != len(page.Nodes) || page.More {
			t.Errorf("%+v: got %q (total %v), want %q", c.where, got, page.Total, c.want)
		}
		for _, o := range page.Nodes {
			if o.State == domain.StateOccupied && o.ItemName != "a" || o.AsOf.IsZero() {
				t.Errorf("%s is seen as %s at %v", o.ItemName, o.State, o.AsOf)
			}
		}
	}
}

// TestPrefixesHaveNoWildcards, and every other value is a value too.
func TestPrefixesHaveNoWildcards(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	names := []string{`A%1`, `A_1`, `A\1`, `AB1`, `A'; --`, `가나`, `가%`, "\U0010FFFFx"}
	for _, name := range names {
		exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, version) VALUES ('LOT', $1, 1)`, name)
	}
	for _, prefix := range []string{"A", "A%", "A_", `A\`, `A\\`, "AB", "%", "_", "가", "가%", "A'", `"`, "$1", "\U0010FFFF", ""} {
		var want []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		if _, got := occupancies(t, s, domain.OccupancyQuery{Where: domain.OccupancyWhere{ItemName: startsWith(prefix)},
			Cut: domain.Cut{Limit: 10}}); got != strings.Join(want, " ") {
			t.Errorf("%q: got %q, want %q", prefix, got, want)
		}
	}
	if _, got := occupancies(t, s, domain.OccupancyQuery{Where: domain.OccupancyWhere{ItemName: startsWith("AB", "가%")},
		Cut: domain.Cut{Limit: 10}}); got != "AB1 가%" {
		t.Errorf("either prefix: got %q", got)
	}
}

// TestOccupanciesInEveryOrder walks through lists with many equal values, from
// both ends, and compares each page with the whole.
func TestOccupanciesInEveryOrder(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time, updt_dt, version)
		SELECT CASE WHEN n % 3 = 0 THEN 'CST' ELSE 'LOT' END, n, 'FREE', 'kim', d + n % 5 * interval '1 us', d + n % 4 * interval '1 day', d + n % 3 * interval '1 s', 1
		FROM generate_series(1, 40) n, (SELECT timestamptz '2026-01-01 00:00:00.000001+9' AS d) d`)
	for _, field := range []domain.OccupancyField{domain.ByItem, domain.ByStartTime, domain.ByExpireTime, domain.ByUpdatedAt} {
		for _, direction := range []domain.Direction{domain.Ascending, domain.Descending} {
			q := domain.OccupancyQuery{Order: []domain.OccupancyOrder{{Field: field, Direction: direction}}}
			all := walk(t, q.Cut, 100, func(c domain.Cut) domain.Page[domain.Occupancy] {
				q.Cut = c
				page, _ := occupancies(t, s, q)
				return page
			})
			if len(all) != 40 || !slices.IsSortedFunc(all, inOrder(q.Order[0])) {
				t.Errorf("%s %s: %d items, not in order", field, direction, len(all))
			}
			for _, backward := range []bool{false, true} {
				paged := walk(t, domain.Cut{Backward: backward}, 7, func(c domain.Cut) domain.Page[domain.Occupancy] {
					q.Cut = c
					page, _ := occupancies(t, s, q)
					return page
				})
				if !slices.EqualFunc(paged, all, func(a, b domain.Occupancy) bool { return a.ItemKey == b.ItemKey }) {
					t.Errorf("%s %s, backward %t: the pages are not the whole", field, direction, backward)
				}
			}
		}
	}
}

func inOrder(o domain.OccupancyOrder) func(a, b domain.Occupancy) int {
	return func(a, b domain.Occupancy) int {
		c := 0
		switch o.Field {
		case domain.ByStartTime:
			c = a.StartTime.Compare(b.StartTime)
		case domain.ByExpireTime:
			c = a.ExpireTime.Compare(b.ExpireTime)
		case domain.ByUpdatedAt:
			c = a.UpdatedAt.Compare(b.UpdatedAt)
		}
		if c == 0 {
			c = a.ItemKey.Compare(b.ItemKey)
		}
		if o.Direction == domain.Descending {
			return -c
		}
		return c
	}
}

// walk reads a list page by page, in the direction of the cut, and returns it
// in its own order.
func walk[T any](t *testing.T, cut domain.Cut, limit int, ask func(domain.Cut) domain.Page[T]) (all []T) {
	t.Helper()
	cut.Limit = limit
	for pages := 0; pages < 100; pages++ {
		page := ask(cut)
		if len(page.Nodes) != len(page.Cursors) || page.More && len(page.Nodes) != limit || page.Total != nil {
			t.Fatalf("page of %d nodes, %d cursors, more %t, total %v", len(page.Nodes), len(page.Cursors), page.More, page.Total)
		}
		if cut.Backward {
			all = append(page.Nodes, all...)
		} else {
			all = append(all, page.Nodes...)
		}
		if !page.More {
			return all
		}
		if cut.Backward {
			cut.Before = page.Cursors[0]
		} else {
			cut.After = page.Cursors[limit-1]
		}
	}
	t.Fatal("the list does not end")
	return nil
}

func TestAPageBetweenTwoCursorsAndOneOfNothing(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		mustOccupy(t, s, key(name), by("kim"))
	}
	between := domain.Cut{Limit: 2, After: domain.Cursor{"ITEM", "LOT", "a"}, Before: domain.Cursor{"ITEM", "LOT", "e"}, Total: true}
	if page, got := occupancies(t, s, domain.OccupancyQuery{Cut: between}); got != "b c" || !page.More || *page.Total != 5 {
		t.Errorf("got %q, more %t, total %d", got, page.More, *page.Total)
	}
	between.Backward = true
	if page, got := occupancies(t, s, domain.OccupancyQuery{Cut: between}); got != "c d" || !page.More {
		t.Errorf("backward: got %q, more %t", got, page.More)
	}
	if page, got := occupancies(t, s, domain.OccupancyQuery{Cut: domain.Cut{Limit: 0}}); got != "" || page.Nodes == nil || !page.More {
		t.Errorf("of none: got %q, more %t", got, page.More)
	}
}

// TestAQuestionThatTakesTooLong is the caller's matter, and costs no connection.
func TestAQuestionThatTakesTooLong(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	slow := question[domain.Occupancy]{
		list:  `SELECT pg_sleep(10), ` + occupancyColumns + ` FROM ct_occupy_item i`,
		where: &conditions{}, order: keyset{columns: []string{"i.item_name"}},
	}
	mustOccupy(t, s, key("a"), by("kim"))
	ctx, done := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer done()
	if _, err := answer(ctx, s.adhoc, slow); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("past its deadline: %v, want ErrUnavailable", err)
	}
	working := func() bool {
		return number(t, s, `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(10)%' AND state = 'active'`) > 0
	}
	waitUntil(t, "the server stops working on it", func() bool { return !working() })
	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan error)
	go func() {
		_, err := answer(ctx, s.adhoc, slow)
		answered <- err
	}()
	waitUntil(t, "the server works on it", working)
	leave()
	if err := <-answered; !errors.Is(err, context.Canceled) || errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("cancelled: %v, want that alone", err)
	}
	waitUntil(t, "the server stops working on it", func() bool { return !working() })
	if _, got := occupancies(t, s, domain.OccupancyQuery{Cut: domain.Cut{Limit: 10}}); got != "a" {
		t.Errorf("the next question got %q", got)
	}
}

// TestAQuestionForTooMuch is told so by the name of the argument that has to change,
// since to ask it again would not help.
func TestAQuestionForTooMuch(t *testing.T) {
	s := open(t, Config{URL: newURL(t), AdhocTimeout: 20 * time.Millisecond})
	mustOccupy(t, s, key("a"), by("kim"))
	_, err := answer(t.Context(), s.adhoc, question[domain.Occupancy]{
		list:  `SELECT pg_sleep(10), ` + occupancyColumns + ` FROM ct_occupy_item i`,
		where: &conditions{}, order: keyset{columns: []string{"i.item_name"}},
	})
	var wrong *domain.InputError
	if !errors.As(err, &wrong) || wrong.Argument != "where" || !strings.Contains(wrong.Problem, "20ms") {
		t.Error(err)
	}
}

// Case 42: callers that leave early must not use up the pool.
func TestCancelledQuestionsLeaveThePoolWhole(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	mustOccupy(t, s, key("a"), by("kim"))
	together(200, func(i int) {
		ctx, done := context.WithTimeout(context.Background(), time.Duration(rand.IntN(10_000))*time.Microsecond)
		defer done()
		_, _ = s.History(ctx, domain.HistoryQuery{Cut: domain.Cut{Limit: 10, Total: true}})
	})
	together(DefaultAdhocConns, func(i int) {
		page, err := s.History(context.Background(), domain.HistoryQuery{Cut: domain.Cut{Limit: 10, Total: true}})
		if err != nil || len(page.Nodes) != 1 || *page.Total != 1 {
			t.Errorf("afterwards: %+v, %v", page, err)
		}
	})
	if n := s.adhoc.primary.Stat().TotalConns(); n > DefaultAdhocConns {
		t.Errorf("%d connections", n)
	}
}

func TestQuestionsCannotWrite(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	_, err := s.adhoc.primary.Exec(t.Context(), `INSERT INTO ct_occupy_item (item_type, item_name) VALUES ('LOT', 'x')`)
	if sqlState(err) != sqlReadOnly {
		t.Error(fmt.Sprint("got ", err))
	}
}
