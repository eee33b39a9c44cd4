package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var files embed.FS

// lockKey is the advisory lock of whoever migrates: "occupy" in ASCII.
const lockKey int64 = 0x6f6363757079

// askAgain is how long a gateway waits while another one migrates before it looks again.
const askAgain = 50 * time.Millisecond

// Querier is all that Pending needs of a database: a *pgxpool.Pool, a *pgx.Conn or a pgx.Tx.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Up brings the database at databaseURL to the schema of this program.
//
// Safe to call from any number of processes at once. If there is nothing to do it takes one connection and two
// short queries, and no lock. A database that is ahead of this program (a newer gateway was here) is left as it is.
// Works through a pooler in transaction mode, which must grant two connections at a time.
//
// Returns an error if the database cannot be reached, a migration fails (its transaction is rolled back, the ones
// before it stay), or ctx ends first.
func Up(ctx context.Context, databaseURL string) error {
	cfg, err := connConfig(databaseURL)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		pending, err := Pending(ctx, conn)
		if err != nil || !pending {
			return err
		}
		won, err := tryUp(ctx, conn, cfg)
		if err != nil || won {
			return err
		}
		if err := wait(ctx, askAgain); err != nil {
			return fmt.Errorf("wait for another gateway to migrate: %w", err)
		}
	}
}

// Pending reports whether the database lacks a migration of this program. It changes nothing and takes no lock.
func Pending(ctx context.Context, q Querier) (bool, error) {
	versions, err := versions()
	if err != nil {
		return false, err
	}
	var exists bool
	if err := q.QueryRow(ctx, `-- name: VersionTableExists
		SELECT to_regclass($1) IS NOT NULL`, goose.DefaultTablename).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for the version table: %w", err)
	}
	if !exists {
		return true, nil
	}
	var applied int
	if err := q.QueryRow(ctx, `-- name: CountAppliedMigrations
		SELECT count(DISTINCT version_id) FROM goose_db_version WHERE is_applied AND version_id = ANY($1::bigint[])`,
		versions).Scan(&applied); err != nil {
		return false, fmt.Errorf("read the schema version: %w", err)
	}
	return applied < len(versions), nil
}

// connConfig parses the URL for migrating: no named prepared statements, since behind a pooler the next statement may
// meet another server connection.
func connConfig(databaseURL string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	cfg.StatementCacheCapacity, cfg.DescriptionCacheCapacity = 0, 0
	return cfg, nil
}

// versions lists the versions of the embedded files.
func versions() ([]int64, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	versions := make([]int64, len(names))
	for i, name := range names {
		if versions[i], err = goose.NumericComponent(name); err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return versions, nil
}

// tryUp migrates unless another gateway is at it, and reports whether it did.
//
// The lock lives in a transaction of conn while goose works on a connection of its own. It is asked for, not waited
// for: a waiting transaction would keep a connection of the pooler that the one who migrates may need.
func tryUp(ctx context.Context, conn *pgx.Conn, cfg *pgx.ConnConfig) (won bool, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("lock to migrate: %w", err)
	}
	// Its error says nothing: nothing was written in it, and if the connection is gone the lock is too.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// While goose works, this transaction is idle, as long as that may take.
	if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
		return false, fmt.Errorf("lock to migrate: %w", err)
	}
	if err := tx.QueryRow(ctx, `-- name: LockMigrations
		SELECT pg_try_advisory_xact_lock($1)`, lockKey).Scan(&won); err != nil {
		return false, fmt.Errorf("lock to migrate: %w", err)
	}
	if !won {
		return false, nil
	}
	return true, migrate(ctx, cfg)
}

// migrate runs what is pending, each file in its own transaction.
func migrate(ctx context.Context, cfg *pgx.ConnConfig) (err error) {
	db := stdlib.OpenDB(*cfg)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
