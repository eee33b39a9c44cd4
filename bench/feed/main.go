package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	bare := flag.Bool("bare", false, "be the yardstick; used by this program itself")
	var o options
	flag.IntVar(&o.subscribers, "subscribers", 2000, "of one feed")
	flag.IntVar(&o.idle, "idle", 5000, "connections whose memory is measured")
	flag.IntVar(&o.rounds, "rounds", 3, "how often everything is measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	run := func() error { return measure(ctx, o) }
	if *bare {
		run = serveBare
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "feed:", err)
		os.Exit(1)
	}
}

type options struct{ subscribers, idle, rounds int }

// measure prints what it finds as it goes.
func measure(ctx context.Context, o options) (err error) {
	r, err := newRig(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.memory(o.idle); err != nil {
		return err
	}
	if err := r.deliveries(o); err != nil {
		return err
	}
	return r.latency(300)
}

// memory compares what an idle connection takes: ours has a subscription on it.
func (r *rig) memory(n int) error {
	var each [2]float64
	for i, p := range []*process{r.bare, r.one} {
		before, err := p.resident()
		if err != nil {
			return err
		}
		c, err := gather(p.address, n)
		if err != nil {
			return err
		}
		if p == r.one {
			err = p.subscribers(n)
		}
		after, err2 := p.resident()
		c.leave()
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		each[i] = float64(after-before) / float64(n) / 1000
	}
	fmt.Printf("memory of %d idle connections, KB each: bare %.1f, with one subscription %.1f (to reach: 25)\n", n, each[0], each[1])
	return nil
}

// deliveries compares how fast one feed reaches all its subscribers, when each
// change comes alone and when a hundred come together.
func (r *rig) deliveries(o options) error {
	ours, err := gather(r.one.address, o.subscribers)
	if err != nil {
		return err
	}
	defer ours.leave()
	theirs, err := gather(r.bare.address, o.subscribers)
	if err != nil {
		return err
	}
	defer theirs.leave()
	if err := r.one.subscribers(o.subscribers); err != nil {
		return err
	}
	if err := r.change(ours, ways[0]); err != nil { // a frame for the yardstick to send
		return err
	}
	frame := *ours.last.Load()
	fmt.Printf("deliveries a second to %d subscribers, frames of %d bytes\n", o.subscribers, len(frame))
	for _, w := range ways {
		var ratios []float64
		for range o.rounds {
			a, err := rate(r.one, ours, w, func() error { return r.change(ours, w) })
			if err != nil {
				return err
			}
			b, err := rate(r.bare, theirs, w, func() error { return r.sendBare(theirs, frame, w) })
			if err != nil {
				return err
			}
			fmt.Printf("  %s: ours %v, bare %v, ratio %.2f\n", w.name, a, b, a.perSecond/b.perSecond)
			ratios = append(ratios, a.perSecond/b.perSecond)
		}
		slices.Sort(ratios)
		fmt.Printf("  %s: median ratio %.2f%s\n", w.name, ratios[len(ratios)/2], w.goal)
	}
	return nil
}

// way is how changes are made: commits one after the other, each of so many changes,
// until all have been heard of.
type way struct {
	name             string
	commits, changes int
	goal             string
}

var ways = []way{
	{"one alone", 1, 1, " (to reach: 0.8)"},
	{"commit upon commit", 200, 1, " (to reach: 0.8)"},
	{"a hundred in one commit", 1, 100, " (to reach: 0.8)"},
}

// speed is how many frames came in a second, and what one took of the processors of
// the process that sent it; the clients' part is not counted.
type speed struct {
	perSecond float64
	each      time.Duration
}

func (s speed) String() string { return fmt.Sprintf("%.0f (%v each)", s.perSecond, s.each) }

// rate repeats it for a while. The time it takes is that from the first frame of each
// go to its last: what comes before is the database's.
func rate(p *process, c *crowd, w way, send func() error) (speed, error) {
	const atLeast = 3 * time.Second
	began, used, frames, took := time.Now(), p.processor(), 0, time.Duration(0)
	for time.Since(began) < atLeast {
		if err := send(); err != nil {
			return speed{}, err
		}
		frames += w.commits * w.changes * len(c.conns)
		took += time.Since(time.Unix(0, c.first.Load()))
	}
	return speed{float64(frames) / took.Seconds(), (p.processor() - used) / time.Duration(frames)}, nil
}

var items int

func newItem() map[string]string {
	items++
	return map[string]string{"itemType": "LOT", "itemName": fmt.Sprint("LOT-", items)}
}

// change makes changes, and waits until all have heard of them.
func (r *rig) change(c *crowd, w way) error {
	reached := c.all(w.commits * w.changes)
	for range w.commits {
		list := make([]map[string]string, w.changes)
		for i := range list {
			list[i] = newItem()
		}
		err := r.one.ask(`mutation($i: OccupyAllInput!) { occupyAll(input: $i) { ok } }`, map[string]any{"i": map[string]any{"items": list}})
		if err != nil {
			return err
		}
	}
	return await(reached)
}

func (r *rig) sendBare(c *crowd, frame []byte, w way) error {
	frames := w.commits * w.changes
	reached := c.all(frames)
	response, err := http.Post(fmt.Sprintf("http://%s/send?times=%d", r.bare.address, frames), "", bytes.NewReader(frame))
	if err != nil {
		return err
	}
	response.Body.Close()
	return await(reached)
}

func await(reached <-chan struct{}) error {
	select {
	case <-reached:
		return nil
	case <-time.After(patience):
		return errors.New("some subscriber never got its frame")
	}
}

// latency is the time from a request to one gateway to the frame from the other,
// which includes the change itself.
func (r *rig) latency(n int) error {
	c, err := gather(r.other.address, 1)
	if err != nil {
		return err
	}
	defer c.leave()
	if err := r.other.subscribers(1); err != nil {
		return err
	}
	var whole, after []time.Duration
	for range n {
		reached, item := c.all(1), newItem()
		began := time.Now()
		answered, failed := make(chan time.Time, 1), make(chan error, 1)
		go func() {
			failed <- r.one.ask(`mutation($i: OccupyInput!) { occupy(input: $i) { ok } }`,
				map[string]any{"i": item})
			answered <- time.Now()
		}()
		if err := await(reached); err != nil {
			return err
		}
		seen := time.Now()
		if err := <-failed; err != nil {
			return err
		}
		whole = append(whole, seen.Sub(began))
		after = append(after, max(0, seen.Sub(<-answered)))
	}
	slices.Sort(whole)
	slices.Sort(after)
	fmt.Printf("two gateways, unloaded: request to screen p50 %v p99 %v; answer to screen p50 %v p99 %v (to reach: p99 20ms)\n",
		whole[n/2], whole[n*99/100], after[n/2], after[n*99/100])
	return nil
}
