package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// historyTable is the partitioned parent; a partition is named after it and its month.
	historyTable = "ct_occupy_item_history"

	// minMonthsAhead is how far ahead partitions are made at least: a plant that never restarts a gateway for a year
	// goes on.
	minMonthsAhead = 12

	// maxPartitionTimeouts is how many lock timeouts EnsurePartitions puts up with over all partitions together.
	maxPartitionTimeouts = 10

	// partitionLockKey is the advisory lock of whoever makes a partition: "parts" in ASCII.
	partitionLockKey int64 = 0x7061727473
)

// EnsurePartitions makes the month partitions of the history that are missing, from the month before now (in UTC)
// through months ahead, never fewer than twelve, and reports how many it made.
//
// If none is missing it is one catalog query. Safe to call from any number of gateways at once. Neither readers nor
// writers of the history wait for it, and it does not wait for them; what it does wait for (a VACUUM or DDL on the
// history itself) is given up after a fifth of a second and tried again, a bounded number of times, nearest month
// first. Each partition is made in its own transaction, so that made counts what stays also if err is not nil.
//
// Returns the last error if a partition could not be made; inserts into that month then fail.
func EnsurePartitions(ctx context.Context, pool *pgxpool.Pool, now time.Time, months int) (made int, err error) {
	missing, err := missingMonths(ctx, pool, now, max(months, minMonthsAhead))
	if err != nil {
		return 0, err
	}
	for timeouts := 0; len(missing) > 0; {
		month := missing[0]
		missing = missing[1:]
		ok, err := makePartition(ctx, pool, month)
		if isLockTimeout(err) && timeouts < maxPartitionTimeouts {
			timeouts++
			missing = append(missing, month)
			continue
		}
		if err != nil {
			return made, fmt.Errorf("make partition %s: %w", partitionName(month), err)
		}
		if ok {
			made++
		}
	}
	return made, nil
}

// missingMonths lists the months from the one before now through ahead that have no partition, nearest first.
func missingMonths(ctx context.Context, pool *pgxpool.Pool, now time.Time, ahead int) ([]time.Time, error) {
	rows, err := pool.Query(ctx, `-- name: ListHistoryPartitions
		SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'ct_occupy_item_history'::regclass ORDER BY c.relname`)
	if err != nil {
		return nil, fmt.Errorf("list history partitions: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list history partitions: %w", err)
	}
	have := make(map[string]bool, len(names))
	for _, name := range names {
		have[name] = true
	}
	var missing []time.Time
	for offset := -1; offset <= ahead; offset++ {
		if month := monthOf(now, offset); !have[partitionName(month)] {
			missing = append(missing, month)
		}
	}
	return missing, nil
}

// makePartition makes the partition of one month, and reports false if somebody else just did.
func makePartition(ctx context.Context, pool *pgxpool.Pool, month time.Time) (made bool, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := lockPartitions(ctx, tx); err != nil {
			return err
		}
		exists, err := isPartition(ctx, tx, partitionName(month))
		if err != nil || exists {
			return err
		}
		made = true
		_, err = tx.Exec(ctx, partitionDDL(month))
		return err
	})
	return made && err == nil, err
}

// lockPartitions lets one gateway at a time make a partition, until its transaction ends. The wait for the others is
// set apart from the short lock_timeout of the DDL: they are quick, but there may be many. One that was stopped in
// the middle loses its turn.
func lockPartitions(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '5s'`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `-- name: LockPartitions
		SELECT pg_advisory_xact_lock($1)`, partitionLockKey)
	return err
}

func isPartition(ctx context.Context, tx pgx.Tx, name string) (exists bool, err error) {
	err = tx.QueryRow(ctx, `-- name: IsHistoryPartition
		SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'ct_occupy_item_history'::regclass
		                                         AND inhrelid = to_regclass($1))`, name).Scan(&exists)
	return exists, err
}

// partitionDDL is what makes one partition, sent as one message.
//
// Attached, not CREATE … PARTITION OF: that wants the parent to itself, and everyone who came after it waits behind
// the one long reader it waits for. ATTACH shares the parent with readers and writers.
//
// Storage options are the defaults, on purpose: pages are filled to the brim since rows never change, and since
// PostgreSQL 13 autovacuum also comes by for inserts alone. The trigger is here because TRUNCATE triggers, unlike row
// triggers, are not carried from the parent to a partition.
func partitionDDL(month time.Time) string {
	return fmt.Sprintf(`-- name: MakeHistoryPartition
		SET LOCAL lock_timeout = '200ms';
		CREATE TABLE %[1]s (LIKE %[2]s INCLUDING ALL);
		CREATE TRIGGER %[2]s_no_truncate BEFORE TRUNCATE ON %[1]s
			FOR EACH STATEMENT EXECUTE FUNCTION ct_occupy_history_refuse();
		ALTER TABLE %[2]s ATTACH PARTITION %[1]s FOR VALUES FROM ('%[3]s') TO ('%[4]s')`,
		partitionName(month), historyTable, monthKey(month), monthKey(monthOf(month, 1)))
}

func partitionName(month time.Time) string { return historyTable + "_" + monthKey(month) }

// monthKey is the first six digits of every TIME_KEY of that month.
func monthKey(month time.Time) string { return month.Format("200601") }

// monthOf is the first of the UTC month that lies offset months after that of t.
func monthOf(t time.Time, offset int) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+time.Month(offset), 1, 0, 0, 0, 0, time.UTC)
}
