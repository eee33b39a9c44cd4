package devstack

import "os/exec"

// Tool returns a command of a program that comes with PostgreSQL, such as pgbench.
// Returns an error that names `make setup` if there is no PostgreSQL.
func Tool(name string, args ...string) (*exec.Cmd, error) {
	tools, err := toolsDir()
	if err != nil {
		return nil, err
	}
	postgres, err := findPostgres(tools)
	if err != nil {
		return nil, err
	}
	return postgres.beside(name).command("/", args...), nil
}

// RedisServer returns a command of redis-server, to run in a folder, for a test that wants one of another kind than a
// stack has: a Sentinel, or a node of a cluster.
// Returns an error that names `make setup` if there is none.
func RedisServer(folder string, args ...string) (*exec.Cmd, error) {
	tools, err := toolsDir()
	if err != nil {
		return nil, err
	}
	redis, err := findRedis(tools)
	if err != nil {
		return nil, err
	}
	return redis.command(folder, args...), nil
}

// Chromium returns the path of a browser for tests of pages, and the environment that it needs.
// Returns an error that names `make setup` if there is none.
func Chromium() (path string, env []string, err error) {
	tools, err := toolsDir()
	if err != nil {
		return "", nil, err
	}
	chromium, err := findChromium(tools)
	return chromium.path, chromium.env, err
}
