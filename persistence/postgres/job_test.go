package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"occupy/domain"
)

// Case J5, on the database's clock: gateways lead one after the other, and one
// run a period is done.
func TestOneRunAPeriodWhoeverLeads(t *testing.T) {
	url := newURL(t)
	var runs atomic.Int32
	job := domain.Job{Key: domain.JobKey("short"), Every: time.Hour, TTL: time.Second,
		Work: func(context.Context) error { runs.Add(1); return nil }}
	for _, node := range []string{"a", "b", "c"} {
		s := open(t, Config{URL: url})
		jobs := &domain.Jobs{Store: s, Log: s, Session: node, Node: node}
		ctx, stop := context.WithCancel(t.Context())
		var leading sync.WaitGroup
		leading.Go(func() { jobs.Run(ctx, job) })
		waitUntil(t, node+" leads", func() bool {
			return number(t, s, `SELECT count(*) FROM ct_occupy_item WHERE session_id = $1 AND state = 'OCCUPIED' AND renewals > 0`, node) == 1
		})
		stop()
		leading.Wait()
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("%d runs in one period", n)
	}
}

func TestTheBoardShowsHowAJobGoes(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	key := domain.JobKey("nightly")
	if due, err := s.DueIn(t.Context(), key); due != 0 || err != nil {
		t.Error(due, err)
	}
	mustOccupy(t, s, key, by("kim"))
	mustOccupy(t, s, domain.ItemKey{ItemType: domain.Slot, ItemName: "other"}, by("kim"))
	run := domain.JobRun{Key: key, Every: time.Hour, Margin: time.Minute, By: "node", Took: 1500 * time.Millisecond,
		Err: errors.New(strings.Repeat("가", 500))}
	if err := s.Ran(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if due, err := s.DueIn(t.Context(), key); err != nil || due > time.Hour || due < 59*time.Minute {
		t.Error(due, err)
	}
	board, err := s.SlotLocks(t.Context(), "job:", 10)
	if err != nil || len(board) != 1 {
		t.Fatalf("%+v %v", board, err)
	}
	j := board[0].Job
	if j.PeriodSeconds != 3600 || j.LastRunBy != "node" || j.LastSeconds != 1.5 || j.Overdue || len([]rune(j.LastError)) != 400 ||
		j.NextDueAt.Sub(j.LastRunAt) != time.Hour || board[0].Lock.UserID != "kim" {
		t.Errorf("%+v", j)
	}
	if _, err := s.floor.Exec(t.Context(), `UPDATE ct_job SET overdue_dt = clock_timestamp()`); err != nil {
		t.Fatal(err)
	}
	board, err = s.SlotLocks(t.Context(), "", 10)
	if err != nil || len(board) != 2 || !board[0].Job.Overdue || board[1].Job != nil {
		t.Errorf("%+v %v", board, err)
	}
}
