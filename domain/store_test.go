package domain

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// memory is a Store in a map. It holds every row that is written against what
// is promised of every history, and runs each Decide twice, as a Store may.
type memory struct {
	t *testing.T
	// now is the database's clock.
	now func() time.Time
	// before is what others do just before the lock of an update is taken.
	before func()
	// fail says why an update can not be made; nil if it can.
	fail func(Update) error
	// committed is told what was written, while updating is held.
	committed func([]Transition)
	updating  sync.Mutex

	mu      sync.Mutex
	rows    map[ItemKey]Occupancy
	history []Transition
	updates int
	reads   int
}

var _ Store = (*memory)(nil)

func newMemory(t *testing.T) *memory {
	return &memory{t: t, now: func() time.Time { return noon }, rows: map[ItemKey]Occupancy{}}
}

// newService is the use cases on a store at noon, with a default TTL of 5
// minutes and a longest one of an hour.
func newService(t *testing.T, change ...func(*ServiceConfig)) (*Service, *memory) {
	store := newMemory(t)
	c := ServiceConfig{
		Store:    store,
		Limits:   Limits{DefaultTTL: 5 * time.Minute, MaxTTL: time.Hour},
		TimeZone: time.FixedZone("KST", 9*60*60),
	}
	for _, f := range change {
		f(&c)
	}
	return NewService(c), store
}

// put has rows be there already.
func (m *memory) put(rows ...Occupancy) {
	for _, o := range rows {
		m.rows[o.ItemKey] = o
	}
}

// at moves the database's clock to so many seconds after noon.
func (m *memory) at(seconds int) { m.now = func() time.Time { return after(seconds) } }

// events lists what happened to an item, oldest first.
func (m *memory) events(key ItemKey) (events []Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.history {
		if h.ItemKey == key {
			events = append(events, h.Event)
		}
	}
	return events
}

func (m *memory) row(key ItemKey) Occupancy {
	if o, known := m.rows[key]; known {
		return o
	}
	return Occupancy{ItemKey: key, State: StateFree}
}

func (m *memory) list(keys []ItemKey) (items []Occupancy) {
	for _, key := range keys {
		items = append(items, m.row(key))
	}
	return items
}

func (m *memory) Update(ctx context.Context, u Update) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.before != nil {
		m.before()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.updates++
	if m.fail != nil {
		if err := m.fail(u); err != nil {
			return err
		}
	}
	clock := m.now()
	u.Decide(clock, m.list(u.Keys))
	done := u.Decide(clock, m.list(u.Keys))
	for _, next := range done {
		m.write(u, next)
	}
	if m.committed != nil && len(done) > 0 {
		m.committed(done)
	}
	return nil
}

func (m *memory) write(u Update, next Transition) {
	from := m.row(next.ItemKey)
	if !slices.Contains(u.Keys, next.ItemKey) {
		m.t.Errorf("%s is written and not locked", next.ItemKey)
	}
	if from.Version == 0 && !u.MayGrant {
		m.t.Errorf("%s is made by a command that makes no rows", next.ItemKey)
	}
	if problem := stepProblem(from, next); problem != "" {
		m.t.Errorf("%s: %s\nfrom %+v\nto   %+v", next.ItemKey, problem, from, next)
	}
	m.rows[next.ItemKey] = next.Occupancy
	if next.Event != "" {
		m.history = append(m.history, next)
	}
}

func (m *memory) Read(ctx context.Context, keys []ItemKey) ([]Occupancy, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return m.list(keys), m.now(), ctx.Err()
}

func (m *memory) HeldBy(ctx context.Context, q HeldQuery) (keys []ItemKey, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, o := range m.rows {
		wanted := slices.Contains(q.ItemTypes, key.ItemType) || (q.ItemTypes == nil && key.ItemType != Slot)
		if wanted && o.UserID == q.UserID && o.Session == q.Session && o.heldAt(m.now()) && key.Compare(q.After) > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, ItemKey.Compare)
	return keys[:min(len(keys), q.Limit)], ctx.Err()
}

func (m *memory) Overdue(ctx context.Context, after OverdueItem, limit int) (overdue []OverdueItem, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	order := func(a, b OverdueItem) int {
		return cmp.Or(a.ExpireTime.Compare(b.ExpireTime), a.ItemKey.Compare(b.ItemKey))
	}
	for key, o := range m.rows {
		item := OverdueItem{key, o.ExpireTime}
		if o.State == StateOccupied && !m.now().Before(o.ExpireTime) && order(item, after) > 0 {
			overdue = append(overdue, item)
		}
	}
	slices.SortFunc(overdue, order)
	return overdue[:min(len(overdue), limit)], ctx.Err()
}

// items names LOTs.
func items(names ...string) (in []*ItemInput) {
	for _, name := range names {
		in = append(in, &ItemInput{ItemType: "LOT", ItemName: name})
	}
	return in
}

// lots are the keys of LOTs.
func lots(names ...string) (keys []ItemKey) {
	for _, name := range names {
		keys = append(keys, ItemKey{"LOT", name})
	}
	return keys
}
