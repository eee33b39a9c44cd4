package main

import (
	"cmp"
	"slices"
	"time"
)

// led is how a row may come after another: by its event, the states before and after, and whether the
// user, and the hold, stay.
var led = map[string]struct {
	from     []string
	to       string
	sameUser bool
	sameHold bool
}{
	"OCCUPIED":   {[]string{"", "FREE", "EXPIRED"}, "OCCUPIED", false, false},
	"REENTERED":  {[]string{"OCCUPIED"}, "OCCUPIED", true, true},
	"TAKEN_OVER": {[]string{"OCCUPIED"}, "OCCUPIED", true, false},
	"FREED":      {[]string{"OCCUPIED"}, "FREE", true, true},
	"EXPIRED":    {[]string{"OCCUPIED"}, "EXPIRED", true, true},
}

func checkTransitions(r *record, found func(string, ...any)) {
	if r.tables.faults != "" {
		found("-verify: %s", r.tables.faults)
	}
	for i, rows := range r.tables.histories() {
		var was past
		for n, p := range rows {
			how, known := led[p.Event]
			switch {
			case p.Version != int64(n)+1:
				found("%v: version %d comes after %d", i, p.Version, was.Version)
			case !known || p.State != how.to || !slices.Contains(how.from, was.State):
				found("%v version %d: %s from %q to %s", i, p.Version, p.Event, was.State, p.State)
			case how.sameUser && p.User != was.User || how.sameHold && !p.Start.Equal(was.Start):
				found("%v version %d: %s by %s of a hold by %s", i, p.Version, p.Event, p.User, was.User)
			case p.At.Before(was.At):
				found("%v version %d was written before version %d", i, p.Version, was.Version)
			}
			was = p
		}
	}
}

func checkTokens(r *record, found func(string, ...any)) {
	for i, rows := range r.tables.histories() {
		token := int64(0)
		for _, p := range rows {
			if p.Event == "OCCUPIED" || p.Event == "TAKEN_OVER" {
				token++
			}
			if p.Token != token {
				found("%v version %d: token %d, want %d", i, p.Version, p.Token, token)
			}
		}
	}
	for _, o := range r.ops {
		for _, s := range o.seen {
			if rows := r.rowsOf(s.item()); o.outcome == ok && (s.Version < 0 || s.Version > int64(len(rows))) {
				found("call %d was shown %v at version %d of %d", o.id, s.item(), s.Version, len(rows))
			}
		}
	}
}

func checkItems(r *record, found func(string, ...any)) {
	histories := r.tables.histories()
	for _, p := range r.tables.items {
		rows := histories[p.item()]
		delete(histories, p.item())
		if len(rows) == 0 {
			found("%v has no history", p.item())
			continue
		}
		last := rows[len(rows)-1]
		if last.State != p.State || last.User != p.User || last.Session != p.Session || last.Token != p.Token ||
			last.Version != p.Version || p.Renewals < last.Renewals {
			found("%v is %+v, and its last row is %+v", p.item(), p, last)
		}
	}
	for i := range histories {
		found("%v has a history and is no item", i)
	}
}

// rowsOf are the rows of an item, by version.
func (r *record) rowsOf(i item) []past {
	from, _ := slices.BinarySearchFunc(r.tables.history, i, func(p past, i item) int { return compareItems(p.item(), i) })
	to := from
	for to < len(r.tables.history) && r.tables.history[to].item() == i {
		to++
	}
	return r.tables.history[from:to]
}

// rowAt is the row of a version; nil if there is none.
func (r *record) rowAt(i item, version int64) *past {
	rows := r.rowsOf(i)
	if version < 1 || version > int64(len(rows)) {
		return nil
	}
	return &rows[version-1]
}

// events are those of the rows that a code stands for.
var events = map[string]string{"GRANTED": "OCCUPIED", "REENTERED": "REENTERED", "TAKEN_OVER": "TAKEN_OVER", "FREED": "FREED"}

func checkAnswered(r *record, found func(string, ...any)) {
	for _, o := range r.ops {
		if o.outcome != ok || o.verb == look {
			continue
		}
		for _, s := range o.seen {
			row := r.rowAt(s.item(), s.Version)
			event := events[o.code]
			switch {
			case s.Version == 0 && o.verb != occupy:
				continue // given back what was never held
			case row == nil:
				found("call %d was answered %s of %v, and version %d is not in the history", o.id, o.code, s.item(), s.Version)
			case row.Token != s.Token || row.User != s.UserID || row.Session != s.Session:
				found("call %d was answered %+v, and the history has %+v", o.id, s, *row)
			case len(o.items) > 1 && callOf(row.Screen) != o.id,
				len(o.items) == 1 && event != "" && row.Event != event && !(s.ItemType == "SLOT" && o.code == "REENTERED"),
				o.tells() && callOf(row.Screen) != o.id:
				found("call %d was answered %s of %v, and version %d is %s from %s", o.id, o.code, s.item(), s.Version, row.Event, row.Screen)
			}
		}
	}
}

// checkCauses looks for rows that nobody asked for.
func checkCauses(r *record, found func(string, ...any)) {
	calls, frees := map[int64]*op{}, map[item][]*op{}
	for _, o := range r.ops {
		calls[o.id] = o
		for _, i := range o.items {
			if o.verb == free || i.Type == "SLOT" {
				frees[i] = append(frees[i], o)
			}
		}
	}
	for _, p := range r.tables.history {
		switch {
		case p.Event == "EXPIRED":
			if p.At.Before(p.Expire) {
				found("%v version %d ran out at %s and ended at %s", p.item(), p.Version, p.At, p.Expire)
			}
		case p.Event == "FREED" || p.Type == "SLOT":
			if !slices.ContainsFunc(frees[p.item()], func(o *op) bool { return o.mayHaveWritten(p) }) {
				found("%v version %d: nobody's call is the cause of %s by %s", p.item(), p.Version, p.Event, p.User)
			}
		default:
			o := calls[callOf(p.Screen)]
			if o == nil || o.verb != occupy || !slices.Contains(o.items, p.item()) || !o.mayHaveWritten(p) {
				found("%v version %d: no call is the cause of %s from %q", p.item(), p.Version, p.Event, p.Screen)
			}
		}
	}
}

// clockSlack is what the clock of this program and of the database, which are one, may differ by in rounding.
const clockSlack = time.Millisecond

// mayHaveWritten tells whether a call was one that could write the row, when it was written, and was not
// answered otherwise.
func (o *op) mayHaveWritten(p past) bool {
	verbs := map[string]verb{"OCCUPIED": occupy, "REENTERED": occupy, "TAKEN_OVER": occupy, "FREED": free}
	intime := o.call.Add(-clockSlack).Before(p.At) && (o.outcome == unknown || p.At.Before(o.back.Add(clockSlack)))
	return o.verb == verbs[p.Event] && o.user == p.User && intime && (o.outcome == ok || o.outcome == unknown)
}

// checkUndone looks for rows of calls of which the caller was told that nothing was changed.
func checkUndone(r *record, found func(string, ...any)) {
	wrote := rowsByCall(r)
	for _, o := range r.ops {
		if rows := wrote[o.id]; len(rows) > 0 && (o.outcome == undone || o.outcome == refused) {
			found("call %d is %s %s, and has written %d rows", o.id, o.outcome, o.code, len(rows))
		}
	}
}

func checkAllOrNone(r *record, found func(string, ...any)) {
	wrote := rowsByCall(r)
	for _, o := range r.ops {
		rows := wrote[o.id]
		if len(rows) > 0 && len(rows) != len(o.items) {
			found("call %d is about %d items, and has written %d", o.id, len(o.items), len(rows))
		}
		transactions := map[int64]bool{}
		for _, p := range rows {
			transactions[p.Tx] = true
		}
		if len(transactions) > 1 {
			found("call %d was written by %d transactions", o.id, len(transactions))
		}
	}
}

func compareItems(a, b item) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
}
