package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// generation is how long the same items are asked for: few enough calls an item for porcupine to order them.
	generation = 5 * time.Second
	// itemsAtOnce are the items of a generation, and slotsAtOnce its slots.
	itemsAtOnce, slotsAtOnce = 16, 4
	// think is how long a user thinks at most between two calls.
	think = 600 * time.Millisecond
)

// user is one window of somebody: two windows have the same user id.
type user struct {
	*caller
	rig     *rig
	random  *rand.Rand
	session string
	begun   time.Time
	gateway int            // whom they ask
	held    map[item]int64 // what they believe to hold, and by which token
	drawn   int
}

func newUser(r *rig, n int, seed uint64, begun time.Time) *user {
	return &user{newCaller(fmt.Sprint("user-", n/2)), r, rand.New(rand.NewPCG(seed, uint64(n))), string(rune('A' + n%2)),
		begun, n % len(r.gateways), map[item]int64{}, 0}
}

// work asks one thing after the other until ctx ends; what is asked then is still answered.
func (u *user) work(ctx context.Context) {
	defer u.client.CloseIdleConnections()
	for ctx.Err() == nil {
		switch dice := u.random.IntN(100); {
		case dice < 4:
			u.drawValues()
		case dice < 8:
			u.drawLots()
		default:
			u.do(u.choose(dice))
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(u.random.Int64N(int64(think)))):
		}
	}
}

// choose makes up a call.
func (u *user) choose(dice int) *op {
	o := &op{user: u.user, session: u.session, verb: occupy, items: []item{u.some()}}
	mine := u.mine()
	switch {
	case dice < 18:
		for range 1 + u.random.IntN(3) {
			if i := u.some(); i.Type != "SLOT" && o.items[0].Type != "SLOT" && !slices.Contains(o.items, i) {
				o.items = append(o.items, i)
			}
		}
	case dice < 25:
		o.verb = look
	case dice < 45:
		o.verb = renew
	case dice < 60:
		o.verb = free
	}
	o.takeOver = o.verb == occupy && u.random.IntN(4) == 0
	if (o.verb == renew || o.verb == free) && len(mine) > 0 && u.random.IntN(10) > 0 {
		o.items[0] = mine[u.random.IntN(len(mine))]
		if u.random.IntN(2) == 0 && o.items[0].Type != "SLOT" {
			o.token = u.held[o.items[0]]
		}
	}
	if o.verb == occupy || o.verb == renew {
		o.ttl = time.Duration(1+u.random.IntN(3)) * time.Second
		if u.random.IntN(8) == 0 {
			o.ttl = 6 * time.Second
		}
	}
	return o
}

// some is an item of this generation.
func (u *user) some() item {
	now := int(time.Since(u.begun) / generation)
	if n := u.random.IntN(itemsAtOnce + slotsAtOnce); n < itemsAtOnce {
		return item{[]string{"LOT", "MASK"}[n%2], fmt.Sprintf("G%d-%d", now, n)}
	}
	return item{"SLOT", fmt.Sprintf("g%d-%d", now, u.random.IntN(slotsAtOnce))}
}

// mine are the items that the user believes to hold, in an order that the seed repeats.
func (u *user) mine() (mine []item) {
	for i := range u.held {
		mine = append(mine, i)
	}
	slices.SortFunc(mine, compareItems)
	return mine
}

// do asks, notes what came of it, and goes to another gateway if this one did not answer.
func (u *user) do(o *op) {
	o.id, o.gateway = u.rig.rec.ids.Add(1), u.gateway
	u.note(u.perform(context.Background(), u.address(), o))
	add(u.rig.rec, &u.rig.rec.ops, o)
	u.failOver(o.outcome)
	for _, s := range o.seen {
		if s.State == "OCCUPIED" && s.UserID == u.user && s.Session == u.session {
			u.held[s.item()] = s.Token
		} else {
			delete(u.held, s.item())
		}
	}
}

func (u *user) address() string { return u.rig.gateways[u.gateway].at() }

func (u *user) note(strange string) {
	if strange != "" {
		add(u.rig.rec, &u.rig.rec.strange, strange)
	}
}

func (u *user) failOver(o outcome) {
	if o == undone || o == unknown {
		u.gateway = (u.gateway + 1) % len(u.rig.gateways)
	}
}

// cached and plain are sequences, with caching and without.
const cached, plain = "CACHED", "PLAIN"

func (u *user) drawValues() {
	d := draw{name: []string{cached, plain}[u.random.IntN(2)], count: int64(1 + u.random.IntN(3))}
	var got struct {
		Epoch, First, Last int64 `json:",string"`
	}
	var strange string
	d.outcome, strange = u.ask(context.Background(), u.address(),
		"mutation($name: String!, $count: Int!) { nextVal(name: $name, count: $count) { epoch first last } }",
		map[string]any{"name": d.name, "count": d.count}, &got)
	u.note(strange)
	d.epoch, d.first, d.last = got.Epoch, got.First, got.Last
	add(u.rig.rec, &u.rig.rec.draws, d)
	u.failOver(d.outcome)
}

// drawLots asks for LOT IDs, and, as long as no answer comes, for the same again, of another gateway.
func (u *user) drawLots() {
	u.drawn++
	l := lots{user: u.user, request: fmt.Sprint(u.session, u.drawn), count: 1 + u.random.IntN(3)}
	for try := range 10 {
		var got struct{ IDs []string }
		var strange string
		l.outcome, strange = u.ask(context.Background(), u.address(),
			"mutation($count: Int!, $request: String!) { nextLotIds(input: {count: $count, requestId: $request}) { ids } }",
			map[string]any{"count": l.count, "request": l.request}, &got)
		u.note(strange)
		l.ids = got.IDs
		add(u.rig.rec, &u.rig.rec.lots, l)
		u.failOver(l.outcome)
		if l.outcome == ok {
			return
		}
		time.Sleep(time.Duration(try) * 50 * time.Millisecond)
	}
}
