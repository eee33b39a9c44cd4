package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"occupy/domain"
)

const patience = 10 * time.Second

// call is one caller's request on its way.
type call[R any] struct {
	request R
	taken   atomic.Bool // by the group that runs it, or by the caller that left
	err     error       // of this caller alone, in the present try
	done    chan error

	from  trace.SpanContext // of the caller
	group trace.SpanContext // of those it was served with
}

func newCall[R any](request R) *call[R] {
	return &call[R]{request: request, done: make(chan error, 1)}
}

// take claims the call; whoever comes second must leave it alone.
func (c *call[R]) take() bool { return c.taken.CompareAndSwap(false, true) }

// lateAfter is when a transaction counts as held up: many times what one takes, and
// soon enough that nobody at a screen notices.
const lateAfter = 50 * time.Millisecond

// queue gathers calls while transactions are in flight. When none is, the next call
// starts one at once: nobody waits for company. Two side by side keep the database
// busy while one of them waits for the disk; but they would halve the groups, and each
// its commit serves, if the second did not wait until it is worth a commit too. What
// is held up counts for nothing: others go past it.
type queue[R any] struct {
	callers, rows, transactions int
	rowsOf                      func(R) int // that a request locks
	run                         func(context.Context, []*call[R])
	meter                       meter
	groups                      *groups

	mu      sync.Mutex
	waiting []*call[R]
	running int // transactions in flight
	late    int // those of them that are held up
	served  int // callers in them
}

func newQueue[R any](c Config, name string, m *metrics, rowsOf func(R) int, run func(context.Context, []*call[R])) *queue[R] {
	orDefault := func(n, otherwise int) int {
		if n > 0 {
			return n
		}
		return otherwise
	}
	return &queue[R]{
		callers:      orDefault(c.GroupCallers, DefaultGroupCallers),
		rows:         orDefault(c.GroupRows, DefaultGroupRows),
		transactions: orDefault(c.Transactions, DefaultTransactions),
		rowsOf:       rowsOf,
		run:          run,
		meter:        m.of(name),
		groups:       c.groups(name),
	}
}

// Update implements domain.Store.
func (s *Store) Update(ctx context.Context, u domain.Update) error {
	ctx, done := context.WithTimeout(ctx, s.patience)
	defer done()
	return translate(s.queue.do(ctx, u))
}

func rowsOfUpdate(u domain.Update) int { return len(u.Keys) }

// do waits until the request is done, or until ctx ends before its turn.
func (q *queue[R]) do(ctx context.Context, request R) error {
	c := newCall(request)
	c.from = q.groups.from(ctx)
	q.add(c)
	select {
	case err := <-c.done:
		q.groups.servedBy(ctx, c.group)
		return err
	case <-ctx.Done():
		if c.take() {
			return ctx.Err()
		}
		return <-c.done
	}
}

func (q *queue[R]) add(c *call[R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, c)
	q.begin()
}

// begin starts another worker if there is to be one.
func (q *queue[R]) begin() {
	if len(q.waiting) > 0 && q.running < q.transactions && q.wantsBeside(q.running) {
		q.running++
		go q.work()
	}
}

// wantsBeside tells whether there is to be a transaction beside others in flight:
// a second one for half as many callers as are served, any for a whole group.
func (q *queue[R]) wantsBeside(others int) bool {
	inTime := others - q.late
	return inTime <= 0 || inTime == 1 && 2*len(q.waiting) >= q.served || len(q.waiting) >= q.callers
}

// work runs groups as long as there are to be any.
func (q *queue[R]) work() {
	for group := q.next(); group != nil; group = q.next() {
		q.meter.callers.Observe(float64(len(group)))
		took := prometheus.NewTimer(q.meter.duration)
		ctx, span := q.trace(group)
		q.watched(len(group), func() { q.run(ctx, group) })
		span.End()
		took.ObserveDuration()
	}
}

// watched runs a transaction for that many callers, and lets others begin if it is
// held up.
func (q *queue[R]) watched(callers int, run func()) {
	late, done := false, false
	watch := time.AfterFunc(lateAfter, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !done {
			late = true
			q.late++
			q.begin()
		}
	})
	run()
	watch.Stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.served -= callers
	if done = true; late {
		q.late--
	}
}

// trace begins the span of a group. Its context is none of its callers': no one's
// leaving can undo the others' work.
func (q *queue[R]) trace(group []*call[R]) (context.Context, trace.Span) {
	if q.groups == nil {
		return q.groups.begin(nil)
	}
	callers := make([]trace.SpanContext, len(group))
	for i, c := range group {
		callers[i] = c.from
	}
	ctx, span := q.groups.begin(callers)
	for _, c := range group {
		c.group = span.SpanContext()
	}
	return ctx, span
}

// next takes the next group. Returns nil, and counts the worker out, if nobody
// waits or others in flight will see to them.
func (q *queue[R]) next() []*call[R] {
	q.mu.Lock()
	defer q.mu.Unlock()
	var group []*call[R]
	if q.wantsBeside(q.running - 1) {
		group = q.take()
	}
	if group == nil {
		q.running--
	}
	q.served += len(group)
	return group
}

// take takes the callers that waited longest, as many as fit.
func (q *queue[R]) take() (group []*call[R]) {
	rows, taken := 0, 0
	for _, c := range q.waiting {
		rows += q.rowsOf(c.request)
		if len(group) == q.callers || len(group) > 0 && rows > q.rows {
			break
		}
		taken++
		if c.take() {
			group = append(group, c)
		}
	}
	clear(q.waiting[:taken]) // the array outlives them
	q.waiting = q.waiting[taken:]
	return group
}

// len is how many wait.
func (q *queue[R]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
