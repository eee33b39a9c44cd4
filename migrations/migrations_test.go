package migrations

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"occupy/persistence/devstack"
)

// migrateEnv makes this test binary a gateway that migrates that URL and ends.
const migrateEnv = "OCCUPY_TEST_MIGRATE"

var stack *devstack.Stack

func TestMain(m *testing.M) {
	if url := os.Getenv(migrateEnv); url != "" {
		if err := Up(context.Background(), url); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(devstack.Main(m, devstack.Options{Postgres: true}, func(s *devstack.Stack) error { stack = s; return nil }))
}

func TestUpByManyAtOnceOnAnEmptyDatabase(t *testing.T) {
	for range 5 {
		url := emptyDB(t)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if err := Up(t.Context(), url); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		checkMigratedOnce(t, connect(t, url))
	}
}

func TestUpByManyProcessesAtOnceOnAnEmptyDatabase(t *testing.T) {
	for range 2 {
		url := emptyDB(t)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if out, err := gateway(t, url).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		wg.Wait()
		checkMigratedOnce(t, connect(t, url))
	}
}

// TestUpAfterOneWasKilledInTheMiddle stops a gateway halfway through a migration, kills it, and lets others in.
func TestUpAfterOneWasKilledInTheMiddle(t *testing.T) {
	url := emptyDB(t)
	conn := connect(t, url)
	obstacle, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, obstacle, `CREATE SEQUENCE ct_occupy_time_key`) // not committed: the migration comes to it and waits
	first := gateway(t, url)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, connect(t, url), `SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'CREATE SEQUENCE%')`)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()

	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := Up(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	if err := obstacle.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	checkMigratedOnce(t, conn)
}

// TestUpOnAMigratedDatabaseIsFastAndTakesNoLock: another gateway holds the lock for the whole time.
func TestUpOnAMigratedDatabaseIsFastAndTakesNoLock(t *testing.T) {
	url := emptyDB(t)
	up(t, url)
	conn := connect(t, url)
	exec1(t, conn, `SELECT pg_advisory_lock($1)`, lockKey)
	best := time.Hour
	for range 5 {
		start := time.Now()
		up(t, url)
		best = min(best, time.Since(start))
	}
	t.Logf("best of five: %v", best)
	if best > 100*time.Millisecond {
		t.Errorf("took %v, want under 100 ms", best)
	}
}

func TestUpWaitsForTheOneThatMigratesUntilItsContextEnds(t *testing.T) {
	url := emptyDB(t)
	exec1(t, connect(t, url), `SELECT pg_advisory_lock($1)`, lockKey)
	ctx, cancel := context.WithTimeout(t.Context(), 2*askAgain)
	defer cancel()
	if err := Up(ctx, url); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
}

func TestPending(t *testing.T) {
	url := emptyDB(t)
	conn := connect(t, url)
	checkPending(t, conn, true)
	up(t, url)
	checkPending(t, conn, false)
	exec1(t, conn, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
	checkPending(t, conn, false) // a newer gateway was here
	up(t, url)
	exec1(t, conn, `DELETE FROM goose_db_version WHERE version_id = 1`)
	checkPending(t, conn, true)
}

func TestNoVersionIsRecordedTwice(t *testing.T) {
	url := emptyDB(t)
	up(t, url)
	_, err := connect(t, url).Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1, true)`)
	checkRefused(t, err, "23505", "goose_db_version_once")
}

func TestItemRefusesWhatTheRulesForbid(t *testing.T) {
	url := emptyDB(t)
	up(t, url)
	conn := connect(t, url)
	for _, c := range []struct{ what, values, code, constraint string }{
		{"a holder", `'L1', 'kim', 'OCCUPIED', now(), now()`, "", ""},
		{"no user", `'L2', '', 'OCCUPIED', now(), now()`, "23514", "ct_occupy_item_holder_ck"},
		{"blank user", `'L2', '  ', 'OCCUPIED', now(), now()`, "23514", "ct_occupy_item_holder_ck"},
		{"null user", `'L2', NULL, 'OCCUPIED', now(), now()`, "23502", ""},
		{"no start", `'L2', 'kim', 'OCCUPIED', NULL, now()`, "23514", "ct_occupy_item_holder_ck"},
		{"no expiry", `'L2', 'kim', 'OCCUPIED', now(), NULL`, "23514", "ct_occupy_item_holder_ck"},
		{"another state", `'L2', 'kim', 'LOCKED', now(), now()`, "23514", "ct_occupy_item_state_ck"},
		{"twice", `'L1', 'lee', 'OCCUPIED', now(), now()`, "23505", "ct_occupy_item_pk"},
		{"a place-holder", `'L3', '', 'FREE', NULL, NULL`, "", ""},
	} {
		_, err := conn.Exec(t.Context(), `INSERT INTO ct_occupy_item
			(item_type, item_name, user_id, state, start_time, expire_time) VALUES ('LOT', `+c.values+`)`)
		if c.code == "" {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		t.Run(c.what, func(t *testing.T) { checkRefused(t, err, c.code, c.constraint) })
	}
}

func TestEveryTableViewAndColumnIsExplainedAndEveryNameComparedByteByByte(t *testing.T) {
	url := emptyDB(t)
	up(t, url)
	rows, err := connect(t, url).Query(t.Context(), `
		SELECT c.relname || '.' || COALESCE(a.attname, '*') || ': ' || CASE WHEN a.collname = 'default' THEN 'collation' ELSE 'comment' END
		FROM pg_class c LEFT JOIN LATERAL (
			SELECT a.attname, a.attnum, l.collname FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation
			WHERE a.attrelid = c.oid AND a.attnum > 0 UNION ALL SELECT NULL, 0, NULL) a ON true
		WHERE (c.relname LIKE 'ct\_%' AND c.relkind IN ('r', 'p') OR c.relname LIKE 'v\_%' AND c.relkind = 'v') AND a.attname IS DISTINCT FROM 'comment'
		  AND (COALESCE(col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class')) IS NULL
		       OR a.attnum > 0 AND col_description(c.oid, a.attnum) IS NULL OR a.collname = 'default')`)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(bare) > 0 {
		t.Errorf("missing: %s", strings.Join(bare, ", "))
	}
}

// TestTimeKeySequenceStartsOver: 12 digits, then 0 again rather than an error or a 13th.
func TestTimeKeySequenceStartsOver(t *testing.T) {
	url := emptyDB(t)
	up(t, url)
	conn := connect(t, url)
	var got [3]int64
	for i := range got {
		if err := conn.QueryRow(t.Context(), `SELECT nextval('ct_occupy_time_key')`).Scan(&got[i]); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			exec1(t, conn, `SELECT setval('ct_occupy_time_key', 999999999998)`)
		}
	}
	if want := [3]int64{0, 999999999999, 0}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

type execer interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}

func emptyDB(t *testing.T) string {
	t.Helper()
	url, err := stack.NewDatabase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func up(t *testing.T, url string) {
	t.Helper()
	if err := Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func gateway(t *testing.T, url string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), migrateEnv+"="+url)
	return cmd
}

func exec1(t *testing.T, q execer, sql string, args ...any) {
	t.Helper()
	if _, err := q.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// waitFor asks until the answer is true, half a minute at most.
func waitFor(t *testing.T, conn *pgx.Conn, question string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for yes := false; !yes; {
		if err := conn.QueryRow(ctx, question).Scan(&yes); err != nil {
			t.Fatalf("%s: %v", question, err)
		}
	}
}

func checkPending(t *testing.T, q Querier, want bool) {
	t.Helper()
	if got, err := Pending(t.Context(), q); err != nil || got != want {
		t.Errorf("pending %v, %v; want %v", got, err, want)
	}
}

func checkMigratedOnce(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	checkPending(t, conn, false)
	var rows, versions int
	if err := conn.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT version_id) FROM goose_db_version`).Scan(&rows, &versions); err != nil {
		t.Fatal(err)
	}
	if rows != versions {
		t.Errorf("%d rows for %d versions", rows, versions)
	}
}

func checkRefused(t *testing.T, err error, code, constraint string) {
	t.Helper()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != code || pgErr.ConstraintName != constraint {
		t.Errorf("got %v, want %s %s", err, code, constraint)
	}
}
