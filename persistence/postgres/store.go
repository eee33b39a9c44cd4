package postgres

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"

	"occupy/domain"
	"occupy/migrations"
)

// Config is what a Store needs.
type Config struct {
	// URL is the primary's. Behind a pooler in transaction mode it says
	// default_query_exec_mode=exec.
	URL string
	// ReadURL is a replica's for ad hoc reads; empty = the primary.
	ReadURL string
	// MaxLag is how far the replica may be behind; then the primary is asked.
	MaxLag time.Duration
	// FloorConns and AdhocConns are how many connections the floor, and those who
	// ask, may use of one server.
	FloorConns, AdhocConns int
	// AdhocWait is how long a question waits for a connection, AdhocTimeout how
	// long it may take then.
	AdhocWait, AdhocTimeout time.Duration
	// GroupCallers and GroupRows bound one transaction; Transactions is how many
	// may be in flight: two at most, unless they are held up or a whole group waits.
	// GroupCallers 1 is one transaction a caller.
	GroupCallers, GroupRows, Transactions int
	// Node names this gateway in lists of who has what; empty = host name and process id.
	Node string
	// Traces is where spans go; nil = nothing is traced.
	Traces trace.TracerProvider
}

// Sizes of a group commit.
const (
	DefaultGroupCallers = 256
	DefaultGroupRows    = 2000
	DefaultTransactions = 4
)

// Bounds of the connections.
const (
	DefaultFloorConns   = 16
	DefaultAdhocConns   = 8
	DefaultAdhocWait    = 2 * time.Second
	DefaultAdhocTimeout = 30 * time.Second
	DefaultMaxLag       = 5 * time.Second
)

func (c *Config) setDefaults() {
	c.FloorConns = cmp.Or(c.FloorConns, DefaultFloorConns)
	c.AdhocConns = cmp.Or(c.AdhocConns, DefaultAdhocConns)
	c.AdhocWait = cmp.Or(c.AdhocWait, DefaultAdhocWait)
	c.AdhocTimeout = cmp.Or(c.AdhocTimeout, DefaultAdhocTimeout)
	c.MaxLag = cmp.Or(c.MaxLag, DefaultMaxLag)
}

// Store implements domain.Store, domain.Archive and domain.Feed.
// Make one with Open, end it with Close.
type Store struct {
	floor     *pool  // the commands and the feed
	adhoc     *adhoc // people's questions, which must not starve the floor
	queue     *queue[domain.Update]
	reads     *queue[*itemRead]
	lots      *queue[*lotDraw]
	committed atomic.Pointer[func()]
	renewed   atomic.Pointer[func([]*domain.Change)]
	database  string
	sequences *sequences
	metrics   *metrics
	made      *made
	patience  time.Duration // how long an update waits for its turn, and then for its outcome
}

var (
	_ domain.Store         = (*Store)(nil)
	_ domain.SequenceStore = (*Store)(nil)
)

// Open connects. The database has to be migrated.
func Open(ctx context.Context, c Config) (*Store, error) {
	c.setDefaults()
	floor, err := openPool(ctx, poolOptions{name: "DATABASE_URL", url: c.URL, conns: c.FloorConns, settings: floorSettings, tracer: c.statements()})
	if err != nil {
		return nil, err
	}
	s := &Store{floor: floor, patience: patience, metrics: newMetrics(), made: newMade()}
	if s.adhoc, err = openAdhoc(ctx, c, floor); err != nil {
		floor.Close()
		return nil, err
	}
	s.queue = newQueue(c, updates, s.metrics, rowsOfUpdate, func(ctx context.Context, calls []*updateCall) { settle(ctx, s.patience, calls, s.update) })
	s.reads = newQueue(c, reads, s.metrics, rowsOfRead, s.readGroup)
	s.lots = newQueue(c, lots, s.metrics, rowsOfDraw, func(ctx context.Context, calls []*call[*lotDraw]) { settle(ctx, s.patience, calls, s.drawLots) })
	s.openSequences(c)
	if err := s.identify(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
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
	pools := map[string]*pgxpool.Pool{"floor": s.floor.Pool, "adhoc": s.adhoc.primary.Pool}
	if r := s.adhoc.replica; r != nil {
		pools["replica"] = r.pool.Pool
	}
	return pools
}

// Notes says what an operator should know though all is served.
func (s *Store) Notes() []string { return s.adhoc.replica.notes() }

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
	return EnsurePartitions(ctx, s.floor.Pool, now, minMonthsAhead)
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
	s.adhoc.close() // its watch asks the floor
	s.floor.Close()
}
