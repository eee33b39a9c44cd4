package postgres

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"occupy/domain"
)

// rememberHolds makes a past whose holds, the last ones too, are as they are while the
// test runs, and follows each from its beginning to its end: row by row.
func rememberHolds(t *testing.T, rows int) (*Store, remembered, []domain.HoldEntry) {
	s, past := remember(t, rows, func(s *Store) {
		for i, name := range []string{"M1", "M2", "M3", "M4", "M5", "M6"} {
			who := by([]string{"kim001", "lee001"}[i%2])
			mustOccupy(t, s, key(name), who)
			who.UIName, who.Session = "Track In", "late"
			mustOccupy(t, s, key(name), who)
		}
		who := by("kim001")
		who.Session, who.TakeOver = "second", true
		mustOccupy(t, s, key("M5"), who)
	})
	exec(t, s, `UPDATE ct_occupy_item SET expire_time = now() + interval '1 day' WHERE state = 'OCCUPIED'`)
	// Two whose time has run out, and nobody has looked.
	exec(t, s, `UPDATE ct_occupy_item SET expire_time = now(), end_event = e.event
		FROM (SELECT item_type, item_name, CASE row_number() OVER (ORDER BY item_name) WHEN 1 THEN 'CONNECTION_LOST' ELSE '' END AS event
		      FROM ct_occupy_item WHERE state = 'OCCUPIED' AND start_time < now() - interval '1 ms' ORDER BY item_name LIMIT 2) e
		WHERE (ct_occupy_item.item_type, ct_occupy_item.item_name) = (e.item_type, e.item_name)`)
	items, err := askList(t.Context(), s.adhoc, func(row pgx.CollectableRow) (o domain.Occupancy, err error) {
		return o, row.Scan(occupancyDests(&o)...)
	}, `SELECT `+occupancyColumns+` FROM ct_occupy_item i WHERE state = 'OCCUPIED'`)
	if err != nil || len(items) < 4 {
		t.Fatal(err, len(items))
	}
	return s, past, follow(past.rows, items)
}

// follow makes holds of rows and of the items that are still occupied.
func follow(rows []domain.HistoryEntry, items []domain.Occupancy) (all []domain.HoldEntry) {
	lasting := map[domain.ItemKey]*domain.HoldEntry{}
	for _, h := range rows {
		end := func(hold *domain.HoldEntry, at time.Time) {
			hold.To, hold.EndReason, hold.EndedBy, hold.Comment, hold.Key = at, h.Event, h.Actor, h.Comment, h.TimeKey
			all = append(all, *hold)
			delete(lasting, h.ItemKey)
		}
		if hold := lasting[h.ItemKey]; hold != nil && hold.FencingToken != h.FencingToken {
			end(hold, h.At)
		}
		hold := lasting[h.ItemKey]
		if hold == nil {
			hold = &domain.HoldEntry{ItemKey: h.ItemKey, UserID: h.UserID, FencingToken: h.FencingToken, From: h.StartTime}
			lasting[h.ItemKey] = hold
		}
		hold.Session, hold.UIName, hold.MenuName = h.Session, h.UIName, h.MenuName
		switch h.State {
		case domain.StateFree:
			hold.Renewals = &h.Renewals
			end(hold, h.At)
		case domain.StateExpired:
			hold.Renewals = &h.Renewals
			end(hold, h.ExpireTime)
		}
	}
	for _, o := range items {
		hold := lasting[o.ItemKey]
		hold.Session, hold.UIName, hold.MenuName, hold.Renewals = o.Session, o.UIName, o.MenuName, &o.Renewals
		hold.Key = "~" + domain.TimeKeyPrefix(o.StartTime)
		if !o.ExpireTime.After(time.Now()) {
			hold.To, hold.EndReason = o.ExpireTime, cmp.Or(o.EndEvent, domain.EventExpired)
		}
		all = append(all, *hold)
	}
	return all
}

// told is a hold as a text to compare; how long it lasts so far is another matter.
func told(h domain.HoldEntry) string {
	renewals, to := "?", "…"
	if h.Renewals != nil {
		renewals = fmt.Sprint(*h.Renewals)
	}
	if !h.To.IsZero() {
		to = h.To.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%s %s/%s %s/%s token %d, %s renewals, %s to %s: %s by %s (%s)", h.ItemKey, h.UserID, h.Session, h.UIName, h.MenuName,
		h.FencingToken, renewals, h.From.UTC().Format(time.RFC3339Nano), to, h.EndReason, h.EndedBy, h.Comment)
}

// TestHoldsAreTheirRowsFollowed is rule 19: from the grant to the next row.
func TestHoldsAreTheirRowsFollowed(t *testing.T) {
	s, past, want := rememberHolds(t, 900)
	ways, lasting := map[domain.Event]int{}, 0
	for _, h := range want {
		if ways[h.EndReason]++; h.EndReason == "" {
			lasting++
		}
	}
	for _, e := range []domain.Event{domain.EventFreed, domain.EventTakenOver, domain.EventExpired, domain.EventForced, domain.EventConnectionLost, ""} {
		if ways[e] == 0 {
			t.Errorf("the past has no hold that ended by %q", e)
		}
	}
	service, ctx := asker(s)
	rapid.Check(t, func(t *rapid.T) {
		w := ofHolds(past.where(t, 0))
		order := drawHoldOrder(t)
		clock := time.Now()
		var found []domain.HoldEntry
		for _, h := range want {
			if holdMeets(w, &h, clock) {
				found = append(found, h)
			}
		}
		slices.SortFunc(found, inHoldOrder(order))
		bounded := &domain.HoldWhere{And: []*domain.HoldWhere{w}, Or: []*domain.HoldWhere{{Open: new(true)}, {To: &domain.TimeFilter{Gte: &past.during.From}}}}
		got := leaf(t, func(page domain.PageArgs) (domain.Page[domain.HoldEntry], error) {
			return service.Holds(ctx, bounded, order, page)
		}, len(found))
		for i := range max(len(got), len(found)) {
			if i >= len(got) || i >= len(found) || told(got[i]) != told(found[i]) {
				t.Fatalf("%d holds, want %d; at %d\n got %v\nwant %v", len(got), len(found), i, tellAt(got, i), tellAt(found, i))
			}
		}
	})
}

func tellAt(all []domain.HoldEntry, i int) string {
	if i >= len(all) {
		return "none"
	}
	return told(all[i])
}

// ofHolds is a filter of rows made one of holds.
func ofHolds(w domain.HistoryWhere) *domain.HoldWhere {
	of := &domain.HoldWhere{ItemType: w.ItemType, ItemName: w.ItemName, UserID: w.UserID, Session: w.Session, UIName: w.UIName, MenuName: w.MenuName,
		From: w.StartTime, To: cmp.Or(w.At, w.ExpireTime), Seconds: w.HeldSeconds, EndReason: w.Event, Comment: w.Comment}
	if w.State != nil {
		of.Open = new(w.State.Eq != nil)
	}
	if w.And != nil {
		of.And = []*domain.HoldWhere{}
	}
	if w.Or != nil {
		of.Or = []*domain.HoldWhere{}
	}
	for _, inner := range w.And {
		of.And = append(of.And, ofHolds(*inner))
	}
	for _, inner := range w.Or {
		of.Or = append(of.Or, ofHolds(*inner))
	}
	if w.Not != nil {
		of.Not = ofHolds(*w.Not)
	}
	return of
}

// holdMeets is the plain loop's filter.
func holdMeets(w *domain.HoldWhere, h *domain.HoldEntry, clock time.Time) bool {
	all := func(list []*domain.HoldWhere) bool {
		return !slices.ContainsFunc(list, func(w *domain.HoldWhere) bool { return !holdMeets(w, h, clock) })
	}
	any := func(list []*domain.HoldWhere) bool {
		return slices.ContainsFunc(list, func(w *domain.HoldWhere) bool { return holdMeets(w, h, clock) })
	}
	held := clock.Sub(h.From)
	ended := h.EndReason != ""
	if ended {
		held = h.To.Sub(h.From)
	}
	return all(w.And) && (w.Or == nil || any(w.Or)) && (w.Not == nil || !holdMeets(w.Not, h, clock)) &&
		textHolds(w.ItemType, h.ItemType, strings.ToUpper) &&
		nameHolds(&domain.HistoryWhere{ItemType: w.ItemType, ItemName: w.ItemName}, h.ItemName) &&
		textHolds(w.UserID, h.UserID) && textHolds(w.Session, h.Session) && textHolds(w.UIName, h.UIName) &&
		textHolds(w.MenuName, h.MenuName) && textHolds(w.Comment, h.Comment) && textHolds(w.EndedBy, h.EndedBy) &&
		timeHolds(w.From, h.From) && endHolds(w.To, h) && secondsHold(w.Seconds, &held) &&
		(w.EndReason == nil || ended && wordHolds(w.EndReason.Eq, w.EndReason.Ne, w.EndReason.In, h.EndReason)) &&
		(w.Open == nil || *w.Open == !ended)
}

func endHolds(f *domain.TimeFilter, h *domain.HoldEntry) bool {
	if f != nil && h.To.IsZero() {
		return f.IsNull != nil && *f.IsNull
	}
	return timeHolds(f, h.To)
}

func drawHoldOrder(t *rapid.T) []*domain.HoldOrder {
	fields := rapid.SliceOfNDistinct(rapid.SampledFrom([]domain.HoldField{
		domain.ByHoldEnd, domain.ByHoldStart, domain.ByHoldItem, domain.ByHoldUser, domain.ByHoldSeconds,
	}), 1, 3, rapid.ID).Draw(t, "orderBy")
	order := make([]*domain.HoldOrder, len(fields))
	for i, f := range fields {
		order[i] = &domain.HoldOrder{Field: f, Direction: drawDirection(t)}
	}
	return order
}

func inHoldOrder(order []*domain.HoldOrder) func(a, b domain.HoldEntry) int {
	byEnd := func(a, b domain.HoldEntry) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), a.ItemKey.Compare(b.ItemKey))
	}
	length := func(h domain.HoldEntry) time.Duration {
		if h.To.IsZero() {
			return math.MaxInt64
		}
		return h.To.Sub(h.From)
	}
	by := map[domain.HoldField]func(a, b domain.HoldEntry) int{
		domain.ByHoldEnd:     byEnd,
		domain.ByHoldStart:   func(a, b domain.HoldEntry) int { return a.From.Compare(b.From) },
		domain.ByHoldItem:    func(a, b domain.HoldEntry) int { return a.ItemKey.Compare(b.ItemKey) },
		domain.ByHoldUser:    func(a, b domain.HoldEntry) int { return strings.Compare(a.UserID, b.UserID) },
		domain.ByHoldSeconds: func(a, b domain.HoldEntry) int { return cmp.Compare(length(a), length(b)) },
	}
	return func(a, b domain.HoldEntry) int {
		for _, o := range order {
			if c := by[o.Field](a, b); c != 0 {
				return turned(c, o.Direction)
			}
		}
		return turned(byEnd(a, b), order[len(order)-1].Direction)
	}
}

// TestHeldAtIsWhatWasHeldThen: of every instant all holds that had begun and not ended.
func TestHeldAtIsWhatWasHeldThen(t *testing.T) {
	s, past, holds := rememberHolds(t, 900)
	service, ctx := asker(s)
	instants := []time.Time{past.during.From.Add(-time.Hour), time.Now(), time.Now().Add(12 * time.Hour), time.Now().Add(48 * time.Hour)}
	for range 50 {
		h := holds[rand.IntN(len(holds))]
		instants = append(instants, h.From, h.From.Add(-time.Microsecond), h.From.Add(time.Since(h.From)/100))
		if !h.To.IsZero() {
			instants = append(instants, h.To, h.To.Add(-time.Nanosecond))
		}
	}
	somebody := 0
	for _, at := range instants {
		var want []domain.HoldEntry
		for _, h := range holds {
			planned := h.To
			if planned.IsZero() {
				planned = past.during.To.Add(24 * time.Hour) // or a little later
			}
			if !h.From.After(at) && planned.After(at) && h.ItemType != domain.Slot {
				want = append(want, h)
			}
		}
		slices.SortFunc(want, func(a, b domain.HoldEntry) int { return a.ItemKey.Compare(b.ItemKey) })
		size := 3 + len(want)/2
		args := domain.PageArgs{First: &size, Total: true}
		var got []domain.HoldEntry
		for {
			page := check(service.HeldAt(ctx, nil, at, args))(t)
			if *page.Total != len(want) {
				t.Fatalf("%d in all, want %d", *page.Total, len(want))
			}
			if got = append(got, page.Nodes...); !page.More {
				break
			}
			args.After = new(page.Cursors[len(page.Cursors)-1].String())
		}
		if len(got) > 0 {
			somebody++
		}
		for i := range max(len(got), len(want)) {
			if tellAt(got, i) != tellAt(want, i) {
				t.Fatalf("at %v: %d holds, want %d; at %d\n got %v\nwant %v", at, len(got), len(want), i, tellAt(got, i), tellAt(want, i))
			}
		}
	}
	if somebody < 50 {
		t.Errorf("only at %d instants was something held", somebody)
	}
}
