package main

import (
	"fmt"
	"time"
)

// fake is an honest program in a few lines, and records what it is asked, so that checkers can be shown a
// record that is whole, and the same with something planted in it.
type fake struct {
	record
	now   time.Time
	items map[item]*present
	since map[item]time.Time
	ids   int64
	tx    int64
}

func newFake() *fake {
	return &fake{now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), items: map[item]*present{}, since: map[item]time.Time{}}
}

// took is how long half a call takes.
const took = time.Millisecond

// call begins a call, and comes to the moment in which it is decided.
func (f *fake) call(v verb, user, session string, items ...item) *op {
	f.ids++
	f.tx++
	o := &op{id: f.ids, verb: v, user: user, session: session, items: items, call: f.now, outcome: ok}
	f.ops = append(f.ops, o)
	f.now = f.now.Add(took)
	return o
}

func (f *fake) answer(o *op, code string) *op {
	o.code = code
	for _, i := range o.items {
		p := f.items[i]
		o.seen = append(o.seen, occupancy{ItemType: i.Type, ItemName: i.Name, State: p.State, UserID: p.User, Session: p.Session, Token: p.Token,
			Version: p.Version, Renewals: p.Renewals, StartTime: f.since[i], ExpireTime: p.Expire, UpdatedAt: f.now})
	}
	f.now = f.now.Add(took)
	o.back = f.now
	return o
}

func (f *fake) write(o *op, i item, event string) {
	p := f.items[i]
	p.Version++
	screen := ""
	if o != nil && o.tells() {
		screen = o.screen()
	}
	f.tables.history = append(f.tables.history, past{Type: i.Type, Name: i.Name, State: p.State, Event: event, User: p.User, Session: p.Session,
		Screen: screen, Start: f.since[i], Expire: p.Expire, At: f.now, Token: p.Token, Version: p.Version, Renewals: p.Renewals, Tx: f.tx})
}

func (f *fake) grant(user, session string, ttl time.Duration, items ...item) *op {
	o := f.call(occupy, user, session, items...)
	o.ttl = ttl
	for _, i := range items {
		if f.items[i] == nil {
			f.items[i] = &present{Type: i.Type, Name: i.Name}
		}
		p := f.items[i]
		p.State, p.User, p.Session, p.Expire, p.Renewals, f.since[i] = "OCCUPIED", user, session, f.now.Add(ttl), 0, f.now
		p.Token++
		f.write(o, i, "OCCUPIED")
	}
	return f.answer(o, "GRANTED")
}

func (f *fake) deny(user string, i item) *op {
	o := f.call(occupy, user, "A", i)
	o.ttl, o.outcome = time.Second, refused
	return f.answer(o, "HELD")
}

func (f *fake) renew(user, session string, ttl time.Duration, i item) *op {
	o := f.call(renew, user, session, i)
	o.ttl = ttl
	f.items[i].Expire = f.now.Add(ttl)
	f.items[i].Renewals++
	return f.answer(o, "RENEWED")
}

func (f *fake) free(user, session string, i item) *op {
	o := f.call(free, user, session, i)
	f.items[i].State = "FREE"
	f.write(o, i, "FREED")
	return f.answer(o, "FREED")
}

func (f *fake) look(i item) *op { return f.answer(f.call(look, "kim", "A", i), "") }

// expire waits until the hold has run out, and writes that down.
func (f *fake) expire(i item) {
	f.now = f.items[i].Expire.Add(100 * time.Millisecond)
	f.items[i].State = "EXPIRED"
	f.write(nil, i, "EXPIRED")
}

var one, two, slot = item{"LOT", "1"}, item{"LOT", "2"}, item{"SLOT", "s"}

// whole is a record in which every promise was kept. Its calls are known by their place.
func whole() *record {
	f := newFake()
	f.grant("kim", "A", 2*time.Second, one)    // 0: version 1
	f.deny("lee", one)                         // 1
	f.renew("kim", "A", 3*time.Second, one)    // 2
	f.look(one)                                // 3
	f.free("kim", "A", one)                    // 4: version 2
	f.grant("lee", "A", time.Second, one, two) // 5: version 3, and 1 of the other
	f.expire(one)                              // version 4
	f.expire(two)                              // version 2 of the other
	f.grant("kim", "B", time.Second, one)      // 6: version 5
	f.grant("svc", "A", time.Second, slot)     // 7
	f.free("svc", "A", slot)                   // 8
	f.expire(one)                              // version 6
	for _, p := range []item{one, two, slot} {
		f.tables.items = append(f.tables.items, *f.items[p])
	}
	f.sortHistory()
	f.addDraws()
	f.subscriptions = []subscription{f.watched(1), f.watched(2)}
	f.fresh, f.last = make([]vitals, 1), make([]vitals, 1)
	f.episodes = []episode{{"kill -9", 0, f.ops[0].call, f.ops[0].call}}
	return &f.record
}

func (f *fake) sortHistory() {
	var sorted []past
	for _, p := range f.tables.items {
		for _, h := range f.tables.history {
			if h.item() == p.item() {
				sorted = append(sorted, h)
			}
		}
	}
	f.tables.history = sorted
}

// watched is what a subscriber is told over so many connections, each of which begins with the last change again.
func (f *fake) watched(lives int) (s subscription) {
	for n, p := range f.tables.history {
		v := sight{1, p.item(), p.Version, p.State, false}
		if lives > 1 && n >= len(f.tables.history)/2 {
			if v.life = 2; n == len(f.tables.history)/2 {
				again := s.sights[n-1]
				again.life = 2
				s.sights = append(s.sights, again)
			}
		}
		s.sights = append(s.sights, v)
	}
	return s
}

func (f *fake) addDraws() {
	f.draws = []draw{{plain, 2, 1, 1, 2, ok}, {plain, 1, 0, 0, 0, unknown}, {plain, 1, 1, 4, 4, ok}, {cached, 2, 1, 1, 2, ok}}
	f.tables.counters = []counter{{cached, 1, 20}, {plain, 1, 4}}
	f.tables.gaps = []span{{cached, 1, 3, 20, "STOPPED"}}
	f.lots = []lots{{"kim", "q1", 2, nil, unknown}, {"kim", "q1", 2, []string{"L1", "L2"}, ok}, {"lee", "q1", 1, []string{"L3"}, ok}}
	for n, user := range []string{"kim", "kim", "lee"} {
		f.tables.ledger = append(f.tables.ledger, ledgered{fmt.Sprint("L", n+1), user, "q1", time.Time{}, int64(n + 1)})
	}
}
