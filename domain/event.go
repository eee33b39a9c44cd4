package domain

import (
	"slices"
	"strings"
	"time"
)

// EventKind says what a subscriber is told.
type EventKind string

// The kinds of what a subscriber is told.
const (
	KindSnapshot EventKind = "SNAPSHOT" // so it is now
	KindChanged  EventKind = "CHANGED"  // a history row was written
	KindRenewed  EventKind = "RENEWED"  // a hold was extended, which writes no history
)

// Change is one thing that happened to an item. It is shared between
// subscribers and never changed.
type Change struct {
	Kind EventKind
	// Event is how the item came into this state; "" but for KindChanged.
	Event     Event
	Occupancy Occupancy
	// Previous is the item one version before, nil if it had none or it is no
	// longer kept. Its ExpireTime is the one it was granted or re-entered with.
	Previous *Occupancy
	At       time.Time
	// TxID is the transaction that wrote it; 0 if that is not known.
	TxID uint64
}

// OccupancyEvent is a change as one subscriber is told of it.
type OccupancyEvent struct {
	*Change
	at *Mark
}

// Cursor is the text with which this subscriber goes on after this event.
func (e *OccupancyEvent) Cursor() string { return e.at.text() }

// OccupancyFilter says which items a subscriber wants to hear of. An empty list
// wants all; every list given must hold.
type OccupancyFilter struct {
	ItemTypes      []string
	ItemNames      []string
	ItemNamePrefix string
	UserIDs        []string
	UINames        []string
	MenuNames      []string
	States         []State
	// Prefixes are the spellings of ItemNamePrefix, any one of them, in a
	// checked filter.
	Prefixes []string
}

// Wants tells whether the item before or after the change matches: a panel of
// occupied items must see them leave.
func (f *OccupancyFilter) Wants(c *Change) bool {
	return f.Matches(&c.Occupancy) || (c.Previous != nil && f.Matches(c.Previous))
}

// Matches tells whether an item is one that the subscriber wants.
func (f *OccupancyFilter) Matches(o *Occupancy) bool {
	return among(f.ItemTypes, o.ItemType) && among(f.ItemNames, o.ItemName) &&
		f.hasPrefix(o.ItemName) &&
		among(f.UserIDs, o.UserID) && among(f.UINames, o.UIName) &&
		among(f.MenuNames, o.MenuName) && among(f.States, o.State)
}

func among[T comparable](list []T, v T) bool {
	return len(list) == 0 || slices.Contains(list, v)
}

func (f *OccupancyFilter) hasPrefix(name string) bool {
	return len(f.Prefixes) == 0 ||
		slices.ContainsFunc(f.Prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Where is the filter as a question for occupancies.
func (f *OccupancyFilter) Where() OccupancyWhere {
	oneOf := func(list []string) *TextFilter {
		if len(list) == 0 {
			return nil
		}
		return &TextFilter{In: list}
	}
	w := OccupancyWhere{
		ItemType: oneOf(f.ItemTypes), ItemName: oneOf(f.ItemNames), UserID: oneOf(f.UserIDs),
		UIName: oneOf(f.UINames), MenuName: oneOf(f.MenuNames),
	}
	if len(f.States) > 0 {
		w.State = &StateFilter{In: f.States}
	}
	if len(f.Prefixes) > 0 {
		if w.ItemName == nil {
			w.ItemName = &TextFilter{}
		}
		w.ItemName.Prefixes = f.Prefixes
	}
	return w
}

// filter checks a subscriber's filter and folds its names as occupying does.
func (k *checker) filter(f *OccupancyFilter) OccupancyFilter {
	if f == nil {
		return OccupancyFilter{}
	}
	c := *f
	c.ItemTypes = k.list("filter.itemTypes", f.ItemTypes, k.names.foldsType)
	c.ItemNames = k.list("filter.itemNames", f.ItemNames, k.names.spellings)
	c.UserIDs = k.list("filter.userIds", f.UserIDs, trimmed)
	c.UINames = k.list("filter.uiNames", f.UINames, trimmed)
	c.MenuNames = k.list("filter.menuNames", f.MenuNames, trimmed)
	if f.ItemNamePrefix != "" {
		c.Prefixes = k.sent("filter.itemNamePrefix", f.ItemNamePrefix, k.names.spellings)
	}
	return c
}
