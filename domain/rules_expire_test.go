package domain

import (
	"testing"
	"time"
)

// A clock that steps back: the row was written at a time still to come.
func TestRule14_ASteppingClockDoesNotDisorderAnItem(t *testing.T) {
	ahead := held(func(o *Occupancy) { o.UpdatedAt, o.StartTime, o.ExpireTime = after(10), after(10), after(70) })
	clock := after(-30)
	hand := Transfer{Claim: kimA, To: Claim{UserID: "lee"}, TTL: time.Minute}
	takeOver := by("kim", "B")
	takeOver.TakeOver = true
	freed := ahead
	free(&freed)
	for name, done := range map[string][]Transition{
		"grant":      second(freed.Occupy(clock, by("lee", "B"))),
		"re-entry":   second(ahead.Occupy(clock, by("kim", "A"))),
		"take-over":  second(ahead.Occupy(clock, takeOver)),
		"renewal":    second(ahead.Renew(clock, renewal(100))),
		"free":       second(ahead.Free(clock, Free{Claim: kimA, How: EventFreed})),
		"force free": second(ahead.ForceFree(clock, ForceFree{"boss", 7, "why"})),
		"transfer":   second(ahead.Transfer(clock, hand)),
	} {
		is(t, name, done[0].UpdatedAt, after(10))
	}
	is(t, "renewed until", second(ahead.Renew(clock, renewal(100)))[0].ExpireTime, after(110))
	is(t, "left", ahead.Seen(clock).RemainingSeconds(), 60)
	is(t, "as of", ahead.Seen(clock).AsOf, clock)
	is(t, "verified", ahead.Verify(clock, kimA), CodeVerified)
}

// What had run out by the time of its last writing stays so.
func TestRule14_ASteppingClockRevivesNothing(t *testing.T) {
	ranOut := held(func(o *Occupancy) { o.UpdatedAt = after(60) })
	clock := after(30)
	is(t, "seen", ranOut.Seen(clock).State, StateExpired)
	code, done := ranOut.Renew(clock, renewal(60))
	refused(t, code, CodeExpired, done)
	code, done = ranOut.Occupy(clock, by("lee", "B"))
	is(t, "code", code, CodeGranted)
	is(t, "EXPIRED written at", done[0].UpdatedAt, after(60))
	is(t, "OCCUPIED written at", done[1].UpdatedAt, after(60))
	is(t, "swept", len(ranOut.Expire(clock, SystemUser, 0)), 1)
}

// One item from the future in a command does not move the others.
func TestRule14_OneItemsFutureIsNotItsNeighbours(t *testing.T) {
	s, store := newService(t)
	ahead := held(free, func(o *Occupancy) { o.UpdatedAt = after(3600) })
	store.put(ahead)
	a := must(s.OccupyAll(as("lee"), OccupyAllInput{Items: items("LOT1", "LOT2"), TTLSeconds: seconds(30)}))(t)
	is(t, "the one ahead starts", a.Occupancies[0].StartTime, after(3600))
	is(t, "the other starts", a.Occupancies[1].StartTime, noon)
	is(t, "the other ends", a.Occupancies[1].ExpireTime, after(30))
}

func TestRule15_ReadersSeeTheExpiryAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		row       Occupancy
		clock     time.Time
		state     State
		left      int
		hasHolder bool
	}{
		"held":                  {held(), after(20), StateOccupied, 40, true},
		"a moment before":       {held(), after(60).Add(-time.Microsecond), StateOccupied, 1, true},
		"rounded up":            {held(), after(20).Add(time.Millisecond), StateOccupied, 40, true},
		"at the expiry":         {held(), after(60), StateExpired, 0, false},
		"long after":            {held(), after(6000), StateExpired, 0, false},
		"written as expired":    {held(expired), after(20), StateExpired, 0, false},
		"free":                  {held(free), after(20), StateFree, 0, false},
		"free, past its expiry": {held(free), after(90), StateFree, 0, false},
		"never seen":            {neverSeen(), after(20), StateFree, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			seen := c.row.Seen(c.clock)
			is(t, "state", seen.State, c.state)
			is(t, "left", seen.RemainingSeconds(), c.left)
			is(t, "has a holder", seen.Holder() != nil, c.hasHolder)
			seen.State, seen.AsOf = c.row.State, time.Time{}
			is(t, "all else", seen, c.row)
		})
	}
}

func TestHolder(t *testing.T) {
	want := Holder{
		UserID: "kim", Session: "A", UIName: "MES", MenuName: "Lookup", StartTime: noon, ExpireTime: after(60),
		FencingToken: 7, RemainingSeconds: 40,
	}
	is(t, "holder", *held().Seen(after(20)).Holder(), want)
}

// S1: what was renewed between the sweeper's look and its lock is left alone.
func TestRule16_OnlyWhatHasRunOutIsSwept(t *testing.T) {
	for name, c := range map[string]struct {
		row   Occupancy
		clock time.Time
	}{
		"held":          {held(), after(59)},
		"renewed":       {second(held().Renew(after(59), renewal(60)))[0].Occupancy, after(60)},
		"free":          {held(free), after(90)},
		"swept already": {held(expired), after(90)},
		"never seen":    {neverSeen(), after(90)},
	} {
		t.Run(name, func(t *testing.T) {
			if done := c.row.Expire(c.clock, SystemUser, 0); len(done) > 0 {
				t.Errorf("swept: %+v", done)
			}
		})
	}
	want := held(expired)
	want.Version, want.UpdatedBy, want.UpdatedAt = held().Version+1, SystemUser, after(61)
	swept := held().Expire(after(61), SystemUser, 0)
	is(t, "EXPIRED row", swept[0], Transition{Occupancy: want, Event: EventExpired})
	if again := swept[0].Expire(after(62), SystemUser, 0); len(again) > 0 {
		t.Errorf("one expiry, two EXPIRED rows: %+v", again)
	}
}
