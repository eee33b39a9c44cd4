package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"occupy/domain"
)

func gaps(t testing.TB, s *Store, reason domain.GapReason) int64 {
	t.Helper()
	return number(t, s, `SELECT COALESCE(sum(last_value - first_value + 1), 0)::bigint FROM ct_sequence_gap WHERE reason = $1`, string(reason))
}

// Case Q2: B draws all the time while A resets. What B is given after the
// answer is of the new epoch.
func TestAfterAResetNoValueOfAnOldBlockAppears(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		url := newURL(t)
		a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
		keepTops(t, a)
		setCache(t, a, "S", size)
		given := newGiven()
		var answered atomic.Int64 // the newest epoch
		answered.Store(1)
		ctx, stop := context.WithCancel(t.Context())
		var drawing sync.WaitGroup
		for i := range 8 {
			drawing.Go(func() {
				for ctx.Err() == nil {
					before := answered.Load()
					v := mustNextVal(t, b, "S", int64(i%2+1))
					if given.add("S", v); v.Epoch < before {
						t.Errorf("%v after the reset to epoch %d", v, before)
					}
				}
			})
		}
		for range 4 {
			n := given.count()
			waitUntil(t, "B has drawn", func() bool { return given.count() > n+50 })
			done := reset(t, a, "S")
			if answered.Store(done.Epoch); done.Waited > domain.SequenceLease+time.Second {
				t.Errorf("waited %v", done.Waited)
			}
			wantEpoch(t, a, given, done.Epoch)
		}
		stop()
		drawing.Wait()
		given.account(t, a, b)
	})
}

func wantEpoch(t *testing.T, s *Store, given *given, epoch int64) {
	t.Helper()
	v := mustNextVal(t, s, "S")
	if given.add("S", v); v.Epoch != epoch {
		t.Errorf("%v after the reset to epoch %d", v, epoch)
	}
}

// Case Q2 at its worst: B can not be told, and lives on its lease.
func TestAResetWaitsForTheLeaseOfAGatewayThatCanNotBeTold(t *testing.T) {
	t.Parallel()
	direct := newURL(t)
	wire, url := newLink(t, direct)
	a, b := open(t, Config{URL: direct}), open(t, Config{URL: url})
	setCache(t, a, "S", 10_000)
	mustNextVal(t, b, "S")
	wire.SetDown(true)
	mustNextVal(t, b, "S") // out of its block
	var answered atomic.Bool
	var resetting sync.WaitGroup
	resetting.Go(func() {
		if done := reset(t, a, "S"); done.Waited == 0 || done.Waited > domain.SequenceLease+time.Second {
			t.Errorf("waited %v", done.Waited)
		}
		answered.Store(true)
	})
	fromLease := int64(0)
	for late := false; !late; <-time.After(time.Millisecond) {
		late = answered.Load()
		_, ok := b.fromStock(domain.SequenceDraw{Name: "S", UserID: "kim", Count: 1})
		if ok && late {
			t.Fatal("a value of the old block after the answer")
		}
		if ok {
			fromLease++
		}
	}
	if fromLease == 0 {
		t.Error("the lease was of no use")
	}
	resetting.Wait()
	if _, err := nextVal(b, "S"); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("the gateway without a link: %v", err)
	}
	wire.SetDown(false)
	waitUntil(t, "B is back and gives back", func() bool { return gaps(t, a, domain.GapReset) > 0 })
	if got := gaps(t, a, domain.GapReset); got != 10_000-1-fromLease {
		t.Errorf("%d of 10,000 values lost by the reset, and %d were given", got, 1+fromLease)
	}
	if v := mustNextVal(t, b, "S"); v.Epoch != 2 {
		t.Errorf("%v", v)
	}
}

func TestResetCanBeRefusedWhileBlocksAreOut(t *testing.T) {
	url := newURL(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url, Node: "gateway-b"})
	setCache(t, a, "S", 20)
	mustNextVal(t, a, "S")
	mustNextVal(t, b, "S")
	r := domain.SequenceReset{Name: "S", UserID: "lee", RefuseIfOut: true}
	done, err := a.ResetSequence(t.Context(), r)
	if err != nil || len(done.Out) != 1 || done.Out[0].Gateway != "gateway-b" || done.Epoch != 0 {
		t.Fatalf("%+v %v", done, err)
	}
	if v := mustNextVal(t, a, "S"); v != (domain.Values{Epoch: 1, First: 2, Last: 2}) {
		t.Errorf("a refused reset changed something: %v", v)
	}
	b.Close()
	if done, err = a.ResetSequence(t.Context(), r); err != nil || len(done.Out) != 0 || done.Epoch != 2 {
		t.Fatalf("%+v %v", done, err)
	}
	wantNextVal(t, a, "S", 1)
	if n := number(t, a, `SELECT count(*) FROM ct_sequence_block WHERE epoch = 1`); n != 0 {
		t.Error("our own block was not given back")
	}
}

// Case Q7, and the way back from caching: what is left is a gap, value for value.
func TestWhatAStopAndASwitchLoseIsReported(t *testing.T) {
	url := newURL(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
	given := newGiven()
	draw := func(s *Store, count int64) { given.add("S", mustNextVal(t, s, "S", count)) }
	draw(a, 1)
	setCache(t, a, "S", 20)
	draw(a, 3)  // 2 to 4, with 20 ahead
	draw(b, 5)  // with 20 ahead
	draw(a, 30) // more than a block has: directly
	draw(a, 1)
	b.Close()
	if n := gaps(t, a, domain.GapStopped); n != 20 {
		t.Errorf("the stop lost %d, want 20", n)
	}
	setCache(t, a, "S", 0)
	if n := gaps(t, a, domain.GapCacheOff); n != 19 {
		t.Errorf("the switch lost %d, want 19", n)
	}
	top := number(t, a, `SELECT curr_value FROM ct_sequence`)
	wantCurrVal(t, a, "S", top)
	wantNextVal(t, a, "S", top+1)
	given.add("S", domain.Values{Epoch: 1, First: top + 1, Last: top + 1})
	setCache(t, a, "S", 5)
	draw(a, 1)
	draw(a, 1)
	given.account(t, a)
	if n := gaps(t, a, domain.GapStopped); n != 24 {
		t.Errorf("the stops lost %d, want 24", n)
	}
}

// Cases Q6 and Q7: the values go on behind the block of the crashed gateway,
// and what was not written down as given is a gap.
func TestACrash(t *testing.T) {
	url := newURL(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
	setCache(t, a, "S", 100)
	given := newGiven()
	for range 40 {
		given.add("S", mustNextVal(t, a, "S"))
	}
	waitUntil(t, "that is written down", func() bool {
		return number(t, b, `SELECT used_to FROM ct_sequence_block`) == 40
	})
	for range 7 {
		given.add("S", mustNextVal(t, a, "S"))
	}
	crash(a)
	for range 50 {
		v := mustNextVal(t, b, "S")
		if given.add("S", v); v.First <= 101 {
			t.Fatalf("went back to %v", v)
		}
	}
	if n, err := b.ReclaimBlocks(t.Context()); n != 0 || err != nil {
		t.Errorf("reclaimed %d while the leases last: %v", n, err)
	}
	given.account(t, b)
	if n := gaps(t, b, domain.GapLost); n != 61 {
		t.Errorf("%d values lost, want 41 to 101", n)
	}
}

func TestManyReclaimAtOnce(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	_, err := s.floor.Exec(t.Context(), `INSERT INTO ct_sequence_block
		SELECT 'S' || n % 7, 1, n, n, n - n % 2, 'gone', 'gone', clock_timestamp() - interval '1 minute' FROM generate_series(1, 5000) n`)
	if err != nil {
		t.Fatal(err)
	}
	var total atomic.Int64
	together(8, func(int) {
		n, err := s.ReclaimBlocks(t.Context())
		if total.Add(int64(n)); err != nil {
			t.Error(err)
		}
	})
	if total.Load() != 5000 || gaps(t, s, domain.GapLost) != 2500 {
		t.Errorf("%d blocks, %d values", total.Load(), gaps(t, s, domain.GapLost))
	}
}

// A sequence that is seldom used keeps its block.
func TestALeaseIsExtendedWhileNothingIsDrawn(t *testing.T) {
	t.Parallel()
	s := open(t, Config{URL: newURL(t)})
	setCache(t, s, "S", 20)
	mustNextVal(t, s, "S")
	waitUntil(t, "a lease was extended past the first one's end", func() bool {
		return number(t, s, `SELECT count(*) FROM ct_sequence_block WHERE lease_until > reg_dt + interval '5 s'`) == 1
	})
	wantNextVal(t, s, "S", 2)
}

// A process that was stopped finds its lease over, and asks before it goes on.
func TestAStoppedGatewayAsksBeforeItGoesOn(t *testing.T) {
	t.Parallel()
	url := newURL(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
	setCache(t, a, "S", 20)
	mustNextVal(t, b, "S")
	b.sequences.reviewing.Lock() // stopped
	block := b.sequences.stocks["S"].Blocks[0]
	block.Leased = block.Leased.Add(-domain.SequenceLease)
	if _, ok := b.fromStock(domain.SequenceDraw{Name: "S", Count: 1}); ok {
		t.Error("gave a value without a lease")
	}
	reset(t, a, "S")
	if v := mustNextVal(t, b, "S"); v.Epoch != 2 {
		t.Errorf("%v", v)
	}
	b.sequences.reviewing.Unlock()
}

// Case Q9, with the latency made endless: the next block is fetched when half
// of this one is used, and the other half is given out meanwhile.
func TestCallersDoNotWaitForARefill(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	setCache(t, s, "S", 20)
	wantNextVal(t, s, "S", 1)
	release := lockedCounter(t, s, "S")
	defer release()
	for n := range int64(20) {
		wantNextVal(t, s, "S", n+2)
	}
	release()
	waitUntil(t, "the next block is there", func() bool {
		s.sequences.mu.Lock()
		defer s.sequences.mu.Unlock()
		st := s.sequences.stocks["S"]
		return st != nil && !st.refilling
	})
	defer lockedCounter(t, s, "S")()
	wantNextVal(t, s, "S", 22)
}
