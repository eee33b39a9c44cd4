package domain

import (
	"slices"
	"strings"
	"time"
)

// TextFilter narrows a text. All that is given must hold. In a checked query
// only In (nil = any text) and Prefixes (any one of them) are set.
type TextFilter struct {
	Eq         *string
	In         []string
	StartsWith *string
	Prefixes   []string
}

// StateFilter narrows a state.
type StateFilter struct {
	Eq *State
	In []State
}

// EventFilter narrows how a history row came about.
type EventFilter struct {
	Eq *Event
	In []Event
}

// TimeFilter narrows an instant: from Gte up to, and without, Lt.
type TimeFilter struct{ Gte, Lt *time.Time }

// OccupancyWhere narrows the list of occupancies. All that is given must hold.
type OccupancyWhere struct {
	ItemType, ItemName *TextFilter
	UserID             *TextFilter
	State              *StateFilter
	UIName, MenuName   *TextFilter
	StartTime          *TimeFilter
	ExpireTime         *TimeFilter
}

// HistoryWhere narrows the history. All that is given must hold.
type HistoryWhere struct {
	ItemType, ItemName *TextFilter
	UserID             *TextFilter
	State              *StateFilter
	Event              *EventFilter
	UIName, MenuName   *TextFilter
	At                 *TimeFilter
}

// Direction is that of an order.
type Direction string

// The directions.
const (
	Ascending  Direction = "ASC"
	Descending Direction = "DESC"
)

// OccupancyField is what a list of occupancies can be ordered by. Equal ones
// follow in order of the item, in the same direction.
type OccupancyField string

// The orders of occupancies.
const (
	ByItem       OccupancyField = "ITEM"
	ByStartTime  OccupancyField = "START_TIME"
	ByExpireTime OccupancyField = "EXPIRE_TIME"
	ByUpdatedAt  OccupancyField = "UPDATED_AT"
)

// OccupancyOrder is the order of a list of occupancies.
type OccupancyOrder struct {
	Field     OccupancyField
	Direction Direction
}

// HistoryField is what the history can be ordered by: the time of writing.
type HistoryField string

// ByTime is the order of TimeKey, which within an item is that of its versions.
const ByTime HistoryField = "TIME"

// HistoryOrder is the order of the history.
type HistoryOrder struct {
	Field     HistoryField
	Direction Direction
}

// OccupancyQuery is a checked question for occupancies.
// A cursor is (field, [time,] item type, item name), times in RFC 3339.
type OccupancyQuery struct {
	Where OccupancyWhere
	Order OccupancyOrder
	Cut   Cut
}

// HistoryQuery is a checked question for history rows. A cursor is ("TIME", time key).
type HistoryQuery struct {
	Where HistoryWhere
	Order HistoryOrder
	Cut   Cut
}

func (k *checker) occupancyQuery(where *OccupancyWhere, order *OccupancyOrder, page PageArgs) OccupancyQuery {
	q := OccupancyQuery{Order: OccupancyOrder{ByItem, Ascending}}
	if order != nil {
		q.Order = *order
	}
	if where != nil {
		w := *where
		w.ItemType, w.ItemName = k.itemFilters(w.ItemType, w.ItemName)
		w.UserID = k.textFilter("where.userId", w.UserID, trimmed)
		w.UIName = k.textFilter("where.uiName", w.UIName, trimmed)
		w.MenuName = k.textFilter("where.menuName", w.MenuName, trimmed)
		k.stateFilter(w.State)
		k.timeFilter("where.startTime", w.StartTime)
		k.timeFilter("where.expireTime", w.ExpireTime)
		q.Where = w
	}
	values := 2
	if q.Order.Field != ByItem {
		values = 3
	}
	q.Cut = k.cut(page, string(q.Order.Field), func(c Cursor) bool {
		_, err := time.Parse(time.RFC3339Nano, c[1])
		return q.Order.Field == ByItem || err == nil
	}, values)
	return q
}

func (k *checker) historyQuery(where *HistoryWhere, order *HistoryOrder, page PageArgs) HistoryQuery {
	q := HistoryQuery{Order: HistoryOrder{ByTime, Descending}}
	if order != nil {
		q.Order = *order
	}
	if where != nil {
		w := *where
		w.ItemType, w.ItemName = k.itemFilters(w.ItemType, w.ItemName)
		w.UserID = k.textFilter("where.userId", w.UserID, trimmed)
		w.UIName = k.textFilter("where.uiName", w.UIName, trimmed)
		w.MenuName = k.textFilter("where.menuName", w.MenuName, trimmed)
		k.stateFilter(w.State)
		if w.Event != nil {
			k.few("where.event.in", len(w.Event.In))
		}
		k.timeFilter("where.at", w.At)
		q.Where = w
	}
	q.Cut = k.cut(page, string(q.Order.Field), func(c Cursor) bool { return validTimeKey(c[1]) }, 1)
	return q
}

// itemFilters folds item types and names as occupying does.
func (k *checker) itemFilters(types, names *TextFilter) (*TextFilter, *TextFilter) {
	types = k.textFilter("where.itemType", types, k.names.foldsType)
	if types != nil && slices.Equal(types.In, []string{Slot}) {
		return types, k.textFilter("where.itemName", names, func(s string) []string {
			return []string{k.names.foldName(Slot, s)}
		})
	}
	return types, k.textFilter("where.itemName", names, k.names.spellings)
}

// textFilter checks a filter and brings it to the form of In and Prefixes.
func (k *checker) textFilter(argument string, f *TextFilter, stands spelling) *TextFilter {
	if f == nil {
		return nil
	}
	var m TextFilter
	if f.Eq != nil {
		m.In = k.sent(argument+".eq", *f.Eq, stands)
	}
	if f.In != nil {
		m.In = intersect(m.In, k.list(argument+".in", f.In, stands))
	}
	if f.StartsWith != nil {
		m.Prefixes = k.sent(argument+".startsWith", *f.StartsWith, stands)
	}
	return &m
}

// spelling gives the stored values that one value, as sent, may stand for.
type spelling func(sent string) []string

// trimmed suits texts that are trimmed and not folded when they are stored.
func trimmed(s string) []string { return []string{strings.TrimSpace(s)} }

func (k *checker) sent(argument, s string, stands spelling) []string {
	if !storable(s) {
		k.fail(argument, "is not valid text")
	}
	return stands(s)
}

func (k *checker) list(argument string, sent []string, stands spelling) []string {
	if k.few(argument, len(sent)); len(sent) > MaxItems {
		return nil
	}
	all := []string{}
	for i, s := range sent {
		all = append(all, k.sent(argument+"."+itoa(i), s, stands)...)
	}
	return all
}

// intersect of no list (nil) and another is the other.
func intersect(a, b []string) []string {
	if a == nil {
		return b
	}
	return slices.DeleteFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

func (k *checker) stateFilter(f *StateFilter) {
	if f != nil {
		k.few("where.state.in", len(f.In))
	}
}

// few checks how long a list is.
func (k *checker) few(argument string, n int) {
	if n > MaxItems {
		k.fail(argument, "must not have more than "+itoa(MaxItems)+" values")
	}
}

func (k *checker) timeFilter(argument string, f *TimeFilter) {
	if f != nil && f.Gte != nil && f.Lt != nil && !f.Gte.Before(*f.Lt) {
		k.fail(argument, "ends before it starts: gte must be before lt")
	}
}
