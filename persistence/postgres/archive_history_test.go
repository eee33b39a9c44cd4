package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"occupy/domain"
)

// appendHistory writes a history row by hand, at a time of the past.
func appendHistory(t testing.TB, s *Store, h domain.HistoryEntry) {
	t.Helper()
	exec(t, s, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, user_id, session_id,
			start_time, expire_time, ui_name, menu_name, fencing_token, version, renewals, comment, reg_usr_id, reg_dt)
		SELECT $1 || lpad(nextval('ct_occupy_time_key')::text, 12, '0'), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17`,
		domain.TimeKeyPrefix(h.At), h.ItemType, h.ItemName, h.State, h.Event, h.UserID, h.Session,
		h.StartTime, h.ExpireTime, h.UIName, h.MenuName, h.FencingToken, h.Version, h.Renewals, h.Comment, h.Actor, h.At)
}

// today is an instant in a month that has a partition.
func today(clock string) time.Time {
	at, err := time.Parse("15:04:05.999999", clock)
	if err != nil {
		panic(err)
	}
	return at.AddDate(time.Now().Year(), int(time.Now().UTC().Month())-1, 9)
}

func history(t testing.TB, s *Store, q domain.HistoryQuery) (domain.Page[domain.HistoryEntry], string) {
	t.Helper()
	page, err := s.History(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(page.Nodes))
	for i, h := range page.Nodes {
		names[i] = fmt.Sprint(h.ItemName, h.Version)
	}
	return page, strings.Join(names, " ")
}

func TestHistoryWhere(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for i, h := range []domain.HistoryEntry{
		{ItemKey: key("A"), Version: 1, State: domain.StateOccupied, Event: domain.EventOccupied, UserID: "kim", UIName: "u1"},
		{ItemKey: key("A"), Version: 2, State: domain.StateFree, Event: domain.EventForced, UserID: "kim", UIName: "u1", MenuName: "m1", Comment: "why", Actor: "boss"},
		{ItemKey: key("B"), Version: 1, State: domain.StateOccupied, Event: domain.EventOccupied, UserID: "lee"},
		{ItemKey: domain.ItemKey{ItemType: "CST", ItemName: "A"}, Version: 7, State: domain.StateExpired, Event: domain.EventMaxHold, UserID: "lee"},
	} {
		h.At = today("10:00:00").Add(time.Duration(i) * time.Microsecond)
		appendHistory(t, s, h)
	}
	at := func(d time.Duration) *time.Time { v := today("10:00:00").Add(d); return &v }
	never := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600)) // the year 10000 in UTC
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))          // the year -1
	for _, c := range []struct {
		want  string
		where domain.HistoryWhere
	}{
		{"A1 A2 B1 A7", domain.HistoryWhere{}},
		{"A1 A2", domain.HistoryWhere{ItemType: is("LOT"), ItemName: is("A")}},
		{"A1 A2 A7", domain.HistoryWhere{ItemName: startsWith("A")}},
		{"B1 A7", domain.HistoryWhere{UserID: is("lee")}},
		{"A2 B1 A7", domain.HistoryWhere{At: &domain.TimeFilter{Gte: at(time.Nanosecond)}}},
		{"A1", domain.HistoryWhere{At: &domain.TimeFilter{Lt: at(time.Nanosecond)}}},
		{"A2 B1", domain.HistoryWhere{At: &domain.TimeFilter{Gte: at(time.Microsecond), Lt: at(3 * time.Microsecond)}}},
		{"A1 A2 B1 A7", domain.HistoryWhere{At: &domain.TimeFilter{Gte: &first, Lt: &never}}},
		{"", domain.HistoryWhere{At: &domain.TimeFilter{Gte: &never}}},
		{"", domain.HistoryWhere{At: &domain.TimeFilter{Lt: &first}}},
		{"A1 B1", domain.HistoryWhere{State: &domain.StateFilter{In: []domain.State{domain.StateOccupied}}}},
		{"A2 A7", domain.HistoryWhere{Event: &domain.EventFilter{In: []domain.Event{domain.EventForced, domain.EventMaxHold}}}},
		{"A2", domain.HistoryWhere{UIName: is("u1"), MenuName: is("m1")}},
	} {
		page, got := history(t, s, domain.HistoryQuery{Where: c.where, Cut: domain.Cut{Limit: 10, Total: true}})
		if got != c.want || *page.Total != len(page.Nodes) {
			t.Errorf("%+v: got %q (total %d), want %q", c.where, got, *page.Total, c.want)
		}
	}
}

func TestHistoryForwardAndBack(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	for v := range 20 {
		appendHistory(t, s, domain.HistoryEntry{ItemKey: key("A"), Version: int64(v + 1), State: domain.StateFree, Event: domain.EventFreed,
			At: today("10:00:00").Add(time.Duration(v/3) * time.Second)}) // some at the same instant
	}
	for _, direction := range []domain.Direction{domain.Ascending, domain.Descending} {
		for _, backward := range []bool{false, true} {
			all := walk(t, domain.Cut{Backward: backward}, 6, func(c domain.Cut) domain.Page[domain.HistoryEntry] {
				page, _ := history(t, s, domain.HistoryQuery{Order: []domain.HistoryOrder{{Field: domain.ByTime, Direction: direction}}, Cut: c})
				return page
			})
			if direction == domain.Descending {
				slices.Reverse(all)
			}
			for i, h := range all {
				if h.Version != int64(i+1) {
					t.Errorf("%s, backward %t: version %d at %d", direction, backward, h.Version, i)
				}
			}
			if len(all) != 20 {
				t.Errorf("%s, backward %t: %d rows", direction, backward, len(all))
			}
		}
	}
}

func TestHistoryEntryIsTheRow(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	h := domain.HistoryEntry{ItemKey: key("A"), State: domain.StateFree, Event: domain.EventForced, UserID: "kim", Session: "tab",
		StartTime: today("09:00:00"), ExpireTime: today("11:00:00.000001"), UIName: "ui", MenuName: "menu",
		FencingToken: 1 << 60, Version: 1 << 61, Renewals: 3, Comment: "왜", Actor: "boss", At: today("10:00:00")}
	appendHistory(t, s, h)
	page, _ := history(t, s, domain.HistoryQuery{Cut: domain.Cut{Limit: 1}})
	h.TimeKey = page.Nodes[0].TimeKey
	if page.Nodes[0] != h {
		t.Errorf("listed as %+v, want %+v", page.Nodes[0], h)
	}
	if got, err := s.HistoryEntry(t.Context(), h.TimeKey, h.ItemKey); err != nil || got == nil || *got != h {
		t.Errorf("found %+v, %v; want %+v", got, err, h)
	}
	if got, err := s.HistoryEntry(t.Context(), h.TimeKey, key("B")); err != nil || got != nil {
		t.Errorf("of another item: %+v, %v", got, err)
	}
}

// TestHolderAt is rule 19: how long a hold lasted, its own row does not tell.
func TestHolderAt(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	version, token := int64(0), int64(0)
	add := func(state domain.State, event domain.Event, user, ui, at, start, expire string) {
		version++
		if start == at {
			token++
		}
		appendHistory(t, s, domain.HistoryEntry{ItemKey: key("A"), State: state, Event: event, UserID: user, UIName: ui,
			At: today(at), StartTime: today(start), ExpireTime: today(expire), Version: version, FencingToken: token})
	}
	add("OCCUPIED", "OCCUPIED", "kim", "u1", "10:00:00", "10:00:00", "10:05:00")
	add("FREE", "FREED", "kim", "u1", "10:20:00", "10:00:00", "10:25:00") // renewed meanwhile
	add("OCCUPIED", "OCCUPIED", "lee", "u1", "10:30:00", "10:30:00", "10:35:00")
	add("EXPIRED", "EXPIRED", "lee", "u1", "11:00:00", "10:30:00", "10:40:00") // found late
	add("OCCUPIED", "OCCUPIED", "kim", "u1", "11:00:00", "11:00:00", "11:05:00")
	add("OCCUPIED", "REENTERED", "kim", "u2", "11:02:00", "11:00:00", "11:07:00")
	add("OCCUPIED", "TRANSFERRED", "lee", "", "11:10:00", "11:10:00", "11:15:00")
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time, version, fencing_token)
		VALUES ('LOT', 'A', 'OCCUPIED', 'lee', $1, $2, 7, 4)`, today("11:10:00"), today("11:50:00"))
	for at, want := range map[string]string{
		"09:59:59.999999": "nobody",
		"10:00:00":        "kim u1 10:00:00 to 10:20:00, token 1",
		"10:19:59.999999": "kim u1 10:00:00 to 10:20:00, token 1",
		"10:20:00":        "nobody",
		"10:39:59.999999": "lee u1 10:30:00 to 10:40:00, token 2",
		"10:40:00":        "nobody",
		"10:59:59.999999": "nobody",
		"11:00:00":        "kim u1 11:00:00 to 11:10:00, token 3",
		"11:05:00":        "kim u2 11:00:00 to 11:10:00, token 3",
		"11:10:00":        "lee  11:10:00 to 11:50:00, token 4",
		"11:49:59.999999": "lee  11:10:00 to 11:50:00, token 4",
		"11:50:00":        "nobody",
	} {
		// Nanoseconds belong to the microsecond that has begun.
		h, err := s.HolderAt(t.Context(), key("A"), today(at).Add(999*time.Nanosecond))
		got := "nobody"
		if h != nil {
			got = fmt.Sprintf("%s %s %s to %s, token %d", h.UserID, h.UIName,
				h.StartTime.Format(time.TimeOnly), h.ExpireTime.Format(time.TimeOnly), h.FencingToken)
		}
		if got != want || err != nil {
			t.Errorf("at %s: %s, %v; want %s", at, got, err, want)
		}
	}
	if h, err := s.HolderAt(t.Context(), key("B"), time.Now()); h != nil || err != nil {
		t.Errorf("of an item never seen: %+v, %v", h, err)
	}
}

func TestHolderAtWithTimeLeft(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	o := mustOccupy(t, s, key("A"), by("kim"))
	for at, left := range map[time.Time]bool{o.StartTime: false, o.ExpireTime.Add(-time.Microsecond): true} {
		if h, err := s.HolderAt(t.Context(), key("A"), at); err != nil || h == nil || (h.RemainingSeconds > 0) != left {
			t.Errorf("at %v: %+v, %v", at, h, err)
		}
	}
	if h, err := s.HolderAt(t.Context(), key("A"), o.ExpireTime); err != nil || h != nil {
		t.Errorf("at the end: %+v, %v", h, err)
	}
}
