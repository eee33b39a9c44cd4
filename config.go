package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"reflect"
	"syscall"
	"time"
	_ "time/tzdata" // a container may have none

	"github.com/caarlos0/env/v11"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sys/unix"

	"occupy/domain"
	"occupy/graph/gateway"
	"occupy/persistence/postgres"
)

// Config is what the environment says. Each field's help is shown by -h.
type Config struct {
	Listen       string        `env:"OCCUPY_LISTEN" envDefault:"127.0.0.1:8080" help:"address and port to serve on; port 0 picks a free one"`
	Database     string        `env:"DATABASE_URL" help:"the primary PostgreSQL, 15 or newer, postgres://user:password@host:port/name; required. It is migrated at the start, safely when many start at once. Through a pooler add ?default_query_exec_mode=exec"`
	ReadURL      string        `env:"DATABASE_READ_URL" help:"a replica for people's questions (lists, history); the primary if empty. The floor always asks the primary"`
	MigrateURL   string        `env:"DATABASE_MIGRATE_URL" help:"where to migrate, past a pooler; DATABASE_URL if empty"`
	FloorConns   int           `env:"OCCUPY_FLOOR_CONNECTIONS" envDefault:"16" help:"connections to the primary at most, for commands, the feed and the service's own jobs"`
	AdhocConns   int           `env:"OCCUPY_ADHOC_CONNECTIONS" envDefault:"8" help:"more of them, for people's questions (lists, history), so that who asks much never keeps a command waiting; as many to the replica"`
	AdhocWait    time.Duration `env:"OCCUPY_ADHOC_WAIT" envDefault:"2s" help:"how long a question waits for one of them; then it is answered UNAVAILABLE"`
	AdhocTimeout time.Duration `env:"OCCUPY_ADHOC_TIMEOUT" envDefault:"30s" help:"how long the database may work on a question"`
	MaxLag       time.Duration `env:"OCCUPY_READ_MAX_LAG" envDefault:"5s" help:"how far behind the replica may be; if it is farther, or away, questions go to the primary until it has caught up"`

	Redis     string `env:"REDIS_URL" help:"redis://[user:password@]host:port, or several, by commas: a cluster or, with OCCUPY_REDIS_MASTER, Sentinels. Empty = none: other gateways' changes are seen up to a second later"`
	RedisName string `env:"OCCUPY_REDIS_MASTER" help:"the master's name, if REDIS_URL lists Sentinels"`

	Auth string `env:"OCCUPY_AUTH" envDefault:"dev" help:"jwt: who asks is what their token says. dev: X-User-Id and X-Roles are believed, and only this machine may connect"`
	Node string `env:"OCCUPY_NODE" help:"names this gateway and no other; host name and process id if empty"`

	JWTIssuer     string            `env:"OCCUPY_JWT_ISSUER" help:"whose tokens are taken, exactly as in their iss; required if OCCUPY_AUTH is jwt. Without OCCUPY_JWT_KEYS its keys are found by OpenID discovery"`
	JWTAudience   []string          `env:"OCCUPY_JWT_AUDIENCE" help:"for whom: one of these, by commas, has to be in a token's aud; required if OCCUPY_AUTH is jwt"`
	JWTKeys       string            `env:"OCCUPY_JWT_KEYS" help:"where the public keys are: the address of a JWKS, or a file, a JWKS or PEM. Read again every minute, and when a token's key is unknown"`
	JWTAlgorithms []string          `env:"OCCUPY_JWT_ALGORITHMS" envDefault:"RS256,PS256,ES256,EdDSA" help:"by which tokens may be signed: RS, PS or ES with 256, 384 or 512, and EdDSA. Never none, nor one with a shared secret"`
	JWTLeeway     time.Duration     `env:"OCCUPY_JWT_LEEWAY" envDefault:"30s" help:"how far the issuer's clock may be from this machine's"`
	JWTUser       string            `env:"OCCUPY_JWT_USER_CLAIM" envDefault:"sub" help:"the claim that is the user's id, such as preferred_username"`
	JWTRoles      string            `env:"OCCUPY_JWT_ROLES_CLAIM" envDefault:"roles" help:"the claim with the roles, a list or a text; dots lead inwards: realm_access.roles"`
	JWTRoleMap    map[string]string `env:"OCCUPY_JWT_ROLE_MAP" envKeyValSeparator:"=" help:"what the issuer calls the roles, by commas: mes-user=OPERATOR,mes-lead=SUPERVISOR. Others then count for nothing; if empty, they are called as here"`

	DefaultTTL  time.Duration `env:"OCCUPY_TTL_DEFAULT" envDefault:"300s" help:"how long an item is held if the caller does not say"`
	MaxTTL      time.Duration `env:"OCCUPY_TTL_MAX" envDefault:"8h" help:"the longest that a caller may ask for at once: a shift"`
	MaxHold     time.Duration `env:"OCCUPY_MAX_HOLD" envDefault:"0s" help:"the longest hold with all its renewals; 0 = no bound"`
	KeepCase    bool          `env:"OCCUPY_KEEP_CASE" envDefault:"false" help:"true: item names keep their case, lot1 and LOT1 are two; never change it on a database in use"`
	KeepHistory time.Duration `env:"OCCUPY_HISTORY_RETENTION" envDefault:"0" help:"how long the history is kept, by whole months; 0 = for ever"`
	KeepDenials time.Duration `env:"OCCUPY_DENIAL_RETENTION" envDefault:"2160h" help:"how long it is kept who was refused what; 0 = for ever"`
	TimeZone    zone          `env:"OCCUPY_TIME_ZONE" envDefault:"Asia/Seoul" help:"the plant's: that of the times in messages, and of the days of historyStats"`
	Shifts      domain.Shifts `env:"OCCUPY_SHIFTS" envDefault:"06:00,14:00,22:00" help:"when the plant's shifts begin, by commas; its day begins with the first"`

	GroupSize    int `env:"OCCUPY_GROUP_SIZE" envDefault:"256" help:"callers that one transaction serves at most; 1 = no group commit"`
	GroupRows    int `env:"OCCUPY_GROUP_ROWS" envDefault:"2000" help:"rows that one transaction locks at most, but for a single caller's"`
	Transactions int `env:"OCCUPY_TRANSACTIONS" envDefault:"4" help:"such transactions in flight at once: two at most, unless they are held up or a whole group waits"`

	Origins        []string      `env:"OCCUPY_ORIGINS" help:"other origins whose pages may call, by commas, such as https://mes.example.com or https://*.example.com; a request from any other page is refused"`
	MaxConnections int           `env:"OCCUPY_MAX_CONNECTIONS" envDefault:"20000" help:"WebSockets and event streams at once"`
	MaxPerUser     int           `env:"OCCUPY_MAX_CONNECTIONS_PER_USER" envDefault:"10000" help:"those of one user"`
	MaxOperations  int           `env:"OCCUPY_MAX_SUBSCRIPTIONS" envDefault:"1000" help:"subscriptions, and other operations, at once on one WebSocket"`
	Notice         time.Duration `env:"OCCUPY_RESTART_NOTICE" envDefault:"1s" help:"how long a stopping gateway serves on while /readyz says that it is not ready, and then, as long again, answers UNAVAILABLE, so that balancers and clients go elsewhere in time"`
	MaxExports     int           `env:"OCCUPY_MAX_EXPORTS" envDefault:"2" help:"exports at once; each asks for a page at a time"`
	Spread         time.Duration `env:"OCCUPY_RESTART_SPREAD" envDefault:"3s" help:"over how long a stopping gateway then sends the clients of sockets and streams away, one after the other, so that they do not come to the next one all at once"`
	StopWithin     time.Duration `env:"OCCUPY_RESTART_TIMEOUT" envDefault:"10s" help:"how long it waits, beside that, for what runs; then it is cut"`

	LogFormat     logFormat  `env:"OCCUPY_LOG_FORMAT" envDefault:"text" help:"of the log, which goes to standard error: text or json. Never has a token or the value of a variable"`
	LogLevel      slog.Level `env:"OCCUPY_LOG_LEVEL" envDefault:"INFO" help:"DEBUG, INFO, WARN or ERROR; DEBUG has a line for each query and mutation"`
	PprofListen   string     `env:"OCCUPY_PPROF_LISTEN" help:"a loopback address and port for profiles of this process, such as 127.0.0.1:6060; none if empty"`
	TraceEndpoint string     `env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"where traces go, over HTTP, such as http://collector:4318; nothing is traced if empty. OpenTelemetry's other variables hold, too, such as OTEL_TRACES_SAMPLER"`

	RequestConfig
	RateConfig

	traces trace.TracerProvider // nil = nothing is traced
	// started is called once requests are served.
	started func(address string, service *domain.Service)
}

// zone is a time zone, read from its name.
type zone struct{ *time.Location }

// UnmarshalText finds the zone of that name.
func (z *zone) UnmarshalText(name []byte) (err error) {
	z.Location, err = time.LoadLocation(string(name))
	return err
}

// loadConfig reads and checks the settings.
// Returns an error that names every variable that is wrong.
func loadConfig(environment map[string]string) (Config, error) {
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: environment}); err != nil {
		return c, named(err)
	}
	if c.Node == "" {
		host, _ := os.Hostname()
		c.Node = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if c.MigrateURL == "" {
		c.MigrateURL = c.Database
	}
	return c, c.check()
}

func (c *Config) check() error {
	var all []error
	must := func(holds bool, format string, args ...any) {
		if !holds {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	must(c.Auth == "dev" || c.Auth == "jwt", "OCCUPY_AUTH is dev or jwt, not %q", c.Auth)
	c.checkTokens(must)
	must(isSeconds(c.DefaultTTL), "OCCUPY_TTL_DEFAULT must be whole seconds, at least 1s")
	must(isSeconds(c.MaxTTL), "OCCUPY_TTL_MAX must be whole seconds, at least 1s")
	must(c.DefaultTTL <= c.MaxTTL, "OCCUPY_TTL_DEFAULT must not be longer than OCCUPY_TTL_MAX")
	must(c.MaxHold == 0 || isSeconds(c.MaxHold), "OCCUPY_MAX_HOLD must be 0 or whole seconds")
	must(c.KeepHistory == 0 || c.KeepHistory >= minKeepHistory, "OCCUPY_HISTORY_RETENTION must be 0 or at least %s", minKeepHistory)
	must(c.KeepDenials == 0 || c.KeepDenials >= time.Hour, "OCCUPY_DENIAL_RETENTION must be 0 or at least 1h")
	must(c.GroupSize >= 1, "OCCUPY_GROUP_SIZE must be at least 1")
	must(c.GroupRows >= 1, "OCCUPY_GROUP_ROWS must be at least 1")
	must(c.Transactions >= 1, "OCCUPY_TRANSACTIONS must be at least 1")
	must(c.FloorConns >= 2, "OCCUPY_FLOOR_CONNECTIONS must be at least 2")
	must(c.AdhocConns >= 1, "OCCUPY_ADHOC_CONNECTIONS must be at least 1")
	must(c.AdhocWait > 0, "OCCUPY_ADHOC_WAIT must be longer than 0")
	must(c.AdhocTimeout >= time.Millisecond, "OCCUPY_ADHOC_TIMEOUT must be at least 1ms")
	must(c.MaxLag >= minLag, "OCCUPY_READ_MAX_LAG must be at least %v", minLag)
	must(c.MaxConnections >= 1, "OCCUPY_MAX_CONNECTIONS must be at least 1")
	must(c.MaxPerUser >= 1, "OCCUPY_MAX_CONNECTIONS_PER_USER must be at least 1")
	must(c.MaxOperations >= 1, "OCCUPY_MAX_SUBSCRIPTIONS must be at least 1")
	must(c.MaxExports >= 1, "OCCUPY_MAX_EXPORTS must be at least 1")
	must(c.Notice >= 0, "OCCUPY_RESTART_NOTICE must not be negative")
	must(c.Spread > 0, "OCCUPY_RESTART_SPREAD must be longer than 0")
	must(c.StopWithin > 0, "OCCUPY_RESTART_TIMEOUT must be longer than 0")
	c.RequestConfig.check(must)
	c.RateConfig.check(must)
	return errors.Join(all...)
}

// minKeepHistory is two months at least: last month's partition is always there.
const minKeepHistory = 62 * 24 * time.Hour

// minLag is what even a replica that keeps up may seem to be behind.
const minLag = 500 * time.Millisecond

// isSeconds: TTLs are asked for in seconds, and have to fit a GraphQL Int.
func isSeconds(d time.Duration) bool {
	return d >= domain.MinTTL && d%time.Second == 0 && d < 1<<31*time.Second
}

// named says which variables could not be read, for the library names the fields.
func named(err error) error {
	var several env.AggregateError
	if !errors.As(err, &several) {
		return err
	}
	var all []error
	for _, err := range several.Errors {
		var parse env.ParseError
		if errors.As(err, &parse) {
			field, _ := reflect.TypeFor[Config]().FieldByName(parse.Name)
			err = fmt.Errorf("%s: %w", field.Tag.Get("env"), parse.Err)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// goneAfter is how long a client's machine may leave what was sent to it
// unconfirmed. The kernel's own bound is a quarter of an hour.
const goneAfter = 40 * time.Second

// endGone has every connection of a listener end whose client is gone.
func endGone(_, _ string, socket syscall.RawConn) (err error) {
	outer := socket.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(goneAfter.Milliseconds()))
	})
	return errors.Join(outer, err)
}

// listen opens the address. Without real credentials nobody but this machine may
// connect, whatever name the address is given by.
func (c *Config) listen() (net.Listener, error) {
	address, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("OCCUPY_LISTEN: %w", err)
	}
	if c.Auth == "dev" && !address.IP.IsLoopback() {
		return nil, fmt.Errorf("OCCUPY_LISTEN=%s can be reached from outside, and OCCUPY_AUTH=dev believes whatever a caller says", c.Listen)
	}
	listening := net.ListenConfig{Control: endGone}
	listening.SetMultipathTCP(false) // it knows no such bound
	listener, err := listening.Listen(context.Background(), "tcp", address.String())
	if err != nil {
		return nil, fmt.Errorf("OCCUPY_LISTEN: %w", err)
	}
	return listener, nil
}

// migrateName is the variable that MigrateURL comes from.
func (c *Config) migrateName() string {
	if c.MigrateURL == c.Database {
		return "DATABASE_URL"
	}
	return "DATABASE_MIGRATE_URL"
}

func (c *Config) store() postgres.Config {
	return postgres.Config{
		URL: c.Database, ReadURL: c.ReadURL, MaxLag: c.MaxLag,
		FloorConns: c.FloorConns, AdhocConns: c.AdhocConns, AdhocWait: c.AdhocWait, AdhocTimeout: c.AdhocTimeout,
		GroupCallers: c.GroupSize, GroupRows: c.GroupRows, Transactions: c.Transactions, Node: c.Node, Traces: c.traces,
	}
}

func (c *Config) limits() gateway.Limits {
	return gateway.Limits{
		Connections: c.MaxConnections, PerUser: c.MaxPerUser, Operations: c.MaxOperations, Spread: c.Spread,
		Body: c.MaxBody, Exports: c.MaxExports, Request: c.Timeout,
	}
}
