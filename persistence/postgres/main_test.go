package postgres

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/migrations"
	"occupy/persistence/devstack"
)

// template is the migrated database that every test gets a copy of.
const template = "occupy"

// stack is the PostgreSQL of this test binary.
var stack *devstack.Stack

func TestMain(m *testing.M) {
	os.Exit(devstack.Main(m, devstack.Options{Postgres: true}, func(s *devstack.Stack) error {
		stack = s
		return migrateTemplate(context.Background(), s.DatabaseURL(template))
	}))
}

func migrateTemplate(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close() // nobody may be connected to a template when it is copied
	_, err = EnsurePartitions(ctx, pool, time.Now(), 12)
	return err
}

// newURL makes a database of the test's own, migrated and with this year's partitions, and returns its URL.
func newURL(t testing.TB) string {
	t.Helper()
	url, err := stack.NewDatabase(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// newDB is newURL with a pool on it that ends with the test.
func newDB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), newURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
