package postgres

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// viewed is a hold, however it was found.
type viewed struct {
	Item, User string
	Token      int64
	From       time.Time
	To         *time.Time
	Event      *string
}

func (h viewed) String() string {
	to, event := "", ""
	if h.To != nil {
		to = h.To.UTC().Format(time.RFC3339Nano)
	}
	if h.Event != nil {
		event = *h.Event
	}
	return fmt.Sprintf("%s %d %s %s..%s %s", h.Item, h.Token, h.User, h.From.UTC().Format(time.RFC3339Nano), to, event)
}

// fromHistory goes through each item's rows and follows each grant to its end.
func fromHistory(t *testing.T, s *Store) (all []string) {
	t.Helper()
	rows, _ := s.floor.Query(t.Context(), `SELECT h.item_type || '/' || h.item_name, h.user_id, h.fencing_token, h.start_time, h.expire_time, h.reg_dt, h.state, h.event
		FROM ct_occupy_item_history h ORDER BY 1, h.version`)
	var h viewed
	var expire, at time.Time
	var state, event, item, user string
	var token int64
	var start time.Time
	lasts := false
	_, err := pgx.ForEachRow(rows, []any{&item, &user, &token, &start, &expire, &at, &state, &event}, func() error {
		if lasts && item == h.Item && token != h.Token || state != "OCCUPIED" {
			end, how := at, event
			if state == "EXPIRED" {
				end = expire
			}
			h.To, h.Event = &end, &how
			all, lasts = append(all, h.String()), false
		} else if lasts && item != h.Item {
			all = append(all, h.String()) // it lasts
		}
		if state == "OCCUPIED" && (!lasts || item != h.Item) {
			h, lasts = viewed{Item: item, User: user, Token: token, From: start}, true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if lasts {
		all = append(all, h.String())
	}
	slices.Sort(all)
	return all
}

func TestTheViewOfHoldsHasEachHoldOnce(t *testing.T) {
	address := newURL(t)
	tell(t, address, lastMonths(2, 20_000))
	s := open(t, Config{URL: address})
	exec(t, s, `UPDATE ct_occupy_item SET expire_time = now() + interval '1 h' WHERE state = 'OCCUPIED'`) // those that last, do
	rows, _ := s.floor.Query(t.Context(), `SELECT item_type || '/' || item_name, user_id, fencing_token, start_time, end_time, end_event FROM v_occupy_hold`)
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[viewed])
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, h := range got {
		all = append(all, h.String())
	}
	slices.Sort(all)
	want := fromHistory(t, s)
	for _, event := range []string{"FREED", "EXPIRED", "TAKEN_OVER", "TRANSFERRED", "FORCED"} {
		if !slices.ContainsFunc(want, func(h string) bool { return strings.HasSuffix(h, event) }) {
			t.Errorf("no hold of the story ends by %s", event)
		}
	}
	if !slices.Equal(all, want) {
		t.Errorf("%d holds in the view, %d in the history", len(all), len(want))
		for i := range min(len(all), len(want)) {
			if all[i] != want[i] {
				t.Fatalf("the view has %s, the history %s", all[i], want[i])
			}
		}
	}
}

func TestARoleForBIReadsTheViewsAlone(t *testing.T) {
	address := newURL(t)
	s := open(t, Config{URL: address})
	mustOccupy(t, s, key("LOT1"), by("kim"))
	role := "bi \"" + strings.ToLower(t.Name()[:8]) + fmt.Sprint(time.Now().UnixNano())
	name := pgx.Identifier{role}.Sanitize()
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), address)
		if err == nil {
			_, err = conn.Exec(context.Background(), "DROP OWNED BY "+name+"; DROP ROLE "+name)
			_ = conn.Close(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
	})
	for range 2 { // after an upgrade it is run again
		if views, err := GrantViews(t.Context(), address, role); err != nil || len(views) != 4 {
			t.Fatal(views, err)
		}
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "SET ROLE "+name); err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{"v_occupy_current", "v_occupy_history", "v_occupy_hold"} {
		var user string
		if err := conn.QueryRow(t.Context(), "SELECT user_id FROM "+view).Scan(&user); err != nil || user != "kim" {
			t.Errorf("%s: %q %v", view, user, err)
		}
	}
	for _, statement := range []string{"SELECT * FROM ct_occupy_item", "SELECT * FROM ct_occupy_item_history",
		"UPDATE v_occupy_current SET user_id = 'lee'", "DELETE FROM v_occupy_history"} {
		if _, err := conn.Exec(t.Context(), statement); sqlState(err) != sqlNotAllowed {
			t.Errorf("%s: %v", statement, err)
		}
	}
	exec(t, s, "GRANT SELECT ON ct_occupy_item TO "+name)
	if _, err := GrantViews(t.Context(), address, role); err == nil || !strings.Contains(err.Error(), "ct_occupy_item") {
		t.Errorf("with a right to a table: %v", err)
	}
}

func TestARoleForBIThatMayNotBeMade(t *testing.T) {
	address := newURL(t)
	s := open(t, Config{URL: address})
	exec(t, s, `DO $$ BEGIN CREATE ROLE plain LOGIN PASSWORD 'plain'; EXCEPTION WHEN duplicate_object THEN END $$`)
	as, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	as.User = url.UserPassword("plain", "plain")
	if _, err := GrantViews(t.Context(), as.String(), "bi"); err == nil || !strings.Contains(err.Error(), `CREATE ROLE "bi" NOLOGIN`) {
		t.Error(err)
	}
}
