package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// result is one measurement.
type result struct {
	rate         float64         // a second
	latencies    []time.Duration // sorted; none of a yardstick
	done         float64         // all in all, with what does not count
	used         usage           // for all of that
	unwanted     int             // answers that do not count
	unwantedLast string
}

// at is the latency that a share of the answers is not slower than.
func (r result) at(share float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	return r.latencies[min(int(share*float64(len(r.latencies))), len(r.latencies)-1)]
}

// load is a closed loop of connections: each sends its next request when the
// answer to its last is there.
type load struct {
	conns  int
	script script
}

// errNoSuchField is that the gateway does not know what is asked.
var errNoSuchField = errors.New("the schema does not have it")

// run asks gateways for a while, each over its share of the connections. Before it
// counts, it runs for a part of that time: caches and connections are filled.
func (l load) run(ctx context.Context, d time.Duration, gateways ...*gateway) (result, error) {
	clients := make([]*client, l.conns)
	for i := range clients {
		c, err := dial(gateways[i%len(gateways)].address)
		if err != nil {
			return result{}, err
		}
		defer c.conn.Close()
		clients[i] = c
	}
	from := time.Now().Add(warmUp(d))
	// The first error is as good as all of them.
	loops, failed := make([]loop, l.conns), make([]error, l.conns)
	var cancelled atomic.Bool
	defer context.AfterFunc(ctx, func() { cancelled.Store(true) })()
	var all sync.WaitGroup
	for i := range clients {
		loops[i] = loop{from: from, to: from.Add(d), cancelled: &cancelled}
		all.Go(func() { failed[i] = loops[i].run(clients[i], l.script(i)) })
	}
	all.Wait()
	if err := cmp.Or(append(failed, ctx.Err())...); err != nil {
		return result{}, err
	}
	return together(loops, d), nil
}

// warmUp is how long a load runs before it counts.
func warmUp(d time.Duration) time.Duration { return d / 6 }

// loop is what one connection has seen.
type loop struct {
	from, to  time.Time
	cancelled *atomic.Bool
	result
}

func (l *loop) run(c *client, next func() request) error {
	for !l.cancelled.Load() {
		r := next()
		began := time.Now()
		answer, err := c.ask(r.user, r.body)
		if err != nil {
			return err
		}
		now := time.Now()
		l.done++
		switch {
		case now.After(l.to):
			return nil
		case now.Before(l.from):
			if strings.Contains(string(answer), "GRAPHQL_VALIDATION_FAILED") {
				return fmt.Errorf("%w: %.200s", errNoSuchField, answer)
			}
		case strings.Contains(string(answer), r.want):
			l.latencies = append(l.latencies, now.Sub(began))
		default:
			l.unwanted++
			l.unwantedLast = string(answer)
		}
	}
	return nil
}

func together(loops []loop, d time.Duration) (r result) {
	for _, l := range loops {
		r.latencies = append(r.latencies, l.latencies...)
		r.done += l.done
		r.unwanted += l.unwanted
		if l.unwanted > 0 {
			r.unwantedLast = l.unwantedLast
		}
	}
	slices.Sort(r.latencies)
	r.rate = float64(len(r.latencies)) / d.Seconds()
	return r
}
