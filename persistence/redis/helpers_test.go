package redis

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"occupy/persistence/devstack"
)

// stack is the Redis of this test binary.
var stack *devstack.Stack

func TestMain(m *testing.M) {
	os.Exit(devstack.Main(m, devstack.Options{Redis: true}, func(s *devstack.Stack) error {
		stack = s
		return nil
	}))
}

var nodes atomic.Int64

// open opens a bell of a node of its own that is closed with the test.
func open(t *testing.T, url, database string) *Bell {
	t.Helper()
	b, err := Open(Config{URL: url, DatabaseID: database, Node: fmt.Sprintf("node-%d", nodes.Add(1))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// run runs a bell until the test ends.
func run(t *testing.T, b *Bell) *Bell {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { b.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		select {
		case <-ended:
		case <-time.After(3 * patience):
			t.Errorf("%s does not end", b.node)
		}
	})
	return b
}

// ringing is a bell that runs, hears itself, and whose first ring is taken.
func ringing(t *testing.T, url, database string) *Bell {
	t.Helper()
	b := run(t, open(t, url, database))
	hears(t, b)
	eventually(t, "the bell to hear itself", func() bool { return !b.Away() })
	return b
}

// hears waits for a ring.
func hears(t *testing.T, b *Bell) {
	t.Helper()
	select {
	case <-b.Rung():
	case <-time.After(20 * time.Second):
		t.Fatalf("%s was not rung", b.node)
	}
}

// heardNothing waits until all that was said before has gone by: a beat that is
// said later comes later.
func heardNothing(t *testing.T, b *Bell) {
	t.Helper()
	for range 2 { // the first may have been on its way
		nextBeat(t, b)
	}
	select {
	case <-b.Rung():
		t.Errorf("%s was rung", b.node)
	default:
	}
}

// takesRings takes what was said before.
func takesRings(t *testing.T, bells ...*Bell) {
	t.Helper()
	for _, b := range bells {
		nextBeat(t, b)
		select {
		case <-b.Rung():
		default:
		}
	}
}

// nextBeat waits until the bell hears itself again, and so all that was said
// before its beat.
func nextBeat(t *testing.T, b *Bell) {
	t.Helper()
	before := b.heard.Load()
	eventually(t, "a beat", func() bool { return b.heard.Load() != before })
}

func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !happened() {
		select {
		case <-deadline:
			t.Fatalf("waited for %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// leavesNothing fails the test if anything that it started is still running
// after its other clean-ups.
func leavesNothing(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	server := goleak.IgnoreAnyFunction("occupy/persistence/devstack.launch.func1") // one that was started again
	t.Cleanup(func() {
		// go-redis looks once a second whether a pool that could not dial is closed.
		eventually(t, "every goroutine to end", func() bool { return goleak.Find(before, server) == nil })
	})
}

// connections counts those to Redis but the one that asks.
func connections(t *testing.T) int {
	t.Helper()
	options, err := goredis.ParseURL(stack.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	c := goredis.NewClient(options)
	defer c.Close()
	n, err := c.InfoMap(t.Context(), "clients").Result()
	if err != nil {
		t.Fatal(err)
	}
	var count int
	if _, err := fmt.Sscan(n["Clients"]["connected_clients"], &count); err != nil {
		t.Fatal(err)
	}
	return count - 1
}
