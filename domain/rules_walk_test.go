package domain

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// walk gives an item random commands, under a clock that jumps both ways, and
// holds each step against what is promised of every history.
func walk(t *rapid.T) {
	row := neverSeen()
	row.ItemType = rapid.SampledFrom([]string{"LOT", Slot}).Draw(t, "type")
	t.Repeat(map[string]func(*rapid.T){"": func(t *rapid.T) {
		if row.State == StateOccupied && (row.UserID == "" || row.ExpireTime.Before(row.StartTime)) {
			t.Fatalf("no such hold: %+v", row)
		}
	}, "command": func(t *rapid.T) {
		clock := after(rapid.IntRange(-200, 400).Draw(t, "clock"))
		code, done := anyCommand(t, row, clock)
		if !code.OK() && len(done) > 0 {
			t.Fatalf("%s writes", code)
		}
		if problem := refusalProblem(row, clock, code); problem != "" {
			t.Fatalf("%s: %s\nof %+v", code, problem, row)
		}
		for _, next := range done {
			if problem := stepProblem(row, next); problem != "" {
				t.Fatalf("%s\nfrom %+v\nto   %+v", problem, row, next)
			}
			row = next.Occupancy
		}
	}})
}

// anyCommand gives the item any command there is, by anybody.
func anyCommand(t *rapid.T, row Occupancy, clock time.Time) (Code, []Transition) {
	pick := func(what string, list ...string) string { return rapid.SampledFrom(list).Draw(t, what) }
	upTo := func(what string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, what) }
	ttl := time.Duration(1+upTo("ttl", 119)) * time.Second
	maxHold := time.Duration(upTo("longest", 2)) * 50 * time.Second
	claim := Claim{UserID: pick("user", "kim", "lee"), Session: pick("session", "", "A", "B")}
	if rapid.Bool().Draw(t, "shows a token") {
		claim.FencingToken = token(row.FencingToken - upTo("token behind", 1))
	}
	renewals := row.Renewals - upTo("renewals behind", 1)
	switch pick("command", "occupy", "renew", "free", "force", "transfer", "sweep", "keep", "lose") {
	case "renew":
		return row.Renew(clock, Renew{claim, ttl, maxHold})
	case "free":
		return row.Free(clock, Free{claim, EventWindowClosed, time.Duration(upTo("free grace", 59)) * time.Second})
	case "force":
		return row.ForceFree(clock, ForceFree{"boss", row.FencingToken - upTo("seen behind", 1), "why"})
	case "transfer":
		to := Claim{UserID: pick("to", "kim", "lee"), Session: pick("to session", "", "C")}
		return row.Transfer(clock, Transfer{claim, to, ttl, maxHold})
	case "sweep":
		return CodeGranted, row.Expire(clock, SystemUser, maxHold)
	case "keep":
		return row.Keep(clock, Keep{claim, renewals, ttl, maxHold})
	case "lose":
		return CodeVerified, row.LoseConnection(clock, LoseConnection{claim, renewals, time.Duration(upTo("grace", 59)) * time.Second, maxHold})
	}
	return row.Occupy(clock, Occupy{claim, ttl, maxHold, pick("UI", "", "MES", "SPC"), pick("menu", "", "Lookup"), rapid.Bool().Draw(t, "take over")})
}

// refusalProblem says why a code can not be that of an item as it was, or "".
func refusalProblem(row Occupancy, clock time.Time, code Code) string {
	held := row.Seen(clock).State == StateOccupied
	switch code {
	case CodeHeld, CodeHeldInOtherWindow, CodeReentered, CodeTakenOver, CodeRenewed, CodeTransferred, CodeFreed, CodeNotHolder, CodeStaleToken:
		if !held {
			return "nobody holds it"
		}
	case CodeNotOccupied, CodeAlreadyFree, CodeExpired, CodeAlreadyExpired:
		if held {
			return "somebody holds it"
		}
	}
	return ""
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

func TestAnyHistoryIsWellFormed(t *testing.T) { rapid.Check(t, walk) }

func FuzzHistory(f *testing.F) { f.Fuzz(rapid.MakeFuzz(walk)) }
