package domain

import (
	"testing"
	"time"
)

func TestRule01_WhatNobodyHoldsIsGranted(t *testing.T) {
	for name, before := range map[string]Occupancy{
		"never seen": neverSeen(), "free": held(free), "expired": held(expired),
	} {
		t.Run(name, func(t *testing.T) {
			wish := by("lee", "B")
			wish.UIName, wish.MenuName = "HOLD", "Release"
			code, done := before.Occupy(after(100), wish)
			got := one(t, code, CodeGranted, done)
			want := before
			want.State, want.UserID, want.Session, want.UIName, want.MenuName = StateOccupied, "lee", "B", "HOLD", "Release"
			want.StartTime, want.ExpireTime = after(100), after(130)
			want.FencingToken, want.Version, want.Renewals = before.FencingToken+1, before.Version+1, 0
			want.UpdatedBy, want.UpdatedAt = "lee", after(100)
			if before.Version == 0 {
				want.RegisteredBy, want.RegisteredAt = "lee", after(100)
			}
			is(t, "row", got, Transition{Occupancy: want, Event: EventOccupied})
		})
	}
}

func TestRule02_HeldByAnotherIsDeniedAndNothingMoves(t *testing.T) {
	for _, ttl := range []time.Duration{time.Second, 5 * time.Second, 24 * time.Hour} { // L5
		for _, takeOver := range []bool{false, true} {
			for _, session := range []string{"", "A", "B"} {
				wish := by("lee", session)
				wish.TTL, wish.TakeOver = ttl, takeOver
				code, done := held().Occupy(after(59), wish)
				refused(t, code, CodeHeld, done)
			}
		}
	}
}

// R3: looking and asking a hundred times is not a heartbeat of the holder's.
func TestRule02_DeniedAHundredTimes(t *testing.T) {
	for i := range 100 {
		code, done := held().Occupy(noon.Add(time.Duration(i)*time.Second/2), by("lee", "B"))
		refused(t, code, CodeHeld, done)
	}
}

func TestRule03_TheHolderReenters(t *testing.T) {
	for name, c := range map[string]struct {
		row, asking, after string
	}{
		"same session":           {"A", "A", "A"},
		"asking without one":     {"A", "", "A"}, // never loses it
		"row without one":        {"", "A", "A"}, // takes that of the first re-entry
		"both without a session": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			row := held(func(o *Occupancy) { o.Session = c.row })
			code, done := row.Occupy(after(50), by("kim", c.asking))
			got := one(t, code, CodeReentered, done)
			want := row
			want.Session, want.ExpireTime, want.Renewals, want.UpdatedAt = c.after, after(80), row.Renewals+1, after(50)
			is(t, "row, without a history row", got, Transition{Occupancy: want})
		})
	}
}

func TestRule03_ReentryWritesHistoryOnlyIfTheScreenChanged(t *testing.T) {
	for name, c := range map[string]struct {
		ui, menu         string
		event            Event
		uiAfter, menuNow string
	}{
		"not named":  {"", "", "", "MES", "Lookup"},
		"the same":   {"MES", "Lookup", "", "MES", "Lookup"},
		"other UI":   {"SPC", "", EventReentered, "SPC", "Lookup"},
		"other menu": {"MES", "Merge", EventReentered, "MES", "Merge"},
	} {
		t.Run(name, func(t *testing.T) {
			wish := by("kim", "A")
			wish.UIName, wish.MenuName = c.ui, c.menu
			code, done := held().Occupy(after(50), wish)
			got := one(t, code, CodeReentered, done)
			is(t, "event", got.Event, c.event)
			is(t, "screen", got.UIName+"/"+got.MenuName, c.uiAfter+"/"+c.menuNow)
			history := int64(0)
			if c.event != "" {
				history = 1
			}
			is(t, "version", got.Version, held().Version+history)
			is(t, "renewals", got.Renewals, held().Renewals+1)
			is(t, "token", got.FencingToken, held().FencingToken)
			is(t, "start", got.StartTime, noon)
		})
	}
}

// L13: the answer was lost, the client asks again.
func TestRule03_ReentryNeverShortens(t *testing.T) {
	wish := by("kim", "A")
	wish.TTL = time.Second
	code, done := held().Occupy(after(1), wish)
	is(t, "expiry", one(t, code, CodeReentered, done).ExpireTime, after(60))
}

func TestRule04_AnotherWindowOfTheSameUser(t *testing.T) {
	code, done := held().Occupy(after(10), by("kim", "B"))
	refused(t, code, CodeHeldInOtherWindow, done)

	wish := by("kim", "B")
	wish.TakeOver, wish.UIName = true, "SPC"
	code, done = held().Occupy(after(10), wish)
	moved := one(t, code, CodeTakenOver, done)
	is(t, "event", moved.Event, EventTakenOver)
	is(t, "session", moved.Session, "B")
	is(t, "token", moved.FencingToken, held().FencingToken+1)
	is(t, "version", moved.Version, held().Version+1)
	is(t, "renewals", moved.Renewals, 0)
	is(t, "start", moved.StartTime, after(10))
	is(t, "expiry", moved.ExpireTime, after(40))
	is(t, "UI", moved.UIName, "SPC")

	// U2: the old window can end or extend nothing any more, by session or by token.
	for _, old := range []Claim{{UserID: "kim", Session: "A"}, {UserID: "kim", Session: "A", FencingToken: token(7)}} {
		code, done := moved.Renew(after(11), Renew{Claim: old, TTL: time.Minute})
		refused(t, code, CodeNotHolder, done)
		code, done = moved.Free(after(11), Free{Claim: old, How: EventWindowClosed})
		refused(t, code, CodeNotHolder, done)
	}
	code, done = moved.Free(after(11), Free{Claim: Claim{UserID: "kim", FencingToken: token(7)}, How: EventFreed})
	refused(t, code, CodeStaleToken, done)
}

func TestRule04_TakingOverOnesOwnWindowIsAReentry(t *testing.T) {
	wish := by("kim", "A")
	wish.TakeOver = true
	code, done := held().Occupy(after(10), wish)
	is(t, "token", one(t, code, CodeReentered, done).FencingToken, held().FencingToken)
}

// L6, H1: no sweeper came by.
func TestRule05_ExpiredRowBeforeNewGrant(t *testing.T) {
	for name, wish := range map[string]Occupy{
		"another": by("lee", "B"), "the same window": by("kim", "A"), "another window": by("kim", "B"),
	} {
		t.Run(name, func(t *testing.T) {
			code, done := held().Occupy(after(60), wish)
			is(t, "code", code, CodeGranted)
			if len(done) != 2 {
				t.Fatalf("%d transitions, want EXPIRED and OCCUPIED", len(done))
			}
			ended, granted := done[0], done[1]
			want := held(expired)
			want.Version, want.UpdatedBy, want.UpdatedAt = held().Version+1, wish.UserID, after(60)
			is(t, "EXPIRED row: holder, start and end of the old hold", ended, Transition{Occupancy: want, Event: EventExpired})
			is(t, "event", granted.Event, EventOccupied)
			is(t, "version", granted.Version, held().Version+2)
			is(t, "token", granted.FencingToken, held().FencingToken+1)
			is(t, "holder", granted.UserID+granted.Session, wish.UserID+wish.Session)
			is(t, "start", granted.StartTime, after(60))
		})
	}
}

func TestRule05_ToTheInstant(t *testing.T) {
	justBefore := after(60).Add(-time.Microsecond)
	code, _ := held().Occupy(justBefore, by("lee", "B"))
	is(t, "a microsecond before the expiry", code, CodeHeld)
	code, _ = held().Occupy(after(60), by("lee", "B"))
	is(t, "at the expiry", code, CodeGranted)
	code, _ = held(expired).Occupy(after(1), by("lee", "B"))
	is(t, "written down as expired", code, CodeGranted)
}

// J6: two instances of one service account are two holders.
func TestRule07_SlotSessionsMustBeEqual(t *testing.T) {
	for name, c := range map[string]struct {
		row, asking string
		want        Code
	}{
		"same instance":           {"A", "A", CodeReentered},
		"another instance":        {"A", "B", CodeHeld},
		"one without a session":   {"A", "", CodeHeld},
		"row without a session":   {"", "A", CodeHeld},
		"empty equals only empty": {"", "", CodeReentered},
	} {
		t.Run(name, func(t *testing.T) {
			for _, takeOver := range []bool{false, true} { // a lock is not taken over
				row := held(slot, func(o *Occupancy) { o.Session = c.row })
				wish := by("kim", c.asking)
				wish.TakeOver = takeOver
				code, done := row.Occupy(after(10), wish)
				is(t, "code", code, c.want)
				if !code.OK() && len(done) > 0 {
					t.Errorf("a denial writes %+v", done)
				}
				if code.OK() {
					is(t, "expiry", done[0].ExpireTime, after(60))
					is(t, "renewals", done[0].Renewals, row.Renewals+1)
				}
			}
		})
	}
}
