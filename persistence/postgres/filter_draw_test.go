package postgres

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"occupy/domain"
)

// where draws a filter whose values are about those that rows have.
func (past remembered) where(t *rapid.T, depth int) (w domain.HistoryWhere) {
	row := func() *domain.HistoryEntry { return &past.rows[rapid.IntRange(0, len(past.rows)-1).Draw(t, "row")] }
	nested := func() *domain.HistoryWhere { inner := past.where(t, depth+1); return &inner }
	fields := []func(){
		func() { w.ItemType = drawText(t, row().ItemType) },
		func() { w.ItemName = drawText(t, row().ItemName) },
		func() { w.UserID = drawText(t, row().UserID) },
		func() { w.Session = drawText(t, row().Session) },
		func() { w.UIName = drawText(t, row().UIName) },
		func() { w.MenuName = drawText(t, row().MenuName) },
		func() { w.Comment = drawText(t, row().Comment) },
		func() { w.State = drawState(t) },
		func() { a, b := row().Event, row().Event; w.Event = drawEvent(t, a, b) },
		func() { w.StartTime = drawTimes(t, row().StartTime, row().StartTime) },
		func() { w.ExpireTime = drawTimes(t, row().ExpireTime, row().ExpireTime) },
		func() { w.At = drawTimes(t, row().At, row().At) },
		func() { w.HeldSeconds = drawSeconds(t) },
		func() { w.Not = nested() },
		func() { w.And = []*domain.HistoryWhere{nested(), nested()} },
		func() {
			w.Or = []*domain.HistoryWhere{nested(), nested(), nested()}[:rapid.IntRange(0, 3).Draw(t, "ways")]
		},
	}
	if depth == 0 && rapid.Bool().Draw(t, "manifold") {
		w.Or = []*domain.HistoryWhere{nested(), {Not: nested()}, {And: []*domain.HistoryWhere{nested(), {Not: nested()}}}}
		return w
	}
	if depth == 3 {
		fields = fields[:len(fields)-3]
	}
	for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(fields)-1), min(depth, 1), 2, rapid.ID).Draw(t, "fields") {
		fields[n]()
	}
	return w
}

// drawText is a filter about a value, as people may write it.
func drawText(t *rapid.T, value string) *domain.TextFilter {
	runes := []rune(value)
	from := rapid.IntRange(0, len(runes)).Draw(t, "from")
	to := rapid.IntRange(from, len(runes)).Draw(t, "to")
	written := rapid.SampledFrom([]func(string) string{
		func(s string) string { return s }, strings.ToLower, func(s string) string { return " " + s + " " },
	}).Draw(t, "written")
	whole, part, begin := written(value), written(string(runes[from:to])), written(string(runes[:to]))
	yes := rapid.Bool().Draw(t, "yes")
	return rapid.SampledFrom([]*domain.TextFilter{
		{Eq: &whole}, {Ne: &whole}, {In: []string{whole, "LOT", part}}, {In: []string{}}, {StartsWith: &begin}, {Contains: &part},
		{IsNull: &yes}, {StartsWith: &begin, Ne: &whole}, {Eq: &whole, In: []string{"LOT", part}}, {Contains: &part, IsNull: &yes},
	}).Draw(t, "text")
}

func drawState(t *rapid.T) *domain.StateFilter {
	free, held := domain.StateFree, domain.StateOccupied
	return rapid.SampledFrom([]*domain.StateFilter{
		{Eq: &free}, {Ne: &held}, {In: []domain.State{held, domain.StateExpired}}, {Ne: &free, In: []domain.State{free, held}}, {},
	}).Draw(t, "state")
}

func drawEvent(t *rapid.T, a, b domain.Event) *domain.EventFilter {
	return rapid.SampledFrom([]*domain.EventFilter{{Eq: &a}, {Ne: &a}, {In: []domain.Event{a, b}}, {Ne: &a, In: []domain.Event{a, b}}, {In: []domain.Event{}}}).Draw(t, "event")
}

// drawTimes also draws instants that are no whole microseconds.
func drawTimes(t *rapid.T, a, b time.Time) *domain.TimeFilter {
	if b.Before(a) {
		a, b = b, a
	}
	a = a.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "nanoseconds")))
	if b.Sub(a) < 2*time.Microsecond {
		b = a.Add(2 * time.Microsecond)
	}
	yes := rapid.Bool().Draw(t, "yes")
	return rapid.SampledFrom([]*domain.TimeFilter{
		{Gte: &a}, {Gt: &a}, {Lt: &b}, {Lte: &b}, {Gte: &a, Lt: &b}, {Gt: &a, Lte: &b},
		{Between: &domain.TimeRange{From: a, To: b}}, {Gt: &a, Between: &domain.TimeRange{From: a, To: b}}, {IsNull: &yes},
	}).Draw(t, "times")
}

func drawSeconds(t *rapid.T) *domain.SecondsFilter {
	a := rapid.IntRange(0, 600).Draw(t, "seconds")
	b, yes := a+rapid.IntRange(0, 600).Draw(t, "more"), rapid.Bool().Draw(t, "yes")
	return rapid.SampledFrom([]*domain.SecondsFilter{
		{Gt: &a}, {Gte: &a}, {Lt: &b}, {Lte: &b}, {Between: &domain.SecondsRange{From: a, To: b}}, {IsNull: &yes}, {Gte: &a, Lt: &b},
	}).Draw(t, "held")
}

// holds is the plain loop's filter.
func holds(w *domain.HistoryWhere, h *domain.HistoryEntry) bool {
	all := func(list []*domain.HistoryWhere) bool {
		return !slices.ContainsFunc(list, func(w *domain.HistoryWhere) bool { return !holds(w, h) })
	}
	any := func(list []*domain.HistoryWhere) bool {
		return slices.ContainsFunc(list, func(w *domain.HistoryWhere) bool { return holds(w, h) })
	}
	var held *time.Duration
	switch d := time.Duration(0); h.State {
	case domain.StateFree:
		d = h.At.Sub(h.StartTime)
		held = &d
	case domain.StateExpired:
		d = h.ExpireTime.Sub(h.StartTime)
		held = &d
	}
	return all(w.And) && (w.Or == nil || any(w.Or)) && (w.Not == nil || !holds(w.Not, h)) &&
		textHolds(w.ItemType, h.ItemType, strings.ToUpper) &&
		nameHolds(w, h.ItemName) &&
		textHolds(w.UserID, h.UserID) && textHolds(w.Session, h.Session) && textHolds(w.UIName, h.UIName) &&
		textHolds(w.MenuName, h.MenuName) && textHolds(w.Comment, h.Comment) &&
		(w.State == nil || wordHolds(w.State.Eq, w.State.Ne, w.State.In, h.State)) &&
		(w.Event == nil || wordHolds(w.Event.Eq, w.Event.Ne, w.Event.In, h.Event)) &&
		timeHolds(w.StartTime, h.StartTime) && timeHolds(w.ExpireTime, h.ExpireTime) && timeHolds(w.At, h.At) &&
		secondsHold(w.HeldSeconds, held)
}

// nameHolds: names may be meant as they are or in upper case, but those of slots
// are as they are.
func nameHolds(w *domain.HistoryWhere, name string) bool {
	if f := w.ItemType; f != nil && f.Eq != nil && strings.TrimSpace(strings.ToUpper(*f.Eq)) == domain.Slot &&
		(f.In == nil || slices.ContainsFunc(f.In, func(s string) bool { return strings.TrimSpace(strings.ToUpper(s)) == domain.Slot })) {
		return textHolds(w.ItemName, name)
	}
	return textHolds(w.ItemName, name, strings.ToUpper, func(s string) string { return s })
}

func textHolds(f *domain.TextFilter, v string, spellings ...func(string) string) bool {
	if f == nil {
		return true
	}
	if spellings == nil {
		spellings = append(spellings, func(s string) string { return s })
	}
	meets := func(sent string, meets func(v, sent string) bool) bool {
		return slices.ContainsFunc(spellings, func(spell func(string) string) bool { return meets(v, spell(strings.TrimSpace(sent))) })
	}
	same := func(v, sent string) bool { return v == sent }
	return (f.Eq == nil || meets(*f.Eq, same)) &&
		(f.Ne == nil || !meets(*f.Ne, same)) &&
		(f.In == nil || slices.ContainsFunc(f.In, func(s string) bool { return meets(s, same) })) &&
		(f.StartsWith == nil || meets(*f.StartsWith, strings.HasPrefix)) &&
		(f.Contains == nil || meets(*f.Contains, strings.Contains)) &&
		(f.IsNull == nil || *f.IsNull == (v == ""))
}

func wordHolds[T comparable](eq, ne *T, in []T, v T) bool {
	return (eq == nil || v == *eq) && (ne == nil || v != *ne) && (in == nil || slices.Contains(in, v))
}

func timeHolds(f *domain.TimeFilter, v time.Time) bool {
	return f == nil || (f.Gt == nil || v.After(*f.Gt)) && (f.Gte == nil || !v.Before(*f.Gte)) &&
		(f.Lt == nil || v.Before(*f.Lt)) && (f.Lte == nil || !v.After(*f.Lte)) &&
		(f.Between == nil || !v.Before(f.Between.From) && !v.After(f.Between.To)) &&
		(f.IsNull == nil || !*f.IsNull)
}

func secondsHold(f *domain.SecondsFilter, held *time.Duration) bool {
	if f == nil {
		return true
	}
	if held == nil {
		return f.IsNull != nil && *f.IsNull
	}
	s := func(n int) time.Duration { return time.Duration(n) * time.Second }
	return (f.Gt == nil || *held > s(*f.Gt)) && (f.Gte == nil || *held >= s(*f.Gte)) &&
		(f.Lt == nil || *held < s(*f.Lt)) && (f.Lte == nil || *held <= s(*f.Lte)) &&
		(f.Between == nil || *held >= s(f.Between.From) && *held <= s(f.Between.To)) &&
		(f.IsNull == nil || !*f.IsNull)
}
