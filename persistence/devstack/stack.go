package devstack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/alicebob/miniredis/v2"
	"github.com/jackc/pgx/v5"
)

// Options says what to start.
type Options struct {
	Dir      string // where data and logs are, see DefaultDir; "" = a temporary folder that Stop removes
	Durable  bool   // data lasts between runs and survives a crash of the machine; a password is asked for
	Postgres bool
	Redis    bool

	PostgresSettings map[string]string // more settings, or others than ours: "log_statement": "all"
}

// Stack is a running PostgreSQL and Redis, as far as asked for.
type Stack struct {
	Postgres *Server // nil if not asked for
	Redis    *Server // nil if not asked for, or if miniredis stands in

	folder   *folder
	password string
	mini     *miniredis.Miniredis
	notes    []string
	stop     func() error
	beside   []*Server // poolers and replicas
	options  Options
}

// Start starts what options ask for and returns when all of it answers. Ctx limits the start, not the life.
// In a durable stack a miniredis stands in where there is no redis-server, and Notes says so; tests get the real one.
// Returns an error that names the other process if a stack is running in the folder, one that names `make setup` if a
// server is not installed, and one with the server's last words if it does not start. Nothing is left running then.
func Start(ctx context.Context, options Options) (*Stack, error) {
	if options.Durable && options.Dir == "" {
		return nil, errors.New("a durable stack needs a folder")
	}
	folder, err := openFolder(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("devstack: %w", err)
	}
	s := &Stack{folder: folder, options: options}
	s.stop = sync.OnceValue(s.stopAll)
	if err := s.startAll(ctx, options); err != nil {
		return nil, errors.Join(fmt.Errorf("devstack: %w", err), s.Stop())
	}
	return s, nil
}

// Stop ends the servers in good order and removes a temporary folder. Further calls do nothing.
// Returns an error if something could not be removed.
func (s *Stack) Stop() error { return s.stop() }

// Notes tells what the user of the stack should know, one sentence each; usually there is nothing.
func (s *Stack) Notes() []string { return s.notes }

// DatabaseURL returns the URL of a database by its superuser. The one of a new stack is called occupy.
func (s *Stack) DatabaseURL(database string) string {
	return s.databaseURL(s.Postgres.port, database)
}

func (s *Stack) databaseURL(port int, database string) string {
	u := url.URL{Scheme: "postgres", User: s.userinfo(user), Host: address(port), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// RedisURL returns the URL of Redis.
func (s *Stack) RedisURL() string {
	u := url.URL{Scheme: "redis", User: s.userinfo(""), Path: "/0"}
	if s.mini != nil {
		u.Host = s.mini.Addr()
	} else {
		u.Host = address(s.Redis.port)
	}
	return u.String()
}

// NewDatabase creates a database of a new name and returns its URL: a copy of template, to which nobody may be
// connected; "" = an empty one.
func (s *Stack) NewDatabase(ctx context.Context, template string) (string, error) {
	if template == "" {
		template = "template1"
	}
	conn, err := pgx.Connect(ctx, s.DatabaseURL("postgres"))
	if err != nil {
		return "", fmt.Errorf("creating a database: %w", err)
	}
	defer conn.Close(ctx)
	name := "t_" + strings.ToLower(rand.Text()[:12])
	_, err = conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, pgx.Identifier{template}.Sanitize()))
	if err != nil {
		return "", fmt.Errorf("creating a database: %w", err)
	}
	return s.DatabaseURL(name), nil
}

// Main runs a package's tests beside a stack of their own, and returns the exit code. Prepare gets the stack first,
// to keep it and to migrate a template:
//
//	func TestMain(m *testing.M) {
//		os.Exit(devstack.Main(m, devstack.Options{Postgres: true}, func(s *devstack.Stack) error { stack = s; return nil }))
//	}
func Main(m interface{ Run() int }, options Options, prepare func(*Stack) error) int {
	s, err := Start(context.Background(), options)
	if err == nil {
		defer s.Stop()
		err = prepare(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func (s *Stack) startAll(ctx context.Context, options Options) error {
	tools, err := toolsDir()
	if err != nil {
		return err
	}
	if options.Durable {
		if s.password, err = s.folder.password(); err != nil {
			return err
		}
	}
	if options.Postgres {
		if err := s.startPostgres(ctx, tools, options); err != nil {
			return err
		}
	}
	if options.Redis {
		return s.startRedis(ctx, tools, options)
	}
	return nil
}

func (s *Stack) startPostgres(ctx context.Context, tools string, options Options) error {
	server, err := newPostgres(ctx, s.folder, tools, s.password, options)
	if err != nil {
		return err
	}
	s.Postgres = server
	if err := server.startAnywhere(ctx); err != nil {
		return err
	}
	return ensureDatabase(ctx, s.DatabaseURL("postgres"), user)
}

func (s *Stack) startRedis(ctx context.Context, tools string, options Options) error {
	server, err := newRedis(s.folder, tools, s.password)
	if err == nil {
		s.Redis = server
		return server.startAnywhere(ctx)
	}
	if !options.Durable {
		return err
	}
	s.notes = append(s.notes, "A miniredis within this process stands in for Redis: "+err.Error())
	s.mini, err = newMiniredis(s.password)
	return err
}

func (s *Stack) stopAll() error {
	for _, server := range append(s.beside, s.Redis, s.Postgres) {
		if server != nil {
			server.Stop()
		}
	}
	if s.mini != nil {
		s.mini.Close()
	}
	return s.folder.close()
}

func (s *Stack) userinfo(name string) *url.Userinfo {
	if s.password == "" {
		if name == "" {
			return nil
		}
		return url.User(name)
	}
	return url.UserPassword(name, s.password)
}
