package devstack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// parentOf is set for a second process of this test binary: the folder of the stack that it starts, and keeps until
// it is killed.
const parentOf = "OCCUPY_DEVSTACK_TEST_PARENT_OF"

var shared *Stack

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentOf); dir != "" {
		beParent(dir)
	}
	os.Exit(Main(m, Options{Postgres: true, Redis: true}, func(s *Stack) error { shared = s; return nil }))
}

func beParent(dir string) {
	s, err := Start(context.Background(), Options{Dir: dir, Durable: true, Postgres: true, Redis: true})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if os.Getenv("PAUSED") != "" {
		s.Postgres.Pause()
		s.Redis.Pause()
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startParent runs beParent and returns it when its stack is up.
func startParent(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, parentOf+"="+dir)...)
	out, err := cmd.StdoutPipe()
	must(t, err)
	_, err = cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
		t.Fatalf("the parent says %q", line)
	}
	return cmd
}

func TestStackServesPostgresAndRedis(t *testing.T) {
	conn := connect(t, shared.DatabaseURL("occupy"))
	var version int
	var encoding, collate string
	must(t, conn.QueryRow(t.Context(), `
		SELECT current_setting('server_version_num')::int, pg_encoding_to_char(encoding), datcollate
		FROM pg_database WHERE datname = current_database()`).Scan(&version, &encoding, &collate))
	if version < oldestPostgres*10000 || encoding != "UTF8" || collate != "C" {
		t.Errorf("version %d, encoding %s, collation %s", version, encoding, collate)
	}
	must(t, pingRedis(t, shared))
}

func TestNewDatabaseCopiesTemplate(t *testing.T) {
	template, err := shared.NewDatabase(t.Context(), "")
	must(t, err)
	conn := connect(t, template)
	execute(t, conn, "CREATE TABLE kept (n int)")
	must(t, conn.Close(t.Context()))

	first, err := shared.NewDatabase(t.Context(), conn.Config().Database)
	must(t, err)
	second, err := shared.NewDatabase(t.Context(), conn.Config().Database)
	must(t, err)
	if first == second {
		t.Fatalf("both are %s", first)
	}
	execute(t, connect(t, first), "INSERT INTO kept VALUES (1)")
	if n := count(t, second); n != 0 {
		t.Errorf("%d rows in the second copy, want 0", n)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Postgres: true, Redis: true})
	pids := processesOf(s)
	if len(pids) < 4 {
		t.Fatalf("only %v run: a backend should be below postgres", pids)
	}
	must(t, s.Stop())
	must(t, s.Stop())
	if left := slices.DeleteFunc(pids, func(pid int) bool { return !alive(pid) }); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
	if _, err := os.Stat(s.folder.path); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", s.folder.path, err)
	}
}

func TestDurableStackKeepsDataAndAsksForPassword(t *testing.T) {
	t.Parallel()
	options := Options{Dir: tempDir(t), Durable: true, Postgres: true, Redis: true}
	s := start(t, options)
	execute(t, connect(t, s.DatabaseURL("occupy")), "CREATE TABLE kept AS SELECT 1 AS n")
	must(t, s.Stop())

	s = start(t, options)
	if n := count(t, s.DatabaseURL("occupy")); n != 1 {
		t.Errorf("%d rows kept, want 1", n)
	}
	if setting := show(t, s.DatabaseURL("occupy"), "fsync"); setting != "on" {
		t.Errorf("fsync is %s", setting)
	}
	if info, err := os.Stat(s.folder.file("password")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("password file: %v, %v", info.Mode(), err)
	}
	s.password = "wrong"
	if _, err := pgx.Connect(t.Context(), s.DatabaseURL("occupy")); err == nil {
		t.Error("PostgreSQL takes any password")
	}
	if err := pingRedis(t, s); err == nil {
		t.Error("Redis takes any password")
	}
}

func TestSecondStartOnAFolderNamesTheFirst(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	first := startParent(t, dir)
	_, err := Start(t.Context(), Options{Dir: dir, Durable: true, Postgres: true})
	if want := fmt.Sprintf("already running, pid %d ", first.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestTwoFoldersRunSideBySide(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Postgres: true, Redis: true})
	if s.Postgres.port == shared.Postgres.port || s.Redis.port == shared.Redis.port {
		t.Error("they share a port")
	}
}

func TestMissingServersNameTheLineToRun(t *testing.T) {
	t.Setenv("OCCUPY_DEVSTACK_IGNORE_SYSTEM", "1")
	if _, err := findPostgres(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make setup") {
		t.Error(err)
	}
	if _, err := findRedis(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make setup") {
		t.Error(err)
	}
	if _, err := findPgBouncer(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make setup") {
		t.Error(err)
	}
	if _, err := findChromium(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make setup") {
		t.Error(err)
	}
}

func TestMiniredisStandsInForADurableStackOnly(t *testing.T) {
	t.Setenv("OCCUPY_DEVSTACK_IGNORE_SYSTEM", "1")
	s := &Stack{password: "secret"}
	if err := s.startRedis(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("tests get a miniredis")
	}
	must(t, s.startRedis(t.Context(), t.TempDir(), Options{Durable: true}))
	t.Cleanup(s.mini.Close)
	must(t, pingRedis(t, s))
	if len(s.Notes()) != 1 {
		t.Errorf("notes: %q", s.Notes())
	}
}

func TestForgottenFoldersAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", tempDir(t))
	old := time.Now().Add(-time.Hour)
	forgotten := filepath.Join(os.TempDir(), temporaryPrefix+"1")
	must(t, os.Mkdir(forgotten, 0o755))
	must(t, os.Chtimes(forgotten, old, old))
	inUse, err := openFolder("")
	must(t, err)
	t.Cleanup(func() { _ = inUse.close() })
	must(t, os.Chtimes(inUse.path, old, old))
	removeForgotten()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) != 1 || left[0] != inUse.path {
		t.Errorf("left: %v, want %s", left, inUse.path)
	}
}

func TestInstallScriptMeansTheSameFolder(t *testing.T) {
	dir, err := DefaultDir()
	must(t, err)
	printed, err := exec.Command("./install.sh", "dir").Output()
	must(t, err)
	if strings.TrimSpace(string(printed)) != dir {
		t.Errorf("install.sh says %s, DefaultDir %s", printed, dir)
	}
}
