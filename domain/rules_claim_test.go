package domain

import (
	"testing"
	"time"
)

// What a claim of the holder's user id is worth, by the row's session, the one
// shown and the token shown (nil, 7 = the present one, 6 = an old one).
var claims = []struct {
	slot       bool
	row, shown string
	token      *int64
	want       Code
}{
	// A row with a session: show that or the present token.
	{false, "A", "A", nil, CodeVerified},
	{false, "A", "A", token(7), CodeVerified},
	{false, "A", "A", token(6), CodeStaleToken},
	{false, "A", "", nil, CodeNotHolder},
	{false, "A", "", token(7), CodeVerified},
	{false, "A", "", token(6), CodeStaleToken},
	{false, "A", "B", nil, CodeNotHolder},
	{false, "A", "B", token(7), CodeVerified},
	{false, "A", "B", token(6), CodeNotHolder},
	// A row without one asks for none.
	{false, "", "", nil, CodeVerified},
	{false, "", "", token(7), CodeVerified},
	{false, "", "", token(6), CodeStaleToken},
	{false, "", "B", nil, CodeVerified},
	{false, "", "B", token(7), CodeVerified},
	{false, "", "B", token(6), CodeStaleToken},
	// Slots: the session must be equal, whatever the token.
	{true, "A", "A", nil, CodeVerified},
	{true, "A", "A", token(7), CodeVerified},
	{true, "A", "A", token(6), CodeStaleToken},
	{true, "A", "", nil, CodeNotHolder},
	{true, "A", "", token(7), CodeNotHolder},
	{true, "A", "", token(6), CodeNotHolder},
	{true, "A", "B", nil, CodeNotHolder},
	{true, "A", "B", token(7), CodeNotHolder},
	{true, "A", "B", token(6), CodeNotHolder},
	{true, "", "", nil, CodeVerified},
	{true, "", "", token(7), CodeVerified},
	{true, "", "", token(6), CodeStaleToken},
	{true, "", "B", nil, CodeNotHolder},
	{true, "", "B", token(7), CodeNotHolder},
	{true, "", "B", token(6), CodeNotHolder},
}

// command is a command that only a holder may give, and its codes in place of
// those of Verify.
type command struct {
	name  string
	judge func(o Occupancy, clock time.Time, c Claim) (Code, []Transition)
	codes map[Code]Code
}

var holdersCommands = []command{
	{"renew", func(o Occupancy, clock time.Time, c Claim) (Code, []Transition) {
		return o.Renew(clock, Renew{Claim: c, TTL: time.Minute})
	}, map[Code]Code{CodeVerified: CodeRenewed}},
	{"free", func(o Occupancy, clock time.Time, c Claim) (Code, []Transition) {
		return o.Free(clock, Free{Claim: c, How: EventFreed})
	}, map[Code]Code{CodeVerified: CodeFreed, CodeNotOccupied: CodeAlreadyFree, CodeExpired: CodeAlreadyExpired}},
	{"transfer", func(o Occupancy, clock time.Time, c Claim) (Code, []Transition) {
		return o.Transfer(clock, Transfer{Claim: c, To: Claim{UserID: "lee"}, TTL: time.Minute})
	}, map[Code]Code{CodeVerified: CodeTransferred}},
	{"verify", func(o Occupancy, clock time.Time, c Claim) (Code, []Transition) {
		return o.Verify(clock, c), nil
	}, nil},
}

func (c command) test(t *testing.T, o Occupancy, clock time.Time, claim Claim, want Code) {
	t.Helper()
	if code, named := c.codes[want]; named {
		want = code
	}
	got, done := c.judge(o, clock, claim)
	if got != want {
		t.Errorf("%s of %s by %+v: %s, want %s", c.name, o.Session, claim, got, want)
	}
	writes := 0
	if want == CodeRenewed || want == CodeFreed || want == CodeTransferred {
		writes = 1
	}
	if len(done) != writes {
		t.Errorf("%s: %s writes %d rows, want %d", c.name, got, len(done), writes)
	}
}

func TestRule04And08And11_WhatAClaimIsWorth(t *testing.T) {
	for _, c := range claims {
		row := held(func(o *Occupancy) { o.Session = c.row })
		if c.slot {
			slot(&row)
		}
		claim := Claim{UserID: "kim", Session: c.shown, FencingToken: c.token}
		another := claim
		another.UserID = "lee"
		for _, command := range holdersCommands {
			command.test(t, row, after(30), claim, c.want)
			command.test(t, row, after(30), another, CodeNotHolder)
		}
	}
}

// U7: the order of judging: free, expired, not the holder, stale token.
func TestRule08And11_TheOrderOfJudging(t *testing.T) {
	for _, c := range claims {
		for _, user := range []string{"kim", "lee"} {
			row := held(func(o *Occupancy) { o.Session = c.row })
			if c.slot {
				slot(&row)
			}
			freed, noted := row, row
			free(&freed)
			expired(&noted)
			claim := Claim{UserID: user, Session: c.shown, FencingToken: c.token}
			for _, command := range holdersCommands {
				command.test(t, neverSeen(), after(30), claim, CodeNotOccupied)
				command.test(t, freed, after(30), claim, CodeNotOccupied)
				command.test(t, freed, after(90), claim, CodeNotOccupied)
				command.test(t, noted, after(30), claim, CodeExpired)
				command.test(t, row, after(60), claim, CodeExpired)
			}
		}
	}
}
