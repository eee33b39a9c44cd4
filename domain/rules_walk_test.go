package domain

import (
	"math/rand/v2"
	"testing"
	"time"
)

// walk gives an item random commands, under a clock that jumps both ways, and
// holds each step against what is promised of every history.
func walk(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	row := neverSeen()
	if r.IntN(2) == 0 {
		row.ItemType = Slot
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 200 {
		clock := noon.Add(time.Duration(r.IntN(600)-200) * time.Second)
		ttl := time.Duration(1+r.IntN(120)) * time.Second
		maxHold := time.Duration(r.IntN(3)) * 50 * time.Second
		claim := Claim{UserID: pick("kim", "lee"), Session: pick("", "A", "B")}
		if r.IntN(2) == 0 {
			claim.FencingToken = token(row.FencingToken - int64(r.IntN(2)))
		}
		var code Code
		var done []Transition
		renewals := row.Renewals - int64(r.IntN(2))
		switch r.IntN(9) {
		case 0, 1:
			code, done = row.Occupy(clock, Occupy{claim, ttl, maxHold, pick("", "MES", "SPC"), pick("", "Lookup"), r.IntN(2) == 0})
		case 2:
			code, done = row.Renew(clock, Renew{claim, ttl, maxHold})
		case 3:
			code, done = row.Free(clock, Free{claim, EventWindowClosed})
		case 4:
			code, done = row.ForceFree(clock, ForceFree{"boss", row.FencingToken - int64(r.IntN(2)), "why"})
		case 5:
			code, done = row.Transfer(clock, Transfer{claim, Claim{UserID: pick("kim", "lee"), Session: pick("", "C")}, ttl, maxHold})
		case 6:
			code, done = CodeGranted, row.Expire(clock, SystemUser, maxHold)
		case 7:
			code, done = row.Keep(clock, Keep{claim, renewals, ttl, maxHold})
		case 8:
			code, done = CodeVerified, row.LoseConnection(clock, LoseConnection{claim, renewals, time.Duration(r.IntN(60)) * time.Second, maxHold})
		}
		if !code.OK() && len(done) > 0 {
			t.Fatalf("%s writes", code)
		}
		for _, next := range done {
			if problem := stepProblem(row, next); problem != "" {
				t.Fatalf("seed %d: %s\nfrom %+v\nto   %+v", seed, problem, row, next)
			}
			row = next.Occupancy
		}
	}
}

// stepProblem says what is wrong with one step of an item's history, or "".
func stepProblem(from Occupancy, to Transition) string {
	grant := to.Event == EventOccupied || to.Event == EventTakenOver || to.Event == EventTransferred
	version, token := from.Version, from.FencingToken
	if to.Event != "" {
		version++
	}
	if grant {
		token++
	}
	switch {
	case to.ItemKey != from.ItemKey:
		return "another item"
	case to.Version != version:
		return "versions have a hole"
	case to.FencingToken != token:
		return "the token rises with a grant and with nothing else"
	case grant && to.Renewals != 0, (to.Event == "" || to.Event == EventReentered) && to.Renewals != from.Renewals+1:
		return "renewals"
	case to.UpdatedAt.Before(from.UpdatedAt):
		return "time runs back"
	case grant && !to.StartTime.Equal(to.UpdatedAt), !grant && !to.StartTime.Equal(from.StartTime):
		return "start"
	case !grant && to.ExpireTime.Before(from.ExpireTime) && to.EndEvent != EventConnectionLost:
		return "what is left was shortened"
	case to.ExpireTime.Before(to.StartTime):
		return "it ended before it began"
	case to.EndEvent != "" && (to.Event != "" || to.State != StateOccupied):
		return "what the end is called is left over"
	case to.UserID == "" || to.UpdatedBy == "":
		return "nobody did it"
	case from.Version > 0 && (to.RegisteredBy != from.RegisteredBy || to.RegisteredAt != from.RegisteredAt):
		return "registered anew"
	}
	return transitionProblem(from, to)
}

// transitionProblem holds a step against the drawing in doc.go.
func transitionProblem(from Occupancy, to Transition) string {
	wasHeld := from.State == StateOccupied && to.UpdatedAt.Before(from.ExpireTime)
	legal := map[Event]bool{
		EventOccupied:       from.State != StateOccupied && to.State == StateOccupied,
		EventTakenOver:      wasHeld && to.State == StateOccupied && from.UserID == to.UserID,
		EventTransferred:    wasHeld && to.State == StateOccupied,
		EventReentered:      wasHeld && to.State == StateOccupied && from.UserID == to.UserID,
		"":                  wasHeld && to.State == StateOccupied && from.UserID == to.UserID,
		EventFreed:          wasHeld && to.State == StateFree,
		EventWindowClosed:   wasHeld && to.State == StateFree,
		EventConnectionLost: wasHeld && to.State == StateFree || from.EndEvent == to.Event && !wasHeld && to.State == StateExpired,
		EventForced:         wasHeld && to.State == StateFree,
		EventExpired:        from.State == StateOccupied && !wasHeld && to.State == StateExpired && from.EndEvent == "",
		EventMaxHold:        from.State == StateOccupied && !wasHeld && to.State == StateExpired,
	}
	if !legal[to.Event] {
		return "not a legal transition"
	}
	return ""
}

func TestAnyHistoryIsWellFormed(t *testing.T) {
	for seed := range uint64(500) {
		walk(t, seed)
	}
}

func FuzzHistory(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(walk)
}
