package devstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// user is the superuser and the name of the database that a stack starts with.
const user = "occupy"

var commonSettings = map[string]string{
	"listen_addresses":        "127.0.0.1",
	"unix_socket_directories": "",    // nobody needs one, and its path would have to be short
	"max_connections":         "200", // two gateways side by side, their analysts' pools, psql, pgbench
	"jit":                     "off", // it costs short queries more than it gives, and the tools have no LLVM
}

var durableSettings = map[string]string{
	"shared_buffers": "256MB", // current rows and the last months' history pages stay in memory
	"max_wal_size":   "2GB",   // no checkpoint in the middle of a burst
}

// Not synchronous_commit=off: what was committed has to outlive Kill. Without fsync it costs next to nothing.
var throwAwaySettings = map[string]string{
	"shared_buffers":   "32MB", // several packages' tests run at once
	"fsync":            "off",
	"full_page_writes": "off",
}

// newPostgres returns the server of a data folder, which it makes if there is none yet.
// An empty password lets everybody in.
func newPostgres(ctx context.Context, f *folder, tools, password string, options Options) (*Server, error) {
	postgres, err := findPostgres(tools)
	if err != nil {
		return nil, err
	}
	data := f.file("postgres")
	if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
		if err := initialise(ctx, f, postgres.beside("initdb"), data, password, options.Durable); err != nil {
			return nil, err
		}
	}
	return postgresOf(postgres, data, f.file("postgres.log"), options), nil
}

// postgresOf returns the server of a data folder that is made.
func postgresOf(postgres program, data, log string, options Options) *Server {
	args := append([]string{"-D", data}, settings(options)...)
	return &Server{
		name: "PostgreSQL",
		log:  log,
		command: func(port int) (*exec.Cmd, error) {
			cmd := postgres.command(data, append(args, "-c", fmt.Sprintf("port=%d", port))...)
			return cmd, clearPidFile(data)
		},
		ready:    func(pid int) bool { return isReady(data, pid) },
		leave:    syscall.SIGINT,
		orphaned: syscall.SIGQUIT, // it then ends its backends itself, stuck or paused ones after five seconds
		freePort: randomPort,
	}
}

func settings(options Options) (args []string) {
	all := maps.Clone(commonSettings)
	if options.Durable {
		maps.Copy(all, durableSettings)
	} else {
		maps.Copy(all, throwAwaySettings)
	}
	maps.Copy(all, options.PostgresSettings)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

// initialise makes the data folder under another name first, so that one that was interrupted is never taken for whole.
func initialise(ctx context.Context, f *folder, initdb program, data, password string, durable bool) error {
	unfinished := data + ".new"
	err := errors.Join(os.RemoveAll(unfinished), os.Mkdir(unfinished, 0o700), giveToChild(unfinished))
	if err != nil {
		return err
	}
	// Text is sorted by bytes, as in the schema's own columns; upper and lower case are known for every script.
	args := []string{"-D", unfinished, "-U", user, "--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"}
	if !durable {
		args = append(args, "--no-sync")
	}
	if password == "" {
		args = append(args, "--auth=trust")
	} else {
		secret := f.file("password.initdb")
		defer os.Remove(secret)
		if err := errors.Join(os.WriteFile(secret, []byte(password), 0o600), giveToChild(secret)); err != nil {
			return err
		}
		args = append(args, "--auth=scram-sha-256", "--pwfile="+secret)
	}
	if err := runToEnd(ctx, initdb.command(unfinished, args...), f.file("initdb.log")); err != nil {
		return err
	}
	return os.Rename(unfinished, data)
}

// runToEnd runs a command that ends by itself, and ends it if ctx is over before.
func runToEnd(ctx context.Context, cmd *exec.Cmd, log string) error {
	p, err := launchLogged(cmd, log, syscall.SIGKILL)
	if err != nil {
		return fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		killTree(p.pid)
		<-p.done
		return fmt.Errorf("waiting for %s: %w", cmd.Path, ctx.Err())
	}
	if p.err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd.Path, p.err, tail(log))
	}
	return nil
}

// pidFile reads postmaster.pid: the server's process, and its state, which a PostgreSQL that takes connections
// calls "ready". Zeros if there is none.
func pidFile(data string) (pid int, state string) {
	content, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	lines := strings.Split(string(content), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	if len(lines) > 7 {
		state = strings.TrimSpace(lines[7])
	}
	return pid, state
}

// isReady asks the pid file, not the port, on which somebody else's server could answer.
func isReady(data string, pid int) bool {
	owner, state := pidFile(data)
	return owner == pid && state == "ready"
}

// clearPidFile makes way on a data folder, which is ours by the folder's lock. A server of a run that was killed may
// still be ending; one that a machine's crash took away left its pid, which may be somebody else's by now and would
// keep PostgreSQL from starting.
func clearPidFile(data string) error {
	pid, _ := pidFile(data)
	if pid == 0 {
		return nil
	}
	deadline := time.Now().Add(10 * time.Second) // twice what PostgreSQL gives its own backends
	for serves(pid, data) {
		if time.Now().After(deadline) {
			killTree(pid)
		}
		time.Sleep(pollEvery)
	}
	if err := os.Remove(filepath.Join(data, "postmaster.pid")); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// serves reports whether pid is a server of this data folder: that is where it works.
func serves(pid int, data string) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && cwd == data && alive(pid)
}

// ensureDatabase creates a database if there is none of that name.
func ensureDatabase(ctx context.Context, maintenance, name string) error {
	conn, err := pgx.Connect(ctx, maintenance)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	}
	return err
}
