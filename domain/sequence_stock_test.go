package domain

import (
	"testing"
	"time"
)

// drawn is a block of those values, leased at noon.
func drawn(epoch, first, last int64) *Block { return NewBlock(Values{epoch, first, last}, noon) }

func stockOf(size int64, blocks ...*Block) *Stock {
	s := &Stock{}
	s.SetSize(size)
	for _, b := range blocks {
		s.Add(b)
	}
	return s
}

// gives checks what a stock gives; want 0 = nothing.
func gives(t *testing.T, s *Stock, now time.Time, count, want int64) {
	t.Helper()
	v, ok := s.Give(now, count)
	if ok != (want > 0) || v.First != want || ok && v.Last != want+count-1 {
		t.Errorf("%d values at %v: %v %v, want from %d", count, now, v, ok, want)
	}
}

func TestRule26_ABlockIsGivenOutFromItsFront(t *testing.T) {
	s := stockOf(5, drawn(1, 11, 15))
	gives(t, s, noon, 1, 11)
	gives(t, s, noon, 5, 0)
	gives(t, s, noon, 3, 12)
	gives(t, s, noon, 2, 0)
	gives(t, s, noon, 1, 15)
	gives(t, s, noon, 1, 0)
}

func TestRule26_TheNextBlockServesWhatDoesNotFitTheFirst(t *testing.T) {
	s := stockOf(5, drawn(1, 1, 5), drawn(1, 21, 25))
	gives(t, s, noon, 4, 1)
	gives(t, s, noon, 2, 21)
	gives(t, s, noon, 1, 5)
	gives(t, s, noon, 1, 23)
}

func TestRule26_NothingIsGivenWithoutALease(t *testing.T) {
	surely := SequenceLease - leaseMargin
	slept := func(d time.Duration) time.Time { return noon.Add(d) }
	for name, c := range map[string]struct {
		block *Block
		now   time.Time
		want  int64
	}{
		"at once":                {drawn(1, 1, 5), noon, 1},
		"before its end":         {drawn(1, 1, 5), slept(surely - 1), 1},
		"at its end":             {drawn(1, 1, 5), slept(surely), 0},
		"long after":             {drawn(1, 1, 5), slept(time.Hour), 0},
		"there never was one":    {NewBlock(Values{1, 1, 5}, time.Time{}), noon, 0},
		"a clock that goes back": {drawn(1, 1, 5), slept(-time.Hour), 1},
	} {
		t.Run(name, func(t *testing.T) { gives(t, stockOf(5, c.block), c.now, 1, c.want) })
	}
}

// The clock on the wall was set back while the process was stopped: the
// monotonic one tells; and the other way round, when the machine slept.
func TestRule26_EitherClockEndsTheLease(t *testing.T) {
	start := time.Now()
	b := NewBlock(Values{1, 1, 5}, start)
	is(t, "live", b.live(start), true)
	is(t, "by the monotonic clock", b.live(start.Add(SequenceLease)), false)
	is(t, "by the wall's", b.live(start.Add(SequenceLease).Round(0)), false)
}

func TestRule26_NothingIsGivenOfAnEarlierEpoch(t *testing.T) {
	s := stockOf(5, drawn(1, 1, 5))
	gives(t, s, noon, 1, 1)
	s.Add(drawn(2, 1, 5))
	v, _ := s.Give(noon, 1)
	is(t, "value", v, Values{2, 1, 1})
	s.Add(drawn(1, 6, 10)) // its answer was late
	gives(t, s, noon, 5, 0)
	s.Close()
	gives(t, s, noon, 1, 0)
}

func TestRule26_TheNextBlockIsDrawnWhenHalfIsUsed(t *testing.T) {
	s := stockOf(5, drawn(1, 1, 5))
	for _, low := range []bool{false, false, false, true, true, true} {
		is(t, "low", s.Low(), low)
		s.Give(noon, 1)
	}
	s = stockOf(20, drawn(1, 1, 20))
	s.Blocks[0].Take(9)
	is(t, "at 11 of 20", s.Low(), false)
	s.Blocks[0].Take(1)
	is(t, "at 10 of 20", s.Low(), true)
	s.Add(drawn(1, 21, 40))
	is(t, "with the next", s.Low(), false)
	s.Close()
	is(t, "closed", s.Low(), true)
	is(t, "nothing", (&Stock{}).Low(), true)
	is(t, "what callers got themselves", stockOf(0, NewBlock(Values{1, 1, 5}, time.Time{})).Low(), true)
}

// What is written down is what was given by the review before: an answer on
// its way when the process dies must be in the gap.
func TestRule26_WhatAGatewayOwesTheDatabase(t *testing.T) {
	late := noon.Add(extendAfter)
	type step struct {
		take   int64
		close  bool
		now    time.Time
		want   Duty
		usedTo int64
		fails  bool
	}
	for name, c := range map[string]struct {
		block *Block
		steps []step
	}{
		"used": {drawn(1, 1, 5), []step{
			{now: noon, want: Nothing},
			{take: 2, now: noon, want: Nothing},
			{now: noon, want: Record, usedTo: 2},
			{take: 1, now: noon, want: Nothing, usedTo: 2},
			{now: noon, want: Record, usedTo: 3, fails: true},
			{now: noon, want: Record, usedTo: 3},
			{now: noon, want: Nothing, usedTo: 3},
		}},
		"idle": {drawn(1, 1, 5), []step{
			{now: late.Add(-1), want: Nothing},
			{now: late, want: Record, fails: true},
			{now: late, want: Record},
			{now: late, want: Nothing},
		}},
		"used up": {drawn(1, 1, 5), []step{
			{take: 5, now: noon, want: Nothing},
			{now: noon, want: GiveBack, usedTo: 5, fails: true},
			{now: noon, want: GiveBack, usedTo: 5},
		}},
		"for callers who waited": {NewBlock(Values{1, 1, 5}, time.Time{}), []step{
			{take: 5, now: late, want: Nothing},
			{now: late, want: GiveBack, usedTo: 5},
		}},
		"closed": {drawn(1, 1, 5), []step{
			{take: 2, close: true, now: noon, want: GiveBack, usedTo: 2, fails: true},
			{now: noon, want: GiveBack, usedTo: 2},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, step := range c.steps {
				c.block.Take(step.take)
				if step.close {
					c.block.Close()
				}
				duty, usedTo := c.block.Review(step.now)
				if duty != step.want || duty != Nothing && usedTo != step.usedTo {
					t.Fatalf("step %d: %v to %d, want %v to %d", i, duty, usedTo, step.want, step.usedTo)
				}
				if duty == Record && !step.fails {
					c.block.Recorded(usedTo, step.now)
				}
			}
		})
	}
}

func TestRule26_TheLastValueOfThisGateway(t *testing.T) {
	last := func(v int64, ok bool) int64 {
		if !ok {
			return -1
		}
		return v
	}
	s := stockOf(5, drawn(1, 1, 5))
	is(t, "none yet", last(s.LastSurely(noon)), -1)
	s.Give(noon, 2)
	is(t, "given", last(s.LastSurely(noon)), 2)
	s.Gave(Values{1, 30, 39})
	is(t, "drawn past the block", last(s.LastSurely(noon)), 39)
	is(t, "without a lease", last(s.LastSurely(noon.Add(SequenceLease))), -1)
	is(t, "of this epoch", last(s.Last(1)), 39)
	is(t, "of another", last(s.Last(2)), -1)
	s.Renew(2)
	is(t, "after a reset", last(s.LastSurely(noon)), -1)
	s.Add(drawn(2, 1, 5))
	s.Give(noon, 1)
	s.Gave(Values{1, 40, 40}) // late
	is(t, "of the new epoch", last(s.LastSurely(noon)), 1)
}

func TestTheLargestValue(t *testing.T) {
	const largest = 1<<63 - 1
	s := stockOf(2, drawn(1, largest-1, largest))
	gives(t, s, noon, 1, largest-1)
	gives(t, s, noon, 1, largest)
	gives(t, s, noon, 1, 0)
	is(t, "left", s.Blocks[0].Left(), 0)
}
