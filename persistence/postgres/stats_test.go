package postgres

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"occupy/domain"
)

var (
	seoul   = time.FixedZone("Asia/Seoul", 9*60*60)
	threeOf = domain.Shifts{6 * time.Hour, 14 * time.Hour, 22 * time.Hour}
)

// statsKey is what holds are counted by, as a text, by the plain loop.
func statsKey(h *domain.HoldEntry, by []domain.StatsGroup) string {
	end := h.To.In(seoul)
	work := end.Add(-6 * time.Hour)
	var key string
	for _, g := range by {
		key += fmt.Sprint(" ", g, "=", map[domain.StatsGroup]any{
			domain.StatsByUser: h.UserID, domain.StatsByItemType: h.ItemType, domain.StatsByItem: h.ItemKey,
			domain.StatsByUI: h.UIName, domain.StatsByMenu: h.MenuName, domain.StatsByEndReason: h.EndReason,
			domain.StatsByHour: end.Hour(), domain.StatsByDay: work.Format(time.DateOnly), domain.StatsByShift: work.Hour()/8 + 1,
		}[g])
	}
	return key
}

// rowKey is the same of a row of the answer.
func rowKey(r *domain.HoldStats, by []domain.StatsGroup) string {
	number := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	var key string
	for _, g := range by {
		key += fmt.Sprint(" ", g, "=", map[domain.StatsGroup]any{
			domain.StatsByUser: r.UserID, domain.StatsByItemType: r.ItemType, domain.StatsByItem: domain.ItemKey{ItemType: r.ItemType, ItemName: r.ItemName},
			domain.StatsByUI: r.UIName, domain.StatsByMenu: r.MenuName, domain.StatsByEndReason: r.EndReason,
			domain.StatsByHour: number(r.Hour), domain.StatsByDay: r.Day, domain.StatsByShift: number(r.Shift),
		}[g])
	}
	return key
}

// counted are the figures of holds, by the plain loop.
func counted(holds []domain.HoldEntry, denials []domain.Denial) (c domain.HoldStats) {
	var seconds []float64
	ends := map[string]time.Time{}
	for _, h := range holds {
		seconds = append(seconds, h.To.Sub(h.From).Seconds())
		ends[fmt.Sprint(h.ItemKey, h.FencingToken)] = h.To
		switch h.EndReason {
		case domain.EventExpired, domain.EventMaxHold:
			c.Expired++
		case domain.EventForced:
			c.Forced++
		}
	}
	for _, d := range denials {
		if end, ours := ends[fmt.Sprint(d.ItemKey, d.FencingToken)]; ours && d.UserID != d.BlockerUserID {
			c.Denials++
			c.MinutesLost += end.Sub(d.FirstAt).Minutes()
		}
	}
	slices.Sort(seconds)
	c.Holds, c.MaxSeconds = int64(len(seconds)), seconds[len(seconds)-1]
	for _, s := range seconds {
		c.TotalSeconds += s
	}
	c.AvgSeconds = c.TotalSeconds / float64(len(seconds))
	percentile := func(p float64) float64 {
		at := p * float64(len(seconds)-1)
		low, part := math.Modf(at)
		high := min(int(low)+1, len(seconds)-1)
		return seconds[int(low)] + part*(seconds[high]-seconds[int(low)])
	}
	c.P50Seconds, c.P95Seconds = percentile(0.5), percentile(0.95)
	return c
}

func figures(s *domain.HoldStats) []float64 {
	return []float64{float64(s.Holds), s.TotalSeconds, s.AvgSeconds, s.P50Seconds, s.P95Seconds, s.MaxSeconds,
		float64(s.Expired), float64(s.Forced), float64(s.Denials), s.MinutesLost}
}

// TestStatsAreThoseOfTheHolds: whatever they are counted by, and of whichever.
func TestStatsAreThoseOfTheHolds(t *testing.T) {
	s, past, holds := rememberHolds(t, 900)
	var refused []domain.Denial
	for i, h := range holds {
		if i%4 == 0 && !h.To.IsZero() {
			at := h.From.Add(h.To.Sub(h.From) / 3)
			refused = append(refused, domain.Denial{ItemKey: h.ItemKey, FencingToken: h.FencingToken, UserID: []string{"zoe", h.UserID}[i/4%2],
				Session: "other", BlockerUserID: h.UserID, BlockerSince: h.From, Attempts: 2, FirstAt: at, LastAt: h.To})
		}
	}
	if err := s.WriteDenials(t.Context(), refused); err != nil {
		t.Fatal(err)
	}
	denials := check(s.Denials(t.Context(), domain.DenialQuery{Cut: domain.Cut{Limit: 1000}}))(t).Nodes
	if len(denials) < 20 {
		t.Fatal(len(denials), "denials")
	}
	service, ctx := asker(s)
	service.TimeZone, service.Shifts = seoul, threeOf
	groups := []domain.StatsGroup{domain.StatsByUser, domain.StatsByItemType, domain.StatsByItem, domain.StatsByUI, domain.StatsByMenu,
		domain.StatsByHour, domain.StatsByDay, domain.StatsByShift, domain.StatsByEndReason}
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.SliceOfNDistinct(rapid.SampledFrom(groups), 0, 3, rapid.ID).Draw(t, "groupBy")
		w := &domain.HoldWhere{}
		if rapid.Bool().Draw(t, "narrow") {
			w = ofHolds(past.where(t, 1))
		}
		parts := map[string][]domain.HoldEntry{}
		for _, h := range holds {
			if !h.To.IsZero() && holdMeets(w, &h, time.Now()) {
				key := statsKey(&h, by)
				parts[key] = append(parts[key], h)
			}
		}
		order := rapid.SampledFrom(statsMeasures).Draw(t, "by").order
		direction := drawDirection(t)
		got, err := service.HistoryStats(ctx, domain.HoldWhere{And: []*domain.HoldWhere{w}, To: &domain.TimeFilter{Gte: &past.during.From}},
			by, &domain.StatsOrder{By: order, Direction: direction}, new(domain.MaxPageSize))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Rows) != min(len(parts), domain.MaxPageSize) || len(got.Rows) > 0 && got.RowCount != len(parts) {
			t.Fatalf("%d rows of %d, want %d", len(got.Rows), got.RowCount, len(parts))
		}
		place := slices.IndexFunc(statsMeasures, func(m statsMeasure) bool { return m.order == order })
		for i, row := range got.Rows {
			want := counted(parts[rowKey(row, by)], denials)
			for n, f := range figures(row) {
				if math.Abs(f-figures(&want)[n]) > 1e-6*max(1, math.Abs(f)) {
					t.Fatalf("%s: %s is %v, want %v", rowKey(row, by), statsMeasures[n].order, f, figures(&want)[n])
				}
			}
			if i > 0 && turned(cmp.Compare(figures(got.Rows[i-1])[place], figures(row)[place]), direction) > 0 {
				t.Fatalf("not by %s %s: %v", order, direction, row)
			}
		}
	})
}

func TestStatsInTheOrderOfTheirGroups(t *testing.T) {
	s, past, _ := rememberHolds(t, 300)
	service, ctx := asker(s)
	service.TimeZone, service.Shifts = seoul, threeOf
	ask := func(direction domain.Direction, first int) *domain.HistoryStats {
		return check(service.HistoryStats(ctx, domain.HoldWhere{To: &domain.TimeFilter{Gte: &past.during.From}},
			[]domain.StatsGroup{domain.StatsByDay, domain.StatsByShift}, &domain.StatsOrder{By: domain.StatsGroupOrder, Direction: direction}, &first))(t)
	}
	all := ask(domain.Ascending, domain.MaxPageSize)
	later := func(a, b *domain.HoldStats) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(*a.Shift, *b.Shift))
	}
	if len(all.Rows) < 30 || !slices.IsSortedFunc(all.Rows, later) {
		t.Errorf("%d rows, not in order", len(all.Rows))
	}
	last := ask(domain.Descending, 2)
	if len(last.Rows) != 2 || last.RowCount != len(all.Rows) || later(last.Rows[0], all.Rows[len(all.Rows)-1]) != 0 || later(last.Rows[1], last.Rows[0]) >= 0 {
		t.Errorf("the last two: %v", last.Rows)
	}
}
