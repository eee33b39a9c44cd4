package devstack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestPostgres is the first version that PostgreSQL is tested with.
const oldestPostgres = 15

// program is an executable and the environment that it needs. Ours is not handed on: a PGDATA or PGPORT of the user's
// must not lead a private server astray.
type program struct {
	path string
	env  []string
}

// command returns a command of the program, to run in folder.
func (p program) command(folder string, args ...string) *exec.Cmd {
	cmd := exec.Command(p.path, args...)
	cmd.Dir, cmd.Env = folder, p.env
	return cmd
}

// beside returns another program of the same folder.
func (p program) beside(name string) program {
	return program{filepath.Join(filepath.Dir(p.path), name), p.env}
}

// findPostgres looks for postgres and initdb: in the tools folder, among the machine's packages, on PATH.
// Returns an error that names `make setup` if there is none of version 15 or later.
func findPostgres(tools string) (program, error) {
	candidates := newestFirst(filepath.Join(tools, "usr/lib/postgresql/*/bin/postgres"))
	if !ignoreSystem() {
		// A `postgres` on PATH may be somebody's wrapper script, so that comes last.
		candidates = append(candidates, newestFirst("/usr/lib/postgresql/*/bin/postgres")...)
		candidates = append(candidates, onPath("postgres")...)
	}
	for _, path := range candidates {
		found := program{path, environment(path, tools)}
		if executable(found.beside("initdb").path) && found.postgresVersion() >= oldestPostgres {
			return found, nil
		}
	}
	return program{}, fmt.Errorf("PostgreSQL %d or later is not installed; run `make setup`", oldestPostgres)
}

// findRedis looks for redis-server: in the tools folder, on PATH.
// Returns an error that names `make setup` if there is none.
func findRedis(tools string) (program, error) {
	candidates := []string{filepath.Join(tools, "usr/bin/redis-server")}
	if !ignoreSystem() {
		candidates = append(candidates, onPath("redis-server")...)
	}
	for _, path := range candidates {
		if executable(path) {
			return program{path, environment(path, tools)}, nil
		}
	}
	return program{}, fmt.Errorf("redis-server is not installed; run `make setup`")
}

// findPgBouncer looks for pgbouncer: in the tools folder, where Debian has it, on PATH.
// Returns an error that names `make setup` if there is none.
func findPgBouncer(tools string) (program, error) {
	candidates := []string{filepath.Join(tools, "usr/sbin/pgbouncer")}
	if !ignoreSystem() {
		candidates = append(append(candidates, "/usr/sbin/pgbouncer"), onPath("pgbouncer")...)
	}
	for _, path := range candidates {
		if executable(path) {
			return program{path, environment(path, tools)}, nil
		}
	}
	return program{}, fmt.Errorf("pgbouncer is not installed; run `make setup`")
}

// findChromium looks for chromium: in the tools folder, on PATH.
// Returns an error that names `make setup` if there is none.
func findChromium(tools string) (program, error) {
	candidates := []string{filepath.Join(tools, "usr/lib/chromium/chromium")}
	if !ignoreSystem() {
		candidates = append(candidates, onPath("chromium")...)
	}
	for _, path := range candidates {
		if executable(path) {
			return program{path, environment(path, tools)}, nil
		}
	}
	return program{}, fmt.Errorf("chromium is not installed; run `make setup`")
}

// ignoreSystem is install.sh's switch: as if the machine had neither server.
func ignoreSystem() bool { return os.Getenv("OCCUPY_DEVSTACK_IGNORE_SYSTEM") != "" }

// environment returns what a program is started with; one from the tools folder finds its libraries there.
func environment(path, tools string) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}
	if strings.HasPrefix(path, tools+"/") {
		ours, _ := filepath.Glob(tools + "/usr/lib/*-linux-gnu*")
		more, _ := filepath.Glob(tools + "/lib/*-linux-gnu*")
		sound, _ := filepath.Glob(tools + "/usr/lib/*-linux-gnu*/pulseaudio")
		env = append(env, "LD_LIBRARY_PATH="+strings.Join(slices.Concat(ours, more, sound), ":"), "FONTCONFIG_FILE="+tools+"/fonts.conf")
	}
	return env
}

// newestFirst lists …/postgresql/15/bin/postgres and the like, the highest version first.
func newestFirst(pattern string) []string {
	paths, _ := filepath.Glob(pattern)
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	slices.SortFunc(paths, func(a, b string) int { return version(b) - version(a) })
	return paths
}

func onPath(name string) []string {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil
	}
	return []string{path}
}

// postgresVersion asks the program itself: "postgres (PostgreSQL) 15.14 (Debian …)". 0 if it does not run.
func (p program) postgresVersion() (version int) {
	answer, _ := p.command("/", "--version").Output()
	_, _ = fmt.Sscanf(string(answer), "postgres (PostgreSQL) %d", &version)
	return version
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
