package gateway

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

var (
	errRestarting = errors.New("this gateway is restarting")
	errFull       = errors.New("this gateway has as many connections as it may")
	errUserFull   = errors.New("you have as many connections as you may")
)

// connection is a socket or a stream. None of its methods waits.
type connection interface {
	// tick is called again and again, to look after the client.
	tick(now time.Time)
	// restart sends the client away, so that it comes back.
	restart()
	// cut ends the connection at once.
	cut()
}

// connections are all that are open. One wheel, which turns while there are any,
// looks after all of them, instead of a timer or a goroutine each.
type connections struct {
	limits Limits

	mu    sync.Mutex
	count int
	users map[string]int
	open  map[connection]struct{}
	still chan struct{} // stops the wheel; nil if it does not turn
	shut  bool
	none  chan struct{} // closed when there are none; nil unless somebody waits
}

func newConnections(l Limits) *connections {
	return &connections{limits: l, users: map[string]int{}, open: map[connection]struct{}{}}
}

// enter counts one more; leave must follow. Returns errFull or errRestarting.
func (a *connections) enter() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.shut:
		return errRestarting
	case a.count >= a.limits.Connections:
		return errFull
	}
	a.count++
	return nil
}

// claim counts one as that user's; leave must name the same. "" is nobody, and has
// no bound of its own. Returns errUserFull.
func (a *connections) claim(user string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if user == "" {
		return nil
	}
	if a.users[user] >= a.limits.PerUser {
		return errUserFull
	}
	a.users[user]++
	return nil
}

// watch has the wheel look after a connection, until it leaves.
func (a *connections) watch(c connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[c] = struct{}{}
	if a.shut {
		c.restart()
	}
	if a.still == nil {
		a.still = make(chan struct{})
		go a.turn(a.still)
	}
}

func (a *connections) leave(c connection, user string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, c)
	if len(a.open) == 0 && a.still != nil {
		close(a.still)
		a.still = nil
	}
	if user != "" {
		if a.users[user]--; a.users[user] == 0 {
			delete(a.users, user)
		}
	}
	if a.count--; a.count == 0 && a.none != nil {
		close(a.none)
		a.none = nil
	}
}

// turn is the wheel.
func (a *connections) turn(still <-chan struct{}) {
	wheel := time.NewTicker(max(min(a.limits.Init, a.limits.Write, a.limits.KeepAlive)/10, time.Millisecond))
	defer wheel.Stop()
	for {
		select {
		case now := <-wheel.C:
			a.tickAll(now)
		case <-still:
			return
		}
	}
}

func (a *connections) tickAll(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.open {
		c.tick(now)
	}
}

func (a *connections) len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// shutdown lets nobody in any more, and gives those who are.
func (a *connections) shutdown() []connection {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shut = true
	return slices.Collect(maps.Keys(a.open))
}

// closeAll sends all clients away, one after the other over limits.Spread, so that
// they do not all come to the next gateway at once; a few go faster. It cuts those
// that are still there when ctx ends, and returns when there are none.
func (a *connections) closeAll(ctx context.Context) {
	all := a.shutdown()
	pause := min(a.limits.Spread/time.Duration(max(len(all), 1)), 10*time.Millisecond)
	for _, c := range all {
		c.restart()
		wait(ctx, pause)
	}
	defer context.AfterFunc(ctx, func() {
		for _, c := range a.shutdown() {
			c.cut()
		}
	})()
	<-a.empty()
}

// empty is closed when there are no connections.
func (a *connections) empty() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.none == nil {
		a.none = make(chan struct{})
	}
	none := a.none
	if a.count == 0 {
		close(a.none)
		a.none = nil
	}
	return none
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
