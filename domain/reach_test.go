package domain

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestHopelessQuestionsAreRefused, by what they would have to read, and at the
// argument that has to change. The archive's clock is after(0).
func TestHopelessQuestionsAreRefused(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	day := 24 * 60 * 60
	lots, lot, kim, free := &TextFilter{Eq: text("LOT")}, &TextFilter{In: []string{"LOT1"}}, &TextFilter{Eq: text("kim")}, &StateFilter{Eq: new(StateFree)}
	days := func(from, to int) *TimeFilter { return &TimeFilter{Gte: at(from * day), Lt: at(to * day)} }
	since := func(n int) *TimeFilter { return &TimeFilter{Gt: at(n * day)} }
	or := func(ways ...*HistoryWhere) HistoryWhere { return HistoryWhere{Or: ways} }
	for name, c := range map[string]struct {
		where   HistoryWhere
		refused string
	}{
		"nothing said":                 {HistoryWhere{}, ""},
		"an item":                      {HistoryWhere{ItemType: lots, ItemName: lot, State: free}, ""},
		"a user":                       {HistoryWhere{UserID: kim, State: free}, ""},
		"a state":                      {HistoryWhere{State: free}, "where"},
		"a type of items":              {HistoryWhere{ItemType: lots}, "where"},
		"a name without its type":      {HistoryWhere{ItemName: lot}, "where"},
		"a user's beginning":           {HistoryWhere{UserID: &TextFilter{StartsWith: text("kim")}}, "where"},
		"anybody but a user":           {HistoryWhere{Not: &HistoryWhere{UserID: kim}}, "where"},
		"a period":                     {HistoryWhere{State: free, At: days(-200, -108)}, ""},
		"both ends of it":              {HistoryWhere{State: free, At: &TimeFilter{Between: &TimeRange{*at(-200 * day), *at(-108 * day)}}}, ""},
		"too long a period":            {HistoryWhere{State: free, At: days(-200, -107)}, "where.at"},
		"all before a time":            {HistoryWhere{State: free, At: &TimeFilter{Lt: at(0)}}, "where"},
		"all since a time":             {HistoryWhere{State: free, At: since(-91)}, ""},
		"all since a time long past":   {HistoryWhere{State: free, At: since(-93)}, "where.at"},
		"a period that is to end":      {HistoryWhere{State: free, At: days(-91, 1000)}, ""},
		"a long period of a user":      {HistoryWhere{UserID: kim, At: days(-1000, 0)}, ""},
		"two that narrow it together":  {HistoryWhere{State: free, At: days(-300, 0), And: []*HistoryWhere{{At: days(-20, 20)}}}, ""},
		"a user in one of two":         {HistoryWhere{State: free, And: []*HistoryWhere{{UserID: kim}}}, ""},
		"either of two users":          {or(&HistoryWhere{UserID: kim}, &HistoryWhere{UserID: &TextFilter{Eq: text("lee")}}), ""},
		"a user or a state":            {or(&HistoryWhere{UserID: kim}, &HistoryWhere{State: free}), "where"},
		"a user or a period":           {or(&HistoryWhere{UserID: kim}, &HistoryWhere{State: free, At: days(-10, 0)}), "where"},
		"either of two periods":        {or(&HistoryWhere{At: days(-80, -70)}, &HistoryWhere{At: days(-10, 0)}), ""},
		"either of two, far apart":     {or(&HistoryWhere{At: days(-10, 0)}, &HistoryWhere{At: days(-180, -170)}), "where.at"},
		"either, one without an end":   {or(&HistoryWhere{At: days(-180, -170)}, &HistoryWhere{At: since(-10)}), "where.at"},
		"either, one without a begin":  {or(&HistoryWhere{At: days(-10, 0)}, &HistoryWhere{At: &TimeFilter{Lt: at(0)}}), "where"},
		"nothing, for none is allowed": {or([]*HistoryWhere{}...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.History(as("ann", RoleAnalyst), &c.where, nil, PageArgs{})
			if c.refused == "" && err != nil {
				t.Error(err)
			}
			if c.refused != "" {
				wrongAt(t, err, c.refused)
			}
		})
	}
	for name, order := range map[string][]*HistoryOrder{"in another order": {{ByHistoryUser, Ascending}}, "counted": nil} {
		_, err := s.History(as("ann", RoleAnalyst), nil, order, PageArgs{Total: order == nil})
		t.Run("all of it, "+name, func(t *testing.T) { wrongAt(t, err, "where") })
	}
}

// lost is an archive that cannot be asked for the time.
type lost struct{ noArchive }

func (lost) Clock(context.Context) (time.Time, error) { return time.Time{}, ErrUnavailable }

func TestAPeriodWithoutAnEndNeedsTheClock(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = lost{} })
	where := &HistoryWhere{At: &TimeFilter{Gte: at(0)}}
	if _, err := s.History(as("ann", RoleAnalyst), where, nil, PageArgs{}); err != nil {
		t.Error("a page in order of time needs none:", err)
	}
	if _, err := s.History(as("ann", RoleAnalyst), where, nil, PageArgs{Total: true}); err != ErrUnavailable {
		t.Error(err)
	}
}

func TestFiltersAreBounded(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	deep := &HistoryWhere{UserID: &TextFilter{Eq: text("kim")}}
	for range MaxFilterDepth - 1 {
		deep = &HistoryWhere{Not: deep}
	}
	wide := &OccupancyWhere{}
	for range MaxFilterParts - 1 {
		wide.And = append(wide.And, &OccupancyWhere{UserID: &TextFilter{Ne: text("kim")}})
	}
	ask := func() (error, error) {
		_, deepErr := s.History(as("ann", RoleAnalyst), &HistoryWhere{UserID: &TextFilter{Eq: text("kim")}, Or: deep.Or, And: deep.And, Not: deep.Not}, nil, PageArgs{})
		_, wideErr := s.Occupancies(as("ann", RoleAnalyst), wide, nil, PageArgs{})
		return deepErr, wideErr
	}
	if a, b := ask(); a != nil || b != nil {
		t.Fatal(a, b)
	}
	deep, wide.And = &HistoryWhere{Not: deep}, append(wide.And, &OccupancyWhere{})
	a, b := ask()
	wrongAt(t, a, "where"+strings.Repeat(".not", MaxFilterDepth))
	wrongAt(t, b, "where.and.99")
}

func TestOrdersAreTakenTermByTerm(t *testing.T) {
	for _, c := range []struct {
		order []*HistoryOrder
		want  string
	}{
		{nil, "-TIME"},
		{[]*HistoryOrder{{ByHistoryUser, Ascending}}, "USER,TIME"},
		{[]*HistoryOrder{{ByHistoryUser, Ascending}, {ByHistoryUI, Descending}}, "USER,-UI,-TIME"},
		{[]*HistoryOrder{{ByTime, Ascending}, {ByHistoryUI, Descending}}, "TIME"},
	} {
		q := s0(t).check("").historyQuery(nil, c.order, PageArgs{})
		is(t, "order", OrderName(q.Terms()), c.want)
	}
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	_, err := s.Occupancies(as("ann", RoleAnalyst), nil, []*OccupancyOrder{{ByUser, Ascending}, {ByUser, Descending}}, PageArgs{})
	wrongAt(t, err, "orderBy.1.field")
}
