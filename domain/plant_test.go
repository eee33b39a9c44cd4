package domain

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// plant is several gateways on one database, of which what is written comes by
// the feed, and renewals by the bell, as in the real one.
type plant struct {
	t        *testing.T
	store    *memory
	feed     *fakeFeed
	bells    []*relay
	gateways []*Service
}

// relay is a bell that hands on at once, or drops.
type relay struct {
	NoBell
	plant *plant

	mu   sync.Mutex
	hear func([]*Change, bool)
	deaf bool // nothing gets here
}

func (b *relay) Tell(renewed []*Change) {
	for _, other := range b.plant.bells {
		if other == b {
			continue
		}
		other.mu.Lock()
		hear, deaf := other.hear, other.deaf
		other.mu.Unlock()
		if hear != nil && !deaf {
			hear(renewed, false)
		}
	}
}

func (b *relay) Listen(hear func([]*Change, bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hear = hear
}

// Rings are not carried: every gateway is rung by whatever is written.
func (p *plant) committed(by int, done []Transition) {
	tx := p.feed.begin()
	var renewed []*Change
	for _, next := range done {
		c := &Change{Kind: KindRenewed, Event: next.Event, Occupancy: next.Occupancy, At: next.UpdatedAt, TxID: tx}
		if next.Event == "" {
			renewed = append(renewed, c)
			continue
		}
		c.Kind = KindChanged
		p.feed.append(c)
	}
	p.feed.commit(tx)
	for _, g := range p.gateways {
		if len(renewed) < len(done) {
			g.Hub.Ring()
		}
	}
	if len(renewed) > 0 {
		p.gateways[by].Hub.Renewed(renewed)
	}
}

// storeOf is the store as one gateway has it: what it commits it tells.
type storeOf struct {
	*memory
	plant *plant
	by    int
	away  atomic.Bool
}

func (s *storeOf) Update(ctx context.Context, u Update) error {
	if s.away.Load() {
		return ErrUnavailable
	}
	var written []Transition
	s.updating.Lock()
	s.memory.committed = func(done []Transition) { written = done }
	err := s.memory.Update(ctx, u)
	s.updating.Unlock()
	if err == nil && len(written) > 0 {
		s.plant.committed(s.by, written)
	}
	return err
}

// newPlant runs n gateways, in a bubble, until the test ends.
func newPlant(t *testing.T, n int) *plant {
	t.Helper()
	p := &plant{t: t, feed: newFeed()}
	_, p.store = newService(t)
	var ticks atomic.Int64
	p.store.now = func() time.Time { return time.Now().Add(time.Duration(ticks.Add(1))) }
	p.feed.now = p.store.now
	p.feed.rowsNow = func() (rows []Occupancy) {
		p.store.mu.Lock()
		defer p.store.mu.Unlock()
		for _, o := range p.store.rows {
			rows = append(rows, o.Seen(time.Now()))
		}
		return rows
	}
	for range n {
		p.bells = append(p.bells, &relay{plant: p})
	}
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	for i, bell := range p.bells {
		hub := NewHub(p.feed, bell)
		s, _ := newService(t, func(c *ServiceConfig) {
			c.Store, c.Feed, c.Hub = &storeOf{memory: p.store, plant: p, by: i}, p.feed, hub
		})
		p.gateways = append(p.gateways, s)
		running.Go(func() { hub.Run(ctx) })
	}
	t.Cleanup(func() { stop(); running.Wait() })
	return p
}

// sweep expires what is overdue, as the first gateway's job would.
func (p *plant) sweep() {
	p.t.Helper()
	if _, err := (&Sweeper{Store: p.gateways[0].Store}).RunOnce(context.Background()); err != nil {
		p.t.Fatal(err)
	}
}

// row is an item as it is stored.
func (p *plant) row(key ItemKey) Occupancy {
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	return p.store.row(key)
}
