package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// reader follows the feed as the Hub does, and keeps what it was told.
type reader struct {
	t        *testing.T
	s        *Store
	position domain.Position
	told     []*domain.Change
}

func newReader(t *testing.T, s *Store) *reader {
	t.Helper()
	p, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &reader{t: t, s: s, position: p}
}

func (r *reader) read() []*domain.Change {
	r.t.Helper()
	events, position, err := r.s.Changes(r.t.Context(), r.position)
	if err != nil {
		r.t.Fatal(err)
	}
	for i, e := range events {
		if i > 0 && e.At.Before(events[i-1].At) {
			r.t.Errorf("%s is told after %s", label(e), label(events[i-1]))
		}
	}
	r.position = position
	r.told = append(r.told, events...)
	return events
}

func label(e *domain.Change) string {
	return fmt.Sprintf("%s v%d", e.Occupancy.ItemName, e.Occupancy.Version)
}

// wantOnce checks that each row was told once, and nothing else: case G6, nothing of a
// transaction that was rolled back.
func (r *reader) wantOnce(rows map[string]bool) {
	r.t.Helper()
	times := map[string]int{}
	for _, e := range r.told {
		times[label(e)]++
		if !rows[label(e)] {
			r.t.Errorf("%s was told and never committed", label(e))
		}
	}
	for row := range rows {
		if times[row] != 1 {
			r.t.Errorf("%s was told %d times", row, times[row])
		}
	}
}

// appendRow writes the next history row of an item, and the item, by hand: odd
// versions occupy, even ones free.
func appendRow(t *testing.T, tx pgx.Tx, item string, version int) {
	t.Helper()
	state, event := "OCCUPIED", "OCCUPIED"
	if version%2 == 0 {
		state, event = "FREE", "FREED"
	}
	_, err := tx.Exec(t.Context(), `
		WITH row AS MATERIALIZED (
			SELECT $1::text AS name, $2::text AS state, $3::text AS event, $4::bigint AS version,
			       ($4 + 1) / 2 AS token, clock_timestamp() AS now
		), item AS (
			INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time, fencing_token, version, reg_usr_id, reg_dt, updt_usr_id, updt_dt)
			SELECT 'LOT', name, state, 'kim', now, now + interval '1 hour', token, version, 'first', now, 'kim', now FROM row
			ON CONFLICT (item_type, item_name) DO UPDATE SET state = excluded.state, version = excluded.version, updt_dt = excluded.updt_dt,
				start_time = excluded.start_time, expire_time = excluded.expire_time, fencing_token = excluded.fencing_token
		)
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, user_id, start_time, expire_time, fencing_token, version, reg_usr_id, reg_dt)
		SELECT to_char(now AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
		       'LOT', name, state, event, 'kim', now, now + interval '1 hour', token, version, 'kim', now FROM row`,
		item, state, event, version)
	if err != nil {
		t.Fatal(err)
	}
}

// game is some transactions that overlap, each with an item of its own, and a
// reader that looks at any moment.
type game struct {
	*reader
	random    *rand.Rand
	versions  map[string]int // of the items, as committed
	committed map[string]bool
	idle      []string // items
	open      []*writer
}

type writer struct {
	pgx.Tx
	item string
	rows int
}

func newGame(t *testing.T, s *Store, seed uint64) *game {
	g := &game{reader: newReader(t, s), random: rand.New(rand.NewPCG(seed, 0)),
		versions: map[string]int{}, committed: map[string]bool{}}
	for i := range 8 {
		g.idle = append(g.idle, fmt.Sprintf("L%d", i))
	}
	return g
}

func (g *game) play() {
	for range 30 {
		switch choice := g.random.IntN(6); {
		case choice < 2 && len(g.idle) > 0:
			g.begin()
		case choice < 4 && len(g.open) > 0:
			g.write(g.random.IntN(len(g.open)))
		case choice < 5 && len(g.open) > 0:
			g.end(g.random.IntN(len(g.open)), g.random.IntN(4) > 0)
		default:
			g.read()
		}
	}
	for len(g.open) > 0 {
		g.read()
		g.write(0)
		g.end(0, true)
	}
}

// begin starts a transaction, some of them with an id long before their first row.
func (g *game) begin() {
	w := &writer{Tx: begin(g.t, g.s.floor.Pool), item: g.idle[0]}
	g.idle, g.open = g.idle[1:], append(g.open, w)
	if g.random.IntN(2) == 0 {
		if _, err := w.Exec(g.t.Context(), `SELECT pg_current_xact_id()`); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *game) write(i int) {
	w := g.open[i]
	w.rows++
	appendRow(g.t, w, w.item, g.versions[w.item]+w.rows)
}

func (g *game) end(i int, commit bool) {
	w := g.open[i]
	g.open, g.idle = slices.Delete(g.open, i, i+1), append(g.idle, w.item)
	finish := w.Rollback
	if commit {
		finish = w.Commit
	}
	if err := finish(g.t.Context()); err != nil {
		g.t.Fatal(err)
	}
	for range w.rows * btoi(commit) {
		g.versions[w.item]++
		g.committed[fmt.Sprintf("%s v%d", w.item, g.versions[w.item])] = true
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
