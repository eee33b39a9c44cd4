package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"occupy/persistence/devstack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "how often everything is measured")
	flag.DurationVar(&o.each, "each", 2*time.Second, "how long each time")
	flag.Func("only", "measure what this expression matches: -only Occupy/", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	flag.StringVar(&o.gateway, "gateway", "", "measure this binary, not what is built from this copy")
	flag.StringVar(&o.profile, "profile", "", "do not measure: tell where the time goes in this one, such as Occupy/conns=64/by=occupy")
	flag.Parse()
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds           int
	each             time.Duration
	only             *regexp.Regexp // nil = everything
	gateway, profile string
}

// start sets up, measures, and keeps what came out.
func start(ctx context.Context, o options) (err error) {
	state, err := devstack.DefaultDir()
	if err != nil {
		return err
	}
	folder := filepath.Join(state, "bench")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	// Data of its own, anew each time, on the disk that `make run` has its on.
	data := filepath.Join(folder, "data")
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	if o.gateway == "" {
		if o.gateway, err = build(ctx, folder); err != nil {
			return err
		}
	}
	r, err := newRig(ctx, devstack.Options{Dir: data, Durable: true, PostgresSettings: o.postgresSettings()}, o.gateway, defaultPlant)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(r.close(), err) }()
	if o.profile != "" {
		return r.profile(ctx, o.profile, folder)
	}
	all := runs(r.plant)
	if o.only != nil {
		all = slices.DeleteFunc(all, func(r run) bool { return !o.only.MatchString(r.name) })
	}
	p, err := r.measureAll(ctx, all, o.rounds, o.each, os.Stderr)
	if err != nil {
		return err
	}
	p.write(os.Stdout, all)
	return keep(p, all, filepath.Join(folder, time.Now().Format("bench-20060102-150405.txt")))
}

// measureAll goes round after round. What the gateway does not know is left out.
func (r *rig) measureAll(ctx context.Context, all []run, rounds int, each time.Duration, log io.Writer) (report, error) {
	p := report{}
	for round := range rounds {
		if _, err := r.ours.Exec(ctx, `CHECKPOINT`); err != nil {
			return nil, err
		}
		for _, run := range all {
			before := r.used()
			m, err := run.measure(ctx, r, each)
			m.used = r.used().less(before)
			switch {
			case errors.Is(err, errNoSuchField):
				fmt.Fprintf(log, "%s is left out: %v\n", run.name, err)
				continue
			case err != nil:
				return nil, fmt.Errorf("%s: %w", run.name, err)
			case m.unwanted > 0:
				fmt.Fprintf(log, "%s: %d other answers, the last: %s\n", run.name, m.unwanted, m.unwantedLast)
			}
			fmt.Fprintf(log, "round %d: %s %.0f/s\n", round+1, run.name, m.rate)
			p[run.name] = append(p[run.name], m)
		}
	}
	return p, nil
}

func keep(p report, all []run, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	p.writeBenchmarks(file, all)
	fmt.Println("\nfor benchstat: " + path)
	return file.Close()
}
