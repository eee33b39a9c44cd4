package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

const profileTime = 10 * time.Second

// freeAddress is one that nobody had a moment ago.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// postgresSettings are those beside `make run`'s.
func (o options) postgresSettings() map[string]string {
	settings := map[string]string{"max_connections": "400"} // pgbench's 256 beside the gateways'
	if o.profile != "" {
		settings["shared_preload_libraries"] = "pg_stat_statements"
		settings["pg_stat_statements.track_planning"] = "on"
	}
	return settings
}

// profile runs one thing, keeps profiles of the gateway meanwhile, and prints on
// which statements the database spent its time.
func (r *rig) profile(ctx context.Context, name, folder string) error {
	all := runs(r.plant)
	i := slices.IndexFunc(all, func(r run) bool { return r.name == name })
	if i < 0 {
		return fmt.Errorf("there is no %s", name)
	}
	if _, err := r.ours.Exec(ctx, `CREATE EXTENSION pg_stat_statements`); err != nil {
		return err
	}
	fetched := make(chan error, 1)
	time.AfterFunc(warmUp(profileTime), func() { fetched <- r.keepProfiles(ctx, folder) })
	before := r.used()
	m, err := all[i].measure(ctx, r, profileTime)
	used := r.used().less(before)
	if err := cmp.Or(err, <-fetched); err != nil {
		return err
	}
	fmt.Printf("%s: %.0f/s, p50 %v, p99 %v\n", name, m.rate, m.at(0.50), m.at(0.99))
	fmt.Printf("µs of gateway, database, load for one: %s\n", used.each(m.done))
	fmt.Printf("go tool pprof -top -cum %s\n\n", filepath.Join(folder, "cpu.prof"))
	return r.printStatements(ctx)
}

// keepProfiles fetches a CPU profile of the time to come, and what was allocated until then.
func (r *rig) keepProfiles(ctx context.Context, folder string) error {
	cpu := fmt.Sprintf("profile?seconds=%.0f", profileTime.Seconds())
	return cmp.Or(r.fetch(ctx, cpu, filepath.Join(folder, "cpu.prof")), r.fetch(ctx, "allocs", filepath.Join(folder, "allocs.prof")))
}

func (r *rig) fetch(ctx context.Context, what, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.pprof+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(file, response.Body)
	return err
}

func (r *rig) printStatements(ctx context.Context) error {
	rows, err := r.ours.Query(ctx, `
		SELECT left(regexp_replace(query, '\s+', ' ', 'g'), 70), calls, rows, total_exec_time, total_plan_time, wal_bytes::bigint, shared_blks_hit
		FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE '-- name%'
		ORDER BY total_exec_time + total_plan_time DESC LIMIT 12`)
	if err != nil {
		return err
	}
	defer rows.Close()
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ms\tms of planning\tcalls\trows\tWAL bytes a row\tpages a row\tstatement")
	for rows.Next() {
		var query string
		var calls, count, wal, pages int64
		var total, plan float64
		if err := rows.Scan(&query, &calls, &count, &total, &plan, &wal, &pages); err != nil {
			return err
		}
		fmt.Fprintf(t, "%.0f\t%.0f\t%d\t%d\t%d\t%d\t%s\n", total, plan, calls, count, wal/max(count, 1), pages/max(count, 1), query)
	}
	_ = t.Flush()
	return rows.Err()
}
