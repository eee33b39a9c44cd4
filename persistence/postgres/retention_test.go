package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/domain"
)

const testKeep = 70 * 24 * time.Hour

// withOldMonths makes the partitions of months gone by, each with a row. Returns the
// names of those that a retention of testKeep does not keep, oldest first.
func withOldMonths(t *testing.T, s *Store, months ...int) (past []string) {
	t.Helper()
	now, err := s.Clock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, back := range months {
		month := monthOf(now, -back)
		if _, err := makePartition(t.Context(), s.floor.Pool, month); err != nil {
			t.Fatal(err)
		}
		if err := insertHistory(t.Context(), s.floor, monthKey(month)+"15000000000000000000000001"); err != nil {
			t.Fatal(err)
		}
		if !monthOf(month, 1).After(now.Add(-testKeep)) {
			past = append(past, partitionName(month))
		}
	}
	slices.Sort(past)
	return past
}

// tables lists what there is of the history, attached or not.
func tables(t *testing.T, s *Store) []string {
	t.Helper()
	rows, _ := s.floor.Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relname LIKE 'ct\_occupy\_item\_history\_2%' AND relkind = 'r' ORDER BY 1`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantDropped(t *testing.T, s *Store, dropped int, names ...string) {
	t.Helper()
	n, err := s.DropHistory(t.Context(), testKeep)
	if err != nil || n != dropped {
		t.Errorf("dropped %d: %v, want %d", n, err, dropped)
	}
	for _, name := range tables(t, s) {
		if slices.Contains(names, name) {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestMonthsPastTheRetentionGo(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	mustOccupy(t, s, key("LOT1"), by("kim"))
	past := withOldMonths(t, s, 2, 5, 6, 14)
	if len(past) != 3 {
		t.Fatal(past)
	}
	kept := len(tables(t, s)) - len(past)
	wantDropped(t, s, 3, past...)
	wantDropped(t, s, 0)
	if n := len(tables(t, s)); n != kept {
		t.Errorf("%d partitions are left, want %d", n, kept)
	}
	wantEvents(t, s, key("LOT1"), "1 OCCUPIED kim")
	mustOccupy(t, s, key("LOT2"), by("kim"))
}

func TestWhoHeldItBeforeTheRetentionIsNotKnown(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	withOldMonths(t, s, 6) // L1, in its first version
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, reg_dt, updt_dt, version) VALUES ('LOT', 'L1', clock_timestamp() - interval '400 days', clock_timestamp(), 1)`)
	ago := func(months int) error {
		at := time.Now().AddDate(0, -months, 0)
		_, one := s.HolderAt(t.Context(), key("L1"), at)
		_, all := s.HeldAt(t.Context(), domain.HeldAtQuery{At: at, Cut: domain.Cut{Limit: 1}})
		if (one == nil) != (all == nil) {
			t.Errorf("of the item %v, of all %v", one, all)
		}
		return all
	}
	if err := errors.Join(ago(12), ago(1)); err != nil {
		t.Errorf("all is there: %v", err)
	}
	wantDropped(t, s, 1)
	var input *domain.InputError
	if err := ago(12); !errors.As(err, &input) || input.Argument != "at" {
		t.Errorf("all is gone: %v", err)
	}
	if _, err := s.HolderAt(t.Context(), key("NEVER"), time.Now()); err != nil {
		t.Error(err)
	}
}

// What an administrator has detached, to keep it elsewhere, is theirs.
func TestAMonthThatSomebodyHasPutAsideIsKept(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	past := withOldMonths(t, s, 6)
	exec(t, s, "ALTER TABLE ct_occupy_item_history DETACH PARTITION "+past[0])
	wantDropped(t, s, 0)
	if !slices.Contains(tables(t, s), past[0]) {
		t.Error("it was dropped")
	}
}

// TestDroppingStopsNobody: each insert, and each read of all months, would fail if it had to wait for a lock, while
// to detach waits for somebody who reads on and on. It is given up in the middle, and
// gone on with.
func TestDroppingStopsNobody(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	past := withOldMonths(t, s, 6)
	reader := begin(t, s.floor.Pool)
	if _, err := reader.Exec(t.Context(), `SELECT count(*) FROM ct_occupy_item_history`); err != nil {
		t.Fatal(err)
	}
	stop, stopReads := insertUntilStopped(t, s.floor.Pool), readUntilStopped(t, s.floor.Pool)
	ctx, giveUp := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := s.DropHistory(ctx, testKeep)
		failed <- err
	}()
	waitUntil(t, "it is being detached", func() bool {
		return number(t, s, `SELECT count(*) FROM pg_inherits WHERE inhdetachpending`) == 1
	})
	mustOccupy(t, s, key("LOT1"), by("kim"))
	wantEvents(t, s, key("LOT1"), "1 OCCUPIED kim") // to read does not wait either
	giveUp()
	if err := <-failed; err == nil {
		t.Error("it did not wait for the reader")
	}
	if err := reader.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantDropped(t, s, 1, past...)
	if inserts, reads := stop(), stopReads(); inserts == 0 || reads == 0 {
		t.Errorf("%d inserts and %d reads ran beside it", inserts, reads)
	}
}

// readUntilStopped looks into every month, by a plan that is made once, and as a rule before a month goes; with nobody
// waiting for a lock for longer than a tenth of a second.
func readUntilStopped(t *testing.T, pool *pgxpool.Pool) (stop func() int) {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `SET lock_timeout = '100ms'; SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var stopped atomic.Bool
	n := 0
	all.Go(func() {
		defer conn.Close(context.WithoutCancel(t.Context()))
		for rows := 0; !stopped.Load(); n++ {
			if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM ct_occupy_item_history WHERE item_type = $1`, "LOT").Scan(&rows); err != nil {
				t.Errorf("read %d: %v", n, err)
				return
			}
		}
	})
	return func() int { stopped.Store(true); all.Wait(); return n }
}

// A gateway can end between any two steps.
func TestDroppingGoesOnWhereItStopped(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	past := withOldMonths(t, s, 6, 7)
	exec(t, s, fmt.Sprintf("COMMENT ON TABLE %s IS '%s'", past[0], pastRetention))
	exec(t, s, "ALTER TABLE ct_occupy_item_history DETACH PARTITION "+past[0])
	exec(t, s, fmt.Sprintf("COMMENT ON TABLE %s IS '%s'", past[1], pastRetention))
	wantDropped(t, s, 2, past...)
}
