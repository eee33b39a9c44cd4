package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"occupy/domain"
)

// nextVal draws and returns the last value.
func nextVal(s *Store, name string, count ...int64) (domain.Values, error) {
	d := domain.SequenceDraw{Name: name, UserID: "kim", Count: 1}
	if len(count) > 0 {
		d.Count = count[0]
	}
	return s.NextVal(context.Background(), d)
}

func mustNextVal(t testing.TB, s *Store, name string, count ...int64) domain.Values {
	t.Helper()
	v, err := nextVal(s, name, count...)
	if err != nil {
		t.Fatalf("nextVal %s: %v", name, err)
	}
	return v
}

func wantNextVal(t testing.TB, s *Store, name string, want int64) {
	t.Helper()
	if v := mustNextVal(t, s, name); v.Last != want || v.First != want {
		t.Errorf("nextVal %v, want %d", v, want)
	}
}

func wantCurrVal(t testing.TB, s *Store, name string, want int64) {
	t.Helper()
	if got, err := s.CurrVal(t.Context(), name); got != want || err != nil {
		t.Errorf("currVal %d %v, want %d", got, err, want)
	}
}

func reset(t testing.TB, s *Store, name string) domain.SequenceResetDone {
	t.Helper()
	done, err := s.ResetSequence(context.Background(), domain.SequenceReset{Name: name, UserID: "lee"})
	if err != nil {
		t.Fatalf("reset %s: %v", name, err)
	}
	return done
}

func setCache(t testing.TB, s *Store, name string, size int) {
	t.Helper()
	if err := s.SetSequenceCache(context.Background(), domain.SequenceCache{Name: name, UserID: "lee", Size: size}); err != nil {
		t.Fatal(err)
	}
}

// cachedAndNot runs a test both with caching and without.
func cachedAndNot(t *testing.T, f func(t *testing.T, cacheSize int)) {
	for _, size := range []int{0, domain.DefaultCacheSize} {
		t.Run(fmt.Sprint("cache=", size), func(t *testing.T) { f(t, size) })
	}
}

// Case Q11, word for word the source note's example.
func TestSequenceAsInTheSourceNote(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		s := open(t, Config{URL: newURL(t)})
		setCache(t, s, "seq_name", size)
		reset(t, s, "seq_name")
		wantNextVal(t, s, "seq_name", 1)
		wantCurrVal(t, s, "seq_name", 1)
		wantNextVal(t, s, "seq_name", 2)
		wantNextVal(t, s, "seq_name", 3)
		reset(t, s, "seq_name")
		wantCurrVal(t, s, "seq_name", 0)
		for j := range int64(110) {
			wantNextVal(t, s, "seq_name", j+1)
			wantCurrVal(t, s, "seq_name", j+1)
		}
	})
}

// Case Q8.
func TestCurrValNeverWrites(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		url := newURL(t)
		reader := open(t, Config{URL: url + "&default_transaction_read_only=on"})
		wantCurrVal(t, reader, "S", 0)
		s := open(t, Config{URL: url})
		setCache(t, s, "S", size)
		wantCurrVal(t, reader, "S", 0)
		wantCurrVal(t, s, "S", 0)
		mustNextVal(t, s, "S", 7)
		wantCurrVal(t, s, "S", 7)
		// One that has given nothing itself knows where the block ends, not how much of it is used.
		wantCurrVal(t, reader, "S", 7+int64(size))
		mustNextVal(t, s, "S", 30) // past the block
		wantCurrVal(t, reader, "S", 37+int64(size))
		wantCurrVal(t, s, "S", 37+int64(size))
		if n := number(t, s, `SELECT count(*) FROM ct_sequence`); n != 1 {
			t.Errorf("%d counters", n)
		}
	})
}

// Case Q5.
func TestTheFirstBlocksFromThreeGateways(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		url := newURL(t)
		gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url}), open(t, Config{URL: url})}
		setCache(t, gateways[0], "S", size)
		given := newGiven()
		together(20, func(i int) {
			for range 3 {
				given.add("S", mustNextVal(t, gateways[i%3], "S"))
			}
		})
		if given.check(t); given.times("S", 1, 1) != 1 {
			t.Error("1 was not given")
		}
	})
}

// Case Q3.
func TestTheDatabaseRefusesToGiveValuesTwice(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	mustNextVal(t, s, "S", 10)
	reset(t, s, "S")
	mustNextVal(t, s, "S", 10)
	if _, err := s.floor.Exec(t.Context(), `INSERT INTO ct_sequence_gap VALUES ('S', 1, 1, 5, 'LOST', 'x')`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want string }{
		{`UPDATE ct_sequence SET curr_value = 9`, "23001"},
		{`UPDATE ct_sequence SET epoch = 1`, "23001"},
		{`UPDATE ct_sequence SET epoch = 1, curr_value = 1000`, "23001"},
		{`UPDATE ct_sequence SET seq_name = 'T'`, "23001"},
		{`UPDATE ct_sequence SET curr_value = -1, epoch = 9`, "23514"},
		{`DELETE FROM ct_sequence`, "23001"},
		{`TRUNCATE ct_sequence`, "23001"},
		{`UPDATE ct_sequence_gap SET last_value = 4`, "23001"},
		{`DELETE FROM ct_sequence_gap`, "23001"},
		{`TRUNCATE ct_sequence_gap`, "23001"},
		{`UPDATE ct_sequence SET curr_value = 10`, ""},
		{`UPDATE ct_sequence SET curr_value = 20`, ""},
	} {
		if _, err := s.floor.Exec(t.Context(), c.sql); sqlState(err) != c.want || (err != nil) != (c.want != "") {
			t.Errorf("%s: %v, want %q", c.sql, err, c.want)
		}
	}
}

// Case Q12, what only the database knows.
func TestPastTheLargestValueNothingIsUsedUp(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		s := open(t, Config{URL: newURL(t), Transactions: 1})
		setCache(t, s, "S", size)
		if _, err := s.floor.Exec(t.Context(), `UPDATE ct_sequence SET curr_value = $1`, int64(math.MaxInt64-7)); err != nil {
			t.Fatal(err)
		}
		// One group: two callers of S fit, the one of 6 does not, and T's have nothing to do with it.
		errs := gatheredDraws(t, s, 20, func(i int) error {
			name, count := "T", int64(1)
			if n := map[int]int64{3: 3, 9: 6, 15: 4}[i]; n > 0 {
				name, count = "S", n
			}
			_, err := nextVal(s, name, count)
			return err
		})
		for i, err := range errs {
			var input *domain.InputError
			if (i == 9) != (errors.As(err, &input) && input.Argument == "count") || i != 9 && err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		}
		wantCurrVal(t, s, "S", math.MaxInt64)
		if _, err := nextVal(s, "S"); err == nil {
			t.Error("a value past the largest")
		}
		reset(t, s, "S")
		wantNextVal(t, s, "S", 1)
	})
}

// lockedCounter keeps a counter locked from outside, so that those who draw of it wait.
func lockedCounter(t *testing.T, s *Store, name string) (release func()) {
	t.Helper()
	tx, err := s.adhoc.primary.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `SET TRANSACTION READ WRITE`)
	if err == nil {
		_, err = tx.Exec(t.Context(), `SELECT FROM ct_sequence WHERE seq_name = $1 FOR UPDATE`, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() { _ = tx.Rollback(context.Background()) })
}

// gatheredDraws runs n draws that are sure to be one group, in order of arrival.
// The Store has one transaction at a time.
func gatheredDraws(t *testing.T, s *Store, n int, draw func(i int) error) []error {
	t.Helper()
	mustNextVal(t, s, "BLOCKER")
	release := lockedCounter(t, s, "BLOCKER")
	defer release()
	var all sync.WaitGroup
	all.Go(func() { _, _ = nextVal(s, "BLOCKER") })
	q := s.sequences.draws
	waitUntil(t, "the first is under way", func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.running == 1 && len(q.waiting) == 0
	})
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = draw(i) })
		waitUntil(t, "it waits", func() bool { return q.length() == i+1 })
	}
	release()
	all.Wait()
	return errs
}

// Rule 26: one statement for all who wait, dealt out as they came.
func TestDrawersGatherAndAreServedInOrderOfArrival(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	got := make([]domain.Values, 60)
	errs := gatheredDraws(t, s, len(got), func(i int) (err error) {
		got[i], err = nextVal(s, fmt.Sprint("S", i%2), int64(i%3+1))
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	next := map[int]int64{}
	for i, v := range got {
		if v.First != next[i%2]+1 || v.Last != v.First+int64(i%3) || v.Epoch != 1 {
			t.Errorf("caller %d got %v after %d", i, v, next[i%2])
		}
		next[i%2] = v.Last
	}
	s.sequences.mu.Lock()
	defer s.sequences.mu.Unlock()
	for _, name := range []string{"S0", "S1"} {
		if st := s.sequences.stocks[name]; st != nil && len(st.Blocks) > 1 {
			t.Errorf("%d draws of %s, want 1", len(st.Blocks), name)
		}
	}
}

func TestACallerThatLeavesBeforeItsTurnDrawsNothing(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	errs := gatheredDraws(t, s, 3, func(i int) error {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		if i == 1 {
			q := s.sequences.draws
			go func() { waitUntil(t, "it waits", func() bool { return q.length() >= 2 }); leave() }()
		}
		_, err := s.NextVal(ctx, domain.SequenceDraw{Name: "S", UserID: "kim", Count: 5})
		return err
	})
	if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil {
		t.Error(errs)
	}
	wantCurrVal(t, s, "S", 10)
}

// An answer that is lost leaves a gap, which is found, and never a value twice.
func TestALostAnswerLeavesAGap(t *testing.T) {
	for name, reached := range map[string]bool{"after it reached the server": true, "before": false} {
		t.Run(name, func(t *testing.T) {
			wire, url := newLink(t, newURL(t))
			s := open(t, Config{URL: url})
			s.sequences.stop() // its reviews carry the mark, too
			given := newGiven()
			for range 10 { // the driver cancels what it can: one or the other is too late
				given.add(commitMark, mustNextVal(t, s, commitMark, 3))
				wire.WhenMarked(cutOnce(reached))
				given.add(commitMark, mustNextVal(t, s, commitMark, 5))
				wire.WhenMarked(nil)
			}
			waitUntil(t, "nothing is under way", func() bool {
				return number(t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'`) == 1
			})
			given.account(t, s)
			lost := gaps(t, s, domain.GapLost)
			if drawn := number(t, s, `SELECT curr_value FROM ct_sequence`); lost != drawn-given.count() || reached != (lost > 0) {
				t.Errorf("%d values lost of %d, and %d were given", lost, drawn, given.count())
			}
		})
	}
}

// A counter that is locked for long by somebody outside keeps only who wants it.
func TestALockedCounterHarmsOnlyWhoWantsIt(t *testing.T) {
	t.Parallel()
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	mustNextVal(t, s, "STUCK")
	release := lockedCounter(t, s, "STUCK")
	defer release()
	errs := gatheredDraws(t, s, 16, func(i int) error {
		name := "S"
		if i == 5 {
			name = "STUCK"
		}
		_, err := nextVal(s, name)
		return err
	})
	for i, err := range errs {
		if (i == 5) != errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("caller %d: %v", i, err)
		}
	}
}
