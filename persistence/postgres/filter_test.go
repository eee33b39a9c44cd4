package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"occupy/domain"
)

// asker asks as people do, with nothing between them and the Store but the checks.
func asker(s *Store) (*domain.Service, context.Context) {
	return domain.NewService(domain.ServiceConfig{Archive: s}),
		domain.WithCaller(context.Background(), domain.Caller{UserID: "ann", Roles: []domain.Role{domain.RoleAnalyst}})
}

// remembered is a past in memory, beside the same in the database.
type remembered struct {
	rows   []domain.HistoryEntry // by TimeKey
	during domain.TimeRange
}

// remember tells a past, with some of what no plant does, and reads all of it.
func remember(t *testing.T, rows int, more ...func(*Store)) (*Store, remembered) {
	url := newURL(t)
	tell(t, url, lastMonths(2, rows))
	s := open(t, Config{URL: url})
	for i, name := range []string{"job:Nightly", "JOB:NIGHTLY", "100%", "a_b", `back\slash`, "가나다"} {
		at := time.Now().Truncate(time.Microsecond).Add(time.Duration(-i) * time.Hour)
		appendHistory(t, s, domain.HistoryEntry{ItemKey: domain.ItemKey{ItemType: domain.Slot, ItemName: name}, Version: 1,
			State: domain.StateFree, Event: domain.EventForced, UserID: name[:3], Comment: name, At: at,
			StartTime: at.Add(-time.Duration(i) * time.Second), ExpireTime: at})
	}
	for _, add := range more {
		add(s)
	}
	list, err := askList(t.Context(), s.adhoc, func(row pgx.CollectableRow) (domain.HistoryEntry, error) { return scanEntry(row) }, `SELECT `+historyColumns+` FROM ct_occupy_item_history h ORDER BY time_key`)
	if err != nil {
		t.Fatal(err)
	}
	return s, remembered{list, domain.TimeRange{From: list[0].At, To: list[len(list)-1].At}}
}

// TestAnyFilterFindsWhatItFindsInMemory: whatever filter, in whatever order and
// from whichever end, gives just the rows that a plain loop gives.
func TestAnyFilterFindsWhatItFindsInMemory(t *testing.T) {
	s, past := remember(t, 900)
	service, ctx := asker(s)
	rapid.Check(t, func(t *rapid.T) {
		where := past.where(t, 0)
		order := drawHistoryOrder(t)
		var want []string
		for _, h := range past.rows {
			if holds(&where, &h) {
				want = append(want, h.TimeKey)
			}
		}
		sortKeys(want, past.rows, order)
		bounded := domain.HistoryWhere{And: []*domain.HistoryWhere{&where}, At: &domain.TimeFilter{Between: &past.during}}
		got := leaf(t, func(page domain.PageArgs) (domain.Page[domain.HistoryEntry], error) {
			return service.History(ctx, &bounded, order, page)
		}, len(want))
		if keys := timeKeys(got); !slices.Equal(keys, want) {
			t.Fatalf("%d rows, want %d\n got %v\nwant %v", len(keys), len(want), keys, want)
		}
	})
}

func timeKeys(rows []domain.HistoryEntry) []string {
	keys := make([]string, len(rows))
	for i := range rows {
		keys[i] = rows[i].TimeKey
	}
	return keys
}

// leaf reads a list from either end, in pages of a drawn size.
func leaf[T any](t *rapid.T, ask func(domain.PageArgs) (domain.Page[T], error), total int) (all []T) {
	size, backward := rapid.IntRange(max(1, total/5), 1000).Draw(t, "size"), rapid.Bool().Draw(t, "backward")
	args := domain.PageArgs{Total: rapid.Bool().Draw(t, "total")}
	for {
		if args.First = &size; backward {
			args.First, args.Last = nil, &size
		}
		page, err := ask(args)
		if err != nil {
			t.Fatal(err)
		}
		if args.Total && *page.Total != total {
			t.Fatalf("%d in all, want %d", *page.Total, total)
		}
		if backward {
			all = append(page.Nodes, all...)
		} else {
			all = append(all, page.Nodes...)
		}
		if !page.More {
			return all
		}
		if first, last := page.Cursors[0].String(), page.Cursors[len(page.Cursors)-1].String(); backward {
			args.Before = &first
		} else {
			args.After = &last
		}
	}
}

var historyFields = []domain.HistoryField{
	domain.ByTime, domain.ByHistoryItem, domain.ByHistoryUser, domain.ByHistoryEvent,
	domain.ByHistoryUI, domain.ByHistoryMenu, domain.ByHistoryStart, domain.ByHistoryExpires,
}

func drawHistoryOrder(t *rapid.T) []*domain.HistoryOrder {
	fields := rapid.SliceOfNDistinct(rapid.SampledFrom(historyFields), 1, 3, rapid.ID).Draw(t, "orderBy")
	order := make([]*domain.HistoryOrder, len(fields))
	for i, f := range fields {
		order[i] = &domain.HistoryOrder{Field: f, Direction: drawDirection(t)}
	}
	return order
}

func drawDirection(t *rapid.T) domain.Direction {
	return rapid.SampledFrom([]domain.Direction{domain.Ascending, domain.Descending}).Draw(t, "direction")
}

func sortKeys(keys []string, rows []domain.HistoryEntry, order []*domain.HistoryOrder) {
	byKey := map[string]*domain.HistoryEntry{}
	for i := range rows {
		byKey[rows[i].TimeKey] = &rows[i]
	}
	slices.SortFunc(keys, func(x, y string) int {
		a, b := byKey[x], byKey[y]
		for _, o := range order {
			if c := compareBy(o.Field, a, b); c != 0 {
				return turned(c, o.Direction)
			}
		}
		return turned(strings.Compare(x, y), order[len(order)-1].Direction)
	})
}

func turned(c int, d domain.Direction) int {
	if d == domain.Descending {
		return -c
	}
	return c
}

func compareBy(field domain.HistoryField, a, b *domain.HistoryEntry) int {
	switch field {
	case domain.ByTime:
		return strings.Compare(a.TimeKey, b.TimeKey)
	case domain.ByHistoryItem:
		return a.ItemKey.Compare(b.ItemKey)
	case domain.ByHistoryUser:
		return strings.Compare(a.UserID, b.UserID)
	case domain.ByHistoryEvent:
		return cmp.Compare(a.Event, b.Event)
	case domain.ByHistoryUI:
		return strings.Compare(a.UIName, b.UIName)
	case domain.ByHistoryMenu:
		return strings.Compare(a.MenuName, b.MenuName)
	case domain.ByHistoryStart:
		return a.StartTime.Compare(b.StartTime)
	case domain.ByHistoryExpires:
		return a.ExpireTime.Compare(b.ExpireTime)
	}
	panic(fmt.Sprint("no order by ", field))
}
