package postgres

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"occupy/domain"
)

// refuse has somebody ask for what another holds, and takes it down.
func refuse(t testing.TB, s *Store, k domain.ItemKey, asked domain.Occupy) domain.Denial {
	t.Helper()
	code, items, err := occupy(s, k, asked)
	if err != nil || code.OK() {
		t.Fatal(code, err)
	}
	d := domain.NewDenial(asked, items.Seen(clock(t, s)))
	if err := s.WriteDenials(t.Context(), []domain.Denial{d}); err != nil {
		t.Fatal(err)
	}
	return d
}

func clock(t testing.TB, s *Store) time.Time {
	t.Helper()
	now, err := s.Clock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now.UTC()
}

func give(t testing.TB, s *Store, k domain.ItemKey, user string) {
	t.Helper()
	update(t, s, k, func(o domain.Occupancy, clock time.Time) (domain.Code, []domain.Transition) {
		return o.Free(clock, domain.Free{Claim: domain.Claim{UserID: user}, How: domain.EventFreed})
	})
}

// thisHour is a period that has all that a test does.
func thisHour(t testing.TB, s *Store) *domain.TimeFilter {
	from, to := clock(t, s).Add(-time.Hour), clock(t, s).Add(time.Hour)
	return &domain.TimeFilter{Gte: &from, Lt: &to}
}

func denials(t testing.TB, s *Store, q domain.DenialQuery) []domain.Denial {
	t.Helper()
	if q.Cut.Limit == 0 {
		q.Cut.Limit = 100
	}
	page, err := s.Denials(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Nodes
}

// Case H6, and how long it took until they got it.
func TestDenialsTellHowLongItTook(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	k := key("LOT1")
	mustOccupy(t, s, k, by("kim"))
	first := refuse(t, s, k, by("lee"))
	refuse(t, s, k, by("lee"))
	refuse(t, s, k, by("oh"))
	give(t, s, k, "kim")
	mustOccupy(t, s, k, by("lee"))
	got := denials(t, s, domain.DenialQuery{Direction: domain.Ascending})
	if len(got) != 2 || got[0].UserID != "lee" || got[1].UserID != "oh" {
		t.Fatalf("%+v", got)
	}
	lee := got[0]
	waited := lee.WaitedSeconds()
	if lee.Attempts != 2 || !lee.FirstAt.Equal(first.FirstAt) || !lee.LastAt.After(lee.FirstAt) || lee.BlockerUserID != "kim" ||
		waited == nil || *waited <= 0 || *waited > 60 {
		t.Errorf("lee: %+v", lee)
	}
	if !got[1].GotItAt.IsZero() || got[1].WaitedSeconds() != nil {
		t.Errorf("oh never got it: %+v", got[1])
	}
	two := 2
	other := "nobody"
	for name, c := range map[string]struct {
		where domain.DenialWhere
		n     int
	}{
		"asker": {domain.DenialWhere{UserID: is("lee")}, 1}, "blocker": {domain.DenialWhere{BlockerUserID: is("kim")}, 2},
		"item": {domain.DenialWhere{ItemType: is("LOT"), ItemName: startsWith("LOT")}, 2}, "none": {domain.DenialWhere{UserID: is(other)}, 0},
		"often": {domain.DenialWhere{MinAttempts: &two}, 1}, "own window": {domain.DenialWhere{OwnWindow: new(bool)}, 2},
		"period": {domain.DenialWhere{At: thisHour(t, s)}, 2},
	} {
		if got := denials(t, s, domain.DenialQuery{Where: c.where}); len(got) != c.n {
			t.Errorf("%s: %d, want %d", name, len(got), c.n)
		}
	}
}

func TestDenialsArePagedThroughOnce(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	at := clock(t, s)
	var all []domain.Denial
	for i := range 25 { // five at each instant
		all = append(all, domain.Denial{ItemKey: key(fmt.Sprint("L", i)), UserID: "lee", BlockerUserID: "kim", BlockerSince: at,
			Attempts: 1, FirstAt: at.Add(time.Duration(i/5) * time.Second), LastAt: at.Add(time.Hour)})
	}
	if err := s.WriteDenials(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, direction := range []domain.Direction{domain.Ascending, domain.Descending} {
		var seen []string
		cut := domain.Cut{Limit: 4}
		for more := true; more; {
			page, err := s.Denials(t.Context(), domain.DenialQuery{Direction: direction, Cut: cut})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Nodes {
				seen = append(seen, d.ItemName)
			}
			more, cut.After = page.More, page.Cursors[len(page.Cursors)-1]
		}
		slices.Sort(seen)
		if len(seen) != 25 || len(slices.Compact(seen)) != 25 {
			t.Errorf("%s: %d rows: %v", direction, len(seen), seen)
		}
	}
}

// TestManyGatewaysWriteTheSameDenials: no attempt is lost, and nobody waits in a circle.
func TestManyGatewaysWriteTheSameDenials(t *testing.T) {
	url := newURL(t)
	s := open(t, Config{URL: url})
	at := clock(t, s)
	const gateways, times, items = 6, 10, 50
	together(gateways, func(int) {
		log := make([]domain.Denial, items)
		for i := range log {
			log[i] = domain.Denial{ItemKey: key(fmt.Sprintf("L%02d", i)), UserID: "lee", BlockerUserID: "kim", BlockerSince: at, Attempts: 1, FirstAt: at, LastAt: at}
		}
		for range times {
			if err := s.WriteDenials(t.Context(), log); err != nil {
				t.Error(err)
			}
		}
	})
	if n := number(t, s, `SELECT sum(attempts)::bigint FROM ct_occupy_denial`); n != gateways*times*items {
		t.Errorf("%d attempts, want %d", n, gateways*times*items)
	}
}

// Case H5: what goes, goes by its age only, and the history stays.
func TestPurgingGoesByAge(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	exec(t, s, `INSERT INTO ct_occupy_denial (item_type, item_name, fencing_token, user_id, blocker_user_id, blocker_start_time, attempts, first_dt, last_dt)
		SELECT 'LOT', 'L' || n, 1, 'lee', 'kim', now(), 1000, now() - n * interval '1 minute', now() FROM generate_series(1, 6000) n`)
	mustOccupy(t, s, key("LOT1"), by("kim"))
	purged, err := s.PurgeDenials(t.Context(), time.Hour)
	if err != nil || purged < 5940 || purged > 5941 {
		t.Errorf("purged %d, %v", purged, err)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_denial WHERE first_dt < now() - interval '61 minutes'`); n != 0 {
		t.Errorf("%d are left that are older", n)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item_history`); n != 1 {
		t.Errorf("%d history rows", n)
	}
}

func TestTopBlockers(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for i, blocker := range []string{"kim", "kim", "oh"} {
		k := key(fmt.Sprint("L", i))
		mustOccupy(t, s, k, domain.Occupy{Claim: domain.Claim{UserID: blocker}, TTL: time.Minute, UIName: "ui-" + blocker})
		refuse(t, s, k, by("lee"))
		refuse(t, s, k, by("lee"))
	}
	refuse(t, s, key("L0"), by("park"))
	give(t, s, key("L0"), "kim")
	mustOccupy(t, s, key("L0"), by("park"))
	own := domain.Denial{ItemKey: key("L9"), UserID: "kim", Session: "b", BlockerUserID: "kim", BlockerSince: clock(t, s), Attempts: 9, FirstAt: clock(t, s)}
	own.LastAt = own.FirstAt
	if err := s.WriteDenials(t.Context(), []domain.Denial{own}); err != nil {
		t.Fatal(err)
	}
	top := func(by domain.BlockerGroup) (list []string) {
		all, err := s.TopBlockers(t.Context(), domain.BlockerQuery{Where: domain.DenialWhere{At: thisHour(t, s)}, By: by, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			if (b.WaitedSeconds > 0) != (b.GaveUp < b.Denials) {
				t.Errorf("%+v", b)
			}
			list = append(list, fmt.Sprint(b.UserID, b.UIName, b.ItemType, b.ItemName, " ", b.Denials, " ", b.Attempts, " ", b.Askers, " ", b.Items, " ", b.GaveUp))
		}
		return list
	}
	for by, want := range map[domain.BlockerGroup][]string{
		domain.ByBlockerUser:   {"kim 3 5 2 2 2", "oh 1 2 1 1 1"},
		domain.ByBlockerScreen: {"ui-kim 3 5 2 2 2", "ui-oh 1 2 1 1 1"},
		domain.ByBlockedItem:   {"LOTL0 2 3 2 1 1", "LOTL1 1 2 1 1 1", "LOTL2 1 2 1 1 1"},
	} {
		if got := top(by); !slices.Equal(got, want) {
			t.Errorf("by %s: %q, want %q", by, got, want)
		}
	}
}

func TestCrossedPairs(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	x, y := key("X"), key("Y")
	mustOccupy(t, s, x, by("kim"))
	mustOccupy(t, s, y, by("lee"))
	refuse(t, s, y, by("kim"))
	refuse(t, s, x, by("lee"))
	// Almost one: who is in the way has given the item back before the other wants theirs.
	mustOccupy(t, s, key("P"), by("oh"))
	mustOccupy(t, s, key("Q"), by("park"))
	refuse(t, s, key("Q"), by("oh"))
	give(t, s, key("Q"), "park")
	refuse(t, s, key("P"), by("park"))
	q := domain.BlockerQuery{Where: domain.DenialWhere{At: thisHour(t, s)}, Limit: 10}
	got, err := s.CrossedPairs(t.Context(), q)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d pairs, %v: %+v", len(got), err, got)
	}
	p := got[0]
	if p.One.UserID != "kim" || p.One.ItemKey != y || p.Other.UserID != "lee" || p.Other.ItemKey != x || !p.Since.Equal(p.Other.FirstAt) {
		t.Errorf("%+v %+v", p.One, p.Other)
	}
}

// TestQuestionsForDenialsGoByTime: on a plant's past, in the months they are about.
func TestQuestionsForDenialsGoByTime(t *testing.T) {
	url := newURL(t)
	made := tell(t, url, lastMonths(3, 60_000))
	s := open(t, Config{URL: url})
	from, to := monthOf(time.Now(), -1), monthOf(time.Now(), 0)
	where := domain.DenialWhere{At: &domain.TimeFilter{Gte: &from, Lt: &to}}
	q := denialQuestion(domain.DenialQuery{Where: where, Cut: domain.Cut{Limit: 20}})
	sql, args := q.page()
	if p := plan(t, s, sql, args...); len(used(p)) > 2 || thrownAway(p) > 100 {
		t.Errorf("looked into %v\n%s", used(p), p)
	}
	blockers, err := s.TopBlockers(t.Context(), domain.BlockerQuery{Where: where, By: domain.ByBlockerUser, Limit: 5})
	if err != nil || len(blockers) != 5 || blockers[0].WaitedSeconds == 0 {
		t.Errorf("%+v %v", blockers, err)
	}
	long := domain.TimeFilter{Gte: new(from.AddDate(0, -3, 0)), Lt: new(to.AddDate(0, 2, 0))}
	pairs, err := s.CrossedPairs(t.Context(), domain.BlockerQuery{Where: domain.DenialWhere{At: &long}, Limit: 1000})
	if err != nil || len(pairs) == 0 {
		t.Errorf("of %d denials no pair is crossed: %v", made.Denials, err)
	}
	for _, p := range pairs {
		if p.One.UserID != p.Other.BlockerUserID || p.Other.UserID != p.One.BlockerUserID || p.One.ItemKey == p.Other.ItemKey {
			t.Errorf("%+v %+v", p.One, p.Other)
		}
	}
}
