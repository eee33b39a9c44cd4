package redis

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"occupy/domain"
)

func TestGatewaysOfOneDatabaseHearEachOther(t *testing.T) {
	leavesNothing(t)
	a, b := ringing(t, stack.RedisURL(), "plant"), ringing(t, stack.RedisURL(), "plant")
	elsewhere := ringing(t, stack.RedisURL(), "other")

	a.Ring()
	hears(t, b)
	heardNothing(t, a)
	heardNothing(t, elsewhere)
	b.Ring()
	hears(t, a)
	heardNothing(t, b)
}

// Two that were given one name, and a name with a blank, hear each other all the same.
func TestTwoGatewaysOfOneName(t *testing.T) {
	log := logged(t)
	var both []*Bell
	for range 2 {
		b, err := Open(Config{URL: stack.RedisURL(), DatabaseID: "twins", Node: "the same"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		run(t, b)
		hears(t, b)
		eventually(t, "the bell to hear itself", func() bool { return !b.Away() })
		both = append(both, b)
	}
	takesRings(t, both...)
	both[0].Ring()
	hears(t, both[1])
	heardNothing(t, both[0])
	both[1].Listen(func([]*domain.Change, bool) {})
	eventually(t, "both to warn", func() bool { return log.count("OCCUPY_NODE is also the name") >= 2 })
	takesRings(t, both...)
	if n := log.count("OCCUPY_NODE is also the name"); n != 2 {
		t.Errorf("two gateways warned %d times", n)
	}
}

func TestRingsBecomeOneWhileNobodyTakesThem(t *testing.T) {
	b := open(t, stack.RedisURL(), "coalesce") // does not run
	for range 10_000 {
		b.Ring()
	}
	if len(b.ring) != 1 {
		t.Errorf("%d rings wait, want 1", len(b.ring))
	}
	other := ringing(t, stack.RedisURL(), "coalesce")
	run(t, b)
	hears(t, other)
	heardNothing(t, other)
}

func TestRedisKilledAndBack(t *testing.T) {
	leavesNothing(t)
	log := logged(t)
	a, b := ringing(t, stack.RedisURL(), "killed"), ringing(t, stack.RedisURL(), "killed")
	startAgain(t)

	stack.Redis.Kill()
	eventually(t, "both to notice", func() bool { return a.Away() && b.Away() })
	started := time.Now()
	a.Ring()
	if took := time.Since(started); took > 100*time.Millisecond {
		t.Errorf("ringing a dead Redis took %v", took)
	}
	eventually(t, "it to be logged", func() bool { return log.count("Redis is away") == 2 })

	if err := stack.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears(t, b) // whatever was missed
	hears(t, a)
	eventually(t, "both to be back", func() bool { return !a.Away() && !b.Away() })
	eventually(t, "it to be logged", func() bool { return log.count("Redis is back") == 2 })
	if n := log.count("Redis is away"); n != 2 {
		t.Errorf("two bells said %d times that Redis is away", n)
	}
	takesRings(t, b)
	a.Ring()
	hears(t, b)
}

// A Redis that is there and does not answer breaks no connection by itself.
func TestRedisFrozenAndBack(t *testing.T) {
	leavesNothing(t)
	a, b := ringing(t, stack.RedisURL(), "frozen"), ringing(t, stack.RedisURL(), "frozen")
	stack.Redis.Pause()
	t.Cleanup(stack.Redis.Continue)
	eventually(t, "both to notice", func() bool { return a.Away() && b.Away() })
	for range 100 {
		a.Ring()
	}
	stack.Redis.Continue()
	eventually(t, "both to be back", func() bool { return !a.Away() && !b.Away() })
	hears(t, b)
	takesRings(t, b)
	a.Ring()
	hears(t, b)
}

func TestRedisDownAtTheStart(t *testing.T) {
	leavesNothing(t)
	startAgain(t)
	stack.Redis.Kill()
	b := run(t, open(t, stack.RedisURL(), "late"))
	if !b.Away() {
		t.Error("a bell that never heard itself says that Redis is there")
	}
	if err := stack.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears(t, b)
	eventually(t, "the bell to hear itself", func() bool { return !b.Away() })
}

func TestRunEndsWhileRedisIsAway(t *testing.T) {
	leavesNothing(t)
	b := open(t, "redis://127.0.0.1:1", "nobody")
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	b.Ring()
	b.Run(ctx)
}

func TestAFewConnectionsWhateverHappens(t *testing.T) {
	eventually(t, "earlier tests' connections to go", func() bool { return connections(t) == 0 })
	a, b := ringing(t, stack.RedisURL(), "few"), ringing(t, stack.RedisURL(), "few")
	var ringers sync.WaitGroup
	for range 50 {
		ringers.Go(func() {
			for range 100 {
				a.Ring()
				b.Ring()
			}
		})
	}
	ringers.Wait()
	takesRings(t, a, b)
	if n := connections(t); n != 4 {
		t.Errorf("two bells have %d connections, want 2 each", n)
	}
}

// In a cluster every node hands on every word.
func TestCluster(t *testing.T) {
	server := miniredis.RunT(t)
	url := "redis://" + server.Addr() + "," + server.Addr()
	a, b := ringing(t, url, "cluster"), ringing(t, url, "cluster")
	a.Ring()
	hears(t, b)
	heardNothing(t, a)
}

// startAgain has Redis running after the test, whatever becomes of it.
func startAgain(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		if err := stack.Redis.Start(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

// logged collects the log until the test ends.
func logged(t *testing.T) *lines {
	t.Helper()
	before, l := slog.Default(), &lines{}
	slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}
