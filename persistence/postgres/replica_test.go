package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"occupy/domain"
	"occupy/migrations"
	"occupy/persistence/devstack"
)

// withReplica opens a Store on servers of its own. What the primary writes is
// never kept waiting for questions on the replica.
func withReplica(t *testing.T) (*Store, *devstack.Beside) {
	t.Helper()
	mine, err := devstack.Start(t.Context(), devstack.Options{Postgres: true, PostgresSettings: map[string]string{"max_standby_streaming_delay": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mine.Stop() })
	url := mine.DatabaseURL(template)
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	replica, err := mine.StartReplica(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Config{URL: url, ReadURL: replica.DatabaseURL(template), MaxLag: time.Second})
	waitUntil(t, "the replica serves", s.adhoc.replica.keepsUp)
	return s, replica
}

func TestReplica(t *testing.T) {
	s, replica := withReplica(t)
	t.Run("a question that it never answers is asked of the primary", func(t *testing.T) {
		replica.Pause()
		defer replica.Continue()
		ctx, done := context.WithTimeout(t.Context(), DefaultAdhocTimeout/2)
		defer done()
		if _, err := s.Occupancies(ctx, domain.OccupancyQuery{}); err != nil {
			t.Error(err)
		}
	})
	waitUntil(t, "it serves again", s.adhoc.replica.keepsUp)
	t.Run("a question that it cancels is asked of the primary", func(t *testing.T) {
		answered := make(chan error)
		go func() {
			_, err := answer(t.Context(), s.adhoc, question[domain.Occupancy]{
				list:  `SELECT ` + occupancyColumns + `, now() FROM ct_occupy_item i, (SELECT CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) END) slow`,
				where: &conditions{}, order: keyset{columns: []string{"i.item_name"}}, scan: scanSeen,
			})
			answered <- err
		}()
		watch := s.adhoc.replica.look
		waitUntil(t, "the replica works on it", func() (works bool) {
			err := watch.QueryRow(t.Context(), `SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`).Scan(&works)
			return err == nil && works
		})
		exec(t, s, `BEGIN; LOCK TABLE ct_occupy_item; COMMIT`)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if !s.adhoc.replica.keepsUp() {
			t.Error("it is given up for that")
		}
	})
	t.Run("a question may not write", func(t *testing.T) {
		_, err := s.adhoc.replica.pool.Exec(t.Context(), `DELETE FROM ct_occupy_item`)
		if sqlState(err) != sqlReadOnly {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one that is a primary by now is asked no more", func(t *testing.T) {
		if _, err := s.adhoc.replica.look.Pool.Exec(t.Context(), `SELECT pg_promote()`); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "it is left", func() bool { return !s.adhoc.replica.keepsUp() })
		waitUntil(t, "it is said why", func() bool { return strings.Contains(s.Notes()[0], "takes writes of its own") })
	})
	t.Run("the primary itself will do", func(t *testing.T) {
		s := open(t, Config{URL: newURL(t)})
		same := open(t, Config{URL: s.floor.Config().ConnString(), ReadURL: s.floor.Config().ConnString()})
		waitUntil(t, "it serves", same.adhoc.replica.keepsUp)
	})
	t.Run("another database will not", func(t *testing.T) {
		other := open(t, Config{URL: newURL(t), ReadURL: replica.DatabaseURL(template)})
		waitUntil(t, "it is said why", func() bool { return strings.Contains(other.Notes()[0], "another database") })
	})
}

// Behind is measured by what the primary had written when, not by transactions:
// there may be none.
func TestHowFarBehind(t *testing.T) {
	r := &replica{maxLag: 3 * time.Second}
	began := time.Now()
	for second, c := range []struct {
		primary, replica int64
		says             string
	}{
		{100, 90, "it is about 0s behind"}, // nothing is known yet
		{100, 100, ""},
		{100, 100, ""}, // nothing happens for long
		{200, 100, ""},
		{300, 100, ""},
		{400, 150, ""}, // 3 s ago, at the latest, it had everything
		{500, 150, "it is about 4s behind"},
		{600, 150, "it is about 5s behind"},
		{700, 300, "it is about 4s behind"},
		{800, 500, ""},
		{900, 900, ""},
	} {
		now := began.Add(time.Duration(second) * time.Second)
		r.marks = append(r.marks, mark{now, c.primary})
		says := ""
		if err := r.behind(now, c.replica); err != nil {
			says = err.Error()
		}
		if says != c.says {
			t.Errorf("second %d: %q, want %q", second, says, c.says)
		}
	}
	if len(r.marks) > 4 {
		t.Errorf("%d marks are kept", len(r.marks))
	}
}
