package domain

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestTheHubTellsEverySubscriberInOrder(t *testing.T) {
	s, hub, feed := newHub(t)
	feed.change("kim", lot1) // before anybody listens
	all := watch(t, s, nil, false)
	kims := watch(t, s, &OccupancyFilter{UserIDs: []string{"kim"}}, false)
	feed.change("kim", lots("LOT2")...)
	feed.change("lee", lot1)
	feed.change("", lots("LOT2")...)
	hub.runOnce(t.Context())
	hub.runOnce(t.Context())
	same(t, "all", told(t, all), "CHANGED LOT2 v1 kim", "CHANGED LOT1 v2 lee", "CHANGED LOT2 v2 nobody")
	same(t, "kim's, before or after", told(t, kims), "CHANGED LOT2 v1 kim", "CHANGED LOT1 v2 lee", "CHANGED LOT2 v2 nobody")
	same(t, "once", told(t, all))
}

// A transaction that began early and commits late.
func TestRule21_ALateCommitIsNotLost(t *testing.T) {
	s, hub, feed := newHub(t)
	late := feed.begin()
	feed.write(late, "kim", lot1)
	sub := watch(t, s, nil, false)
	feed.change("lee", lots("LOT2")...)
	hub.runOnce(t.Context())
	same(t, "not committed", told(t, sub), "CHANGED LOT2 v1 lee")
	feed.commit(late)
	hub.runOnce(t.Context())
	same(t, "committed", told(t, sub), "CHANGED LOT1 v1 kim")
	hub.runOnce(t.Context())
	same(t, "once", told(t, sub))
}

func TestRule21_AFailingFeedIsResumedWithoutLoss(t *testing.T) {
	s, hub, feed := newHub(t)
	sub := watch(t, s, nil, false)
	feed.failWith(errors.New("the database is away"))
	for _, holder := range []string{"kim", "lee"} {
		feed.change(holder, lot1)
		hub.runOnce(t.Context())
		same(t, "away", told(t, sub))
	}
	feed.failWith(nil)
	hub.runOnce(t.Context())
	same(t, "back", told(t, sub), "CHANGED LOT1 v1 kim", "CHANGED LOT1 v2 lee")
}

// An outage is one warning, however long it is, and its end one line.
func TestAnOutageOfTheFeedIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s, hub, feed := newHub(t)
	watch(t, s, nil, false)
	for range 2 {
		log.Reset()
		feed.failWith(errors.New("the database is away"))
		hub.runOnce(t.Context())
		hub.runOnce(t.Context())
		feed.failWith(nil)
		hub.runOnce(t.Context())
		hub.runOnce(t.Context())
		if got := log.String(); strings.Count(got, "level=WARN") != 1 || strings.Count(got, "level=INFO") != 1 || strings.Count(got, "\n") != 2 {
			t.Errorf("logged %s", got)
		}
	}
	log.Reset()
	feed.failWith(context.Canceled)
	hub.runOnce(t.Context())
	if log.Len() > 0 {
		t.Errorf("a gateway that stops: %s", &log)
	}
}

func TestABrokenFeedCutsAll(t *testing.T) {
	s, hub, feed := newHub(t)
	subs := []*Subscription{watch(t, s, nil, false), watch(t, s, nil, true)}
	feed.change("kim", lot1)
	hub.runOnce(t.Context())
	feed.system = "restored"
	hub.runOnce(t.Context())
	for _, sub := range subs {
		same(t, "what came before", told(t, sub), "CHANGED LOT1 v1 kim")
		if _, err := sub.take(); !errors.Is(err, ErrFeedBroken) {
			t.Errorf("then %v", err)
		}
	}
	is(t, "subscribers", hub.Subscribers(), 0)
	again := watch(t, s, nil, true)
	same(t, "who comes again", told(t, again), "SNAPSHOT LOT1 v1 kim")
}

func TestSubscribingWhileTheDatabaseIsAway(t *testing.T) {
	s, hub, feed := newHub(t)
	feed.failWith(ErrUnavailable)
	for _, snapshot := range []bool{false, true} {
		if _, err := s.Watch(as("kim"), Watch{Snapshot: snapshot}); !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
	}
	feed.failWith(nil)
	watch(t, s, nil, false) // so that only the snapshot fails
	feed.failWith(ErrUnavailable)
	if _, err := s.Watch(as("kim"), Watch{Snapshot: true}); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	is(t, "subscribers", hub.Subscribers(), 1)
}

// running is a hub that runs in a bubble, until stop is called.
func running(t *testing.T) (s *Service, feed *fakeFeed, bell *testBell, stop func()) {
	feed, bell = newFeed(), newBell()
	hub := NewHub(feed, bell)
	s, _ = newService(t, func(c *ServiceConfig) { c.Feed, c.Hub = feed, hub })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hub.Run(ctx); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return s, feed, bell, stop
}

func TestRule21_ALostRingCostsASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, feed, _, _ := running(t)
		sub := watch(t, s, nil, false)
		time.Sleep(300 * time.Millisecond)
		feed.change("kim", lot1)
		changed := time.Now()
		if events, err := sub.Next(t.Context()); err != nil || len(events) != 1 {
			t.Fatalf("%v, %v", events, err)
		}
		is(t, "told after", time.Since(changed), 700*time.Millisecond)
	})
}

func TestARingIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, feed, bell, _ := running(t)
		sub := watch(t, s, nil, false)
		started := time.Now()
		feed.change("kim", lot1)
		s.Hub.Ring() // this gateway's
		synctest.Wait()
		same(t, "own ring", told(t, sub), "CHANGED LOT1 v1 kim")
		feed.change("lee", lot1)
		bell.rung <- struct{}{} // another gateway's
		synctest.Wait()
		same(t, "another's ring", told(t, sub), "CHANGED LOT1 v2 lee")
		is(t, "took", time.Since(started), 0)
		is(t, "told to the others", bell.rings, 1)
	})
}

func TestTheHubReadsOnlyForSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, feed, _, _ := running(t)
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		is(t, "reads for nobody", feed.reads, 0)
		sub := must(s.Watch(as("kim"), Watch{Snapshot: false}))(t)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		is(t, "its position, and one each second", feed.reads, 11)
		sub.Close()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		is(t, "after it left", feed.reads, 11)
	})
}

func TestWithoutABell(t *testing.T) {
	NoBell{}.Ring()
	select {
	case <-NoBell{}.Rung():
		t.Error("rung")
	default:
	}
}

func TestRingNeverBlocks(t *testing.T) {
	hub := NewHub(newFeed(), NoBell{}) // nobody runs it
	for range 1000 {
		hub.Ring()
	}
}

// hanging is a feed whose first read is never answered.
type hanging struct {
	*fakeFeed
	once sync.Once
}

func (f *hanging) Changes(ctx context.Context, since Position) ([]*Change, Position, error) {
	f.once.Do(func() { <-ctx.Done() })
	if err := ctx.Err(); err != nil {
		return nil, Position{}, err
	}
	return f.fakeFeed.Changes(ctx, since)
}

func TestAReadThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, feed, _, _ := running(t)
		s.Hub.feed = &hanging{fakeFeed: feed}
		sub := watch(t, s, nil, false)
		feed.change("kim", lot1)
		started := time.Now()
		if events, err := sub.Next(t.Context()); err != nil || len(events) != 1 {
			t.Fatalf("%v, %v", events, err)
		}
		is(t, "told at the first read after that", time.Since(started), pollEvery+readWithin)
	})
}

func TestTheEndOfTheHubEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, feed, _, stop := running(t)
		waiting, behind := watch(t, s, nil, false), watch(t, s, nil, false)
		feed.change("kim", lot1)
		s.Hub.Ring()
		synctest.Wait()
		told(t, waiting)
		ended := make(chan error)
		go func() { _, err := waiting.Next(t.Context()); ended <- err }()
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		same(t, "what was told before", told(t, behind), "CHANGED LOT1 v1 kim")
		if _, err := s.Watch(as("kim"), Watch{Snapshot: false}); !errors.Is(err, ErrUnavailable) {
			t.Errorf("one that comes too late: %v", err)
		}
	})
}

// Thousands of holds wait for an item each: a change asks only those that it is for.
func TestAChangeIsOfferedToThoseWhomItMayConcern(t *testing.T) {
	s, hub, feed := newHub(t)
	one := watch(t, s, &OccupancyFilter{ItemNames: []string{"LOT1", "LOT2"}, UserIDs: []string{"kim"}}, false)
	all := watch(t, s, &OccupancyFilter{ItemTypes: []string{"LOT"}}, false)
	for i := range 1000 {
		watch(t, s, &OccupancyFilter{ItemNames: []string{"X" + itoa(i)}}, false)
	}
	asked := 0
	hub.subs.each([]*Change{{Occupancy: Occupancy{ItemKey: lot1}}}, func(*Subscription, []*Change) { asked++ })
	is(t, "asked", asked, 2)
	hub.subs.each(nil, func(*Subscription, []*Change) { t.Error("asked about nothing") })
	feed.change("kim", lots("LOT1", "LOT3", "X7", "LOT2")...)
	feed.change("lee", lots("LOT1", "LOT2")...)
	feed.change("lee", lots("LOT1")...)
	hub.runOnce(t.Context())
	same(t, "one", told(t, one), "CHANGED LOT1 v1 kim", "CHANGED LOT2 v1 kim", "CHANGED LOT1 v2 lee", "CHANGED LOT2 v2 lee")
	is(t, "all", len(told(t, all)), 7)
	one.Close()
	is(t, "names", len(hub.subs.named), 1000)
}

// BenchmarkAChangeAmongHolds is a read with one change, while five thousand hold.
func BenchmarkAChangeAmongHolds(b *testing.B) {
	feed := newFeed()
	hub := NewHub(feed, NoBell{})
	for i := range 5000 {
		only := OccupancyFilter{ItemTypes: []string{"LOT"}, ItemNames: []string{itoa(i)}}
		if _, err := hub.Subscribe(b.Context(), only, true); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		feed.rows = nil
		feed.change("kim", lot1)
		hub.runOnce(b.Context())
	}
}

// G3: who comes and goes leaves nothing behind.
func TestAThousandSubscribersComeAndGo(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, hub, feed := newHub(t)
	feed.change("kim", lot1)
	for range 1000 {
		ctx, leave := context.WithCancel(t.Context())
		sub := must(s.Watch(as("kim"), Watch{Snapshot: true}))(t)
		left := make(chan struct{})
		go func() {
			defer close(left)
			for {
				if _, err := sub.Next(ctx); err != nil {
					return
				}
			}
		}()
		hub.runOnce(t.Context())
		leave()
		<-left
		sub.Close()
		sub.Close() // twice does no harm
	}
	is(t, "subscribers", hub.Subscribers(), 0)
}

func TestAStormOfSubscribersAndRings(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, hub, feed := newHub(t)
	ctx, stop := context.WithCancel(t.Context())
	var hubRuns, storm sync.WaitGroup
	hubRuns.Go(func() { hub.Run(ctx) })
	for i := range 4 {
		key := ItemKey{"LOT", itoa(i)}
		storm.Go(func() {
			for range 300 {
				feed.change("kim", key)
				hub.Ring()
			}
		})
		storm.Go(func() {
			for n := range 300 {
				sub, err := s.Watch(as("kim"), Watch{Snapshot: n%2 == 0})
				if err != nil {
					t.Error(err)
					return
				}
				ctx, leave := context.WithTimeout(ctx, time.Millisecond)
				_, _ = sub.Next(ctx)
				leave()
				sub.Close()
			}
		})
	}
	storm.Wait()
	stop()
	hubRuns.Wait()
	is(t, "subscribers", hub.Subscribers(), 0)
}
