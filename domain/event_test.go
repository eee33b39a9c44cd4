package domain

import (
	"fmt"
	"strings"
	"testing"
)

// filtered is a filter as the hub has it once it is checked.
func filtered(t *testing.T, names Names, f OccupancyFilter) OccupancyFilter {
	t.Helper()
	s, _ := newService(t, func(c *ServiceConfig) { c.Names = names })
	k := s.check("")
	checked := k.filter(&f)
	if err := k.fault(); err != nil {
		t.Fatal(err)
	}
	return checked
}

func TestRule24_BeforeOrAfter(t *testing.T) {
	before, freed := held(), held(free)
	handed := held(func(o *Occupancy) { o.UserID, o.UIName, o.MenuName = "lee", "SPC", "Chart" })
	for name, c := range map[string]struct {
		filter   OccupancyFilter
		previous *Occupancy
		now      Occupancy
		wants    bool
	}{
		"a panel of occupied items sees one come": {OccupancyFilter{States: []State{StateOccupied}}, &freed, before, true},
		"and leave":                          {OccupancyFilter{States: []State{StateOccupied}}, &before, freed, true},
		"and not what was and is free":       {OccupancyFilter{States: []State{StateOccupied}}, &freed, freed, false},
		"the first there is":                 {OccupancyFilter{States: []State{StateOccupied}}, nil, before, true},
		"the first there is, of no interest": {OccupancyFilter{States: []State{StateFree}}, nil, before, false},
		"kim's panel sees it go to lee":      {OccupancyFilter{UserIDs: []string{"kim"}}, &before, handed, true},
		"and come back":                      {OccupancyFilter{UserIDs: []string{"kim"}}, &handed, before, true},
		"a screen's":                         {OccupancyFilter{UINames: []string{"MES"}}, &before, handed, true},
		"a menu's":                           {OccupancyFilter{MenuNames: []string{"Chart"}}, &before, handed, true},
		"nobody's":                           {OccupancyFilter{UserIDs: []string{"park"}}, &before, handed, false},
		"before or after, not half of each":  {OccupancyFilter{UserIDs: []string{"kim"}, UINames: []string{"SPC"}}, &before, handed, false},
		"all of everything":                  {OccupancyFilter{}, &before, freed, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := filtered(t, Names{}, c.filter)
			is(t, "wants", f.Wants(&Change{Occupancy: c.now, Previous: c.previous}), c.wants)
		})
	}
}

func TestFiltersMatch(t *testing.T) {
	for name, c := range map[string]struct {
		filter OccupancyFilter
		want   bool
	}{
		"type, folded":         {OccupancyFilter{ItemTypes: []string{"cst", " lot"}}, true},
		"another type":         {OccupancyFilter{ItemTypes: []string{"CST"}}, false},
		"name, folded":         {OccupancyFilter{ItemNames: []string{"lot1"}}, true},
		"another name":         {OccupancyFilter{ItemNames: []string{"LOT"}}, false},
		"beginning, folded":    {OccupancyFilter{ItemNamePrefix: "lo"}, true},
		"another beginning":    {OccupancyFilter{ItemNamePrefix: "OT"}, false},
		"user":                 {OccupancyFilter{UserIDs: []string{"lee", "kim"}}, true},
		"user, not folded":     {OccupancyFilter{UserIDs: []string{"KIM"}}, false},
		"state":                {OccupancyFilter{States: []State{StateFree, StateExpired}}, false},
		"all of them hold":     {OccupancyFilter{ItemTypes: []string{"LOT"}, ItemNamePrefix: "LOT", UINames: []string{"MES"}}, true},
		"all but one hold":     {OccupancyFilter{ItemTypes: []string{"LOT"}, ItemNamePrefix: "LOT", UINames: []string{"SPC"}}, false},
		"an empty list is all": {OccupancyFilter{UserIDs: []string{}}, true},
	} {
		f, row := filtered(t, Names{}, c.filter), held()
		is(t, name, f.Matches(&row), c.want)
	}
	row := held(slot, func(o *Occupancy) { o.ItemName = "job:Nightly" })
	f := filtered(t, Names{}, OccupancyFilter{ItemNamePrefix: "job:N"})
	is(t, "a slot keeps its case", f.Matches(&row), true)
}

// A snapshot asks the database for what the filter lets through.
func TestAFilterAsAQuestion(t *testing.T) {
	f := filtered(t, Names{}, OccupancyFilter{
		ItemTypes: []string{"lot"}, ItemNames: []string{"a"}, ItemNamePrefix: "b", UserIDs: []string{"kim"},
		UINames: []string{"MES"}, MenuNames: []string{"Lookup"}, States: []State{StateFree},
	})
	w := f.Where()
	is(t, "types", fmt.Sprint(w.ItemType.In), "[LOT]")
	is(t, "names", fmt.Sprint(w.ItemName.In, w.ItemName.Prefixes), "[A a] [B b]")
	is(t, "the rest", fmt.Sprint(w.UserID.In, w.UIName.In, w.MenuName.In, w.State.In), "[kim] [MES] [Lookup] [FREE]")
	f = filtered(t, Names{}, OccupancyFilter{ItemNamePrefix: "b"})
	w = f.Where()
	is(t, "any name of a beginning", w.ItemName.In == nil, true)
	if w.ItemType != nil || w.UserID != nil || w.State != nil {
		t.Errorf("%+v", w)
	}
}

func TestWrongSubscriptionsAreNamed(t *testing.T) {
	s, _, _ := newHub(t)
	for argument, f := range map[string]OccupancyFilter{
		"filter.itemTypes.0":    {ItemTypes: []string{nul}},
		"filter.itemNames":      {ItemNames: strings.Split(strings.Repeat(",", MaxItems), ",")},
		"filter.itemNamePrefix": {ItemNamePrefix: nul},
		"filter.userIds.1":      {UserIDs: []string{"kim", nul}},
		"filter.uiNames.0":      {UINames: []string{nul}},
		"filter.menuNames.0":    {MenuNames: []string{"\xff"}},
	} {
		_, err := s.Watch(as("kim"), Watch{Filter: &f, Snapshot: false})
		wrongAt(t, err, argument)
	}
	is(t, "subscribers", s.Hub.Subscribers(), 0)
}
