package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"occupy/persistence/devstack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	o := options{gateways: 3}
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()%1e6), "of the faults and of what users do")
	flag.DurationVar(&o.total, "for", 2*time.Minute, "how long faults come")
	flag.IntVar(&o.users, "users", 200, "how many windows of users there are")
	flag.IntVar(&o.subscribers, "subscribers", 100, "how many panels watch")
	flag.BoolVar(&o.pooler, "pooler", false, "reach PostgreSQL through a PgBouncer")
	flag.Parse()
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// start sets up, runs, and tells what came out.
// Returns an error if a promise was not kept.
func start(ctx context.Context, o options) (err error) {
	state, err := devstack.DefaultDir()
	if err != nil {
		return err
	}
	o.folder = filepath.Join(state, "chaos")
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return err
	}
	if o.binary, err = build(ctx, o.folder); err != nil {
		return err
	}
	fmt.Printf("seed %d\n", o.seed)
	r, err := run(ctx, o, os.Stdout)
	if err != nil {
		return err
	}
	r.sum(os.Stdout)
	found := checkAll(r)
	tell(os.Stdout, found)
	if len(found) > 0 {
		return fmt.Errorf("%d violations with -seed %d; the gateways' logs are in %s", len(found), o.seed, o.folder)
	}
	fmt.Println("\nevery promise was kept")
	return nil
}
