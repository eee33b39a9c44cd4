package postgres

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"occupy/domain"
)

func TestChangesWhileTransactionsOverlap(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	g := newGame(t, s, 1)
	for range 300 {
		g.play()
	}
	g.read()
	g.wantOnce(g.committed)
	if len(g.committed) < 1000 {
		t.Errorf("only %d rows were committed", len(g.committed))
	}
	for _, e := range g.told {
		had := e.Previous != nil
		if had != (e.Occupancy.Version > 1) || had && e.Previous.Version != e.Occupancy.Version-1 {
			t.Errorf("%s: previous is %+v", label(e), e.Previous)
		}
	}
}

// TestChangesFromAnyPosition resumes from every position of a game: all that
// was not told by then is told, and nothing else.
func TestChangesFromAnyPosition(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	g := newGame(t, s, 2)
	type stand struct {
		position domain.Position
		told     int
	}
	var stands []stand
	for range 20 {
		g.play()
		g.begin()
		stands = append(stands, stand{g.position, len(g.told)})
	}
	for len(g.open) > 0 {
		g.end(0, true)
	}
	g.read()
	for _, from := range stands {
		late := &reader{t: t, s: s, position: from.position}
		late.read()
		rows := map[string]bool{}
		for _, e := range g.told[from.told:] {
			rows[label(e)] = true
		}
		late.wantOnce(rows)
	}
}

// TestChangesBesideWriters reads as fast as it can while the Store is at work.
func TestChangesBesideWriters(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 8})
	r := newReader(t, s)
	rows := map[string]bool{}
	var mu sync.Mutex
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		together(16, func(i int) {
			for n := range 40 {
				name := fmt.Sprintf("W%d", (i+n)%20)
				_, o, err := occupy(s, key(name), domain.Occupy{Claim: domain.Claim{UserID: "kim"}, TTL: time.Minute, UIName: fmt.Sprint(i, n)})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				rows[fmt.Sprintf("%s v%d", name, o.Version)] = true
				mu.Unlock()
			}
		})
	}()
	for busy := true; busy; {
		select {
		case <-stopped:
			busy = false
		default:
		}
		r.read()
	}
	r.wantOnce(rows)
}

func TestChangesTellTheItemBeforeAndAfter(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	r := newReader(t, s)
	kim := by("kim")
	kim.Session, kim.UIName, kim.MenuName = "tab1", "ui1", "menu1"
	first := mustOccupy(t, s, key("A"), kim)
	kim.UIName = "ui2"
	second := mustOccupy(t, s, key("A"), kim)

	events := r.read()
	if len(events) != 2 {
		t.Fatalf("told %d changes, want 2", len(events))
	}
	asOf, tx := events[0].Occupancy.AsOf, events[0].TxID
	first, second = readAt(first, asOf), readAt(second, asOf)
	if got := events[0]; got.Occupancy != first || got.Previous != nil ||
		got.Kind != domain.KindChanged || got.Event != domain.EventOccupied || !got.At.Equal(first.UpdatedAt) {
		t.Errorf("first is %+v, want %+v", got, first)
	}
	if got := events[1]; got.Occupancy != second || got.Previous == nil || *got.Previous != first || got.Event != domain.EventReentered {
		t.Errorf("second is %+v, want %+v", got, second)
	}
	if asOf.Before(second.UpdatedAt) || tx == 0 || events[1].TxID <= tx || !r.position.Snapshot.Sees(events[1].TxID) {
		t.Errorf("read as of %v, transactions %d and %d, snapshot %v", asOf, tx, events[1].TxID, r.position.Snapshot)
	}
}

// readAt is a row as it is read at that time.
func readAt(o domain.Occupancy, clock time.Time) domain.Occupancy {
	for _, at := range []*time.Time{&o.StartTime, &o.ExpireTime, &o.RegisteredAt, &o.UpdatedAt} {
		*at = at.UTC()
	}
	o.AsOf = clock
	return o
}

func TestChangesOfAnotherDatabase(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	position := newReader(t, s).position
	for name, change := range map[string]func(*domain.Position){
		"system":   func(p *domain.Position) { p.System = "7/8" },
		"timeline": func(p *domain.Position) { p.Timeline++ },
		"later state": func(p *domain.Position) {
			p.Snapshot.Xmin, p.Snapshot.Xmax = p.Snapshot.Xmin+1000, p.Snapshot.Xmax+1000
		},
		"neighbour": func(p *domain.Position) {
			p.System = newReader(t, open(t, Config{URL: newURL(t)})).position.System
		},
	} {
		p := position
		change(&p)
		if _, _, err := s.Changes(t.Context(), p); !errors.Is(err, domain.ErrFeedBroken) {
			t.Errorf("another %s: %v, want ErrFeedBroken", name, err)
		}
	}
}

func TestTooManyChanges(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	r := newReader(t, s)
	for _, rows := range []int{maxChanges, 1} {
		if _, err := s.floor.Exec(t.Context(), `
			INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, version, reg_dt)
			SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
			       'LOT', 'M' || n, 'FREE', 'FREED', 1, now() FROM generate_series(1, $1::int) n`, rows); err != nil {
			t.Fatal(err)
		}
		events, _, err := s.Changes(t.Context(), r.position)
		switch {
		case rows == maxChanges && (err != nil || len(events) != maxChanges):
			t.Errorf("told %d changes, %v; want %d", len(events), err, maxChanges)
		case rows == 1 && !errors.Is(err, domain.ErrFeedBroken):
			t.Errorf("one more: %v, want ErrFeedBroken", err)
		}
	}
}

// TestRestoredRowsAreNotToldForEver: they have ids of another server, that this one is yet to reach.
func TestRestoredRowsAreNotToldForEver(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	r := newReader(t, s)
	exec(t, s, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, version, reg_dt, tx_id)
		VALUES ($1 || '000000000000', 'LOT', 'A', 'FREE', 'FREED', 2, now(), '900000000')`, domain.TimeKeyPrefix(time.Now()))
	mustOccupy(t, s, key("B"), by("kim"))
	r.read()
	r.read()
	r.wantOnce(map[string]bool{"B v1": true})
}

// TestARestoreIsMendedAtTheStart: rows of a dump come with ids that this server
// is yet to reach, in some months, and they are never told as new.
func TestARestoreIsMendedAtTheStart(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	if n, err := s.MendRestored(t.Context()); n != 0 || err != nil {
		t.Fatalf("nothing to mend: %d, %v", n, err)
	}
	r := newReader(t, s)
	const rows = mendAtOnce + 5
	if _, err := s.floor.Exec(t.Context(), `
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, version, reg_dt, tx_id)
		SELECT to_char(now() AT TIME ZONE 'UTC' + n % 3 * interval '31 days', 'YYYYMMDDHH24MISSUS') || lpad(n::text, 12, '0'),
		       'LOT', 'R' || n, 'FREE', 'FREED', 1, now(), (pg_current_xact_id()::text::bigint + 1 + n)::text::xid8
		FROM generate_series(1, $1::int) n`, rows); err != nil {
		t.Fatal(err)
	}
	var mended atomic.Int64
	together(3, func(int) {
		n, err := s.MendRestored(t.Context())
		if err != nil {
			t.Error(err)
		}
		mended.Add(n)
	})
	if left := number(t, s, `SELECT count(*) FROM ct_occupy_item_history WHERE tx_id <> '3'`); left != 0 {
		t.Errorf("mended %d, left %d", mended.Load(), left)
	}
	for range 20 { // reaches the ids of some
		mustOccupy(t, s, key("B"), by("kim"))
	}
	r.read()
	r.wantOnce(map[string]bool{"B v1": true})
	if _, err := s.floor.Exec(t.Context(), `UPDATE ct_occupy_item_history SET tx_id = '4'`); err == nil {
		t.Error("the history is no longer append only")
	}
}

// TestTwoRestartsWhileAReaderIsAway: what was written in the life between them,
// under ids that the reader has seen end, is told.
func TestTwoRestartsWhileAReaderIsAway(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	mustOccupy(t, s, key("before"), by("kim"))
	r := newReader(t, s)
	mustOccupy(t, s, key("between"), by("lee")) // after a first restart, as the reader is to believe
	r.position.Started = r.position.Started.Add(-time.Hour)
	r.position.Snapshot = newReader(t, s).position.Snapshot // the ids were others' before they were lost
	stack.Postgres.Kill()
	if err := stack.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the database answers", func() bool { return s.Ready(t.Context()) == nil })
	mustOccupy(t, s, key("after"), by("lee"))
	r.read()
	r.wantOnce(map[string]bool{"between v1": true, "after v1": true})
}

func TestChangesThatAreNoLongerKept(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	position := newReader(t, s).position
	mustOccupy(t, s, key("A"), by("kim"))
	away := position
	away.Clock = away.Clock.Add(-25 * 24 * time.Hour) // last month's partition is the oldest
	if events, _, err := s.Changes(t.Context(), away); err != nil || len(events) != 1 {
		t.Errorf("away for weeks: %d changes, %v", len(events), err)
	}
	if _, err := s.floor.Exec(t.Context(), `ALTER TABLE ct_occupy_item_history DETACH PARTITION `+
		partitionName(monthOf(position.Clock, -1))); err != nil {
		t.Fatal(err)
	}
	away.Clock = monthOf(position.Clock, 0).Add(-2 * longAway)
	if _, _, err := s.Changes(t.Context(), away); !errors.Is(err, domain.ErrFeedBroken) {
		t.Errorf("from a month that is gone: %v, want ErrFeedBroken", err)
	}
	away.Clock = monthOf(position.Clock, 0)
	if _, _, err := s.Changes(t.Context(), away); err != nil {
		t.Errorf("from the month that is the oldest now: %v", err)
	}
}

// TestChangesAfterACrash has the server lose transaction ids that a reader has
// seen end, and give them out again.
func TestChangesAfterACrash(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for again := range 10 {
		mustOccupy(t, s, key(fmt.Sprint("before", again)), by("kim"))
		for range 20 {
			tx := begin(t, s.floor.Pool)
			if _, err := tx.Exec(t.Context(), `SELECT pg_current_xact_id()`); err != nil {
				t.Fatal(err)
			}
			_ = tx.Rollback(t.Context())
		}
		r := newReader(t, s)
		seen := r.position.Snapshot
		stack.Postgres.Kill()
		if err := stack.Postgres.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "the database answers", func() bool { return s.Ready(t.Context()) == nil })
		name := fmt.Sprint("after", again)
		mustOccupy(t, s, key(name), by("lee"))
		r.read()
		r.read()
		r.wantOnce(map[string]bool{name + " v1": true})
		if len(r.told) == 1 && seen.Sees(r.told[0].TxID) {
			return
		}
	}
	t.Error("no transaction id was given out again")
}

// TestAServerThatStartedItselfAnew: after the crash of one of its processes the
// server's start time is the old one, and yet ids may have been lost.
func TestAServerThatStartedItselfAnew(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	started := newReader(t, s).position.Started
	pid := number(t, s, `SELECT pg_backend_pid()`)
	if err := syscall.Kill(int(pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "another start is told", func() bool {
		p, err := s.Position(t.Context())
		return err == nil && p.Started.After(started)
	})
}

func TestPositionAsAnOrdinaryUser(t *testing.T) {
	url := newURL(t)
	s := open(t, Config{URL: url})
	role := "plain_" + url[strings.LastIndex(url, "/t_")+3:][:12]
	if _, err := s.floor.Exec(t.Context(), `CREATE ROLE `+role+` LOGIN;
		GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO `+role); err != nil {
		t.Fatal(err)
	}
	plain := open(t, Config{URL: strings.Replace(url, "occupy@", role+"@", 1)})
	if got, want := newReader(t, plain).position, newReader(t, s).position; got.System != want.System || got.Timeline != want.Timeline || !got.Started.Equal(want.Started) {
		t.Errorf("stands at %v, want %v", got, want)
	}
}

func TestMatching(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	if items, position, err := s.Matching(t.Context(), domain.OccupancyFilter{}); err != nil || len(items) != 0 || position.System == "" {
		t.Fatalf("of nothing: %v, %+v, %v", items, position, err)
	}
	for _, name := range []string{"A-1", "A-2", "B_1", "Bx1"} {
		mustOccupy(t, s, key(name), by("kim"))
	}
	if _, err := s.floor.Exec(t.Context(), `UPDATE ct_occupy_item SET expire_time = clock_timestamp() WHERE item_name = 'A-2';
		INSERT INTO ct_occupy_item (item_type, item_name) VALUES ('LOT', 'A-0')`); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]domain.OccupancyFilter{
		"A-1 A-2 B_1 Bx1": {},
		"A-1 A-2":         {Prefixes: []string{"A-", "a-"}},
		"B_1":             {Prefixes: []string{"B_"}, UserIDs: []string{"kim", "lee"}},
		"A-2":             {States: []domain.State{domain.StateExpired}},
		"A-1 B_1 Bx1":     {States: []domain.State{domain.StateOccupied, domain.StateFree}},
		"":                {UserIDs: []string{"lee"}},
	} {
		items, position, err := s.Matching(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(items))
		for i, o := range items {
			names[i] = o.ItemName
			if !f.Matches(&o) {
				t.Errorf("%+v does not match %+v", o, f)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%+v: got %q, want %q", f, got, want)
		}
		if events, _, err := s.Changes(t.Context(), position); err != nil || len(events) != 0 {
			t.Errorf("the position has not seen %v, %v", events, err)
		}
	}
}

func TestMatchingTooMany(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	if _, err := s.floor.Exec(t.Context(), `
		INSERT INTO ct_occupy_item (item_type, item_name, version)
		SELECT 'LOT', n, 1 FROM generate_series(1, $1::int) n`, maxMatching+1); err != nil {
		t.Fatal(err)
	}
	var input *domain.InputError
	if _, _, err := s.Matching(t.Context(), domain.OccupancyFilter{}); !errors.As(err, &input) || input.Argument != "filter" {
		t.Errorf("got %v, want an InputError of filter", err)
	}
	items, _, err := s.Matching(t.Context(), domain.OccupancyFilter{Prefixes: []string{"1"}})
	if err != nil || len(items) != 11111 {
		t.Errorf("narrowed: %d items, %v", len(items), err)
	}
}

// By pages, what was renewed and is not over.
func TestOccupied(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for _, name := range []string{"A", "B", "C", "D", "NEW", "OVER", "FREE"} {
		mustOccupy(t, s, key(name), by("kim"))
	}
	if _, err := s.floor.Exec(t.Context(), `
		UPDATE ct_occupy_item SET renewals = 3 WHERE item_name <> 'NEW';
		UPDATE ct_occupy_item SET expire_time = '2999-01-01' WHERE item_name IN ('A', 'C', 'D');
		UPDATE ct_occupy_item SET expire_time = start_time WHERE item_name = 'OVER';
		UPDATE ct_occupy_item SET state = 'FREE' WHERE item_name = 'FREE'`); err != nil {
		t.Fatal(err)
	}
	var names []string
	var last domain.Occupancy
	for {
		items, err := s.Occupied(t.Context(), last, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range items {
			if last = o; o.Renewals != 3 || o.State != domain.StateOccupied || time.Since(o.AsOf).Abs() > time.Minute {
				t.Errorf("%+v", o)
			}
			names = append(names, o.ItemName)
		}
		if len(items) < 2 {
			break
		}
	}
	if got := strings.Join(names, " "); got != "B A C D" {
		t.Errorf("got %q", got)
	}
}

// BenchmarkChanges is a read when nothing has happened.
func BenchmarkChanges(b *testing.B) {
	s := open(b, Config{URL: newURL(b)})
	position, err := s.Position(b.Context())
	for b.Loop() && err == nil {
		_, position, err = s.Changes(b.Context(), position)
	}
	if err != nil {
		b.Fatal(err)
	}
}
