package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// GrantViews lets a role of the database read the views for BI tools, and makes it if
// there is none. Returns the views.
//
// No migration does that: a role belongs to the whole server, may be an administrator's
// to make, and is not in a dump, which could not be restored without it.
//
// Returns an error if it may not make the role, or if the role can do more than that.
func GrantViews(ctx context.Context, url, role string) (views []string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	var schema string
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT current_schema(), EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, role).Scan(&schema, &exists); err != nil {
		return nil, err
	}
	if views, err = names(ctx, conn, `SELECT relname::text FROM pg_class
		WHERE relkind = 'v' AND relname LIKE 'v\_occupy\_%' AND relnamespace = $1::regnamespace ORDER BY 1`, schema); err != nil {
		return nil, err
	}
	if len(views) == 0 {
		return nil, errors.New("there are no views: start a gateway, which migrates the database")
	}
	name := pgx.Identifier{role}.Sanitize()
	if !exists {
		if _, err := conn.Exec(ctx, "CREATE ROLE "+name+" NOLOGIN"); sqlState(err) == sqlNotAllowed {
			return nil, fmt.Errorf("this user may not make roles: have an administrator run CREATE ROLE %s NOLOGIN, then run this again", name)
		} else if err != nil {
			return nil, err
		}
	}
	for _, grant := range []string{"USAGE ON SCHEMA " + pgx.Identifier{schema}.Sanitize(), "SELECT ON " + strings.Join(views, ", ")} {
		if _, err := conn.Exec(ctx, "GRANT "+grant+" TO "+name); err != nil {
			return nil, err
		}
	}
	return views, checkNoMore(ctx, conn, role, views)
}

// checkNoMore returns an error that names what else the role has a right to.
func checkNoMore(ctx context.Context, conn *pgx.Conn, role string, views []string) error {
	all, err := names(ctx, conn, `SELECT relname::text FROM pg_class
		WHERE relkind IN ('r', 'p', 'v') AND relnamespace = current_schema()::regnamespace
		  AND (has_table_privilege($1, oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
		       OR has_table_privilege($1, oid, 'SELECT') AND NOT relname = ANY ($2)) ORDER BY 1`, role, views)
	if err == nil && len(all) > 0 {
		err = fmt.Errorf("the role %s has more rights than to read the views: to %s", role, strings.Join(slices.Compact(all), ", "))
	}
	return err
}

func names(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
