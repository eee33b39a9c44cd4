package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"occupy/domain"
	"occupy/persistence/devstack"
)

// overdue makes n items whose time ran out a while ago and whom nobody looked up.
func overdue(t testing.TB, s *Store, n int) {
	t.Helper()
	_, err := s.floor.Exec(t.Context(), `
		WITH item AS (
			INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time,
				fencing_token, version, reg_usr_id, reg_dt, updt_usr_id, updt_dt)
			SELECT 'LOT', 'OVERDUE-' || n, 'OCCUPIED', 'kim', now() - interval '1 hour', now() - interval '1 minute',
				1, 1, 'kim', now() - interval '1 hour', 'kim', now() - interval '1 hour'
			FROM generate_series(1, $1) n RETURNING *)
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, user_id, start_time, expire_time,
			fencing_token, version, event, reg_usr_id, reg_dt)
		SELECT to_char(reg_dt AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
			item_type, item_name, state, user_id, start_time, expire_time, fencing_token, version, 'OCCUPIED', reg_usr_id, reg_dt
		FROM item ORDER BY item_name`, n)
	if err != nil {
		t.Fatal(err)
	}
}

const (
	countExpiredRows = `SELECT count(*) FROM ct_occupy_item_history WHERE event = 'EXPIRED'`
	countOverdue     = `SELECT count(*) FROM ct_occupy_item WHERE state = 'OCCUPIED' AND item_type = 'LOT' AND expire_time < clock_timestamp()`
)

// sweep does one run of a sweeper on a gateway, if it can have the lock.
func sweep(s *Store, session string) (swept int, err error) {
	jobs := &domain.Jobs{Store: s, Log: s, Session: session}
	_, err = jobs.Hold(context.Background(), domain.CleanupLock, 5*time.Second, func(ctx context.Context) (err error) {
		swept, err = (&domain.Sweeper{Store: s}).RunOnce(ctx)
		return err
	})
	return swept, err
}

// Rule 16: however many gateways sweep and users look up at once, one EXPIRED
// row an expiry.
func TestOneExpiredRowAnExpiry(t *testing.T) {
	url := newURL(t)
	gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url})}
	const items = 1200
	overdue(t, gateways[0], items)
	var all sync.WaitGroup
	for i, s := range gateways {
		// Both sweep, as if neither knew of the lock.
		all.Go(func() {
			for number(t, s, countOverdue) > 0 {
				_, _ = (&domain.Sweeper{Store: s}).RunOnce(context.Background())
			}
		})
		all.Go(func() {
			for n := i + 1; n <= items; n += 40 {
				mustOccupy(t, s, key(fmt.Sprint("OVERDUE-", n)), by("lee"))
			}
		})
	}
	all.Wait()
	if n := number(t, gateways[0], countExpiredRows); n != items {
		t.Errorf("%d EXPIRED rows of %d expiries", n, items)
	}
}

// Rule 17.
func TestOneGatewaySweepsAtATime(t *testing.T) {
	url := newURL(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
	overdue(t, a, 1)
	// The first was killed in the middle: it holds the lock and is gone.
	c := domain.Occupy{Claim: domain.Claim{UserID: domain.SystemUser, Session: "a"}, TTL: time.Minute}
	mustOccupy(t, a, domain.CleanupLock, c)
	if n, err := sweep(b, "b"); n != 0 || err != nil {
		t.Error("the other gateway swept too:", n, err)
	}
	if _, err := a.floor.Exec(t.Context(), `UPDATE ct_occupy_item SET expire_time = clock_timestamp() WHERE item_type = 'SLOT'`); err != nil {
		t.Fatal(err)
	}
	if n, err := sweep(b, "b"); n != 1 || err != nil {
		t.Error("the other gateway did not take over:", n, err)
	}
}

// Rule 16: the rest is swept though one row can not be.
func TestABrokenRowDoesNotStopTheSweep(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	overdue(t, s, 3)
	_, err := s.floor.Exec(t.Context(), `
		CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
		CREATE TRIGGER broken BEFORE UPDATE ON ct_occupy_item FOR EACH ROW WHEN (OLD.item_name = 'OVERDUE-2') EXECUTE FUNCTION broken()`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := sweep(s, "a"); n != 2 || err == nil {
		t.Errorf("swept %d: %v", n, err)
	}
}

// Case S5: a lookup is not the sweeper.
func TestAnOccupyTouchesOnlyItsOwnRow(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	overdue(t, s, 1000)
	mustOccupy(t, s, key("OVERDUE-7"), by("lee"))
	if n := number(t, s, countOverdue); n != 999 {
		t.Errorf("%d rows are still overdue, want 999", n)
	}
	if n := number(t, s, countExpiredRows); n != 1 {
		t.Errorf("%d EXPIRED rows, want 1", n)
	}
}

// Case S3.
func TestTheDatabaseGoesAwayInTheMiddleOfASweep(t *testing.T) {
	stack, err := devstack.Start(t.Context(), devstack.Options{Postgres: true,
		PostgresSettings: map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	url := stack.DatabaseURL("occupy")
	if err := migrateTemplate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	s := open(t, Config{URL: url})
	const items = 5000
	overdue(t, s, items)
	ctx, stop := context.WithCancel(t.Context())
	var sweeping sync.WaitGroup
	jobs := &domain.Jobs{Store: s, Log: s, Session: "a", Node: "node"}
	sweeping.Go(func() { jobs.Run(ctx, (&domain.Sweeper{Store: s}).Job()) })
	waitUntil(t, "some are swept", func() bool { return number(t, s, countExpiredRows) > 0 })
	stack.Postgres.Kill()
	if err := stack.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "all are swept", func() bool {
		var n int
		return s.floor.QueryRow(t.Context(), countOverdue).Scan(&n) == nil && n == 0
	})
	stop()
	sweeping.Wait()
	if n := number(t, s, countExpiredRows); n != items {
		t.Errorf("%d EXPIRED rows of %d expiries", n, items)
	}
}

// Case L9: within milliseconds of the expiry a holder renews while another
// takes over. One of them wins, and the loser is told.
func TestRenewAgainstTakeOver(t *testing.T) {
	url := newURL(t)
	holder, other := open(t, Config{URL: url}), open(t, Config{URL: url})
	var renewed, taken atomic.Int32
	for round := range 60 {
		item := key(fmt.Sprint("LOT", round))
		mustOccupy(t, holder, item, by("kim"))
		if _, err := holder.floor.Exec(t.Context(), `UPDATE ct_occupy_item
			SET expire_time = clock_timestamp() + $2 * interval '1 us' WHERE item_name = $1`, item.ItemName, round*50); err != nil {
			t.Fatal(err)
		}
		var a, b domain.Code
		var all sync.WaitGroup
		all.Go(func() {
			err := holder.Update(context.Background(), domain.Update{Keys: []domain.ItemKey{item},
				Decide: func(clock time.Time, items []domain.Occupancy) (done []domain.Transition) {
					a, done = items[0].Renew(clock, domain.Renew{Claim: domain.Claim{UserID: "kim"}, TTL: time.Minute})
					return done
				}})
			if err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			var err error
			if b, _, err = occupy(other, item, by("lee")); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		switch {
		case a == domain.CodeRenewed && b == domain.CodeHeld:
			renewed.Add(1)
			wantEvents(t, other, item, "1 OCCUPIED kim")
		case (a == domain.CodeExpired || a == domain.CodeNotHolder) && b == domain.CodeGranted:
			taken.Add(1)
			wantEvents(t, other, item, "1 OCCUPIED kim", "2 EXPIRED kim", "3 OCCUPIED lee")
		case a == domain.CodeExpired && b == domain.CodeHeld: // asked a moment before, too late for the renewal
			wantEvents(t, other, item, "1 OCCUPIED kim")
		default:
			t.Fatalf("round %d: renew %s, take-over %s", round, a, b)
		}
	}
	t.Logf("renewed %d times, taken over %d times", renewed.Load(), taken.Load())
}
