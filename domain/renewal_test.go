package domain

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// watching is a subscriber who wants renewals.
func (p *plant) watching(gateway int, w Watch) *Subscription {
	p.t.Helper()
	w.Renewals = true
	sub := must(p.gateways[gateway].Watch(as("ann", RoleAnalyst), w))(p.t)
	p.t.Cleanup(sub.Close)
	return sub
}

// hears waits for what has been written to be told, and takes it, in short:
// "RENEWED LOT1 1.3".
func hears(t *testing.T, sub *Subscription) (short []string) {
	t.Helper()
	time.Sleep(2 * renewalsWait)
	synctest.Wait()
	for _, e := range must(sub.take())(t) {
		short = append(short, fmt.Sprintf("%s %s %d.%d", e.Kind, e.Occupancy.ItemName, e.Occupancy.Version, e.Occupancy.Renewals))
	}
	return short
}

func (p *plant) occupy(gateway int, name string) {
	p.t.Helper()
	must(p.gateways[gateway].Occupy(as("kim"), OccupyInput{ItemType: "LOT", ItemName: name}))(p.t)
}

func (p *plant) renew(gateway int, name string) {
	p.t.Helper()
	must(p.gateways[gateway].Renew(as("kim"), RenewInput{ItemType: "LOT", ItemName: name}))(p.t)
}

func (p *plant) free(gateway int, name string) {
	p.t.Helper()
	must(p.gateways[gateway].Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: name}))(p.t)
}

func TestRenewalsAreToldToThoseWhoWantThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		p.occupy(0, "LOT1")
		here, there := p.watching(0, Watch{}), p.watching(1, Watch{})
		plain := watch(t, p.gateways[0], nil, false)
		others := p.watching(0, Watch{Filter: &OccupancyFilter{ItemTypes: []string{"CST"}}})
		synctest.Wait() // whatever was rung is read
		p.renew(0, "LOT1")
		p.occupy(0, "LOT1") // a plain re-entry
		for name, sub := range map[string]*Subscription{"here": here, "there": there} {
			same(t, name+": the last of a moment", hears(t, sub), "RENEWED LOT1 1.2")
		}
		same(t, "plain", hears(t, plain))
		same(t, "of others", hears(t, others))
		p.renew(1, "LOT1")
		same(t, "again", hears(t, here), "RENEWED LOT1 1.3")
		time.Sleep(time.Second)
		synctest.Wait()
		events := must(there.take())(t)
		e, row := events[len(events)-1], p.row(lot1)
		is(t, "until", e.Occupancy.ExpireTime, row.ExpireTime)
		is(t, "at", e.At, row.UpdatedAt)
		if e.Previous != nil || e.Event != "" || e.Cursor() == "" {
			t.Errorf("%+v", e)
		}
	})
}

func TestNobodyIsAskedForRenewalsThatNobodyWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		p.occupy(0, "LOT1")
		plain := watch(t, p.gateways[0], nil, false)
		is(t, "listens", p.bells[0].hear != nil, false)
		subs := []*Subscription{p.watching(0, Watch{}), p.watching(0, Watch{})}
		is(t, "listens for two", p.bells[0].hear != nil, true)
		subs[0].Close()
		subs[0].Close()
		is(t, "listens for one", p.bells[0].hear != nil, true)
		subs[1].Close()
		is(t, "listens", p.bells[0].hear != nil, false)
		p.renew(0, "LOT1")
		waiting, missed := p.gateways[0].Hub.renewals.take()
		is(t, "waiting", len(waiting) == 0 && !missed, true)
		same(t, "plain", hears(t, plain))
	})
}

// A renewal is told after the change that it comes after and before none that
// comes after it, however late either is known.
func TestARenewalIsToldInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		sub := p.watching(1, Watch{Snapshot: true})
		p.feed.failWith(ErrUnavailable)
		p.occupy(0, "LOT1")
		p.renew(0, "LOT1")
		same(t, "the feed is behind", hears(t, sub))
		p.feed.failWith(nil)
		time.Sleep(pollEvery)
		same(t, "first the change", hears(t, sub), "CHANGED LOT1 1.0", "RENEWED LOT1 1.1")

		late := &Change{Kind: KindRenewed, Occupancy: p.row(lot1), At: p.row(lot1).UpdatedAt, TxID: p.feed.begin()}
		late.Occupancy.Renewals++
		p.feed.commit(late.TxID)
		p.free(0, "LOT1")
		same(t, "it is free", hears(t, sub), "CHANGED LOT1 2.1")
		p.gateways[1].Hub.hear([]*Change{late}, false)
		same(t, "what came before is not told after", hears(t, sub))
	})
}

func TestARenewalThatASnapshotHasIsNotToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		other := p.watching(0, Watch{}) // for whom it is collected
		p.occupy(0, "LOT1")
		p.renew(0, "LOT1")
		sub := p.watching(0, Watch{Snapshot: true})
		same(t, "told", hears(t, sub), "SNAPSHOT LOT1 1.1")
		same(t, "the other", hears(t, other), "CHANGED LOT1 1.0", "RENEWED LOT1 1.1")
	})
}

// Redis was away: those who want renewals are told how the rows are now, but for
// what they know.
func TestAGapInTheRenewalsIsMadeGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		sub := p.watching(1, Watch{Snapshot: true})
		for _, name := range []string{"LOT1", "LOT2", "LOT3"} {
			p.occupy(0, name)
		}
		p.renew(0, "LOT1")
		hears(t, sub)
		p.bells[1].deaf = true
		p.renew(0, "LOT2")
		p.renew(0, "LOT2")
		p.free(0, "LOT3")
		same(t, "deaf", hears(t, sub), "CHANGED LOT3 2.0")
		p.bells[1].deaf = false
		p.gateways[1].Hub.hear(nil, true)
		same(t, "made good", hears(t, sub), "RENEWED LOT2 1.2")

		p.renew(0, "LOT2")
		time.Sleep(2 * renewalsLate) // it is known long after
		late := &Change{Kind: KindRenewed, Occupancy: p.row(lots("LOT2")[0]), At: p.row(lots("LOT2")[0]).UpdatedAt, TxID: 5}
		p.gateways[1].Hub.hear([]*Change{late}, false)
		same(t, "known in time, too", hears(t, sub), "RENEWED LOT2 1.3")
	})
}

// readRowsBy has rows be read by so many.
func (h *Hub) readRowsBy(n int) {
	h.reading.Lock()
	defer h.reading.Unlock()
	h.readAgain.atOnce = n
}

// More rows are occupied than are read at once: changes have their turn meanwhile, and
// in the end each is as it is. What is missed meanwhile is made good after that.
func TestALargeGapIsMadeGoodPieceByPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		const items, atOnce = 100, 7
		hub := p.gateways[1].Hub
		hub.readRowsBy(atOnce)
		sub := p.watching(1, Watch{})
		p.bells[1].deaf = true
		for i := range items {
			p.occupy(0, itoa(i))
			p.renew(0, itoa(i))
		}
		hears(t, sub)
		reads := p.feed.reads
		hub.hear(nil, true)
		is(t, "told", len(hears(t, sub)), items)
		if n := p.feed.reads - reads; n < 2*(items/atOnce) {
			t.Errorf("all of it in %d reads", n)
		}

		pieces := 0
		p.feed.around = func() {
			if pieces++; pieces == 10 { // one that was read before gets a shorter time, as a lost connection does
				p.store.mu.Lock()
				o := p.store.rows[lots("0")[0]]
				o.ExpireTime, o.Renewals = time.Now().Add(time.Second), o.Renewals+1
				p.store.rows[o.ItemKey] = o
				p.store.mu.Unlock()
				hub.hear(nil, true)
			}
		}
		hub.hear(nil, true)
		same(t, "what was missed meanwhile", hears(t, sub), "RENEWED 0 1.2")
	})
}

// What comes so late that nobody remembers what came after it is not told; the
// rows are read instead.
func TestARenewalThatComesFarTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 2)
		sub := p.watching(1, Watch{Snapshot: true})
		p.occupy(0, "LOT1")
		p.bells[1].deaf = true
		p.renew(0, "LOT1")
		stopped := &Change{Kind: KindRenewed, Occupancy: p.row(lot1), At: p.row(lot1).UpdatedAt, TxID: p.feed.next - 1}
		p.renew(0, "LOT1")
		hears(t, sub)
		time.Sleep(5 * renewalsLate)
		p.gateways[1].Hub.hear([]*Change{stopped}, false)
		same(t, "told", hears(t, sub), "RENEWED LOT1 1.2")
	})
}

// Rule 23: renewals are the first to be left out, and nobody is cut for them.
func TestASlowOneMissesRenewalsAndIsMadeGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlant(t, 1)
		hub := p.gateways[0].Hub
		slow, quick := p.watching(0, Watch{}), p.watching(0, Watch{})
		keys := make([]ItemKey, MaxQueue/2)
		for i := range keys {
			keys[i] = ItemKey{"CST", itoa(i)}
		}
		p.feed.change("kim", keys...)
		p.occupy(0, "LOT1")
		hears(t, quick)
		p.renew(0, "LOT1")
		same(t, "the quick one", hears(t, quick), "RENEWED LOT1 1.1")
		is(t, "subscribers", hub.Subscribers(), 2)
		is(t, "the slow one has the changes", len(must(slow.take())(t)), len(keys)+1)
		time.Sleep(pollEvery)
		same(t, "and then what it missed", hears(t, slow), "RENEWED LOT1 1.1")
		same(t, "the quick one knows", hears(t, quick))
	})
}

func TestTooManyRenewalsBecomeAGap(t *testing.T) {
	var r renewals
	many := make([]*Change, maxRenewals+1)
	for i := range many {
		many[i] = &Change{Kind: KindRenewed, Occupancy: Occupancy{ItemKey: ItemKey{"LOT", itoa(i)}}, TxID: 7}
	}
	is(t, "the first wakes", r.collect(many[:1], false), true)
	is(t, "the others need not", r.collect(many[:maxRenewals], false), false)
	r.collect(many, false)
	waiting, missed := r.take()
	if len(waiting) != 0 || !missed {
		t.Errorf("%d wait, missed %v", len(waiting), missed)
	}
}

// Any course of changes, renewals, gaps, reads that fail and subscribers that
// come: nobody is told anything older after newer, none of the changes is
// missing, and in the end everybody knows how each item is.
func TestRenewalsInAnyCourse(t *testing.T) {
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) { renewalsInOneCourse(t, seed) })
	}
}

func renewalsInOneCourse(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	p := newPlant(t, 2)
	for _, g := range p.gateways {
		g.Hub.readRowsBy(1 + int(seed%3))
	}
	type one struct {
		sub  *Subscription
		last map[ItemKey]stamp
	}
	var all []*one
	take := func(o *one) {
		for _, e := range must(o.sub.take())(t) {
			key, at := e.Occupancy.ItemKey, e.Occupancy.stamp()
			before, told := o.last[key]
			if told && before.after(at) || e.Kind == KindChanged && told && at.version != before.version+1 {
				t.Fatalf("seed %d: %s %s %v after %v", seed, e.Kind, key, at, before)
			}
			o.last[key] = at
		}
	}
	for range 120 {
		name, gateway := itoa(r.IntN(3)), r.IntN(2)
		switch r.IntN(12) {
		case 0, 1:
			p.occupy(gateway, name)
		case 2:
			p.free(gateway, name)
		case 3, 4, 5, 6:
			p.renew(gateway, name)
		case 7:
			p.feed.failWith([]error{nil, nil, ErrUnavailable}[r.IntN(3)])
		case 8:
			bell := p.bells[gateway]
			if bell.deaf = !bell.deaf; !bell.deaf {
				p.gateways[gateway].Hub.hear(nil, true)
			}
		case 9:
			sub, err := p.gateways[gateway].Watch(as("ann"), Watch{Snapshot: true, Renewals: true})
			if err == nil {
				all = append(all, &one{sub, map[ItemKey]stamp{}})
			}
		case 10:
			if len(all) > 0 {
				take(all[r.IntN(len(all))])
			}
		case 11:
			time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
		}
	}
	p.feed.failWith(nil)
	for i, bell := range p.bells {
		if bell.deaf {
			bell.deaf = false
			p.gateways[i].Hub.hear(nil, true)
		}
	}
	time.Sleep(3 * time.Second)
	synctest.Wait()
	for _, o := range all {
		take(o)
		for key := range o.last {
			if row := p.row(key); o.last[key] != row.stamp() {
				t.Fatalf("seed %d: %s is %v and was told %v", seed, key, row.stamp(), o.last[key])
			}
		}
		o.sub.Close()
	}
}
