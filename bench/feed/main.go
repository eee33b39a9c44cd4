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
	if err := r.occupyTogether(ours, 1); err != nil { // a frame for the yardstick to send
		return err
	}
	frame := *ours.last.Load()
	fmt.Printf("deliveries a second to %d subscribers, frames of %d bytes\n", o.subscribers, len(frame))
	for _, burst := range []int{1, 100} {
		var ratios []float64
		for range o.rounds {
			a, err := rate(ours, burst, func() error { return r.occupyTogether(ours, burst) })
			if err != nil {
				return err
			}
			b, err := rate(theirs, burst, func() error { return r.sendBare(theirs, frame, burst) })
			if err != nil {
				return err
			}
			fmt.Printf("  %3d at once: ours %.0f, bare %.0f, ratio %.2f\n", burst, a, b, a/b)
			ratios = append(ratios, a/b)
		}
		slices.Sort(ratios)
		fmt.Printf("  %3d at once: median ratio %.2f (to reach: 0.8)\n", burst, ratios[len(ratios)/2])
	}
	return nil
}

// rate repeats a burst for a while. The time it takes is that to the last frame.
func rate(c *crowd, burst int, send func() error) (perSecond float64, err error) {
	const atLeast = 3 * time.Second
	began, frames := time.Now(), 0
	for time.Since(began) < atLeast {
		if err := send(); err != nil {
			return 0, err
		}
		frames += burst * len(c.conns)
	}
	return float64(frames) / time.Since(began).Seconds(), nil
}

var items int

// occupyTogether makes that many changes in one transaction, and waits until all have
// heard of them.
func (r *rig) occupyTogether(c *crowd, n int) error {
	list := make([]map[string]string, n)
	for i := range list {
		items++
		list[i] = map[string]string{"itemType": "LOT", "itemName": fmt.Sprint("LOT-", items)}
	}
	reached := c.all(n)
	err := r.one.ask(`mutation($i: OccupyAllInput!) { occupyAll(input: $i) { ok } }`, map[string]any{"i": map[string]any{"items": list}})
	return errors.Join(err, await(reached))
}

func (r *rig) sendBare(c *crowd, frame []byte, n int) error {
	reached := c.all(n)
	response, err := http.Post(fmt.Sprintf("http://%s/send?times=%d", r.bare.address, n), "", bytes.NewReader(frame))
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
	var whole []time.Duration
	var after []time.Duration
	for range n {
		items++
		reached := c.all(1)
		began := time.Now()
		answered := make(chan time.Time, 1)
		failed := make(chan error, 1)
		go func() {
			failed <- r.one.ask(`mutation($i: OccupyInput!) { occupy(input: $i) { ok } }`,
				map[string]any{"i": map[string]string{"itemType": "LOT", "itemName": fmt.Sprint("LOT-", items)}})
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
