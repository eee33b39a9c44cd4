package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/persistence/devstack"
)

// rig is what is measured on: three databases that are copies of one, so that
// nobody's rows are in another's way.
type rig struct {
	stack   *devstack.Stack
	plant   plant
	gateway *gateway      // as it is run
	second  *gateway      // beside it, on the same database
	single  *gateway      // with one transaction a caller
	ours    *pgxpool.Pool // the gateway's database
	theirs  *pgxpool.Pool // the one that pgbench works on

	postmaster int    // PostgreSQL's first process
	pprof      string // address of the gateway's profiles
}

// singleSettings give one transaction a caller its best chance: as many at once
// as a gateway has connections.
var singleSettings = []string{"OCCUPY_GROUP_SIZE=1", "OCCUPY_TRANSACTIONS=16"}

// newRig starts all there is to measure. Close it.
func newRig(ctx context.Context, options devstack.Options, binary string, p plant) (_ *rig, err error) {
	r := &rig{plant: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	options.Postgres, options.Redis = true, true
	if r.stack, err = devstack.Start(ctx, options); err != nil {
		return nil, err
	}
	const ours = "bench"
	if err := r.makeAnew(ctx, ours); err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, binary, ours); err != nil {
		return nil, err
	}
	singles, err := r.stack.NewDatabase(ctx, ours)
	if err != nil {
		return nil, err
	}
	yardstick, err := r.stack.NewDatabase(ctx, ours)
	if err != nil {
		return nil, err
	}
	if r.pprof, err = freeAddress(); err != nil {
		return nil, err
	}
	if r.gateway, err = r.start(binary, r.stack.DatabaseURL(ours), "OCCUPY_PPROF_LISTEN="+r.pprof); err != nil {
		return nil, err
	}
	if r.second, err = r.start(binary, r.stack.DatabaseURL(ours)); err != nil {
		return nil, err
	}
	if r.single, err = r.start(binary, singles, singleSettings...); err != nil {
		return nil, err
	}
	if r.ours, err = pgxpool.New(ctx, r.stack.DatabaseURL(ours)); err != nil {
		return nil, err
	}
	if r.theirs, err = pgxpool.New(ctx, yardstick); err != nil {
		return nil, err
	}
	return r, r.findPostmaster(ctx)
}

// makeAnew makes an empty database, where a run that was killed may have left one.
func (r *rig) makeAnew(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range []string{"DROP DATABASE IF EXISTS %s WITH (FORCE)", "CREATE DATABASE %s"} {
		if _, err := conn.Exec(ctx, fmt.Sprintf(statement, database)); err != nil {
			return err
		}
	}
	return nil
}

// prepare has a gateway migrate the database, and fills it.
func (r *rig) prepare(ctx context.Context, binary, database string) error {
	g, err := r.start(binary, r.stack.DatabaseURL(database))
	if err != nil {
		return err
	}
	if err := g.stop(); err != nil {
		return err
	}
	return seed(ctx, r.stack.DatabaseURL(database), r.plant)
}

func (r *rig) close() (err error) {
	for _, g := range []*gateway{r.gateway, r.second, r.single} {
		if g != nil {
			err = errors.Join(err, g.stop())
		}
	}
	for _, db := range []*pgxpool.Pool{r.ours, r.theirs} {
		if db != nil {
			db.Close()
		}
	}
	if r.stack != nil {
		err = errors.Join(err, r.stack.Stop())
	}
	return err
}

// gateway is one that runs as a process.
type gateway struct {
	address string
	process *exec.Cmd
}

func (r *rig) start(binary, database string, settings ...string) (*gateway, error) {
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+database, "REDIS_URL="+r.stack.RedisURL(),
		"DATABASE_READ_URL=", "DATABASE_MIGRATE_URL=", "OCCUPY_LISTEN=127.0.0.1:0", "OCCUPY_RATE_LIMITS=off", "OCCUPY_RESTART_NOTICE=0s")
	cmd.Env = append(cmd.Env, settings...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines, said := bufio.NewScanner(log), ""
	for lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			go handOn(lines)
			return &gateway{strings.Fields(rest)[0], cmd}, nil
		}
		said += lines.Text() + "\n"
	}
	return nil, fmt.Errorf("the gateway does not start: %w\n%s", cmd.Wait(), said)
}

// handOn shows what goes wrong in a gateway.
func handOn(log *bufio.Scanner) {
	for log.Scan() {
		if !strings.Contains(log.Text(), "INFO") {
			fmt.Fprintln(os.Stderr, "gateway:", log.Text())
		}
	}
}

func (g *gateway) stop() error {
	_ = g.process.Process.Signal(syscall.SIGTERM)
	return g.process.Wait()
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
