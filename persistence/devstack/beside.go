package devstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// What a test may put beside a PostgreSQL that asks for no password. All of it ends with the stack.

// Beside is a server through which a stack's databases can be reached another way.
type Beside struct {
	*Server
	stack *Stack
}

// DatabaseURL returns the URL of a database through this server.
func (b *Beside) DatabaseURL(database string) string { return b.stack.databaseURL(b.port, database) }

// StartPooler starts a PgBouncer in transaction mode in front of PostgreSQL. Settings are those of its [pgbouncer]
// section, such as default_pool_size.
// Returns an error that names `make setup` if it is not installed.
func (s *Stack) StartPooler(ctx context.Context, settings map[string]string) (*Beside, error) {
	tools, err := toolsDir()
	if err != nil {
		return nil, err
	}
	pgbouncer, err := findPgBouncer(tools)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("pgbouncer%d", len(s.beside))
	pooler := &Server{
		name: "PgBouncer", log: s.folder.file(name + ".log"),
		leave: syscall.SIGINT, orphaned: syscall.SIGKILL, freePort: randomPort,
	}
	pooler.command = func(port int) (*exec.Cmd, error) {
		file := s.folder.file(name + ".ini")
		err := os.WriteFile(file, []byte(poolerConfig(s.Postgres.port, port, settings)), 0o644)
		return pgbouncer.command(s.folder.path, file), err
	}
	pooler.ready = func(pid int) bool { // its own log, not the port, on which somebody else could answer
		said, _ := os.ReadFile(pooler.log)
		return strings.Contains(string(said), fmt.Sprintf("[%d] LOG process up", pid))
	}
	return s.startBeside(ctx, pooler)
}

func poolerConfig(postgres, port int, settings map[string]string) string {
	all := map[string]string{
		"listen_addr": "127.0.0.1", "listen_port": fmt.Sprint(port), "unix_socket_dir": "",
		"auth_type": "any", "pool_mode": "transaction",
	}
	maps.Copy(all, settings)
	config := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=%s\n[pgbouncer]\n", postgres, user)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		config += name + " = " + all[name] + "\n"
	}
	return config
}

// StartReplica copies PostgreSQL's data and starts a hot standby on the copy, which follows it from then on.
func (s *Stack) StartReplica(ctx context.Context) (*Beside, error) {
	tools, err := toolsDir()
	if err != nil {
		return nil, err
	}
	postgres, err := findPostgres(tools)
	if err != nil {
		return nil, err
	}
	data := s.folder.file(fmt.Sprintf("replica%d", len(s.beside)))
	if err := errors.Join(os.Mkdir(data, 0o700), giveToChild(data)); err != nil {
		return nil, err
	}
	copied := postgres.beside("pg_basebackup").command(data, "-D", data, "-d", s.DatabaseURL("postgres"),
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	if err := runToEnd(ctx, copied, data+".copy.log"); err != nil {
		return nil, err
	}
	return s.startBeside(ctx, postgresOf(postgres, data, data+".log", s.options))
}

func (s *Stack) startBeside(ctx context.Context, server *Server) (*Beside, error) {
	s.beside = append(s.beside, server)
	if err := server.startAnywhere(ctx); err != nil {
		return nil, fmt.Errorf("devstack: %w", err)
	}
	return &Beside{server, s}, nil
}
