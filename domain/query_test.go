package domain

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// asked is the query that a question for occupancies becomes.
func asked(t *testing.T, names Names, where OccupancyWhere) OccupancyQuery {
	t.Helper()
	s, _ := newService(t, func(c *ServiceConfig) { c.Names = names })
	k := s.check("")
	q := k.occupancyQuery(&where, nil, PageArgs{})
	if err := k.fault(); err != nil {
		t.Fatal(err)
	}
	return q
}

func TestRule18_FiltersFoldAsOccupyingDoes(t *testing.T) {
	slots, lots := &TextFilter{Eq: text("slot ")}, &TextFilter{In: []string{"lot", "SLOT"}}
	for name, c := range map[string]struct {
		names     Names
		types     *TextFilter
		filter    TextFilter
		in, start string
	}{
		"either spelling":       {Names{}, nil, TextFilter{Eq: text(" lot1")}, "[LOT1 lot1]", "[]"},
		"one of any type":       {Names{}, lots, TextFilter{Eq: text("Lot1")}, "[LOT1 Lot1]", "[]"},
		"upper case already":    {Names{}, nil, TextFilter{Eq: text("LOT1")}, "[LOT1]", "[]"},
		"slots keep their case": {Names{}, slots, TextFilter{Eq: text("job:X")}, "[job:X]", "[]"},
		"all keep their case":   {Names{KeepCase: true}, nil, TextFilter{Eq: text("Lot1 ")}, "[Lot1]", "[]"},
		"several":               {Names{}, nil, TextFilter{In: []string{"A", "b"}}, "[A B b]", "[]"},
		"none of none":          {Names{}, nil, TextFilter{In: []string{}}, "[]", "[]"},
		"both must hold":        {Names{}, nil, TextFilter{Eq: text("a"), In: []string{"A", "C"}}, "[A]", "[]"},
		"a beginning":           {Names{}, nil, TextFilter{StartsWith: text("lot-")}, "[]", "[LOT- lot-]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := asked(t, c.names, OccupancyWhere{ItemType: c.types, ItemName: &c.filter}).Where.ItemName
			is(t, "in", fmt.Sprint(got.In), c.in)
			is(t, "prefixes", fmt.Sprint(got.Prefixes), c.start)
			is(t, "any", got.In == nil, c.filter.Eq == nil && c.filter.In == nil)
		})
	}
	got := asked(t, Names{}, OccupancyWhere{UserID: &TextFilter{Eq: text(" Kim")}, ItemType: &TextFilter{Eq: text("lot")}}).Where
	is(t, "a user id, trimmed as when it is stored", got.UserID.In[0], "Kim")
	is(t, "an item type", got.ItemType.In[0], "LOT")
}

func TestWrongFiltersAreNamed(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	ctx := as("ann", RoleAnalyst)
	many := make([]string, MaxItems+1)
	backwards := &TimeFilter{Gte: at(60), Lt: at(0)}
	for argument, where := range map[string]OccupancyWhere{
		"where.itemType.eq":         {ItemType: &TextFilter{Eq: text(nul)}},
		"where.itemName.in":         {ItemName: &TextFilter{In: many}},
		"where.itemName.in.1":       {ItemName: &TextFilter{In: []string{"a", nul}}},
		"where.itemName.startsWith": {ItemName: &TextFilter{StartsWith: text("\xff")}},
		"where.userId.eq":           {UserID: &TextFilter{Eq: text("a\xffb")}},
		"where.uiName.eq":           {UIName: &TextFilter{Eq: text(nul)}},
		"where.menuName.startsWith": {MenuName: &TextFilter{StartsWith: text(nul)}},
		"where.startTime":           {StartTime: backwards},
		"where.expireTime":          {ExpireTime: &TimeFilter{Gte: at(0), Lt: at(0)}},
	} {
		_, err := s.Occupancies(ctx, &where, nil, PageArgs{})
		wrongAt(t, err, argument)
	}
	_, err := s.History(ctx, &HistoryWhere{At: backwards}, nil, PageArgs{})
	wrongAt(t, err, "where.at")
	_, err = s.HolderAt(ctx, "LOT", "LOT1", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))
	wrongAt(t, err, "at")
}

func TestWrongPagesAreNamed(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	other := Cursor{"START_TIME", "2026-03-02T12:00:00Z", "LOT", "LOT1"}.String()
	for name, c := range map[string]struct {
		argument string
		page     PageArgs
	}{
		"too many":               {"first", PageArgs{First: seconds(MaxPageSize + 1)}},
		"negative":               {"first", PageArgs{First: seconds(-1)}},
		"too many from the end":  {"last", PageArgs{Last: seconds(MaxPageSize + 1)}},
		"both ends":              {"last", PageArgs{First: seconds(1), Last: seconds(1)}},
		"no cursor":              {"after", PageArgs{After: text("?")}},
		"no list":                {"before", PageArgs{Before: text("bnVsbA")}},
		"another order's cursor": {"after", PageArgs{After: &other}},
		"too short":              {"after", PageArgs{After: text(Cursor{"ITEM", "LOT"}.String())}},
		"NUL":                    {"after", PageArgs{After: text(Cursor{"ITEM", "LOT", nul}.String())}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Occupancies(as("ann", RoleAnalyst), nil, nil, c.page)
			wrongAt(t, err, c.argument)
		})
	}
	badTime := Cursor{"START_TIME", "yesterday", "LOT", "LOT1"}.String()
	_, err := s.Occupancies(as("ann", RoleAnalyst), nil, []*OccupancyOrder{{ByStartTime, Ascending}}, PageArgs{After: &badTime})
	wrongAt(t, err, "after")
	badKey := Cursor{"-TIME", "1 OR 1=1"}.String()
	_, err = s.History(as("ann", RoleAnalyst), nil, nil, PageArgs{Before: &badKey})
	wrongAt(t, err, "before")
}

func TestPages(t *testing.T) {
	cursor := Cursor{"ITEM", "LOT", "a|\"가"}
	sent := cursor.String()
	k := s0(t).check("")
	cut := k.cut(PageArgs{Last: seconds(5), Before: &sent, Total: true}, "ITEM", func(Cursor) bool { return true }, 2)
	if k.fault() != nil || cut.Limit != 5 || !cut.Backward || !cut.Total || cut.After != nil || !slices.Equal(cut.Before, cursor) {
		t.Errorf("%+v, %v", cut, k.fault())
	}
	is(t, "default size", k.cut(PageArgs{}, "ITEM", nil, 2).Limit, DefaultPageSize)
	for _, c := range []struct {
		page           Page[int]
		next, previous bool
	}{
		{Page[int]{More: true}, true, false},
		{Page[int]{Cut: Cut{After: cursor}}, false, true},
		{Page[int]{More: true, Cut: Cut{Backward: true}}, false, true},
		{Page[int]{Cut: Cut{Backward: true, Before: cursor}}, true, false},
	} {
		is(t, "has next", c.page.HasNext(), c.next)
		is(t, "has previous", c.page.HasPrevious(), c.previous)
	}
}

// asking is an archive that keeps what it was asked.
type asking struct {
	noArchive
	history *HistoryQuery
}

func (a asking) History(_ context.Context, q HistoryQuery) (Page[HistoryEntry], error) {
	*a.history = q
	return Page[HistoryEntry]{}, nil
}

func TestTheHistoryOfOneItem(t *testing.T) {
	for key, names := range map[ItemKey]string{lot1: "[LOT1]", {Slot, "job:Nightly"}: "[job:Nightly]"} {
		var q HistoryQuery
		s, _ := newService(t, func(c *ServiceConfig) { c.Archive = asking{history: &q} })
		must(s.HistoryOf(as("ann", RoleAnalyst), key, nil, PageArgs{First: seconds(3)}))(t)
		is(t, "type", fmt.Sprint(q.Where.ItemType.In), "["+key.ItemType+"]")
		is(t, "name", fmt.Sprint(q.Where.ItemName.In), names)
		is(t, "newest first", fmt.Sprint(q.Terms()), fmt.Sprint([]Term{{"TIME", true}}))
		is(t, "limit", q.Cut.Limit, 3)
	}
}

func TestTimeKeyPrefix(t *testing.T) {
	seoul := time.Date(2026, 3, 2, 21, 0, 1, 2_999, time.FixedZone("KST", 9*60*60))
	is(t, "UTC to the microsecond", TimeKeyPrefix(seoul), "20260302120001000002")
	is(t, "valid", validTimeKey("20260302120001000002"+"000000000001"), true)
	is(t, "too short", validTimeKey("20260302120001000002"), false)
	is(t, "not digits", validTimeKey("2026030212000100000200000000000x"), false)
}

func at(s int) *time.Time { t := after(s); return &t }
