package domain

import (
	"testing"
	"time"
)

// U1: A's time ran out, B occupied, A presses OK.
func TestRule11_FreeLeavesAnothersHoldAlone(t *testing.T) {
	byLee := held(func(o *Occupancy) { o.UserID, o.Session, o.FencingToken = "lee", "B", 8 })
	for _, claim := range []Claim{kimA, {UserID: "kim"}, {UserID: "kim", FencingToken: token(7)}, {UserID: "kim", FencingToken: token(8)}} {
		code, done := byLee.Free(after(10), Free{Claim: claim, How: EventFreed})
		refused(t, code, CodeNotHolder, done)
	}
}

// The same user again, in a new hold: the old hold's token says that it is another.
func TestRule11_FreeOfAnEarlierHold(t *testing.T) {
	again := held(func(o *Occupancy) { o.FencingToken = 9 })
	code, done := again.Free(after(10), Free{Claim: Claim{UserID: "kim", Session: "A", FencingToken: token(7)}, How: EventFreed})
	refused(t, code, CodeStaleToken, done)
}

// H3: FREE rows carry item, holder, actor, how, start and end.
func TestRule13_HowItEndedIsKept(t *testing.T) {
	for how, event := range map[FreeHow]Event{
		"": EventFreed, FreeOK: EventFreed, FreeWindowClosed: EventWindowClosed, FreeConnectionLost: EventConnectionLost,
	} {
		code, done := held().Free(after(20), Free{Claim: kimA, How: how.event()})
		want := held(free)
		want.Version, want.UpdatedAt = held().Version+1, after(20)
		is(t, "FREE row", one(t, code, CodeFreed, done), Transition{Occupancy: want, Event: event})
	}
}

// A window that is closed may be one that is opened anew.
func TestAFreeWithAGrace(t *testing.T) {
	left := func(at int, grace time.Duration) Transition {
		code, done := held().Free(after(at), Free{Claim: kimA, How: EventWindowClosed, Grace: grace})
		return one(t, code, CodeLeft, done)
	}
	done := left(10, 20*time.Second)
	is(t, "until", done.ExpireTime, after(30))
	is(t, "never longer than it was", left(50, 20*time.Second).ExpireTime, after(60))
	is(t, "in history", done.Event, "")
	is(t, "called", done.EndEvent, EventConnectionLost)
	is(t, "renewals", done.Renewals, held().Renewals+1)
	code, back := done.Occupancy.Occupy(after(20), Occupy{Claim: kimA, TTL: time.Minute})
	is(t, "the same session is back", code, CodeReentered)
	is(t, "with its token", back[0].FencingToken, int64(7))
	is(t, "and nothing is left of it", back[0].EndEvent, "")
	is(t, "for longer", back[0].ExpireTime, after(80))
}

// U10: a supervisor ends the hold they saw, and no other.
func TestRule11And13_ForceFree(t *testing.T) {
	force := ForceFree{Supervisor: "boss", FencingToken: 7, Reason: "went home"}
	code, done := held().ForceFree(after(20), force)
	want := held(free)
	want.Version, want.UpdatedBy, want.UpdatedAt = held().Version+1, "boss", after(20)
	is(t, "FREE row: the holder's, by the supervisor, with the reason",
		one(t, code, CodeFreed, done), Transition{Occupancy: want, Event: EventForced, Comment: "went home"})

	changedHands := held(func(o *Occupancy) { o.FencingToken = 8 })
	for name, c := range map[string]struct {
		row   Occupancy
		clock time.Time
		want  Code
	}{
		"never seen":    {neverSeen(), after(20), CodeAlreadyFree},
		"free":          {held(free), after(20), CodeAlreadyFree},
		"run out":       {held(), after(60), CodeAlreadyExpired},
		"expired":       {held(expired), after(20), CodeAlreadyExpired},
		"changed hands": {changedHands, after(20), CodeStaleToken},
		"run out since": {changedHands, after(60), CodeAlreadyExpired},
	} {
		t.Run(name, func(t *testing.T) {
			code, done := c.row.ForceFree(c.clock, force)
			refused(t, code, c.want, done)
		})
	}
}

func TestRule13_Transfer(t *testing.T) {
	hand := Transfer{Claim: kimA, To: Claim{UserID: "lee", Session: "L"}, TTL: 2 * time.Minute}
	code, done := held().Transfer(after(20), hand)
	want := held()
	want.UserID, want.Session, want.UIName, want.MenuName = "lee", "L", "", ""
	want.StartTime, want.ExpireTime = after(20), after(140)
	want.FencingToken, want.Version, want.Renewals = 8, 12, 0
	want.UpdatedBy, want.UpdatedAt = "kim", after(20)
	is(t, "a new hold, by the old holder", one(t, code, CodeTransferred, done), Transition{Occupancy: want, Event: EventTransferred})

	code, done = done[0].Free(after(21), Free{Claim: Claim{UserID: "kim", Session: "A", FencingToken: token(7)}, How: EventFreed})
	refused(t, code, CodeNotHolder, done)
}

func TestCodesThatAreAnswersAndThoseThatAreRefusals(t *testing.T) {
	for code, ok := range map[Code]bool{
		CodeGranted: true, CodeReentered: true, CodeTakenOver: true, CodeHeld: false, CodeHeldInOtherWindow: false,
		CodeRenewed: true, CodeTransferred: true, CodeVerified: true, CodeNotOccupied: false, CodeExpired: false,
		CodeFreed: true, CodeAlreadyFree: true, CodeAlreadyExpired: true, CodeNotHolder: false, CodeStaleToken: false,
	} {
		is(t, string(code), code.OK(), ok)
	}
}
