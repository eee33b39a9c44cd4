package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/domain"
	"occupy/migrations"
)

// Config is what a Store needs.
type Config struct {
	// URL is the primary's. Parameters such as pool_max_conns are pgx's.
	URL string
	// ReadURL is a replica's for ad hoc reads; empty = the primary.
	ReadURL string
	// GroupCallers and GroupRows bound one transaction; Transactions is how
	// many may be in flight. GroupCallers 1 is one transaction a caller.
	GroupCallers, GroupRows, Transactions int
	// Node names this gateway in lists of who has what; empty = host name and process id.
	Node string
}

// Sizes of a group commit. Two transactions in flight make larger groups, and
// so more commits, than eight do.
const (
	DefaultGroupCallers = 256
	DefaultGroupRows    = 2000
	DefaultTransactions = 2
)

// Store implements domain.Store, domain.Archive and domain.Feed.
// Make one with Open, end it with Close.
type Store struct {
	floor     *pgxpool.Pool // the commands and the feed
	adhoc     *pgxpool.Pool // people's questions, which must not starve the floor
	queue     *queue[domain.Update]
	reads     *queue[*itemRead]
	lots      *queue[*lotDraw]
	committed atomic.Pointer[func()]
	renewed   atomic.Pointer[func([]*domain.Change)]
	database  string
	sequences *sequences
	metrics   *metrics
	patience  time.Duration // how long an update waits for its turn, and then for its outcome
}

var (
	_ domain.Store         = (*Store)(nil)
	_ domain.SequenceStore = (*Store)(nil)
)

// Open connects. The database has to be migrated.
func Open(ctx context.Context, c Config) (*Store, error) {
	floor, err := openPool(ctx, c.URL, floorConns, floorSettings)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	s := &Store{floor: floor, patience: patience, metrics: newMetrics()}
	s.queue = newQueue(c, s.metrics.of(updates), rowsOfUpdate, func(calls []*updateCall) { settle(s.patience, calls, s.update) })
	s.reads = newQueue(c, s.metrics.of(reads), rowsOfRead, s.readGroup)
	s.lots = newQueue(c, s.metrics.of(lots), rowsOfDraw, func(calls []*call[*lotDraw]) { settle(s.patience, calls, s.drawLots) })
	s.openSequences(c)
	adhocURL := c.ReadURL
	if adhocURL == "" {
		adhocURL = c.URL
	}
	if s.adhoc, err = openPool(ctx, adhocURL, adhocConns, adhocSettings); err != nil {
		s.closeSequences()
		floor.Close()
		return nil, fmt.Errorf("DATABASE_READ_URL: %w", err)
	}
	if err := s.identify(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

const (
	floorConns = 16
	adhocConns = 8
)

// The floor's tables are small or found by key; the planner, misled by their
// statistics when they were empty, must not read them whole. And it must not
// plan anew for every list of keys: that took twice as long as to read them.
const floorSettings = `
	SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
	SET plan_cache_mode = force_generic_plan; SET statement_timeout = '10s'`

const adhocSettings = `
	SET default_transaction_read_only = on; SET jit = off; SET statement_timeout = '30s'`

func openPool(ctx context.Context, url string, conns int32, settings string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = conns
	}
	config.ConnConfig.RuntimeParams["application_name"] = "occupy"
	// Statements, not start-up parameters, since a pooler refuses those.
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, settings).ReadAll()
		return err
	}
	return pgxpool.NewWithConfig(ctx, config)
}

func (s *Store) identify(ctx context.Context) error {
	err := s.floor.QueryRow(ctx, `-- name: IdentifyDatabase
		SELECT system_identifier::text || '/' || current_database() FROM pg_control_system()`).Scan(&s.database)
	return translate(err)
}

// DatabaseID names the database among all there are.
func (s *Store) DatabaseID() string { return s.database }

// OnCommit has f called after each commit that wrote history. f must not block.
func (s *Store) OnCommit(f func()) { s.committed.Store(&f) }

// OnRenewal has f called after each commit with the holds that it extended, as
// they were left: those have no history. f must not block.
func (s *Store) OnRenewal(f func(renewed []*domain.Change)) { s.renewed.Store(&f) }

// Pools are the connection pools by name, for metrics.
func (s *Store) Pools() map[string]*pgxpool.Pool {
	return map[string]*pgxpool.Pool{"floor": s.floor, "adhoc": s.adhoc}
}

// Ready tells whether the database answers, is migrated, and can take history.
func (s *Store) Ready(ctx context.Context) error {
	pending, err := migrations.Pending(ctx, s.floor)
	if err != nil {
		return translate(err)
	}
	if pending {
		return fmt.Errorf("%w: the database is not migrated", domain.ErrUnavailable)
	}
	var missing bool
	err = s.floor.QueryRow(ctx, `-- name: MissesPartition
		SELECT NOT EXISTS (
			SELECT FROM pg_inherits WHERE inhparent = 'ct_occupy_item_history'::regclass
			  AND inhrelid = to_regclass('ct_occupy_item_history_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMM')))`).
		Scan(&missing)
	if err == nil && missing {
		return fmt.Errorf("%w: the history has no partition for this month", domain.ErrUnavailable)
	}
	return translate(err)
}

// EnsurePartitions makes the history's partitions for the months to come, by
// the database's clock. Returns how many it made.
func (s *Store) EnsurePartitions(ctx context.Context) (int, error) {
	now, err := s.Clock(ctx)
	if err != nil {
		return 0, err
	}
	return EnsurePartitions(ctx, s.floor, now, minMonthsAhead)
}

// Clock is the database's.
func (s *Store) Clock(ctx context.Context) (now time.Time, err error) {
	err = s.floor.QueryRow(ctx, `-- name: Clock
		SELECT clock_timestamp()`).Scan(&now)
	return now, translate(err)
}

// Close gives back what was drawn of sequences ahead of need, and ends the
// connections. Nothing may be under way.
func (s *Store) Close() {
	s.closeSequences()
	s.floor.Close()
	s.adhoc.Close()
}
