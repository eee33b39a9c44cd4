package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"occupy/domain"
)

func draw(count int64) domain.LotRequest {
	return domain.LotRequest{UserID: "kim", Rule: "LOT", Count: count, Arguments: fmt.Sprint(count)}
}

func mustDraw(t testing.TB, s *Store, r domain.LotRequest) domain.LotGrant {
	t.Helper()
	g, err := s.NextLotIDs(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func setRule(t testing.TB, s *Store, r domain.LotRule) {
	t.Helper()
	if _, err := s.SetLotRule(t.Context(), r, "boss"); err != nil {
		t.Fatal(err)
	}
}

func wantInputError(t testing.TB, err error, argument string) {
	t.Helper()
	var in *domain.InputError
	if !errors.As(err, &in) || in.Argument != argument {
		t.Errorf("error %v, want one at %s", err, argument)
	}
}

// Cases D1, D6 and D7: a day begins without a counter row, and three gateways
// ask at once.
func TestThreeGatewaysBeginADay(t *testing.T) {
	url := newURL(t)
	gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url}), open(t, Config{URL: url})}
	var mu sync.Mutex
	var all []string
	together(150, func(i int) {
		g, err := gateways[i%3].NextLotIDs(context.Background(), draw(int64(1+i%4)))
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, g.IDs...)
	})
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) {
		t.Errorf("%d IDs, %d of them distinct", len(all), n)
	}
	rule := domain.LotRule{TimeZone: "Asia/Seoul"}
	today, _ := rule.Day(time.Now())
	for i, id := range all {
		if want := fmt.Sprintf("LOT-%s-%04d", today.Format("20060102"), i+1); id != want {
			t.Fatalf("ID %d is %s, want %s", i, id, want)
		}
	}
	days, err := gateways[0].LotDays(t.Context(), "LOT", today, today)
	if err != nil || len(days) != 1 || days[0].Issued != int64(len(all)) || days[0].Last != int64(len(all)) || len(days[0].Gaps) != 0 {
		t.Errorf("%+v %v", days, err)
	}
}

// Case D4: longer, never cut; order is kept by number, case D5: and so is the next.
func TestNumbersPastTheWidth(t *testing.T) {
	for width, last := range map[int]int64{4: 9999, 3: 999} {
		s := open(t, Config{URL: newURL(t)})
		setRule(t, s, domain.LotRule{Name: "W", Format: fmt.Sprintf("{date:yyyyMMdd}-{seq:%d}", width), TimeZone: "UTC"})
		r := draw(1)
		r.Rule = "W"
		g := mustDraw(t, s, r)
		if _, err := s.floor.Exec(t.Context(), `UPDATE lot_seq SET current_seq = $1`, last-1); err != nil {
			t.Fatal(err)
		}
		r.Count = 3
		ids := mustDraw(t, s, r).IDs
		for i, id := range ids {
			if want := fmt.Sprintf("%s-%0*d", g.Day.Format("20060102"), width, last+int64(i)); id != want {
				t.Errorf("%s, want %s", id, want)
			}
		}
		if next := mustDraw(t, s, draw1("W")).First; next != last+3 {
			t.Errorf("next is %d, want %d", next, last+3)
		}
	}
}

func draw1(rule string) domain.LotRequest {
	r := draw(1)
	r.Rule = rule
	return r
}

// Rule 27: a back-dated ID uses its own day's counter.
func TestBackDatedIDs(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	today := mustDraw(t, s, draw(5))
	back := draw(1)
	day := today.Day.AddDate(0, 0, -3)
	back.Date = &day
	g := mustDraw(t, s, back)
	if g.First != 1 || !strings.Contains(g.IDs[0], day.Format("20060102")) {
		t.Errorf("%+v", g)
	}
	if next := mustDraw(t, s, draw(1)).First; next != 6 {
		t.Errorf("today's next is %d, want 6", next)
	}
}

// Case D11: refused by name, and nothing used up, not even the request id.
func TestLotRequestsThatARuleRefuses(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	today := mustDraw(t, s, draw(1)).Day
	at := func(days int) *time.Time { d := today.AddDate(0, 0, days); return &d }
	setRule(t, s, domain.LotRule{Name: "LINE", Format: "{line}-{date:yyyyMMdd}-{seq:4}", TimeZone: "UTC"})
	for argument, r := range map[string]domain.LotRequest{
		"rule":    draw1("NONE"),
		"date":    {UserID: "kim", Rule: "LOT", Count: 1, Date: at(-8)},
		"line":    draw1("LINE"),
		"product": {UserID: "kim", Rule: "LOT", Count: 1, Product: "P"},
	} {
		r.RequestID = "r1"
		_, err := s.NextLotIDs(t.Context(), r)
		wantInputError(t, err, argument)
	}
	_, err := s.NextLotIDs(t.Context(), domain.LotRequest{UserID: "kim", Rule: "LOT", Count: 1, Date: at(1)})
	wantInputError(t, err, "date")
	r := draw(1)
	r.RequestID = "r1"
	if g := mustDraw(t, s, r); g.First != 2 || g.Repeated {
		t.Errorf("%+v", g)
	}
}

// Case D10, across gateways, which is also across restarts, and over midnight.
func TestARetryGetsTheSameIDs(t *testing.T) {
	url := newURL(t)
	one, other := open(t, Config{URL: url}), open(t, Config{URL: url})
	r := draw(3)
	r.RequestID = "r1"
	first := mustDraw(t, one, r)
	// The day of what was given is moved, as if it had been yesterday.
	if _, err := one.floor.Exec(t.Context(), `
		UPDATE ct_lot_id SET target_date = target_date - 1, lot_id = 'OLD-' || seq`); err != nil {
		t.Fatal(err)
	}
	again := mustDraw(t, other, r)
	if !again.Repeated || fmt.Sprint(again.IDs) != "[OLD-1 OLD-2 OLD-3]" || !again.Day.Equal(first.Day.AddDate(0, 0, -1)) {
		t.Errorf("%+v", again)
	}
	changed := r
	changed.Count, changed.Arguments = 4, "4"
	_, err := other.NextLotIDs(t.Context(), changed)
	wantInputError(t, err, "requestId")
	theirs := r
	theirs.UserID = "lee"
	if g := mustDraw(t, other, theirs); g.Repeated || g.First != 4 {
		t.Errorf("another caller's: %+v", g)
	}
}

// A retry that runs beside the first request, through another gateway or in
// the same group.
func TestRetriesAtOnce(t *testing.T) {
	url := newURL(t)
	gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url}), open(t, Config{URL: url})}
	for round := range 20 {
		r := draw(2)
		r.RequestID = fmt.Sprint("r", round)
		var mu sync.Mutex
		answers := map[string]int{}
		together(30, func(i int) {
			g, err := gateways[i%3].NextLotIDs(context.Background(), r)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprint(g.IDs)]++
		})
		if len(answers) != 1 {
			t.Fatalf("answers %v", answers)
		}
	}
	if n := number(t, gateways[0], `SELECT current_seq FROM lot_seq`); n != 40 {
		t.Errorf("the counter is at %d, want 40", n)
	}
}

// Two rules whose formats meet: the database refuses, and others in the group go on.
func TestTwoRulesNeverGiveOneID(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	setRule(t, s, domain.LotRule{Name: "SAME", Format: "LOT-{date:yyyyMMdd}-{seq:4}", TimeZone: "Asia/Seoul"})
	mustDraw(t, s, draw(1))
	var refused, given sync.Map
	together(20, func(i int) {
		if i == 7 {
			_, err := s.NextLotIDs(context.Background(), draw1("SAME"))
			refused.Store(i, err)
			return
		}
		g, err := s.NextLotIDs(context.Background(), draw(1))
		if err != nil {
			t.Error(err)
		}
		given.Store(g.First, true)
	})
	err, _ := refused.Load(7)
	wantInputError(t, err.(error), "rule")
	if n := number(t, s, `SELECT count(*) FROM ct_lot_id`); n != 20 {
		t.Errorf("%d IDs, want 20", n)
	}
}

// The counter can not be lowered by hand.
func TestACounterOnlyRises(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	mustDraw(t, s, draw(5))
	for _, statement := range []string{
		`UPDATE lot_seq SET current_seq = 1`, `DELETE FROM lot_seq`, `UPDATE lot_seq SET target_date = target_date + 1`,
	} {
		if _, err := s.floor.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s: not refused", statement)
		}
	}
}

func TestLinkCutWhileLotIDsAreGiven(t *testing.T) {
	for name, reached := range map[string]bool{"after it reached the server": true, "before": false} {
		t.Run(name, func(t *testing.T) {
			wire, url := newLink(t, newURL(t))
			s := open(t, Config{URL: url})
			wire.WhenMarked(cutOnce(reached))
			r := draw(2)
			r.UserID = commitMark // stands in the ledger's rows
			g := mustDraw(t, s, r)
			if n := number(t, s, `SELECT count(*) FROM ct_lot_id WHERE seq BETWEEN $1 AND $2`, g.First, g.Last); n != 2 {
				t.Errorf("%d rows in the ledger", n)
			}
		})
	}
}

func TestVoidedIDsStay(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	id := mustDraw(t, s, draw(1)).IDs[0]
	e, done, err := s.VoidLotID(t.Context(), id, "printed twice", "boss")
	if err != nil || !done || e.VoidReason != "printed twice" || e.VoidedBy != "boss" || !e.Voided() {
		t.Errorf("%+v %v %v", e, done, err)
	}
	e, done, err = s.VoidLotID(t.Context(), id, "another reason", "kim")
	if err != nil || done || e.VoidReason != "printed twice" {
		t.Errorf("%+v %v %v", e, done, err)
	}
	if e, _, err := s.VoidLotID(t.Context(), "NONE", "x", "kim"); e != nil || err != nil {
		t.Error(e, err)
	}
	if next := mustDraw(t, s, draw(1)).First; next != 2 {
		t.Errorf("next is %d", next)
	}
}

func TestGapsOfADayAreFound(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	day := mustDraw(t, s, draw(9)).Day
	if _, err := s.floor.Exec(t.Context(), `DELETE FROM ct_lot_id WHERE seq IN (1, 4, 5, 9)`); err != nil {
		t.Fatal(err)
	}
	days, err := s.LotDays(t.Context(), "LOT", day, day)
	if err != nil || len(days) != 1 {
		t.Fatalf("%+v %v", days, err)
	}
	var gaps []domain.LotGap
	for _, g := range days[0].Gaps {
		gaps = append(gaps, *g)
	}
	if got := fmt.Sprint(gaps); got != "[{1 1} {4 5} {9 9}]" {
		t.Errorf("gaps %s", got)
	}
}
