package devstack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestServersComeBackOnTheSamePortWithTheirData(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Postgres: true, Redis: true})
	url := s.DatabaseURL("occupy")
	execute(t, connect(t, url), "CREATE TABLE kept AS SELECT 1 AS n")
	for name, end := range map[string]func(*Server){"Stop": (*Server).Stop, "Kill": (*Server).Kill} {
		t.Run(name, func(t *testing.T) {
			connect(t, url) // a backend that has to go too
			pids := processesOf(s)
			for _, server := range []*Server{s.Postgres, s.Redis} {
				end(server)
			}
			if left := slices.DeleteFunc(pids, func(pid int) bool { return !alive(pid) }); len(left) > 0 {
				t.Errorf("%v still run", left)
			}
			if _, err := pgx.Connect(t.Context(), url); err == nil || pingRedis(t, s) == nil {
				t.Error("they still answer")
			}
			must(t, s.Postgres.Start(t.Context()))
			must(t, s.Redis.Start(t.Context()))
			must(t, pingRedis(t, s))
			if n := count(t, url); n != 1 {
				t.Errorf("%d rows kept, want 1", n)
			}
		})
	}
}

func TestPausedServerAnswersWhenContinued(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Postgres: true})
	conn := connect(t, s.DatabaseURL("occupy"))
	s.Postgres.Pause()
	answered := make(chan error, 1)
	go func() { _, err := conn.Exec(context.Background(), "SELECT 1"); answered <- err }()
	select {
	case err := <-answered:
		t.Fatalf("a paused server answered: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	s.Postgres.Continue()
	must(t, <-answered)
}

func TestPausedServerIsStopped(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Postgres: true, Redis: true})
	s.Postgres.Pause()
	s.Redis.Pause()
	must(t, s.Stop())
}

func TestNothingOutlivesAKilledParent(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"PAUSED=", "PAUSED=yes"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			parent := startParent(t, dir, env)
			pids := descendants(parent.Process.Pid)
			if len(pids) < 4 {
				t.Fatalf("only %v run", pids)
			}
			must(t, parent.Process.Kill())
			eventually(t, "all processes to end", func() bool { return !slices.ContainsFunc(pids, alive) })
		})
	}
}

func TestDurableStackStartsWhileAKilledOneIsEnding(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	parent := startParent(t, dir)
	must(t, parent.Process.Kill())
	_ = parent.Wait()
	start(t, Options{Dir: dir, Durable: true, Postgres: true})
}

func TestStalePidFileIsNoObstacle(t *testing.T) {
	t.Parallel()
	options := Options{Dir: tempDir(t), Durable: true, Postgres: true}
	s := start(t, options)
	must(t, s.Stop())

	// After a crash of the machine the pid may be another program's, of the same user.
	other, err := launch(exec.Command("sleep", "600"), 9)
	must(t, err)
	t.Cleanup(func() { killTree(other.pid) })
	file := s.folder.file("postgres/postmaster.pid")
	must(t, os.WriteFile(file, fmt.Appendf(nil, "%d\n%s\n", other.pid, filepath.Dir(file)), 0o600))
	must(t, giveToChild(file))
	start(t, options)
	if !other.running() {
		t.Error("the other program was ended")
	}
}

func TestAnotherPortIfTheFirstIsTaken(t *testing.T) {
	t.Parallel()
	f, err := openFolder("")
	must(t, err)
	t.Cleanup(func() { _ = f.close() })
	tools, err := toolsDir()
	must(t, err)
	server, err := newRedis(f, tools, "")
	must(t, err)
	t.Cleanup(server.Stop)
	ports := []int{shared.Redis.port, randomPort()}
	server.freePort = func() (port int) { port, ports = ports[0], ports[1:]; return port }
	must(t, server.startAnywhere(t.Context()))
}

func TestBadSettingIsReportedWithTheServersWords(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Postgres: true, PostgresSettings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Error(err)
	}
}
