package domain

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// StatsGroup is what holds are counted by.
type StatsGroup string

// The groups of statistics. DAY, SHIFT and HOUR are those in which a hold ended, by
// the plant's clock.
const (
	StatsByUser      StatsGroup = "USER"
	StatsByItemType  StatsGroup = "ITEM_TYPE"
	StatsByItem      StatsGroup = "ITEM"
	StatsByUI        StatsGroup = "UI"
	StatsByMenu      StatsGroup = "MENU"
	StatsByHour      StatsGroup = "HOUR"
	StatsByDay       StatsGroup = "DAY"
	StatsByShift     StatsGroup = "SHIFT"
	StatsByEndReason StatsGroup = "END_REASON"
)

// StatsMeasure is what statistics can be ordered by; GROUP is by what they are counted by.
type StatsMeasure string

// The orders of statistics.
const (
	StatsGroupOrder   StatsMeasure = "GROUP"
	StatsHolds        StatsMeasure = "HOLDS"
	StatsTotalSeconds StatsMeasure = "TOTAL_SECONDS"
	StatsAvgSeconds   StatsMeasure = "AVG_SECONDS"
	StatsP50Seconds   StatsMeasure = "P50_SECONDS"
	StatsP95Seconds   StatsMeasure = "P95_SECONDS"
	StatsMaxSeconds   StatsMeasure = "MAX_SECONDS"
	StatsExpired      StatsMeasure = "EXPIRED"
	StatsForced       StatsMeasure = "FORCED"
	StatsDenials      StatsMeasure = "DENIALS"
	StatsMinutesLost  StatsMeasure = "MINUTES_LOST"
)

// StatsOrder is the order of statistics. What it leaves equal follows by the groups.
type StatsOrder struct {
	By        StatsMeasure
	Direction Direction
}

// HoldStats are the figures of some holds that have ended. Of the first nine only those
// are set that are grouped by.
type HoldStats struct {
	UserID, ItemType, ItemName, UIName, MenuName string

	Hour      *int
	Day       string // yyyy-MM-dd; it begins with the first shift
	Shift     *int   // from 1
	EndReason Event

	Holds                              int64
	TotalSeconds, AvgSeconds           float64
	P50Seconds, P95Seconds, MaxSeconds float64
	// Expired counts those whose time ran out, Forced those that a supervisor ended.
	Expired, Forced int64
	// Denials counts who was refused for one of them, own other windows apart;
	// MinutesLost is from when they were first to when it ended, together.
	Denials     int64
	MinutesLost float64
}

// ExpiryRate is the part of the holds whose time ran out, from 0 to 1.
func (h *HoldStats) ExpiryRate() float64 { return float64(h.Expired) / float64(h.Holds) }

// ForcedRate is the part of the holds that a supervisor ended, from 0 to 1.
func (h *HoldStats) ForcedRate() float64 { return float64(h.Forced) / float64(h.Holds) }

// HistoryStats are the figures of the first groups, and how many groups there are.
type HistoryStats struct {
	Rows     []*HoldStats
	RowCount int
}

// StatsQuery is a checked question for statistics.
type StatsQuery struct {
	Where   HoldWhere
	GroupBy []StatsGroup
	Order   StatsOrder
	Limit   int
	Zone    *time.Location
	Shifts  Shifts
}

// HistoryStats counts and measures the holds that have ended.
func (s *Service) HistoryStats(ctx context.Context, where HoldWhere, groupBy []StatsGroup, order *StatsOrder, first *int) (*HistoryStats, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	checked := k.holdWhere("where", 1, where)
	q := StatsQuery{
		Where:   HoldWhere{And: []*HoldWhere{&checked}, Open: new(false)},
		GroupBy: groupBy, Order: StatsOrder{StatsHolds, Descending}, Limit: DefaultPageSize,
		Zone: cmp.Or(s.TimeZone, time.UTC), Shifts: s.Shifts,
	}
	for i, g := range groupBy {
		for _, before := range groupBy[:i] {
			if g == before {
				k.fail("groupBy."+itoa(i), "names "+string(g)+" a second time")
			}
		}
	}
	if order != nil {
		q.Order = *order
	}
	if first != nil {
		q.Limit = k.pageSize("first", *first)
	}
	if err := s.bounded(ctx, k, checked.reach(), "to", MaxSpan); err != nil {
		return nil, err
	}
	return s.Archive.HistoryStats(ctx, q)
}

// Shifts are when the plant's shifts begin, since midnight, in order. A day of the
// plant lasts from the first to the next day's first.
type Shifts []time.Duration

// defaultShifts are one a day.
var defaultShifts = Shifts{0}

// OrOne is the shifts, or one from midnight to midnight if there are none.
func (s Shifts) OrOne() Shifts {
	if len(s) == 0 {
		return defaultShifts
	}
	return s
}

// UnmarshalText reads times of a day, by commas, such as 06:00,14:00,22:00.
func (s *Shifts) UnmarshalText(text []byte) error {
	*s = nil
	for _, begin := range strings.Split(string(text), ",") {
		at, err := time.Parse("15:04", strings.TrimSpace(begin))
		if err != nil {
			return fmt.Errorf("%q is not a time of the day such as 06:00", begin)
		}
		since := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
		if n := len(*s); n > 0 && since <= (*s)[n-1] {
			return fmt.Errorf("%q is not later than the shift before", begin)
		}
		*s = append(*s, since)
	}
	return nil
}
