package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-redis/redismock/v9"
	goredis "github.com/redis/go-redis/v9"
)

// mock is made outside the bubble: its client keeps goroutines that never end.
func mock(t *testing.T) (client, redismock.ClientMock) {
	t.Helper()
	client, mock := redismock.NewClientMock()
	t.Cleanup(func() { client.Close() })
	return client, mock
}

// named is the bell of the process n1, of the node a.
func named(client client) *Bell {
	b := newBell(client, Config{DatabaseID: "plant", Node: "a"})
	b.self = "n1"
	return b
}

// speaking is a bell that speaks until the bubble ends.
func speaking(t *testing.T, client client) *Bell {
	t.Helper()
	b := named(client)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { b.speak(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	return b
}

// Every way in which a publish can go wrong costs that one word and nothing else.
func TestAPublishThatFailsStopsNothing(t *testing.T) {
	for name, problem := range map[string]error{
		"not allowed":  errors.New("NOPERM this user has no permissions to access one of the channels"),
		"loading":      errors.New("LOADING Redis is loading the dataset in memory"),
		"replica":      errors.New("READONLY You can't write against a read only replica"),
		"cluster down": errors.New("CLUSTERDOWN The cluster is down"),
		"pool":         goredis.ErrPoolTimeout,
		"closed":       goredis.ErrClosed,
		"timeout":      context.DeadlineExceeded,
		"nil":          goredis.Nil,
	} {
		t.Run(name, func(t *testing.T) {
			client, mock := mock(t)
			synctest.Test(t, func(t *testing.T) {
				b := speaking(t, client)
				mock.ExpectPublish("occupy:plant", "changed n1").SetErr(problem)
				b.Ring()
				met(t, mock)
				mock.ExpectPublish("occupy:plant", "changed n1").SetVal(2)
				b.Ring()
				met(t, mock)
			})
		})
	}
}

// recorder is a Redis that takes every publish and remembers when it came.
type recorder struct {
	client
	mu   sync.Mutex
	said []string
}

func (r *recorder) Publish(_ context.Context, channel string, message any) *goredis.IntCmd {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf("%s %s %s", time.Now().Format("05.0"), channel, message))
	return goredis.NewIntResult(1, nil)
}

func TestItBeatsOnceASecondAndWhenItHasJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		b := speaking(t, &r)
		time.Sleep(500 * time.Millisecond)
		signal(b.beat)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want := []string{"00.5 occupy:plant beat n1 a", "01.0 occupy:plant beat n1 a", "02.0 occupy:plant beat n1 a"}
		if !slices.Equal(r.said, want) {
			t.Errorf("said %q, want %q", r.said, want)
		}
	})
}

// met waits for what is expected of the bell.
func met(t *testing.T, mock redismock.ClientMock) {
	t.Helper()
	synctest.Wait()
	if err := mock.ExpectationsWereMet(); err != nil {
		t.Error(err)
	}
}

// slow is a Redis that takes a publish and says nothing.
type slow struct{ client }

func (slow) Publish(ctx context.Context, _ string, _ any) *goredis.IntCmd {
	<-ctx.Done()
	return goredis.NewIntResult(0, ctx.Err())
}

func TestAPublishIsBoundedAndRingNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := named(slow{})
		started := time.Now()
		for range 100 {
			b.Ring()
		}
		_ = b.publish(t.Context(), wordChanged)
		if took := time.Since(started); took != patience {
			t.Errorf("a publish that hangs took %v, want %v", took, patience)
		}
	})
}

func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := named(slow{})
		is := func(away bool, when string) {
			t.Helper()
			if b.Away() != away {
				t.Errorf("%s: away = %v", when, b.Away())
			}
		}
		is(true, "before the first beat")
		b.hear("beat n2")
		is(true, "another's beat")
		b.hear("beat n1")
		is(false, "own beat")
		time.Sleep(awayAfter)
		is(false, "three seconds later")
		time.Sleep(time.Millisecond)
		is(true, "a little later")
		b.hear("beat n1")
		is(false, "own beat again")
	})
}

func TestWhatIsHeard(t *testing.T) {
	for payload, rings := range map[string]bool{
		"changed n2": true, "changed n1": false, "beat n2": false, "beat n1": false,
		"changed n10": true, "": false, "n2": false, "unknown n2": false,
	} {
		b := named(slow{})
		b.hear(payload)
		if (len(b.rung) == 1) != rings {
			t.Errorf("%q: rung %v, want %v", payload, !rings, rings)
		}
	}
}
