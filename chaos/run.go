package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// options say what to do.
type options struct {
	seed                         uint64
	total                        time.Duration
	gateways, users, subscribers int
	pooler                       bool
	binary, folder               string // the gateway's, and where logs go
}

// settleWithin is how long everybody may take, after the last fault, to have seen everything.
const settleWithin = 20 * time.Second

// run has the faults under load, and gives all that was recorded.
func run(ctx context.Context, o options, log io.Writer) (_ *record, err error) {
	rec := &recorder{}
	r, err := newRig(ctx, o, rec)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := r.close(); err == nil {
			err = closed
		}
	}()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	watching, leave := context.WithCancel(ctx)
	defer leave()
	panels, gone := r.subscribe(watching, o.subscribers)
	r.load(ctx, o, log)
	if err := r.settle(ctx, panels, log); err != nil {
		return nil, err
	}
	leave()
	gone.Wait()
	for _, p := range panels {
		rec.subscriptions = append(rec.subscriptions, p.seen)
	}
	return &rec.record, r.examine(ctx)
}

// prepare makes a cached sequence, and an item that panels see, for a cursor to go on after.
func (r *rig) prepare(ctx context.Context) error {
	c := newCaller("user-0")
	var done struct{ OK bool }
	if out, strange := c.ask(ctx, r.gateways[0].at(), `mutation { setSequenceCache(name: "`+cached+`", size: 20) { ok } }`, nil, &done); out != ok {
		return fmt.Errorf("a sequence with caching: %s %s", out, strange)
	}
	o := &op{id: r.rec.ids.Add(1), verb: occupy, user: c.user, session: "A", ttl: time.Second, items: []item{{"LOT", "FIRST"}}}
	if strange := c.perform(ctx, r.gateways[0].at(), o); o.outcome != ok {
		return fmt.Errorf("the first occupy: %s %s", o.outcome, strange)
	}
	add(r.rec, &r.rec.ops, o)
	return nil
}

// subscribe starts panels, and waits until each has seen something.
func (r *rig) subscribe(ctx context.Context, n int) (panels []*subscriber, gone *sync.WaitGroup) {
	gone = &sync.WaitGroup{}
	for i := range n {
		p := &subscriber{rig: r, n: i, gateway: i % len(r.gateways), last: map[item]int64{}}
		panels = append(panels, p)
		gone.Go(func() { p.live(ctx) })
	}
	for _, p := range panels {
		for p.heard.Load() == 0 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return panels, gone
}

// load has users at work while the faults take their courses, and for a while after.
func (r *rig) load(ctx context.Context, o options, log io.Writer) {
	working, rest := context.WithCancel(ctx)
	begun := time.Now()
	var users, courses sync.WaitGroup
	for n := range o.users {
		u := newUser(r, n, o.seed, begun)
		users.Go(func() { u.work(working) })
	}
	for _, course := range plan(o.seed, o.total, len(r.gateways)) {
		courses.Go(func() { r.suffer(ctx, course, begun, log) })
	}
	courses.Wait()
	last(ctx, 3*time.Second)
	rest()
	users.Wait()
}

// suffer has the faults of one course, each at its time, or as soon after as the one before is over.
func (r *rig) suffer(ctx context.Context, course []planned, begun time.Time, log io.Writer) {
	for _, p := range course {
		last(ctx, time.Until(begun.Add(p.at)))
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintln(log, p)
		var g *gateway
		if p.target >= 0 {
			g = r.gateways[p.target]
		}
		e := episode{fault: p.fault.name, gateway: p.target, from: time.Now()}
		if err := p.fault.have(ctx, r, g, p.length); err != nil {
			add(r.rec, &r.rec.strange, fmt.Sprintf("%s: %v", p, err))
		}
		e.over = time.Now()
		add(r.rec, &r.rec.episodes, e)
	}
}

// settle waits until what has run out is swept, and every panel has seen all there is.
func (r *rig) settle(ctx context.Context, panels []*subscriber, log io.Writer) error {
	begun := time.Now()
	err := r.poll(ctx, settleWithin, `SELECT count(*) FROM ct_occupy_item WHERE state = 'OCCUPIED'
		AND (item_type <> 'SLOT' OR item_name NOT LIKE 'job:%')`, func(n int) bool { return n == 0 })
	if err != nil {
		return err
	}
	t, err := readTables(ctx, r.stack.DatabaseURL(database))
	if err != nil {
		return err
	}
	for _, p := range panels {
		for !p.has(t.items) && time.Since(begun) < settleWithin && ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
	fmt.Fprintf(log, "settled after %s\n", time.Since(begun).Round(10*time.Millisecond))
	return ctx.Err()
}

// examine reads all there is to know once nobody asks any more.
func (r *rig) examine(ctx context.Context) (err error) {
	for n, g := range r.gateways {
		for range 50 { // connections that were just left take a moment to be noticed
			if r.rec.last[n], err = vitalsOf(g.at()); err != nil {
				return err
			}
			if r.rec.last[n].goroutines <= r.rec.fresh[n].goroutines+moreGoroutines {
				break
			}
			last(ctx, 100*time.Millisecond)
		}
	}
	if err := r.stopGateways(ctx); err != nil {
		return err
	}
	if r.rec.tables, err = readTables(ctx, r.stack.DatabaseURL(database)); err != nil {
		return err
	}
	r.rec.tables.faults = r.verify(ctx)
	return nil
}
