package domain

import (
	"slices"
	"strings"
	"time"
)

// TextFilter narrows a text. All that is given must hold. An absent text is
// an empty one, which is what IsNull finds.
//
// In a checked query only In (nil = any text), Others (none of them), Prefixes and
// Parts (any one of them) and IsNull are set.
type TextFilter struct {
	Eq, Ne     *string
	In         []string
	StartsWith *string
	Contains   *string
	IsNull     *bool

	Others   []string
	Prefixes []string
	Parts    []string
}

// StateFilter narrows a state.
type StateFilter struct {
	Eq, Ne *State
	In     []State
}

// EventFilter narrows how a history row came about.
type EventFilter struct {
	Eq, Ne *Event
	In     []Event
}

// TimeFilter narrows an instant. In a checked query only Gte, Lt and IsNull are
// set: from Gte up to, and without, Lt.
type TimeFilter struct {
	Gt, Gte, Lt, Lte *time.Time
	Between          *TimeRange
	IsNull           *bool
}

// TimeRange is from an instant up to, and with, another.
type TimeRange struct{ From, To time.Time }

// SecondsFilter narrows a duration, which may be absent.
type SecondsFilter struct {
	Gt, Gte, Lt, Lte *int
	Between          *SecondsRange
	IsNull           *bool
}

// SecondsRange is from a number up to, and with, another.
type SecondsRange struct{ From, To int }

// itemFilters folds item types and names as occupying does.
func (k *checker) itemFilters(at string, types, names *TextFilter) (*TextFilter, *TextFilter) {
	types = k.textFilter(at+".itemType", types, k.names.foldsType)
	if types != nil && slices.Equal(types.In, []string{Slot}) {
		return types, k.textFilter(at+".itemName", names, func(s string) []string {
			return []string{k.names.foldName(Slot, s)}
		})
	}
	return types, k.textFilter(at+".itemName", names, k.names.spellings)
}

// textFilter checks a filter and brings it to the form of a checked query.
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
	if f.Ne != nil {
		m.Others = k.sent(argument+".ne", *f.Ne, stands)
	}
	if f.StartsWith != nil {
		m.Prefixes = k.sent(argument+".startsWith", *f.StartsWith, stands)
	}
	if f.Contains != nil {
		m.Parts = k.sent(argument+".contains", *f.Contains, stands)
	}
	m.IsNull = f.IsNull
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

// few checks how long a list is.
func (k *checker) few(argument string, n int) {
	if n > MaxItems {
		k.fail(argument, "must not have more than "+itoa(MaxItems)+" values")
	}
}

// timeFilter checks a filter and brings it to the form of Gte and Lt. The
// database's unit is the microsecond: after an instant is from the next one on.
func (k *checker) timeFilter(argument string, f *TimeFilter) *TimeFilter {
	if f == nil {
		return nil
	}
	m := TimeFilter{Gte: f.Gte, Lt: f.Lt, IsNull: f.IsNull}
	if f.Between != nil {
		if f.Between.To.Before(f.Between.From) {
			k.fail(argument+".between", "ends before it starts: from must not be after to")
		}
		m.Gte, m.Lt = latest(m.Gte, &f.Between.From), earliest(m.Lt, past(&f.Between.To))
	}
	m.Gte, m.Lt = latest(m.Gte, past(f.Gt)), earliest(m.Lt, past(f.Lte))
	if m.Gte != nil && m.Lt != nil && !m.Gte.Before(*m.Lt) {
		k.fail(argument, "ends before it starts: gte must be before lt")
	}
	return &m
}

// longer tells whether a checked period with a beginning is longer than a span, or
// has no end. One with both ends included is longer by the database's unit.
func (f *TimeFilter) longer(span time.Duration) bool {
	return f.Lt == nil || f.Lt.Sub(*f.Gte) > span+time.Microsecond
}

func past(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	next := at.Truncate(time.Microsecond).Add(time.Microsecond)
	return &next
}

// latest and earliest of two instants, of which either may be absent.
func latest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func earliest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

func (k *checker) secondsFilter(argument string, f *SecondsFilter) {
	if f != nil && f.Between != nil && f.Between.To < f.Between.From {
		k.fail(argument+".between", "ends before it starts: from must not be greater than to")
	}
}
