package domain

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// noArchive has no past.
type noArchive struct{ found *HistoryEntry }

func (noArchive) Clock(context.Context) (time.Time, error) { return after(0), nil }

func (noArchive) Occupancies(context.Context, OccupancyQuery) (Page[Occupancy], error) {
	return Page[Occupancy]{}, nil
}
func (noArchive) History(context.Context, HistoryQuery) (Page[HistoryEntry], error) {
	return Page[HistoryEntry]{}, nil
}
func (a noArchive) HistoryEntry(_ context.Context, timeKey string, key ItemKey) (*HistoryEntry, error) {
	if a.found == nil || a.found.TimeKey != timeKey || a.found.ItemKey != key {
		return nil, nil
	}
	return a.found, nil
}
func (noArchive) Holds(context.Context, HoldQuery) (Page[HoldEntry], error) {
	return Page[HoldEntry]{}, nil
}

func (noArchive) HeldAt(context.Context, HeldAtQuery) (Page[HoldEntry], error) {
	return Page[HoldEntry]{}, nil
}

func (noArchive) HistoryStats(context.Context, StatsQuery) (*HistoryStats, error) {
	return &HistoryStats{}, nil
}

func (noArchive) HolderAt(context.Context, ItemKey, time.Time) (*Holder, error) { return nil, nil }

const aTimeKey = "20260302120000000000000000000001"

func TestNodesAreFoundByTheirIDs(t *testing.T) {
	longest := ItemKey{strings.Repeat("T", MaxItemType), strings.Repeat("가", MaxItemName)}
	for _, key := range []ItemKey{lot1, {Slot, "job:x"}, longest} {
		entry := &HistoryEntry{ItemKey: key, TimeKey: aTimeKey}
		s, store := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{entry} })
		row := held(func(o *Occupancy) { o.ItemKey = key })
		store.put(row)
		if n := must(s.Node(as("ann", RoleAnalyst), row.ID()))(t); n == nil || n.(*Occupancy).ItemKey != key {
			t.Errorf("%s: %v", key, n)
		}
		if n := must(s.Node(as("ann", RoleAnalyst), entry.ID()))(t); n != Node(entry) {
			t.Errorf("history of %s: %v", key, n)
		}
	}
}

func TestNodesThatAreNot(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	for name, id := range map[string]string{
		"never seen": held().ID(), "no such row": HistoryEntry{ItemKey: lot1, TimeKey: aTimeKey}.ID(),
	} {
		if n, err := s.Node(as("ann"), id); n != nil || err != nil {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	for _, text := range []string{
		"", "Occupancy", "Occupancy\nLOT", "Occupancy\nLOT\nLOT1\nmore", "Other\nLOT\nLOT1", "Occupancy\nLOT\n\x00", "Occupancy\nLOT\n\xff",
		"HistoryEntry\nyesterday\nLOT\nLOT1", "HistoryEntry\n" + aTimeKey + "\nLOT",
	} {
		_, err := s.Node(as("ann"), base64.RawURLEncoding.EncodeToString([]byte(text)))
		wrongAt(t, err, "id")
	}
	_, err := s.Node(as("ann"), "not base64!")
	wrongAt(t, err, "id")
}
