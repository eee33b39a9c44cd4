package main

import "time"

// hold is one grant, from its row to the one that ended it.
type hold struct {
	user, session string
	from, to      time.Time // to: when it ended, or was to end
	ended         string    // the event; "" if it goes on
}

// holdsOf are the holds of an item, by token.
func holdsOf(rows []past) map[int64]hold {
	all := map[int64]hold{}
	for _, p := range rows {
		h := all[p.Token]
		switch p.Event {
		case "OCCUPIED", "TAKEN_OVER":
			if before, is := all[p.Token-1]; is && before.ended == "" {
				before.to, before.ended = p.At, p.Event
				all[p.Token-1] = before
			}
			h = hold{user: p.User, session: p.Session, from: p.At}
		case "FREED":
			h.to, h.ended = p.At, p.Event
		case "EXPIRED":
			h.to, h.ended = p.Expire, p.Event
		}
		all[p.Token] = h
	}
	return all
}

// checkHolders holds every answer that made somebody a holder against the holds of the history, which
// must not overlap: at that instant, by the database's clock, it was theirs and nobody else's.
func checkHolders(r *record, found func(string, ...any)) {
	holds := map[item]map[int64]hold{}
	for i, rows := range r.tables.histories() {
		holds[i] = holdsOf(rows)
		for token, h := range holds[i] {
			if before, is := holds[i][token-1]; is && h.from.Before(before.to) {
				found("%v: token %d began at %s, when %s still held it until %s", i, token, h.from, before.user, before.to)
			}
		}
	}
	for _, o := range r.ops {
		if o.outcome != ok || !writes[o.code] || o.code == "FREED" {
			continue
		}
		for _, s := range o.seen {
			h, is := holds[s.item()][s.Token]
			at := s.UpdatedAt
			if !is || h.user != o.user || h.session != o.session || at.Before(h.from) || h.ended != "" && at.After(h.to) {
				found("call %d was told at %s that %s holds %v with token %d, which is %+v", o.id, at, o.user, s.item(), s.Token, h)
			}
		}
	}
}

// checkExpiries: no hold is ended twice, none runs out before the last end that its holder was told.
func checkExpiries(r *record, found func(string, ...any)) {
	type grant struct {
		item  item
		token int64
	}
	told := map[grant]time.Time{}
	for _, o := range r.ops {
		if o.outcome != ok || !writes[o.code] || o.code == "FREED" {
			continue
		}
		for _, s := range o.seen {
			if g := (grant{s.item(), s.Token}); s.ExpireTime.After(told[g]) {
				told[g] = s.ExpireTime
			}
		}
	}
	ends := map[grant]int{}
	for _, p := range r.tables.history {
		g := grant{p.item(), p.Token}
		if p.State == "OCCUPIED" {
			continue
		}
		if ends[g]++; ends[g] > 1 {
			found("%v: the hold with token %d ended %d times", g.item, g.token, ends[g])
		}
		if p.Event == "EXPIRED" && p.Expire.Before(told[g]) {
			found("%v: token %d ran out at %s, and its holder was told %s", g.item, g.token, p.Expire, told[g])
		}
	}
}
