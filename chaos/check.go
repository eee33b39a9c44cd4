package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// violation is a promise that was not kept.
type violation struct{ promise, what string }

// checker looks for what breaks one promise.
type checker struct {
	promise string
	check   func(r *record, found func(format string, args ...any))
}

// checkers are all there are.
var checkers = []checker{
	{"answers are those of one item that does one thing after the other", checkLinearizable},
	{"nobody is answered what no fault explains", checkStrange},
	{"versions are without holes and transitions legal", checkTransitions},
	{"fencing tokens rise with each grant and with nothing else", checkTokens},
	{"an item agrees with its last row", checkItems},
	{"what was answered ok is in the history", checkAnswered},
	{"every row of the history has a cause", checkCauses},
	{"what was not done left nothing", checkUndone},
	{"several items are taken all or none", checkAllOrNone},
	{"never two holders at one instant", checkHolders},
	{"a hold ends once, and not before its time", checkExpiries},
	{"subscribers see every version once and in order", checkSights},
	{"no value is given twice, and gaps are as reported", checkValues},
	{"a LOT ID is given once, and a repeated request gets its own again", checkLots},
	{"nothing is left over", checkGrowth},
	{"every gateway is back soon after a fault", checkRecovery},
}

// checkAll holds a record against all promises.
func checkAll(r *record) (found []violation) {
	for _, c := range checkers {
		c.check(r, func(format string, args ...any) {
			found = append(found, violation{c.promise, fmt.Sprintf(format, args...)})
		})
	}
	return found
}

func checkStrange(r *record, found func(string, ...any)) {
	for _, s := range r.strange {
		found("%s", s)
	}
}

// undecidedAfter is how long one item's calls are looked at. What is undecided is a violation, too: it was not shown.
const undecidedAfter = 20 * time.Second

// checkLinearizable has porcupine look for an order of each item's calls in which the answers make sense.
func checkLinearizable(r *record, found func(string, ...any)) {
	var mu sync.Mutex
	var all sync.WaitGroup
	atOnce := make(chan struct{}, 2)
	for i, calls := range callsByItem(r) {
		atOnce <- struct{}{}
		all.Go(func() {
			defer func() { <-atOnce }()
			if result := porcupine.CheckOperationsTimeout(ofOneItem, calls, undecidedAfter); result != porcupine.Ok {
				mu.Lock()
				defer mu.Unlock()
				found("%v: %s of %d calls", i, result, len(calls))
			}
		})
	}
	all.Wait()
}

// callsByItem are the calls about each item, with what is known of their outcome by now.
func callsByItem(r *record) map[item][]porcupine.Operation {
	wrote := rowsByCall(r)
	calls := map[item][]porcupine.Operation{}
	for _, o := range r.ops {
		for n, i := range o.items {
			a := asked{op: o, item: i, from: micros(o.call), to: never}
			t := told{outcome: o.outcome, code: o.code, one: len(o.items) == 1}
			back := int64(never)
			switch {
			case o.outcome == undone:
				continue
			case o.outcome == unknown && o.tells():
				if t = wrote.settle(o, i); t.outcome == undone {
					continue
				}
			case o.outcome == unknown:
			default:
				back, a.to = o.back.UnixNano(), micros(o.back)
				if t.seen = o.seenOf(n); t.seen == nil {
					continue // an item that was not in the way, when others were
				}
			}
			if t.outcome == ok && writes[t.code] {
				a.from = micros(t.seen.UpdatedAt)
				a.to = a.from
			}
			calls[i] = append(calls[i], porcupine.Operation{Input: a, Output: t, Call: o.call.UnixNano(), Return: back})
		}
	}
	return calls
}

// writes are the codes of calls that changed the item at the time that it tells.
var writes = map[string]bool{"GRANTED": true, "REENTERED": true, "TAKEN_OVER": true, "RENEWED": true, "FREED": true}

// tells tells whether the history says what became of the call: the screen of an occupy is in its row.
func (o *op) tells() bool { return o.verb == occupy && o.items[0].Type != "SLOT" }

// seenOf is what was said about one of the items; nil if nothing.
func (o *op) seenOf(n int) *occupancy {
	for k := range o.seen {
		if o.seen[k].item() == o.items[n] {
			return &o.seen[k]
		}
	}
	return nil
}

// written finds the row that a call wrote about an item.
type written map[int64]map[item]past

func rowsByCall(r *record) written {
	w := written{}
	for _, p := range r.tables.history {
		if id := callOf(p.Screen); id != 0 && slices.Contains(grants, p.Event) {
			if w[id] == nil {
				w[id] = map[item]past{}
			}
			w[id][p.item()] = p
		}
	}
	return w
}

// grants are the events of rows that an occupy writes.
var grants = []string{"OCCUPIED", "REENTERED", "TAKEN_OVER"}

// settle says what became of an occupy that was not answered.
func (w written) settle(o *op, i item) told {
	p, was := w[o.id][i]
	if !was {
		return told{outcome: undone}
	}
	code := map[string]string{"OCCUPIED": "GRANTED"}[p.Event]
	if code == "" {
		code = p.Event
	}
	return told{outcome: ok, code: code, one: true, seen: &occupancy{ItemType: p.Type, ItemName: p.Name, State: p.State,
		UserID: p.User, Session: p.Session, Token: p.Token, Version: p.Version, Renewals: p.Renewals,
		StartTime: p.Start, ExpireTime: p.Expire, UpdatedAt: p.At}}
}
