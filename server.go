package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/caarlos0/env/v11"

	"occupy/domain"
	"occupy/graph/gateway"
	"occupy/migrations"
	"occupy/persistence/postgres"
	"occupy/persistence/redis"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // memory is small beside what collecting it so often costs
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	if err := start(ctx, os.Args[1:], env.ToMap(os.Environ())); err != nil {
		fmt.Fprintln(os.Stderr, "occupy:", err)
		os.Exit(1)
	}
}

// start does what the flags say.
func start(ctx context.Context, args []string, environment map[string]string) error {
	flags := flag.NewFlagSet("occupy", flag.ContinueOnError)
	dev := flags.Bool("dev", false, "start a private PostgreSQL and Redis, and a few sample items; data lasts between runs")
	verify := flags.Bool("verify", false, "read the whole history, print what is wrong with it, and end with 1 if anything is")
	role := flags.String("grant-views", "", "let this `role` of the database read the views for BI tools and nothing else; it is made if there is none")
	healthy := flags.Bool("healthy", false, "ask the gateway that runs on this machine by these settings whether it lives, and end with 1 if it does not")
	table := flags.Bool("settings", false, "print the settings as a page of Markdown")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Usage: occupy [-dev | -verify | -healthy | -settings | -grant-views ROLE], and in the environment:")
		printSettings(flags.Output())
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return errors.New("see -h")
	}
	if *table {
		writeSettingsPage(os.Stdout)
		return nil
	}
	c, err := loadConfig(environment)
	if err != nil {
		return err
	}
	slog.SetDefault(c.logger(os.Stderr))
	switch {
	case *healthy:
		return c.askHealth(ctx)
	case *dev:
		return develop(ctx, c)
	case c.Database == "":
		return errors.New("DATABASE_URL is not set; -dev starts a private PostgreSQL, -h lists the settings")
	case *verify:
		return verifyHistory(ctx, c)
	case *role != "":
		views, err := postgres.GrantViews(ctx, c.MigrateURL, *role)
		if err == nil {
			fmt.Printf("%s may read %s, and nothing else\n", *role, strings.Join(views, ", "))
		}
		return err
	}
	return run(ctx, c)
}

// verifyHistory prints every fault. Returns an error if there is one.
func verifyHistory(ctx context.Context, c Config) error {
	store, err := postgres.Open(ctx, c.store())
	if err != nil {
		return err
	}
	defer store.Close()
	all, err := domain.VerifyAll(ctx, store, domain.VerifyFrom{}, func(step domain.Verification) {
		for _, f := range step.Faults {
			fmt.Printf("%s version %d: %s\n", f.ItemKey, f.Version, f.Problem)
		}
	})
	switch {
	case err != nil:
		return err
	case all.Next != nil:
		return ctx.Err()
	case all.FaultCount > 0:
		return fmt.Errorf("faults in the history: %d, in %d rows of %d items", all.FaultCount, all.Rows, all.Items)
	}
	fmt.Printf("the history is whole: %d rows of %d items\n", all.Rows, all.Items)
	return nil
}

// run serves until ctx ends, then shuts down in good order.
// Returns an error if it can not start, or can not go on.
func run(ctx context.Context, c Config) error {
	listener, err := c.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	stopPprof, err := c.servePprof(ctx)
	if err != nil {
		return err
	}
	defer stopPprof()
	stopTraces, err := c.openTraces(ctx)
	if err != nil {
		return err
	}
	defer stopTraces()
	tokens, err := openTokens(ctx, c)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c)
	if err != nil {
		return err
	}
	defer store.Close()
	bell, err := openBell(c, store)
	if err != nil {
		return err
	}
	defer bell.close()
	hub := domain.NewHub(store, bell)
	store.OnCommit(hub.Ring)
	store.OnRenewal(hub.Renewed)
	service := newService(c, store, hub)
	defer service.WaitForHolds()

	// What runs beside the requests outlives ctx: it ends in order, below.
	beside := context.WithoutCancel(ctx)
	stopHub := background(beside, hub.Run)
	verified, census := newVerified(), &census{store: store}
	stopOthers := background(beside, append(jobs(c, store, census, verified), bell.run, service.Refusals.Run, tokens.Run)...)
	defer stopOthers()
	defer stopHub()

	g := gateway.New(gateway.Config{
		Service: service, Collectors: slices.Concat(collectors(store, bell, census, service.Refusals), verified.all(), tokens.Collectors()),
		Limits: c.limits(), Rates: c.rates(), Proxies: c.proxies(), Pages: gateway.Pages{Origins: c.Origins, Header: c.GetHeader}, Tokens: tokens, Documents: c.documents(), Traces: c.traces,
		Readiness: func(ctx context.Context) ([]string, error) {
			return append(bell.notes(), store.Notes()...), store.Ready(ctx)
		},
	})
	return serve(ctx, c, listener, g, func() {
		slog.Info("serving", "address", listener.Addr().String(), "node", c.Node)
		if c.started != nil {
			c.started(listener.Addr().String(), service)
		}
	})
}

// openStore migrates the database and connects to it.
func openStore(ctx context.Context, c Config) (*postgres.Store, error) {
	if err := migrations.Up(ctx, c.MigrateURL); err != nil {
		return nil, fmt.Errorf("%s: %w", c.migrateName(), err)
	}
	store, err := postgres.Open(ctx, c.store())
	if err != nil {
		return nil, err
	}
	if _, err = store.EnsurePartitions(ctx); err == nil {
		_, err = store.MendRestored(ctx)
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return store, nil
}

func newService(c Config, store *postgres.Store, hub *domain.Hub) *domain.Service {
	return domain.NewService(domain.ServiceConfig{
		Store: store, Archive: store, Verifier: store, Feed: store, Hub: hub,
		Refusals: &domain.DenialLog{Store: store},
		Lots:     store, Counters: store, Board: store,
		Names:    domain.Names{KeepCase: c.KeepCase},
		Limits:   domain.Limits{DefaultTTL: c.DefaultTTL, MaxTTL: c.MaxTTL, MaxHold: c.MaxHold},
		TimeZone: c.TimeZone.Location, Shifts: c.Shifts,
	})
}

// doorbell is a Bell with what Redis needs beside it.
type doorbell struct {
	domain.Bell
	run   func(context.Context)
	notes func() []string
	isUp  func() bool // nil without Redis
	close func()
}

// openBell makes the Bell that the settings ask for.
func openBell(c Config, store *postgres.Store) (*doorbell, error) {
	if c.Redis == "" {
		return &doorbell{Bell: domain.NoBell{}, run: func(context.Context) {}, notes: func() []string { return nil }, close: func() {}}, nil
	}
	bell, err := redis.Open(redis.Config{URL: c.Redis, MasterName: c.RedisName, DatabaseID: store.DatabaseID(), Node: c.Node})
	if err != nil {
		return nil, err
	}
	notes := func() []string {
		if bell.Away() {
			return []string{"Redis is away: changes by other gateways are seen up to a second later"}
		}
		return nil
	}
	return &doorbell{Bell: bell, run: bell.Run, notes: notes, isUp: func() bool { return !bell.Away() }, close: func() { _ = bell.Close() }}, nil
}

// background runs functions until stop is called, which waits for them and may be
// called again.
func background(ctx context.Context, all ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, f := range all {
		running.Go(func() { f(ctx) })
	}
	return func() { cancel(); running.Wait() }
}

// serve serves until ctx ends, then stops in good order.
func serve(ctx context.Context, c Config, listener net.Listener, g *gateway.Gateway, started func()) error {
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	started()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return stop(context.WithoutCancel(ctx), c, g, server)
	}
}

// stop takes leave of everybody: balancers are given time to notice; nothing new is
// begun, what runs ends, clients of sockets and streams are sent away. Until then
// they hear what changes; the Hub is stopped later.
//
// No connection is closed before its client can have learned that it should not use
// it any more: one that is closed under a request leaves the caller in doubt.
func stop(ctx context.Context, c Config, g *gateway.Gateway, server *http.Server) error {
	slog.Info("stopping")
	g.Leave()
	<-time.After(c.Notice)
	g.Drain()
	refusing := time.After(c.Notice)
	ctx, cancel := context.WithTimeout(ctx, c.StopWithin+c.Spread)
	defer cancel()
	if err := g.Close(ctx); err != nil {
		slog.Warn("some operations are cut", "err", err)
	}
	<-refusing
	if err := server.Shutdown(ctx); err != nil {
		slog.Warn("some connections are cut", "err", err)
		return server.Close()
	}
	slog.Info("stopped")
	return nil
}
