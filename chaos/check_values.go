package main

import (
	"slices"
	"time"
)

// epoch is one count of a sequence.
type epoch struct {
	name string
	n    int64
}

// checkValues: no value was given twice; none that is said to be lost for certain was given; and whatever
// was neither given nor reported as lost was in an answer that somebody did not get.
func checkValues(r *record, found func(string, ...any)) {
	given := map[epoch]map[int64]bool{}
	unheard := map[string]int64{}
	for _, d := range r.draws {
		if d.outcome == unknown {
			unheard[d.name] += d.count
		}
		if d.outcome != ok {
			continue
		}
		e := epoch{d.name, d.epoch}
		if given[e] == nil {
			given[e] = map[int64]bool{}
		}
		if d.last-d.first+1 != d.count {
			found("%s: %d values were asked for, and %d to %d given", d.name, d.count, d.first, d.last)
		}
		for v := d.first; v <= d.last; v++ {
			if given[e][v] {
				found("%s: %d of epoch %d was given twice", d.name, v, d.epoch)
			}
			given[e][v] = true
		}
	}
	lost := map[epoch]map[int64]bool{}
	for _, g := range r.tables.gaps {
		e := epoch{g.Name, g.Epoch}
		if lost[e] == nil {
			lost[e] = map[int64]bool{}
		}
		for v := g.First; v <= g.Last; v++ {
			lost[e][v] = true
			if given[e][v] && g.Reason != "LOST" && g.Reason != "OUT" {
				found("%s: %d was given, and is reported as %s", g.Name, v, g.Reason)
			}
		}
	}
	for _, c := range r.tables.counters {
		e, missing := epoch{c.Name, c.Epoch}, int64(0)
		for v := int64(1); v <= c.Value; v++ {
			if !given[e][v] && !lost[e][v] {
				missing++
			}
		}
		for v := range given[e] {
			if v > c.Value {
				found("%s: %d was given, and the counter stands at %d", c.Name, v, c.Value)
			}
		}
		if missing > unheard[c.Name] {
			found("%s: %d values are nowhere, and only %d were in answers that did not arrive", c.Name, missing, unheard[c.Name])
		}
	}
}

// checkLots: an ID belongs to one request, a request has as many as it asked for, every answer to it names the
// same, and the ledger has just those.
func checkLots(r *record, found func(string, ...any)) {
	type request struct{ user, name string }
	ledger, count := map[request][]string{}, map[request]int{}
	owner := map[string]request{}
	seqs := map[time.Time]int64{}
	for _, l := range r.tables.ledger {
		q := request{l.User, l.Request}
		ledger[q] = append(ledger[q], l.ID)
		if other, twice := owner[l.ID]; twice {
			found("%s was given to %v and to %v", l.ID, other, q)
		}
		owner[l.ID] = q
		if seqs[l.Date]++; l.Seq != seqs[l.Date] {
			found("the ledger of %s has number %d after %d", l.Date.Format(time.DateOnly), l.Seq, seqs[l.Date]-1)
			seqs[l.Date] = l.Seq
		}
	}
	for _, a := range r.lots {
		q := request{a.user, a.request}
		count[q] = a.count
		if a.outcome == ok && !slices.Equal(a.ids, ledger[q]) {
			found("%v was answered %v, and the ledger has %v", q, a.ids, ledger[q])
		}
	}
	for q, ids := range ledger {
		if len(ids) != count[q] {
			found("%v asked for %d IDs and has %d", q, count[q], len(ids))
		}
	}
}
