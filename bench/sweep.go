package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// sweepBatch is how many rows the yardstick writes in a statement: as many as a sweeper.
const sweepBatch = 500

// overdue has the time run out for all items of a type at once. Returns since when.
func (r *rig) overdue(ctx context.Context, db *pgxpool.Pool) (since time.Time, err error) {
	if err = db.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&since); err != nil {
		return since, err
	}
	_, err = db.Exec(ctx, change(makeOverdue, "OCCUPIED"), overdueType, int(r.plant))
	return since, err
}

// sweep measures how fast the sweeper writes EXPIRED rows, from its first to its last.
func sweep(ctx context.Context, r *rig, _ time.Duration) (result, error) {
	since, err := r.overdue(ctx, r.ours)
	if err != nil {
		return result{}, err
	}
	return r.swept(ctx, since)
}

// swept waits until nothing is overdue.
func (r *rig) swept(ctx context.Context, since time.Time) (result, error) {
	for waiting := true; waiting; {
		time.Sleep(50 * time.Millisecond) // asking slows down what is measured
		err := r.ours.QueryRow(ctx, `SELECT EXISTS (SELECT FROM ct_occupy_item
			WHERE state = 'OCCUPIED' AND expire_time <= clock_timestamp())`).Scan(&waiting)
		if err != nil {
			return result{}, err
		}
	}
	var rows int
	var seconds float64
	err := r.ours.QueryRow(ctx, `SELECT count(*), extract(epoch FROM max(reg_dt) - min(reg_dt))::float8
		FROM ct_occupy_item_history
		WHERE item_type = $1 AND event = 'EXPIRED' AND reg_dt >= $2`, overdueType, since).Scan(&rows, &seconds)
	if err == nil && rows != int(r.plant) {
		err = fmt.Errorf("%d rows were swept, of %d", rows, r.plant)
	}
	return result{rate: float64(rows) / max(seconds, 0.001), done: float64(rows)}, err
}

// whileOverdue measures a load while a sweep is due, and leaves none behind.
func whileOverdue(l load) measure {
	return func(ctx context.Context, r *rig, d time.Duration) (result, error) {
		since, err := r.overdue(ctx, r.ours)
		if err != nil {
			return result{}, err
		}
		done, err := l.run(ctx, d, r.gateway)
		if err != nil {
			return result{}, err
		}
		done.done = 0 // the time used is mostly the sweep's
		_, err = r.swept(ctx, since)
		return done, err
	}
}

// sweepByPgbench has the same rows written by a statement a batch.
func sweepByPgbench(ctx context.Context, r *rig, d time.Duration) (result, error) {
	if _, err := r.overdue(ctx, r.theirs); err != nil {
		return result{}, err
	}
	p := pgbench{script: "sweep.sql", conns: 1, transactions: int(r.plant) / sweepBatch, times: sweepBatch}
	return p.run(ctx, r, d)
}
