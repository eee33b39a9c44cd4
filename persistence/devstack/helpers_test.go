package devstack

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

func start(t *testing.T, options Options) *Stack {
	t.Helper()
	s, err := Start(t.Context(), options)
	must(t, err)
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// tempDir is one that root's child user can reach, unlike t.TempDir.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "devstack-test-")
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	must(t, err)
}

// count counts the rows of the tests' table.
func count(t *testing.T, url string) (n int) {
	t.Helper()
	must(t, connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM kept").Scan(&n))
	return n
}

func show(t *testing.T, url, setting string) (value string) {
	t.Helper()
	must(t, connect(t, url).QueryRow(t.Context(), "SHOW "+setting).Scan(&value))
	return value
}

func pingRedis(t *testing.T, s *Stack) error {
	options, err := redis.ParseURL(s.RedisURL())
	must(t, err)
	options.MaxRetries, options.DialerRetries = -1, 1
	client := redis.NewClient(options)
	defer client.Close()
	return client.Ping(t.Context()).Err()
}

// processesOf lists every process of a stack.
func processesOf(s *Stack) (pids []int) {
	for _, server := range []*Server{s.Postgres, s.Redis} {
		pids = append(append(pids, server.process.pid), descendants(server.process.pid)...)
	}
	return pids
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits for something that happens in another process.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !happened() {
		select {
		case <-deadline:
			t.Fatalf("waited for %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
