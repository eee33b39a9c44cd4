package domain

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// measuring is an archive that keeps what it was asked.
type measuring struct {
	noArchive
	asked *StatsQuery
}

func (m measuring) HistoryStats(_ context.Context, q StatsQuery) (*HistoryStats, error) {
	*m.asked = q
	return &HistoryStats{}, nil
}

func TestStatsAreOfHoldsThatHaveEnded(t *testing.T) {
	var q StatsQuery
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive, c.Shifts = measuring{asked: &q}, Shifts{time.Hour} })
	where := HoldWhere{To: &TimeFilter{Gte: at(-86400)}, UserID: &TextFilter{Ne: text(" kim ")}}
	must(s.HistoryStats(as("ann", RoleAnalyst), where, []StatsGroup{StatsByUser}, nil, nil))(t)
	is(t, "open", *q.Where.Open, false)
	is(t, "others", fmt.Sprint(q.Where.And[0].UserID.Others), "[kim]")
	is(t, "order", q.Order, StatsOrder{StatsHolds, Descending})
	is(t, "limit", q.Limit, DefaultPageSize)
	is(t, "shifts", q.Shifts[0], time.Hour)
	for argument, ask := range map[string]func() error{
		"where": func() error {
			_, err := s.HistoryStats(as("ann", RoleAnalyst), HoldWhere{}, nil, nil, nil)
			return err
		},
		"where.to": func() error {
			_, err := s.HistoryStats(as("ann", RoleAnalyst), HoldWhere{From: &TimeFilter{Gte: at(-93 * 86400)}}, nil, nil, nil)
			return err
		},
		"groupBy.2": func() error {
			_, err := s.HistoryStats(as("ann", RoleAnalyst), where, []StatsGroup{StatsByDay, StatsByUser, StatsByDay}, nil, nil)
			return err
		},
		"first": func() error {
			_, err := s.HistoryStats(as("ann", RoleAnalyst), where, nil, nil, seconds(MaxPageSize+1))
			return err
		},
	} {
		wrongAt(t, ask(), argument)
	}
}

func TestHoldsLedByWhatLasts(t *testing.T) {
	open := &HoldWhere{Open: new(true)}
	ended := (&HoldWhere{Or: []*HoldWhere{open, {To: &TimeFilter{Gte: at(0), Lt: at(60)}}}}).Ended()
	is(t, "from", *ended.Gte, *at(0))
	is(t, "to", *ended.Lt, *at(60))
	ended = open.Ended()
	is(t, "nothing that has ended", ended.Gte.After(*ended.Lt), true)
	ended = (&HoldWhere{From: &TimeFilter{Gte: at(5), Lt: at(9)}}).Ended()
	is(t, "ended after it began", *ended.Gte, *at(5))
	is(t, "any time after it", ended.Lt == nil, true)
}

func TestShifts(t *testing.T) {
	var s Shifts
	if err := s.UnmarshalText([]byte("06:30, 14:00,22:00")); err != nil || len(s) != 3 || s[0] != 6*time.Hour+30*time.Minute {
		t.Error(s, err)
	}
	for _, wrong := range []string{"", "6", "24:00", "14:00,06:00", "06:00,06:00", "06:00,"} {
		if err := new(Shifts).UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	is(t, "without any", len(Shifts(nil).OrOne()), 1)
}
