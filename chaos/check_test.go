package main

import (
	"slices"
	"testing"
	"time"
)

func TestAWholeRecordBreaksNoPromise(t *testing.T) {
	for _, v := range checkAll(whole()) {
		t.Error(v)
	}
}

// planted is a fault in a record that is whole otherwise, and the checker that has to find it. Others may, too.
var planted = []struct {
	what, promise string
	plant         func(r *record)
}{
	{"a refused caller is shown an older token", "answers are those of one item", func(r *record) { r.ops[1].seen[0].Token-- }},
	{"a look shows what was before the renewal", "answers are those of one item", func(r *record) { r.ops[3].seen[0].Renewals-- }},
	{"a renewal that was answered is lost", "answers are those of one item", func(r *record) { r.ops[3].seen[0].ExpireTime = r.ops[0].seen[0].ExpireTime }},
	{"a free item is refused", "answers are those of one item", func(r *record) { r.ops[1].call, r.ops[1].back = after(r.ops[4]) }},
	{"a free that was answered is not done", "answers are those of one item", func(r *record) { r.ops[4].outcome, r.ops[4].code = refused, "NOT_HOLDER" }},
	{"an internal error", "nobody is answered what", func(r *record) { r.strange = append(r.strange, "INTERNAL") }},
	{"a version is missing", "versions are without holes", func(r *record) { r.tables.history = slices.Delete(r.tables.history, 1, 2) }},
	{"freed what was not held", "versions are without holes", func(r *record) { r.tables.history[0].State = "FREE" }},
	{"freed for another", "versions are without holes", func(r *record) { r.tables.history[1].User = "lee" }},
	{"time runs back", "versions are without holes", func(r *record) { r.tables.history[1].At = r.tables.history[0].At.Add(-time.Hour) }},
	{"-verify finds something", "versions are without holes", func(r *record) { r.tables.faults = "LOT 1 version 2: …" }},
	{"a grant keeps the token", "fencing tokens", func(r *record) { r.tables.history[2].Token-- }},
	{"an item is behind its history", "an item agrees", func(r *record) { r.tables.items[0].Version-- }},
	{"an item has no history", "an item agrees", func(r *record) { r.tables.items[0].Name = "0" }},
	{"a grant that was answered was rolled back", "what was answered ok", func(r *record) { r.tables.history = r.tables.history[:4] }},
	{"a grant is another call's", "what was answered ok", func(r *record) { r.tables.history[0].Screen = screenOf(99) }},
	{"a renewal is told another token", "what was answered ok", func(r *record) { r.ops[2].seen[0].Token++ }},
	{"a row that nobody asked for", "every row", func(r *record) { r.tables.history[0].Screen = "" }},
	{"a row of a user who did not ask", "every row", func(r *record) { r.ops[4].user = "lee" }},
	{"a row written after the answer", "every row", func(r *record) { r.tables.history[1].At = r.ops[4].back.Add(time.Second) }},
	{"expired before its time", "every row", func(r *record) { r.tables.history[3].At = r.tables.history[3].Expire.Add(-time.Second) }},
	{"UNAVAILABLE, and done", "what was not done", func(r *record) { r.ops[0].outcome = undone }},
	{"HELD, and done", "what was not done", func(r *record) { r.ops[0].outcome = refused }},
	{"one of two was taken", "several items", func(r *record) { r.tables.history[6].Screen = "" }},
	{"two were taken one after the other", "several items", func(r *record) { r.tables.history[6].Tx++ }},
	{"two hold one token", "never two holders", func(r *record) { r.ops[6].user = "lee" }},
	{"taken before the other's time was over", "never two holders", func(r *record) { r.tables.history[3].Expire = r.tables.history[4].At.Add(time.Second) }},
	{"renewed after it was freed", "never two holders", func(r *record) { r.ops[2].seen[0].UpdatedAt = r.ops[4].back }},
	{"a hold ends twice", "a hold ends once", func(r *record) { r.tables.history = append(r.tables.history, r.tables.history[5]) }},
	{"a hold ends before what was renewed", "a hold ends once", func(r *record) { r.ops[6].seen[0].ExpireTime = r.tables.history[5].Expire.Add(time.Second) }},
	{"a change is told twice", "subscribers", func(r *record) { s := &r.subscriptions[0]; s.sights = slices.Insert(s.sights, 1, s.sights[0]) }},
	{"a change is not told", "subscribers", func(r *record) { s := &r.subscriptions[0]; s.sights = slices.Delete(s.sights, 1, 2) }},
	{"a change is missed between two connections", "subscribers", func(r *record) { s := &r.subscriptions[1]; s.sights = slices.Delete(s.sights, 4, 7) }},
	{"changes are told in another order", "subscribers", func(r *record) { s := r.subscriptions[0].sights; s[0], s[1] = s[1], s[0] }},
	{"the last change is not told", "subscribers", func(r *record) { s := &r.subscriptions[0]; s.sights = s.sights[:len(s.sights)-1] }},
	{"a cursor does not lead on", "subscribers", func(r *record) { r.subscriptions[0].resyncs++ }},
	{"a value is given twice", "no value", func(r *record) { r.draws = append(r.draws, r.draws[0]) }},
	{"a value is given and reported lost", "no value", func(r *record) { r.tables.gaps[0].First = 2 }},
	{"a value is nowhere", "no value", func(r *record) { r.tables.counters[1].Value++ }},
	{"a gap is not reported", "no value", func(r *record) { r.tables.gaps = nil }},
	{"a counter went back", "no value", func(r *record) { r.tables.counters[1].Value = 3 }},
	{"fewer values than were asked for", "no value", func(r *record) { r.draws[0].last-- }},
	{"an ID is given twice", "a LOT ID", func(r *record) { r.tables.ledger[2].ID = "L1" }},
	{"a repeated request gets others", "a LOT ID", func(r *record) { r.lots[0].outcome, r.lots[0].ids = ok, []string{"L4", "L5"} }},
	{"an ID is not in the ledger", "a LOT ID", func(r *record) { r.tables.ledger = r.tables.ledger[:2] }},
	{"the numbers of a day have a hole", "a LOT ID", func(r *record) { r.tables.ledger[2].Seq++ }},
	{"goroutines leak", "nothing is left", func(r *record) { r.last[0].goroutines = 1000 }},
	{"files leak", "nothing is left", func(r *record) { r.last[0].files = 1000 }},
	{"memory grows", "nothing is left", func(r *record) { r.last[0].memory = 1 << 30 }},
	{"a connection is left", "nothing is left", func(r *record) { r.connections = 1 }},
	{"a gateway does not come back", "every gateway", func(r *record) { r.episodes[0].over = r.episodes[0].over.Add(-time.Minute) }},
}

// after is when a call right after another could be.
func after(o *op) (call, back time.Time) { return o.back.Add(took / 10), o.back.Add(took / 5) }

func TestEveryCheckerFindsWhatIsPlanted(t *testing.T) {
	shown := map[string]bool{}
	for _, p := range planted {
		r := whole()
		p.plant(r)
		caught := slices.ContainsFunc(checkAll(r), func(v violation) bool {
			shown[v.promise] = shown[v.promise] || hasPrefix(v, p.promise)
			return hasPrefix(v, p.promise)
		})
		if !caught {
			t.Errorf("%s: not found by %q", p.what, p.promise)
		}
	}
	for _, c := range checkers {
		if !shown[c.promise] {
			t.Errorf("nothing planted shows that %q can fail", c.promise)
		}
	}
}

func hasPrefix(v violation, promise string) bool {
	return len(v.promise) >= len(promise) && v.promise[:len(promise)] == promise
}

// Two gateways that each know only their own memory: both grant, and each is right by itself.
func TestASplitBrainIsFound(t *testing.T) {
	left, right := newFake(), newFake()
	left.grant("kim", "A", time.Minute, one)
	right.ids = 1
	right.grant("lee", "A", time.Minute, one)
	left.ops = append(left.ops, right.ops...)
	left.tables.history = append(left.tables.history, right.tables.history...)
	for _, promise := range []string{"answers are those of one item", "never two holders", "versions are without holes"} {
		if !slices.ContainsFunc(checkAll(&left.record), func(v violation) bool { return hasPrefix(v, promise) }) {
			t.Errorf("not found by %q", promise)
		}
	}
}

// What was not heard may have happened, at any time from then on, or never.
func TestUnknownIsUnknown(t *testing.T) {
	hide := func(o *op) { o.outcome, o.code, o.seen = unknown, "", nil }
	late := whole()
	hide(late.ops[4])
	late.ops[4].call = late.ops[0].back
	grant := whole()
	hide(grant.ops[0])
	renewal := whole()
	hide(renewal.ops[2])
	unsent := whole()
	unsent.ops = append(unsent.ops, &op{id: 99, verb: free, user: "lee", session: "A", items: []item{two}, call: unsent.ops[5].back, outcome: unknown},
		&op{id: 100, verb: occupy, user: "lee", session: "A", ttl: time.Second, items: []item{two}, call: unsent.ops[0].call, outcome: unknown})
	for name, r := range map[string]*record{"a free that came late": late, "a grant": grant, "a renewal": renewal, "calls that never came": unsent} {
		for _, v := range checkAll(r) {
			t.Errorf("%s: %v", name, v)
		}
	}
}
