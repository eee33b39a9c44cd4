package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/persistence/devstack"
)

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 10_000_000, "of history, over twelve months")
	flag.IntVar(&o.times, "times", 200, "how often a page is asked for, and a twentieth of that a month's statistics")
	flag.IntVar(&o.analysts, "analysts", 50, "who ask beside the floor")
	flag.DurationVar(&o.each, "each", 20*time.Second, "how long the floor works alone, and beside them")
	flag.IntVar(&o.exported, "exported", 1_000_000, "rows of an export")
	flag.BoolVar(&o.plans, "plans", true, "show how the database goes about each question")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

type options struct {
	rows, times, analysts, exported int
	each                            time.Duration
	plans                           bool
}

// start measures on the disk that `make run` has its data on.
func start(ctx context.Context, o options) error {
	state, err := devstack.DefaultDir()
	if err != nil {
		return err
	}
	return measure(ctx, filepath.Join(state, "bench-history"), o)
}

// measure prints what it finds as it goes.
func measure(ctx context.Context, folder string, o options) (err error) {
	r, err := newRig(ctx, folder, o.rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	all, err := r.subjects(ctx, o.rows)
	if err != nil {
		return err
	}
	if err := r.memory(ctx, o.exported); err != nil {
		return err
	}
	for _, q := range questions {
		if err := r.compare(ctx, q, all, o.times); err != nil {
			return err
		}
	}
	if err := r.floor(ctx, all, o); err != nil || !o.plans {
		return err
	}
	return r.plans(ctx, all)
}

// compare asks a question again and again, in turns with the same by hand.
func (r *rig) compare(ctx context.Context, q question, all []subject, times int) error {
	if q.most == statistics {
		times = max(3, times/20)
	}
	conn, err := pgx.ConnectConfig(ctx, r.db.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `SET plan_cache_mode = force_custom_plan`); err != nil {
		return err
	}
	var ours, theirs []time.Duration
	for range times {
		s := any1(all)
		if q.byHand != "" { // reads what is not in memory, for both
			if err := byHand(ctx, conn, q, s); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := r.answer(q, s); err != nil {
			return err
		}
		ours = append(ours, time.Since(began))
		if q.byHand != "" {
			began = time.Now()
			if err := byHand(ctx, conn, q, s); err != nil {
				return err
			}
			theirs = append(theirs, time.Since(began))
		}
	}
	fmt.Printf("%s: p50 %v, p95 %v (to reach: %v)", q.name, at(ours, 0.5), at(ours, 0.95), q.most)
	if len(theirs) > 0 {
		fmt.Printf("; by hand p50 %v, p95 %v, ratio of the p50 %.2f", at(theirs, 0.5), at(theirs, 0.95), float64(at(ours, 0.5))/float64(at(theirs, 0.5)))
	}
	fmt.Println()
	return nil
}

// at is what a share of all does not exceed.
func at(all []time.Duration, share float64) time.Duration {
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[min(int(share*float64(len(all))), len(all)-1)].Round(10 * time.Microsecond)
}
