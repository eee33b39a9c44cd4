package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// plans has the database write down how it goes about each question, as the gateway
// sends it, and shows that.
func (r *rig) plans(ctx context.Context, all []subject) error {
	for _, s := range []string{"log_min_duration = 0", "log_analyze = on", "log_timing = off"} {
		if _, err := r.db.Exec(ctx, `ALTER SYSTEM SET auto_explain.`+s); err != nil {
			return err
		}
	}
	if _, err := r.db.Exec(ctx, `SELECT pg_reload_conf()`); err != nil {
		return err
	}
	path := filepath.Join(r.folder, "data", "postgres.log")
	for _, q := range questions {
		before, err := os.Stat(path)
		if err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // the settings reach a session with its next statement
		if err := r.answer(q, any1(all)); err != nil {
			return err
		}
		log, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plan := planIn(string(log[before.Size():]))
		if plan == "" {
			return fmt.Errorf("%s: there is no plan in the log", q.name)
		}
		fmt.Printf("\n%s\n%s", q.name, plan)
	}
	return nil
}

// planIn is the plan of the one question in a log that is longer than the others.
func planIn(log string) (plan string) {
	for _, entry := range strings.Split(log, "LOG:  duration: ")[1:] {
		_, body, found := strings.Cut(entry, "Query Text: -- name: ")
		if !found || !strings.HasPrefix(body, "List") && !strings.Contains(body[:min(len(body), 40)], "Stat") {
			continue
		}
		var lines []string
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "\t") || len(lines) == 0 {
				lines = append(lines, line)
			}
		}
		plan = strings.Join(lines, "")
	}
	return plan
}
