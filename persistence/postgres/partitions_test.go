package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// farMonth is a month that no template has partitions for.
var farMonth = time.Date(2040, 2, 29, 23, 0, 0, 0, time.UTC)

func TestEnsurePartitionsCoversLastMonthToAYearAhead(t *testing.T) {
	pool := newDB(t)
	if made := ensure(t, pool, farMonth, 0); made != 14 {
		t.Errorf("made %d partitions, want 14 (last month, this month, twelve ahead)", made)
	}
	for _, month := range []string{"204001", "204002", "204012", "204101", "204102"} {
		if err := insertHistory(t.Context(), pool, month+"28235959999999"+"000000000001"); err != nil {
			t.Errorf("insert into %s: %v", month, err)
		}
		var n int
		scan(t, pool, &n, "SELECT count(*) FROM ct_occupy_item_history_"+month)
		if n != 1 {
			t.Errorf("partition %s holds %d rows, want its own one", month, n)
		}
	}
	if made := ensure(t, pool, farMonth, 12); made != 0 {
		t.Errorf("second call made %d, want 0", made)
	}
	if made := ensure(t, pool, farMonth.AddDate(0, 0, 1), 15); made != 4 {
		t.Errorf("a month later, 15 ahead: made %d, want 4", made)
	}
}

func TestEnsurePartitionsCountsMonthsInUTC(t *testing.T) {
	seoul := time.FixedZone("KST", 9*60*60)
	if got := monthKey(monthOf(time.Date(2026, 1, 1, 8, 59, 0, 0, seoul), 0)); got != "202512" {
		t.Errorf("08:59 on New Year's Day in Seoul is %s, want 202512", got)
	}
	if got := monthKey(monthOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), 2)); got != "202702" {
		t.Errorf("two months after 31 December is %s, want 202702", got)
	}
}

func TestEnsurePartitionsByManyGatewaysAtOnce(t *testing.T) {
	pool := newDB(t)
	var made [8]int
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i] = ensure(t, pool, farMonth, 12) })
	}
	wg.Wait()
	total := 0
	for _, n := range made {
		total += n
	}
	if total != 14 {
		t.Errorf("together they made %v = %d, want 14", made, total)
	}
}

func TestPartitionsHaveTheParentsIndexesOnce(t *testing.T) {
	pool := newDB(t)
	ensure(t, pool, farMonth, 12)
	rows, err := pool.Query(t.Context(), `
		SELECT x.indrelid::regclass || ': ' || count(*) || ' indexes, ' || count(i.inhparent) || ' attached'
		FROM pg_inherits p JOIN pg_index x ON x.indrelid = p.inhrelid LEFT JOIN pg_inherits i ON i.inhrelid = x.indexrelid
		WHERE p.inhparent = 'ct_occupy_item_history'::regclass
		GROUP BY x.indrelid
		HAVING count(*) <> (SELECT count(*) FROM pg_index WHERE indrelid = 'ct_occupy_item_history'::regclass)
		    OR count(DISTINCT i.inhparent) <> count(*)`)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) > 0 {
		t.Errorf("want as many indexes as the parent has, each attached to one of its own; got %v", wrong)
	}
}

// TestInsertIntoAMissingMonth pins what the error translator goes by: code and table, and no constraint.
func TestInsertIntoAMissingMonth(t *testing.T) {
	pool := newDB(t)
	err := insertHistory(t.Context(), pool, "19991231235959999999000000000001")
	want := pgconn.PgError{Code: "23514", TableName: "ct_occupy_item_history", ConstraintName: ""}
	got := asPgError(t, err)
	if got.Code != want.Code || got.TableName != want.TableName || got.ConstraintName != want.ConstraintName {
		t.Errorf("got code %q table %q constraint %q, want %q %q %q",
			got.Code, got.TableName, got.ConstraintName, want.Code, want.TableName, want.ConstraintName)
	}
	month := time.Now().UTC().Format("200601")
	got = asPgError(t, insertHistory(t.Context(), pool, month+"01"))
	if got.Code != "23514" || got.ConstraintName != "ct_occupy_item_history_time_key_ck" {
		t.Errorf("a short key: got code %q constraint %q, want a 23514 that names its constraint", got.Code, got.ConstraintName)
	}
}

// TestLongReaderStopsNobody: every insert would fail if it had to wait for a lock as long as EnsurePartitions may.
func TestLongReaderStopsNobody(t *testing.T) {
	pool := newDB(t)
	reader := begin(t, pool)
	var n int
	if err := reader.QueryRow(t.Context(), `SELECT count(*) FROM ct_occupy_item_history`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	stop := insertUntilStopped(t, pool)
	made := ensure(t, pool, farMonth, 12)
	if inserted := stop(); inserted == 0 {
		t.Error("no insert ran beside it")
	}
	if made != 14 {
		t.Errorf("made %d beside the reader, want 14", made)
	}
}

// TestEnsurePartitionsGivesUpOnABusyHistory: a VACUUM of the history, say, holds this lock for as long as it takes.
func TestEnsurePartitionsGivesUpOnABusyHistory(t *testing.T) {
	pool := newDB(t)
	vacuum := begin(t, pool)
	if _, err := vacuum.Exec(t.Context(), `LOCK TABLE ct_occupy_item_history IN SHARE UPDATE EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	stop := insertUntilStopped(t, pool)
	made, err := EnsurePartitions(t.Context(), pool, farMonth, 12)
	if inserted := stop(); inserted == 0 {
		t.Error("no insert ran beside it")
	}
	if !isLockTimeout(err) || made != 0 {
		t.Errorf("got made %d, error %v; want 0 and a lock timeout", made, err)
	}
	if err := vacuum.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if made := ensure(t, pool, farMonth, 12); made != 14 {
		t.Errorf("made %d once it is free, want 14", made)
	}
}

func TestEnsurePartitionsTriesAgain(t *testing.T) {
	pool := newDB(t)
	vacuum := begin(t, pool)
	if _, err := vacuum.Exec(t.Context(), `LOCK TABLE ct_occupy_item_history IN SHARE UPDATE EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var made int
	var wg sync.WaitGroup
	wg.Go(func() { made = ensure(t, pool, farMonth, 12) })
	first := waitForAttach(t, pool, 0)
	waitForAttach(t, pool, first) // in another transaction: the first has timed out
	if err := vacuum.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if made != 14 {
		t.Errorf("made %d after a lock timeout, want 14", made)
	}
}

// waitForAttach waits, half a minute at most, for an ATTACH that waits for its lock in a transaction other than
// not, and returns that transaction.
func waitForAttach(t *testing.T, pool *pgxpool.Pool, not int) (xid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for xid == 0 || xid == not {
		if err := pool.QueryRow(ctx, `SELECT COALESCE(max(a.backend_xid::text::int), 0)
			FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE NOT l.granted AND l.relation = 'ct_occupy_item_history'::regclass`).Scan(&xid); err != nil {
			t.Fatalf("waiting for an ATTACH that waits: %v", err)
		}
	}
	return xid
}

func TestHistoryIsAppendOnly(t *testing.T) {
	pool := newDB(t)
	now := time.Now().UTC()
	if err := insertHistory(t.Context(), pool, now.Format("20060102150405")+"000000"+"000000000001"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{historyTable, partitionName(now)} {
		for _, change := range []string{"UPDATE %s SET comment = 'x'", "DELETE FROM %s", "TRUNCATE %s"} {
			sql := fmt.Sprintf(change, table)
			for _, maintenance := range []string{"off", "on"} {
				err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
					_, err := tx.Exec(t.Context(), "SET LOCAL occupy.maintenance = "+maintenance+";"+sql)
					return err
				})
				if maintenance == "on" && change[0] == 'U' {
					if err != nil {
						t.Errorf("%s under maintenance: %v", sql, err)
					}
				} else if got := asPgError(t, err); got.Code != "23001" || got.ConstraintName != "ct_occupy_item_history_append_only" {
					t.Errorf("%s, maintenance %s: got %s %q, want 23001 append_only", sql, maintenance, got.Code, got.ConstraintName)
				}
			}
		}
	}
}

func ensure(t *testing.T, pool *pgxpool.Pool, now time.Time, months int) int {
	t.Helper()
	made, err := EnsurePartitions(t.Context(), pool, now, months)
	if err != nil {
		t.Error(err)
	}
	return made
}

func insertHistory(ctx context.Context, q interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, timeKey string) error {
	_, err := q.Exec(ctx, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, user_id, state, version, event, reg_dt)
		VALUES ($1, 'LOT', 'L1', 'kim', 'FREE', 1, 'FREED', now())`, timeKey)
	return err
}

// insertUntilStopped inserts history rows of this month one after the other, none of which may wait for a lock for
// longer than a tenth of a second. The first has come through when it returns.
func insertUntilStopped(t *testing.T, pool *pgxpool.Pool) (stop func() int) {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `SET lock_timeout = '100ms'`); err != nil {
		t.Fatal(err)
	}
	started, stopped, n := make(chan struct{}), make(chan struct{}), 0
	var wg sync.WaitGroup
	wg.Go(func() {
		defer conn.Release()
		for {
			key := fmt.Sprintf("%s000000%012d", time.Now().UTC().Format("20060102150405"), n)
			if err := insertHistory(t.Context(), conn, key); err != nil {
				t.Errorf("insert %d: %v", n, err)
			}
			if n++; n == 1 {
				close(started)
			}
			select {
			case <-stopped:
				return
			default:
			}
		}
	})
	<-started
	return func() int {
		close(stopped)
		wg.Wait()
		return n - 1
	}
}

func begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

func scan(t *testing.T, pool *pgxpool.Pool, into any, sql string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), sql).Scan(into); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func asPgError(t *testing.T, err error) *pgconn.PgError {
	t.Helper()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		t.Fatalf("got %v, want an error of the database", err)
	}
	return pgErr
}
