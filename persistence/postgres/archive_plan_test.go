package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// fillYear makes a year of history: 50,000 rows of 2,000 items and 200 users.
func fillYear(t testing.TB, s *Store) {
	t.Helper()
	if _, err := EnsurePartitions(t.Context(), s.floor.Pool, time.Now().AddDate(0, -11, 0), 12); err != nil {
		t.Fatal(err)
	}
	exec(t, s, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, user_id, start_time, expire_time, fencing_token, version, reg_usr_id, reg_dt)
		SELECT to_char(at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(n::text, 12, '0'), 'LOT', 'LOT-' || lpad((n % 2000)::text, 4, '0'),
		       state, event, 'user' || n % 2000 % 200, at, at + interval '5 min', n / 4000 + 1, n / 2000 + 1, 'user', at
		FROM generate_series(0, 49999) n,
		LATERAL (SELECT now() - interval '11 months' + n * (interval '11 months' / 50000) AS at) a,
		LATERAL (SELECT CASE WHEN n / 2000 % 2 = 0 THEN 'OCCUPIED' ELSE 'FREE' END AS state, CASE WHEN n / 2000 % 2 = 0 THEN 'OCCUPIED' ELSE 'FREED' END AS event) e`)
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time, fencing_token, version, reg_usr_id, reg_dt, updt_usr_id, updt_dt)
		SELECT DISTINCT ON (item_name) item_type, item_name, state, user_id, start_time, expire_time, fencing_token, version, reg_usr_id, reg_dt, reg_usr_id, reg_dt
		FROM ct_occupy_item_history ORDER BY item_name, version DESC`)
	exec(t, s, `ANALYZE ct_occupy_item; ANALYZE ct_occupy_item_history`)
}

// plan runs a question and tells how the database went about it.
func plan(t testing.TB, s *Store, sql string, args ...any) string {
	t.Helper()
	var lines []string
	b := planned(byValues)
	b.Queue("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+sql, args...).Query(func(rows pgx.Rows) (err error) {
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err := s.adhoc.ask(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// used lists the months up to this one that a plan has looked into. Those to
// come are empty.
func used(plan string) (months []string) {
	for line := range strings.Lines(plan) {
		_, table, ok := strings.Cut(line, " on ct_occupy_item_history_")
		if ok && !strings.Contains(line, "never executed") && table[:6] <= monthKey(time.Now().UTC()) {
			months = append(months, table[:6])
		}
	}
	slices.Sort(months)
	return slices.Compact(months)
}

// thrownAway is the most rows that any one step of a plan read for nothing.
func thrownAway(plan string) (most int) {
	for _, part := range strings.Split(plan, "Rows Removed by Filter: ")[1:] {
		var n int
		_, _ = fmt.Sscan(part, &n)
		most = max(most, n)
	}
	return most
}

func TestQuestionsGoByIndexAndMonth(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	fillYear(t, s)
	month := monthOf(time.Now(), -3)
	next := monthOf(time.Now(), -2)
	page := domain.Cut{Limit: 20}
	newest := []domain.HistoryOrder{{Field: domain.ByTime, Direction: domain.Descending}}
	inMonth := &domain.TimeFilter{Gte: &month, Lt: &next}
	for name, c := range map[string]struct {
		q      domain.HistoryQuery
		index  string
		months int // at most
	}{
		"an item": {domain.HistoryQuery{Where: domain.HistoryWhere{ItemType: is("LOT"), ItemName: is("LOT-0077")}, Cut: page},
			"item_type_item_name_time_key_idx", 13},
		"an item's month": {domain.HistoryQuery{Where: domain.HistoryWhere{ItemType: is("LOT"), ItemName: is("LOT-0077"), At: inMonth}, Cut: page},
			"item_type_item_name_time_key_idx", 1},
		"a user's newest": {domain.HistoryQuery{Where: domain.HistoryWhere{UserID: is("user77")}, Order: newest, Cut: page},
			"user_id_time_key_idx", 4},
		"a user's month": {domain.HistoryQuery{Where: domain.HistoryWhere{UserID: is("user77"), At: inMonth}, Cut: page},
			"user_id_time_key_idx", 1},
		"the newest of all": {domain.HistoryQuery{Order: newest, Cut: page}, "pkey", 2},
		"a month":           {domain.HistoryQuery{Where: domain.HistoryWhere{At: inMonth}, Cut: page}, "pkey", 1},
	} {
		q := historyQuestion(c.q)
		sql, args := q.page()
		p := plan(t, s, sql, args...)
		if !strings.Contains(p, c.index) || len(used(p)) == 0 || len(used(p)) > c.months || thrownAway(p) > 1000 {
			t.Errorf("%s: looked into %v, read %d rows for nothing\n%s", name, used(p), thrownAway(p), p)
		}
	}
	items := occupancyConditions(domain.OccupancyWhere{ItemType: is("LOT"), ItemName: startsWith("LOT-007")})
	p := plan(t, s, `SELECT * FROM ct_occupy_item i WHERE `+items.String(), items.args...)
	if !strings.Contains(p, "Index Cond") || !strings.Contains(p, ">= 'LOT-007'") || thrownAway(p) > 0 {
		t.Errorf("items by prefix:\n%s", p)
	}
}

// TestHoldsGoByIndexAndMonth: each of the places that have ends of holds.
func TestHoldsGoByIndexAndMonth(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	fillYear(t, s)
	month, next := monthOf(time.Now(), -3), monthOf(time.Now(), -2)
	inMonth := &domain.TimeFilter{Gte: &month, Lt: &next}
	newest := []domain.HoldOrder{{Field: domain.ByHoldEnd, Direction: domain.Descending}}
	for name, c := range map[string]struct {
		where   domain.HoldWhere
		indexes []string
		months  int // at most
	}{
		"an item":         {domain.HoldWhere{ItemType: is("LOT"), ItemName: is("LOT-0077")}, []string{"item_type_item_name_time_key_idx"}, 13},
		"a user's month":  {domain.HoldWhere{UserID: is("user77"), To: inMonth}, []string{"user_id_time_key_idx"}, 4},
		"a month":         {domain.HoldWhere{To: inMonth}, []string{"pkey", "expire_time_idx"}, 4}, // an expiry may have been found later
		"what still is":   {domain.HoldWhere{Open: new(true)}, nil, 0},
		"the last of all": {domain.HoldWhere{}, []string{"pkey"}, 13},
	} {
		sql, args := holdListing(domain.HoldQuery{Where: c.where, Order: newest, Cut: domain.Cut{Limit: 20}}).page()
		p := plan(t, s, sql, args...)
		if len(used(p)) > c.months || thrownAway(p) > 2000 { // that many begin, one after another
			t.Errorf("%s: looked into %v, read %d rows for nothing\n%s", name, used(p), thrownAway(p), p)
		}
		for _, index := range c.indexes {
			if !strings.Contains(p, index) {
				t.Errorf("%s: not by %s\n%s", name, index, p)
			}
		}
	}
}

// TestTheFeedGoesByTransaction: by TX_ID to what is new, and no further back
// for what was before than there is need.
func TestTheFeedGoesByTransaction(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	fillYear(t, s)
	p := floorPlan(t, s, readChanges, `'{1000000}', '{9000000000000000000}', '{f}', now(), 50001, now()`)
	if strings.Contains(p, "Seq Scan") || strings.Count(p, "_tx_id_idx") != strings.Count(p, " on ct_occupy_item_history_") {
		t.Errorf("changes:\n%s", p)
	}
	p = floorPlan(t, s, readPrevious, `'{LOT}', '{LOT-0077}', '{`+domain.TimeKeyPrefix(time.Now())+`}'`)
	if strings.Contains(p, "Seq Scan") || strings.Contains(p, "_pkey") || len(used(p)) > 2 {
		t.Errorf("previous: looked into %v\n%s", used(p), p)
	}
}

// floorPlan is the plan of a statement that is prepared once for all values.
func floorPlan(t *testing.T, s *Store, statement, args string) string {
	t.Helper()
	tx := begin(t, s.floor.Pool)
	for _, sql := range []string{"SET LOCAL plan_cache_mode = " + onceForAll, "PREPARE q AS " + statement} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.Query(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE q("+args+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
