package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

var (
	_ domain.JobLog    = (*Store)(nil)
	_ domain.SlotBoard = (*Store)(nil)
)

// DueIn implements domain.JobLog. A job that never ran is due.
func (s *Store) DueIn(ctx context.Context, key domain.ItemKey) (due time.Duration, err error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	var seconds float64
	err = s.floor.QueryRow(ctx, `-- name: ReadJobDue
		SELECT extract(epoch FROM next_due_dt - clock_timestamp())::float8 FROM ct_job WHERE slot_key = $1`, key.ItemName).Scan(&seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return time.Duration(seconds * float64(time.Second)), translate(err)
}

// Ran implements domain.JobLog.
func (s *Store) Ran(ctx context.Context, r domain.JobRun) error {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	problem := ""
	if r.Err != nil {
		problem = firstRunes(r.Err.Error(), domain.MaxReason)
	}
	_, err := s.floor.Exec(ctx, `-- name: WriteJobRun
		INSERT INTO ct_job (slot_key, period_seconds, last_run_dt, last_run_by, last_seconds, last_error, next_due_dt, overdue_dt)
		SELECT $1, $2, began, $3, $4, $5, began + $6 * interval '1 s', began + ($6 + $7) * interval '1 s'
		FROM (SELECT clock_timestamp() - $4 * interval '1 s' AS began) run
		ON CONFLICT (slot_key) DO UPDATE SET period_seconds = excluded.period_seconds, last_run_dt = excluded.last_run_dt,
			last_run_by = excluded.last_run_by, last_seconds = excluded.last_seconds, last_error = excluded.last_error,
			next_due_dt = excluded.next_due_dt, overdue_dt = excluded.overdue_dt`,
		r.Key.ItemName, int(r.Every/time.Second), firstRunes(r.By, domain.MaxSession), r.Took.Seconds(), problem,
		r.Every.Seconds(), r.Margin.Seconds())
	return translate(err)
}

func firstRunes(s string, n int) string {
	runes := []rune(s)
	return string(runes[:min(n, len(runes))])
}

// SlotLocks implements domain.SlotBoard.
func (s *Store) SlotLocks(ctx context.Context, prefix string, limit int) ([]domain.SlotState, error) {
	return askList(ctx, s.adhoc, scanSlot, `-- name: ListSlotLocks
		SELECT clock_timestamp(), `+occupancyColumns+`, j.slot_key IS NOT NULL, coalesce(j.period_seconds, 0), j.last_run_dt,
		       coalesce(j.last_run_by, ''), coalesce(j.last_seconds, 0), coalesce(j.last_error, ''), j.next_due_dt,
		       coalesce(j.overdue_dt < clock_timestamp(), false)
		FROM ct_occupy_item i
		LEFT JOIN ct_job j ON j.slot_key = i.item_name
		WHERE i.item_type = 'SLOT' AND i.version > 0 AND i.item_name ^@ $1
		ORDER BY i.item_name LIMIT $2`, prefix, limit)
}

func scanSlot(row pgx.CollectableRow) (domain.SlotState, error) {
	var clock time.Time
	var o domain.Occupancy
	var j domain.JobState
	var isJob bool
	dests := append([]any{instant{&clock}}, occupancyDests(&o)...)
	dests = append(dests, &isJob, &j.PeriodSeconds, instant{&j.LastRunAt}, &j.LastRunBy, &j.LastSeconds, &j.LastError,
		instant{&j.NextDueAt}, &j.Overdue)
	err := row.Scan(dests...)
	state := domain.SlotState{Lock: o.Seen(clock)}
	if isJob {
		state.Job = &j
	}
	return state, err
}
