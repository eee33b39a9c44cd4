package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/persistence/devstack"
)

// database is the name of the one that all gateways serve.
const database = "occupy"

// rig is what is to be broken.
type rig struct {
	stack    *devstack.Stack
	pooler   *devstack.Beside // nil = none
	gateways []*gateway
	binary   string
	rec      *recorder
}

// newRig starts all of it. Close it.
func newRig(ctx context.Context, o options, rec *recorder) (_ *rig, err error) {
	r := &rig{binary: o.binary, rec: rec}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	r.stack, err = devstack.Start(ctx, devstack.Options{Postgres: true, Redis: true, PostgresSettings: map[string]string{
		"fsync": "on", "full_page_writes": "on", "max_connections": "100"}})
	if err != nil {
		return nil, err
	}
	url := r.stack.DatabaseURL(database)
	if o.pooler {
		r.pooler, err = r.stack.StartPooler(ctx, map[string]string{"default_pool_size": "20", "server_login_retry": "1"})
		if err != nil {
			return nil, err
		}
		url = r.pooler.DatabaseURL(database) + "&default_query_exec_mode=exec"
	}
	rec.fresh, rec.last = make([]vitals, o.gateways), make([]vitals, o.gateways)
	for n := range o.gateways {
		if err := r.addGateway(ctx, n, url, o.folder); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *rig) addGateway(ctx context.Context, n int, databaseURL, folder string) (err error) {
	g := &gateway{n: n, binary: r.binary, rec: r.rec}
	if g.log, err = os.Create(filepath.Join(folder, fmt.Sprintf("gateway%d.log", n))); err != nil {
		return err
	}
	r.gateways = append(r.gateways, g)
	var databaseWire, redisWire string
	if g.database, databaseWire, err = devstack.OpenWire(databaseURL, screenPrefix); err != nil {
		return err
	}
	if g.redis, redisWire, err = devstack.OpenWire(r.stack.RedisURL(), screenPrefix); err != nil {
		return err
	}
	g.settings = []string{"DATABASE_URL=" + databaseWire, "REDIS_URL=" + redisWire, "DATABASE_READ_URL=", "DATABASE_MIGRATE_URL=",
		"OCCUPY_LISTEN=127.0.0.1:0", "OCCUPY_AUTH=dev", fmt.Sprint("OCCUPY_NODE=gateway-", n), "OCCUPY_RATE_LIMITS=off",
		"OCCUPY_RESTART_NOTICE=200ms", "OCCUPY_RESTART_SPREAD=300ms"}
	return g.start(ctx)
}

func (r *rig) close() (err error) {
	for _, g := range r.gateways {
		g.kill()
		for _, w := range []*devstack.Wire{g.database, g.redis} {
			if w != nil {
				w.Close()
			}
		}
		err = errors.Join(err, g.log.Close())
	}
	if r.stack != nil {
		err = errors.Join(err, r.stack.Stop())
	}
	return err
}

// stopGateways ends them in good order, and counts what they leave at the database.
func (r *rig) stopGateways(ctx context.Context) error {
	for _, g := range r.gateways {
		if err := g.stop(); err != nil {
			add(r.rec, &r.rec.strange, fmt.Sprintf("gateway %d ended with %v when it was asked to stop", g.n, err))
		}
	}
	if r.pooler != nil {
		r.pooler.Stop()
	}
	return r.poll(ctx, 5*time.Second, `SELECT count(*) FROM pg_stat_activity WHERE datname = 'occupy' AND pid <> pg_backend_pid()`,
		func(n int) bool { r.rec.connections = n; return n == 0 })
}

// poll asks the database for a number until that is enough, or for so long.
func (r *rig) poll(ctx context.Context, patience time.Duration, query string, enough func(n int) bool) error {
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for end := time.Now().Add(patience); ; {
		var n int
		if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
			return err
		}
		if enough(n) || time.Now().After(end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// verify has the program itself look at the history.
func (r *rig) verify(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, r.binary, "-verify")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+r.stack.DatabaseURL(database))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Sprintf("%v: %s", err, out)
	}
	return ""
}

// build builds this copy's gateway into a folder.
func build(ctx context.Context, folder string) (binary string, err error) {
	binary = filepath.Join(folder, "occupy")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", binary, "occupy")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return binary, nil
}
