package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pool is connections for one kind of work, each statement of which runs under
// the pool's settings.
//
// A connection of one's own is given them once. Behind a pooler in transaction
// mode there is none: what one statement sets is met by whoever is served next,
// and the next statement may be served elsewhere. There the settings go before
// each statement, in the same round trip, and end with its transaction.
type pool struct {
	*pgxpool.Pool
	each string // sets them for one transaction; empty if the connections have them
}

// setting is a run-time parameter of the server.
type setting struct{ name, value string }

// setAll is the statement that sets them, for the transaction alone or for as
// long as the connection lives. Names and values are this package's own.
func setAll(settings []setting, transaction bool) string {
	calls := make([]string, len(settings))
	for i, s := range settings {
		calls[i] = fmt.Sprintf("set_config('%s', '%s', %t)", s.name, s.value, transaction)
	}
	return "-- name: SetUp\n\t\tSELECT " + strings.Join(calls, ", ")
}

// floorSettings: the floor's tables are small or found by key; the planner,
// misled by their statistics when they were empty, must not read them whole. And
// it must not plan anew for every list of keys: that took twice as long as to
// read them.
var floorSettings = []setting{
	{"enable_seqscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"}, {"jit", "off"},
	{"plan_cache_mode", onceForAll}, {"statement_timeout", "10s"},
}

func adhocSettings(timeout time.Duration) []setting {
	return []setting{
		{"default_transaction_read_only", "on"}, // of a connection's transactions to come
		{"transaction_read_only", "on"},         // of this one
		{"jit", "off"}, {"statement_timeout", milliseconds(timeout)},
	}
}

// poolOptions says what a pool is for.
type poolOptions struct {
	name     string // of the variable that its URL comes from
	url      string
	conns    int
	settings []setting
	tracer   pgx.QueryTracer // nil = none
	asksBack bool            // statements that nobody waits for any more are cancelled, and the connection is kept
}

func openPool(ctx context.Context, o poolOptions) (*pool, error) {
	if strings.Contains(o.url, "pool_max_conns") {
		return nil, fmt.Errorf("%s: pool_max_conns is not read: use OCCUPY_FLOOR_CONNECTIONS and OCCUPY_ADHOC_CONNECTIONS", o.name)
	}
	config, err := pgxpool.ParseConfig(o.url)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	config.MaxConns = int32(o.conns)
	config.ConnConfig.Tracer = o.tracer
	config.ConnConfig.RuntimeParams["application_name"] = "occupy"
	if o.asksBack {
		config.ConnConfig.BuildContextWatcherHandler = cancelInTime
	}
	p := &pool{}
	switch config.ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeCacheStatement:
		config.AfterConnect = setUp(o)
	case pgx.QueryExecModeExec:
		p.each = setAll(o.settings, true)
		config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
			conn.PgConn().CustomData()[eachTransaction] = p.each
			return nil
		}
	default:
		return nil, fmt.Errorf("%s: default_query_exec_mode is exec behind a pooler, else cache_statement, which is the default", o.name)
	}
	p.Pool, err = pgxpool.NewWithConfig(ctx, config)
	return p, err
}

// eachTransaction is where a connection keeps what its transactions begin with.
const eachTransaction = "occupy: settings of each transaction"

// queueSettings puts in front of a transaction what it has to begin with.
func queueSettings(b *pgx.Batch, conn *pgx.Conn) {
	if each, ok := conn.PgConn().CustomData()[eachTransaction].(string); ok {
		b.Queue(each)
	}
}

var errPooler = errors.New("it leads to a pooler, where what was prepared on one connection is looked for on another: add default_query_exec_mode=exec to it")

// setUp gives a new connection its settings. Returns errPooler if it is not one
// to PostgreSQL itself, whose process would have told its own number as the key
// by which to cancel.
func setUp(o poolOptions) func(context.Context, *pgx.Conn) error {
	session := setAll(o.settings, false)
	return func(ctx context.Context, conn *pgx.Conn) error {
		pg := conn.PgConn()
		result, err := pg.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
		if err != nil {
			return err
		}
		if string(result[0].Rows[0][0]) != strconv.FormatUint(uint64(pg.PID()), 10) {
			return fmt.Errorf("%s: %w", o.name, errPooler)
		}
		_, err = pg.Exec(ctx, session).ReadAll()
		return err
	}
}

// cancelWithin is how long a server may take to say that it has cancelled a
// statement before its connection is given up.
const cancelWithin = 2 * time.Second

// cancelInTime has the server cancel a statement whose caller has left. pgx would
// close the connection otherwise: callers who come and leave in numbers would
// have more connections opened than the pool has, while the old ones still work.
func cancelInTime(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelWithin}
}

// SendBatch is that of pgxpool, under the settings. Only Close may be called on
// what it returns: the statements' functions get their results.
func (p *pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if p.each != "" {
		b = p.underSettings(b)
	}
	return p.Pool.SendBatch(ctx, b)
}

// underSettings is a copy of the batch with the settings before it, if its
// connections do not have them. A batch itself can be sent only once: it keeps
// what was prepared for it.
func (p *pool) underSettings(b *pgx.Batch) *pgx.Batch {
	all := &pgx.Batch{}
	if p.each != "" {
		all.Queue(p.each)
	}
	for _, q := range b.QueuedQueries {
		all.Queue(q.SQL, q.Arguments...).Fn = q.Fn
	}
	return all
}

// Query is that of pgxpool, under the settings.
func (p *pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if p.each == "" {
		return p.Pool.Query(ctx, sql, args...)
	}
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	results := p.SendBatch(ctx, b)
	if _, err := results.Exec(); err != nil {
		_ = results.Close()
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return &batchRows{Rows: rows, results: results}, nil
}

// batchRows are the rows of the last statement of a batch, which ends with them.
type batchRows struct {
	pgx.Rows
	results pgx.BatchResults
	err     error
}

func (r *batchRows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.Close()
	}
	return more
}

func (r *batchRows) Close() {
	r.Rows.Close()
	if err := r.results.Close(); r.err == nil {
		r.err = err
	}
}

// Err also tells what the end of the transaction said.
func (r *batchRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// QueryRow is that of pgxpool, under the settings.
func (p *pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if p.each == "" {
		return p.Pool.QueryRow(ctx, sql, args...)
	}
	return queriedRow(func(scan func(pgx.Row) error) error {
		b := &pgx.Batch{}
		b.Queue(sql, args...).QueryRow(scan)
		return p.SendBatch(ctx, b).Close()
	})
}

// queriedRow is a row that is asked for when it is scanned.
type queriedRow func(scan func(pgx.Row) error) error

func (q queriedRow) Scan(dests ...any) error {
	return q(func(row pgx.Row) error { return row.Scan(dests...) })
}

// Exec is that of pgxpool, under the settings.
func (p *pool) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	if p.each == "" {
		return p.Pool.Exec(ctx, sql, args...)
	}
	b := &pgx.Batch{}
	b.Queue(sql, args...).Exec(func(done pgconn.CommandTag) error { tag = done; return nil })
	err = p.SendBatch(ctx, b).Close()
	return tag, err
}
