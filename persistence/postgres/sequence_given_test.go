package postgres

import (
	"slices"
	"sync"
	"testing"

	"occupy/domain"
)

// given remembers all values that callers got.
type given struct {
	mu    sync.Mutex
	all   map[string][]domain.Values
	total int64
}

func newGiven() *given { return &given{all: map[string][]domain.Values{}} }

func (g *given) add(name string, v domain.Values) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[name] = append(g.all[name], v)
	g.total += v.Last - v.First + 1
}

// count is how many values were given.
func (g *given) count() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total
}

// times is how often a value was given.
func (g *given) times(name string, epoch, value int64) (n int) {
	for _, v := range g.all[name] {
		if v.Epoch == epoch && v.First <= value && value <= v.Last {
			n++
		}
	}
	return n
}

// check fails if a value was given twice.
func (g *given) check(t testing.TB) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, all := range g.all {
		slices.SortFunc(all, compareValues)
		for i, v := range all[1:] {
			if before := all[i]; v.Epoch == before.Epoch && v.First <= before.Last {
				t.Errorf("%s: %v and %v", name, before, v)
			}
		}
	}
}

func compareValues(a, b domain.Values) int {
	if a.Epoch != b.Epoch {
		return int(a.Epoch - b.Epoch)
	}
	return int(a.First - b.First)
}

// account fails unless what was given and the gaps together are all the values
// of every epoch, once: only a LOST gap may have what was given, too. It closes
// the gateways first, and has what crashed ones had out reclaimed.
func (g *given) account(t testing.TB, gateways ...*Store) {
	t.Helper()
	g.check(t)
	for _, s := range gateways[1:] {
		s.Close()
	}
	s := gateways[0]
	s.closeSequences()
	_, err := s.floor.Exec(t.Context(), `UPDATE ct_sequence_block SET lease_until = lease_until - interval '1 hour', reg_dt = reg_dt - interval '1 hour'`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReclaimBlocks(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_sequence_block`); n != 0 {
		t.Errorf("%d blocks are still out", n)
	}
	for name := range g.all {
		g.accountFor(t, s, name)
	}
}

func (g *given) accountFor(t testing.TB, s *Store, name string) {
	t.Helper()
	owner := map[domain.Values]string{} // of single values
	for _, v := range g.all[name] {
		for n := v.First; n <= v.Last; n++ {
			owner[domain.Values{Epoch: v.Epoch, First: n}] = "given"
		}
	}
	rows, err := s.floor.Query(t.Context(), `SELECT epoch, first_value, last_value, reason FROM ct_sequence_gap WHERE seq_name = $1 ORDER BY epoch, first_value`, name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v domain.Values
		var reason string
		if err := rows.Scan(&v.Epoch, &v.First, &v.Last, &reason); err != nil {
			t.Fatal(err)
		}
		for n := v.First; n <= v.Last; n++ {
			one := domain.Values{Epoch: v.Epoch, First: n}
			if was := owner[one]; was != "" && (reason != "LOST" || was != "given") {
				t.Errorf("%s %d/%d: %s and %s", name, v.Epoch, n, was, reason)
			}
			owner[one] = reason
		}
	}
	for epoch, top := range tops(t, s, name) {
		for n := int64(1); n <= top; n++ {
			if owner[domain.Values{Epoch: epoch, First: n}] == "" {
				t.Fatalf("%s %d/%d of %d: neither given nor in a gap", name, epoch, n, top)
			}
			delete(owner, domain.Values{Epoch: epoch, First: n})
		}
	}
	for one, what := range owner {
		t.Errorf("%s %d/%d: %s, and was never drawn", name, one.Epoch, one.First, what)
	}
}

// tops is how far each epoch of a sequence came.
func tops(t testing.TB, s *Store, name string) map[int64]int64 {
	t.Helper()
	rows, err := s.floor.Query(t.Context(), `SELECT epoch, curr_value FROM ct_sequence WHERE seq_name = $1`, name)
	if err == nil && number(t, s, `SELECT count(*) FROM pg_class WHERE relname = 'tops'`) == 1 {
		rows.Close()
		rows, err = s.floor.Query(t.Context(), `SELECT epoch, curr_value FROM ct_sequence WHERE seq_name = $1
			UNION ALL SELECT epoch, curr_value FROM tops WHERE seq_name = $1`, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[int64]int64{}
	for rows.Next() {
		var epoch, top int64
		if err := rows.Scan(&epoch, &top); err != nil {
			t.Fatal(err)
		}
		all[epoch] = top
	}
	return all
}

// keepTops has the database remember how far each epoch came.
func keepTops(t testing.TB, s *Store) {
	t.Helper()
	_, err := s.floor.Exec(t.Context(), `
		CREATE TABLE tops (seq_name text, epoch bigint, curr_value bigint);
		CREATE FUNCTION keep_top() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN INSERT INTO tops VALUES (OLD.seq_name, OLD.epoch, OLD.curr_value); RETURN NULL; END $$;
		CREATE TRIGGER keep_top AFTER UPDATE ON ct_sequence FOR EACH ROW
			WHEN (NEW.epoch > OLD.epoch) EXECUTE FUNCTION keep_top()`)
	if err != nil {
		t.Fatal(err)
	}
}

// crash ends a gateway without a word to the database.
func crash(s *Store) {
	s.sequences.stop()
	s.sequences.background.Wait()
	s.sequences.mu.Lock()
	clear(s.sequences.stocks)
	s.sequences.mu.Unlock()
	s.floor.Close()
}
