package domain

import (
	"testing"
	"time"
)

// kimHolds is what a connection of kim's shows that has written last.
var kimHolds = Claim{UserID: "kim", Session: "A", FencingToken: token(7)}

func TestAConnectionKeepsItsItem(t *testing.T) {
	orphan := held(func(o *Occupancy) { o.EndEvent = EventConnectionLost })
	for name, c := range map[string]struct {
		row      Occupancy
		renewals int64
		at       int
		code     Code
		until    int // 0: nothing is written
	}{
		"it has written last":            {held(), 2, 20, CodeRenewed, 80},
		"never shortened":                {held(), 2, -10, CodeRenewed, 60},
		"another has, and there is time": {held(), 1, 20, CodeRenewed, 0},
		"and half of the time is gone":   {held(), 1, 30, CodeRenewed, 90},
		"another has lost it":            {orphan, 1, 20, CodeRenewed, 80},
		"out of time":                    {held(), 2, 60, CodeExpired, 0},
		"free":                           {held(free), 2, 20, CodeNotOccupied, 0},
		"another's":                      {held(func(o *Occupancy) { o.UserID = "lee" }), 2, 20, CodeNotHolder, 0},
		"taken over":                     {held(func(o *Occupancy) { o.FencingToken = 8 }), 2, 20, CodeStaleToken, 0},
		"in another window":              {held(func(o *Occupancy) { o.Session, o.FencingToken = "B", 8 }), 2, 20, CodeNotHolder, 0},
	} {
		t.Run(name, func(t *testing.T) {
			code, done := c.row.Keep(after(c.at), Keep{Claim: kimHolds, Renewals: c.renewals, TTL: time.Minute})
			is(t, "code", code, c.code)
			is(t, "written", len(done) == 1, c.until != 0)
			if len(done) == 1 {
				is(t, "until", done[0].ExpireTime, after(max(60, c.until)))
				is(t, "renewals", done[0].Renewals, 3)
				is(t, "event", done[0].Event+done[0].EndEvent, "")
			}
		})
	}
	_, done := held().Keep(after(20), Keep{Claim: kimHolds, Renewals: 2, TTL: time.Minute, MaxHold: 70 * time.Second})
	is(t, "no longer than allowed", done[0].ExpireTime, after(70))
}

func TestALostConnectionHasItsGrace(t *testing.T) {
	lose := func(o Occupancy, at int, maxHold time.Duration) []Transition {
		return o.LoseConnection(after(at), LoseConnection{kimHolds, 2, 30 * time.Second, maxHold})
	}
	done := lose(held(), 10, 0)
	is(t, "until", done[0].ExpireTime, after(40))
	is(t, "renewals", done[0].Renewals, 3)
	is(t, "in history", done[0].Event, "")
	is(t, "called", done[0].EndEvent, EventConnectionLost)
	is(t, "no longer than allowed", lose(held(), 10, 35*time.Second)[0].ExpireTime, after(35))
	for name, row := range map[string]Occupancy{
		"renewed or occupied again by another": held(func(o *Occupancy) { o.Renewals++ }),
		"free":                                 held(free), "expired": held(expired),
		"another's": held(func(o *Occupancy) { o.UserID = "lee" }),
	} {
		if done := lose(row, 10, 0); len(done) > 0 {
			t.Errorf("%s: %+v", name, done)
		}
	}
	is(t, "out of time", len(lose(held(), 60, 0)), 0)
}

// What becomes of an item whose connection was lost.
func TestAfterALostConnection(t *testing.T) {
	orphan := held().LoseConnection(after(10), LoseConnection{Claim: kimHolds, Renewals: 2, Grace: 30 * time.Second})[0].Occupancy
	again := one2(orphan.Occupy(after(30), by("kim", "A")))
	is(t, "in time: token", again.FencingToken, 7)
	is(t, "in time: called", again.EndEvent, "")
	is(t, "in time: until", again.ExpireTime, after(60))
	_, moved := orphan.Occupy(after(30), Occupy{Claim: kimA, TTL: time.Minute, UIName: "SPC"})
	is(t, "from another screen: called", moved[0].EndEvent, "")
	swept := orphan.Expire(after(40), SystemUser, time.Second)
	is(t, "out of time", swept[0].Event, EventConnectionLost)
	is(t, "out of time: state", swept[0].State, StateExpired)
	is(t, "out of time: ended", swept[0].ExpireTime, after(40))
	is(t, "out of time: called", swept[0].EndEvent, "")
	_, taken := orphan.Occupy(after(40), by("lee", "B"))
	is(t, "then another's", taken[0].Event, EventConnectionLost)
	is(t, "then another's: called", taken[1].EndEvent, "")
	code, _ := orphan.Occupy(after(39), by("lee", "B"))
	is(t, "not before", code, CodeHeld)
	renewed := one2(orphan.Renew(after(20), Renew{Claim: kimA, TTL: time.Minute}))
	is(t, "renewed: called", renewed.EndEvent, "")
}

func one2(_ Code, done []Transition) Transition { return done[0] }
