package postgres

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queued is a queue whose transactions end when the test says so.
type queued struct {
	*queue[int]
	t      *testing.T
	mu     sync.Mutex
	groups [][]int       // in flight and ended, in order of their beginning
	end    chan struct{} // ends one of those in flight
}

func newQueued(t *testing.T, c Config) *queued {
	q := &queued{t: t, end: make(chan struct{})}
	q.queue = newQueue(c, updates, newMetrics(), func(int) int { return 1 }, func(_ context.Context, calls []*call[int]) {
		var group []int
		for _, c := range calls {
			group = append(group, c.request)
		}
		q.mu.Lock()
		q.groups = append(q.groups, group)
		q.mu.Unlock()
		<-q.end
		for _, c := range calls {
			c.done <- nil
		}
	})
	return q
}

// ask adds callers in order.
func (q *queued) ask(requests ...int) {
	for _, r := range requests {
		q.add(newCall(r))
	}
}

// begun compares the groups that have begun so far.
func (q *queued) begun(groups ...[]int) {
	q.t.Helper()
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.EqualFunc(q.groups, groups, slices.Equal) {
		q.t.Errorf("begun were %v, not %v", q.groups, groups)
	}
}

func TestACallWaitsForNobodyAndThoseBehindItGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueued(t, Config{})
		q.ask(1)
		q.begun([]int{1})
		q.ask(2)
		q.begun([]int{1}, []int{2})
		q.ask(3, 4, 5)
		q.begun([]int{1}, []int{2})
		q.end <- struct{}{}
		q.begun([]int{1}, []int{2}, []int{3, 4, 5})
		q.end <- struct{}{}
		synctest.Wait()
		q.ask(6)
		q.begun([]int{1}, []int{2}, []int{3, 4, 5}) // not worth a commit beside that of three
		q.ask(7)
		q.begun([]int{1}, []int{2}, []int{3, 4, 5}, []int{6, 7})
		for range 2 {
			q.end <- struct{}{}
		}
	})
}

// Somebody's row can be locked from outside for seconds.
func TestATransactionThatIsHeldUpHoldsUpNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueued(t, Config{Transactions: 3})
		q.ask(1)
		q.begun([]int{1})
		q.ask(2)
		q.begun([]int{1}, []int{2})
		q.ask(3)
		q.begun([]int{1}, []int{2}) // both are in time so far
		time.Sleep(lateAfter + time.Millisecond)
		q.begun([]int{1}, []int{2}, []int{3})
		q.ask(4)
		time.Sleep(lateAfter)
		q.begun([]int{1}, []int{2}, []int{3}) // no more than are allowed
		for range 4 {
			q.end <- struct{}{}
		}
		q.begun([]int{1}, []int{2}, []int{3}, []int{4})

		q.ask(5) // all is as it was before
		synctest.Wait()
		q.ask(6)
		synctest.Wait()
		q.ask(7)
		q.begun([]int{1}, []int{2}, []int{3}, []int{4}, []int{5}, []int{6})
		for range 3 {
			q.end <- struct{}{}
		}
	})
}

func TestAWholeGroupDoesNotWaitForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueued(t, Config{GroupCallers: 2, Transactions: 3})
		q.ask(1)
		q.begun([]int{1})
		q.ask(2)
		q.begun([]int{1}, []int{2})
		q.ask(3)
		q.begun([]int{1}, []int{2})
		q.ask(4)
		q.begun([]int{1}, []int{2}, []int{3, 4})
		q.ask(5, 6, 7)
		q.begun([]int{1}, []int{2}, []int{3, 4})
		for range 5 {
			q.end <- struct{}{}
		}
		q.begun([]int{1}, []int{2}, []int{3, 4}, []int{5, 6}, []int{7})
	})
}
