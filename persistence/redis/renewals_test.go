package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"occupy/domain"
)

// ear keeps what a bell hears of renewals.
type ear struct {
	mu     sync.Mutex
	told   []string
	missed int
}

func listening(b *Bell) *ear {
	e := &ear{}
	b.Listen(func(renewed []*domain.Change, missed bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, c := range renewed {
			e.told = append(e.told, fmt.Sprintf("%s %s %d.%d %d", c.Kind, c.Occupancy.ItemKey, c.Occupancy.Version, c.Occupancy.Renewals, c.TxID))
		}
		if missed {
			e.missed++
		}
	})
	return e
}

func (e *ear) has(told ...string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range told {
		if !slices.Contains(e.told, one) {
			return false
		}
	}
	return true
}

func (e *ear) gaps() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.missed
}

func renewed(name string, renewals int64) *domain.Change {
	at := time.Date(2026, 3, 2, 12, 0, 0, 123000, time.UTC)
	return &domain.Change{Kind: domain.KindRenewed, At: at, TxID: 77, Occupancy: domain.Occupancy{
		ItemKey: domain.ItemKey{ItemType: "LOT", ItemName: name}, State: domain.StateOccupied, UserID: "김 kim",
		Version: 3, Renewals: renewals, ExpireTime: at.Add(time.Hour), UpdatedAt: at, EndEvent: domain.EventConnectionLost}}
}

func TestRenewalsGoToThoseWhoListen(t *testing.T) {
	leavesNothing(t)
	a, b, c := ringing(t, stack.RedisURL(), "renewals"), ringing(t, stack.RedisURL(), "renewals"), ringing(t, stack.RedisURL(), "renewals")
	heardB, heardA := listening(b), listening(a)
	eventually(t, "it to be known that b listens", a.isWanted)
	eventually(t, "b to be told that it missed what was before", func() bool { return heardB.gaps() > 0 })
	for n := range int64(50) {
		a.Tell([]*domain.Change{renewed("LOT 1", n), renewed("LOT2", n)})
	}
	eventually(t, "b to hear the last", func() bool { return heardB.has("RENEWED LOT LOT 1 3.49 77", "RENEWED LOT LOT2 3.49 77") })
	c.Tell([]*domain.Change{renewed("LOT3", 1)}) // which listens for nothing itself
	eventually(t, "both to hear it", func() bool { return heardA.has("RENEWED LOT LOT3 3.1 77") && heardB.has("RENEWED LOT LOT3 3.1 77") })
	if heardA.has("RENEWED LOT LOT2 3.49 77") {
		t.Error("a hears itself")
	}
	select {
	case <-c.Rung():
		t.Error("a renewal rings")
	default:
	}
}

// All that a renewal says arrives.
func TestARenewalArrivesWhole(t *testing.T) {
	a, b := ringing(t, stack.RedisURL(), "whole"), ringing(t, stack.RedisURL(), "whole")
	got := make(chan *domain.Change, 10)
	b.Listen(func(renewed []*domain.Change, _ bool) {
		for _, c := range renewed {
			got <- c
		}
	})
	eventually(t, "it to be known that b listens", a.isWanted)
	sent := renewed("LOT1", 5)
	a.Tell([]*domain.Change{sent})
	if c := <-got; *c != *sent {
		t.Errorf("got %+v, want %+v", c, sent)
	}
}

func TestAGapIsToldWhenRedisIsBack(t *testing.T) {
	leavesNothing(t)
	a, b := ringing(t, stack.RedisURL(), "gap"), ringing(t, stack.RedisURL(), "gap")
	startAgain(t)
	heard := listening(b)
	eventually(t, "it to be known that b listens", a.isWanted)
	eventually(t, "b to be told that it missed what was before", func() bool { return heard.gaps() > 0 })
	stack.Redis.Kill()
	eventually(t, "both to notice", func() bool { return a.Away() && b.Away() })
	before := heard.gaps()
	if err := stack.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "b to be told that it may have missed some", func() bool { return heard.gaps() > before })
	a.Tell([]*domain.Change{renewed("LOT1", 9)})
	eventually(t, "b to hear again", func() bool {
		a.Tell([]*domain.Change{renewed("LOT1", 9)}) // until a knows again that b listens
		return heard.has("RENEWED LOT LOT1 3.9 77")
	})
}

// told is what a bell has said of renewals since it was asked last.
func (r *recorder) told() (told []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.said {
		if _, word, _ := strings.Cut(s, "occupy:plant "); strings.HasPrefix(word, wordRenewed) || strings.HasPrefix(word, wordMissed) {
			told = append(told, strings.Fields(word)[0]+fmt.Sprint(strings.Count(word, `"TxID"`)))
		}
	}
	r.said = nil
	return told
}

func TestRenewalsAreCollectedAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		b := speaking(t, &r)
		many := make([]*domain.Change, maxWaiting+1)
		for i := range many {
			many[i] = renewed(fmt.Sprint(i), 1)
		}
		b.Tell(many)
		time.Sleep(time.Second)
		if told := r.told(); len(told) > 0 {
			t.Errorf("nobody listens, and it says %q", told)
		}
		b.hear("listens n2")
		for range 1000 {
			b.Tell(many[:3])
		}
		time.Sleep(tellEvery)
		synctest.Wait()
		if told := r.told(); !slices.Equal(told, []string{"missed0", "renewed3"}) {
			t.Errorf("said %q", told)
		}
		b.hear("listens n2")
		b.Tell(many[:2*maxTold+1])
		time.Sleep(tellEvery)
		synctest.Wait()
		if told := r.told(); !slices.Equal(told, []string{"renewed200", "renewed200", "renewed1"}) {
			t.Errorf("said %q", told)
		}
		b.Tell(many)
		time.Sleep(tellEvery)
		synctest.Wait()
		if told := r.told(); !slices.Equal(told, []string{"missed0"}) {
			t.Errorf("said %q", told)
		}
		time.Sleep(awayAfter + time.Millisecond) // n2 is gone
		b.Tell(many[:1])
		time.Sleep(tellEvery)
		synctest.Wait()
		if told := r.told(); len(told) > 0 {
			t.Errorf("nobody listens any more, and it says %q", told)
		}
	})
}

// awayRedis is a Redis that takes nothing until it is back.
type awayRedis struct {
	recorder
	back atomic.Bool
}

func (r *awayRedis) Publish(ctx context.Context, channel string, message any) *goredis.IntCmd {
	if !r.back.Load() {
		return goredis.NewIntResult(0, errors.New("away"))
	}
	return r.recorder.Publish(ctx, channel, message)
}

func TestWhatRedisDoesNotTakeIsToldAsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &awayRedis{}
		b := speaking(t, r)
		b.hear("listens n2")
		b.Tell([]*domain.Change{renewed("LOT1", 1)})
		time.Sleep(beatEvery + beatEvery/2)
		b.hear("listens n2")
		synctest.Wait()
		r.back.Store(true)
		time.Sleep(2 * beatEvery)
		synctest.Wait()
		if told := r.told(); !slices.Equal(told, []string{"missed0"}) {
			t.Errorf("said %q", told)
		}
	})
}

func TestRenewalsThatCanNotBeReadAreAGap(t *testing.T) {
	b := named(slow{})
	b.hear("renewed n2 []") // nobody listens
	heard := listening(b)
	for i, payload := range []string{"renewed n2 [", "renewed n2 {}", "renewed n2", "missed n2", "renewed n2 [null]"} {
		b.hear(payload)
		if heard.gaps() != i+1 {
			t.Errorf("%q is no gap", payload)
		}
	}
	b.hear("missed n1") // its own
	b.Listen(nil)
	b.hear("missed n2")
	if heard.gaps() != 5 || len(heard.told) > 0 {
		t.Errorf("%d gaps, heard %q", heard.gaps(), heard.told)
	}
}
