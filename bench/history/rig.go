package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/migrations"
	"occupy/persistence/devstack"
	"occupy/persistence/postgres"
	"occupy/persistence/story"
)

// rig is what is measured on.
type rig struct {
	stack   *devstack.Stack
	folder  string
	db      *pgxpool.Pool
	gateway *exec.Cmd
	address string
}

// newRig makes up the past in a folder, and starts a gateway on it. Close it.
func newRig(ctx context.Context, folder string, rows int) (r *rig, err error) {
	r = &rig{folder: folder}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return r, err
	}
	// On the disk that `make run` has its data on, and as durable.
	r.stack, err = devstack.Start(ctx, devstack.Options{Dir: filepath.Join(r.folder, "data"), Durable: true, Postgres: true,
		PostgresSettings: map[string]string{"session_preload_libraries": "auto_explain", "maintenance_work_mem": "512MB", "max_wal_size": "4GB"}})
	if err != nil {
		return r, err
	}
	url := r.stack.DatabaseURL("occupy")
	if err := migrations.Up(ctx, url); err != nil {
		return r, err
	}
	if r.db, err = pgxpool.New(ctx, url); err != nil {
		return r, err
	}
	if err := r.tell(ctx, rows); err != nil {
		return r, err
	}
	return r, r.start(url)
}

// tell makes up twelve months that end now.
func (r *rig) tell(ctx context.Context, rows int) error {
	began := time.Now()
	from := began.AddDate(-1, 0, 0)
	if _, err := postgres.EnsurePartitions(ctx, r.db, from, 12); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, r.db.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	made, err := story.Write(ctx, conn, story.Plant{Seed: 1, From: from, To: began, Rows: rows})
	if err != nil {
		return err
	}
	wrote := time.Since(began)
	if _, err := conn.Exec(ctx, `VACUUM (ANALYZE)`); err != nil { // as autovacuum would have
		return err
	}
	if _, err := conn.Exec(ctx, `CHECKPOINT`); err != nil {
		return err
	}
	var size string
	if err := conn.QueryRow(ctx, `SELECT pg_size_pretty(pg_database_size(current_database()))`).Scan(&size); err != nil {
		return err
	}
	fmt.Printf("%d rows of %d items and %d denials over twelve months, %s; made up in %v, vacuumed in %v\n",
		made.Rows, made.Items, made.Denials, size, wrote.Round(time.Second), (time.Since(began) - wrote).Round(time.Second))
	return nil
}

// start builds and starts the gateway, and reads its address from what it logs.
func (r *rig) start(url string) error {
	binary := filepath.Join(r.folder, "occupy")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "occupy").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+url, "REDIS_URL=", "DATABASE_READ_URL=", "DATABASE_MIGRATE_URL=",
		"OCCUPY_LISTEN=127.0.0.1:0", "OCCUPY_RATE_LIMITS=off", "OCCUPY_RESTART_NOTICE=0s")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.gateway = cmd
	lines, said := bufio.NewScanner(log), ""
	for lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			r.address = strings.Fields(rest)[0]
			return nil
		}
		said += lines.Text() + "\n"
	}
	return fmt.Errorf("the gateway does not start:\n%s", said)
}

// close ends everything, and removes the data.
func (r *rig) close() (err error) {
	if r.gateway != nil {
		_ = r.gateway.Process.Kill()
		_ = r.gateway.Wait()
	}
	if r.db != nil {
		r.db.Close()
	}
	if r.stack != nil {
		err = r.stack.Stop()
	}
	return errors.Join(err, os.RemoveAll(r.folder))
}
