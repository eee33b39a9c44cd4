package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// perSecond is how often the floor occupies, whether or not the last answer is there.
const perSecond = 300

// floorItems are so many that they meet seldom.
const floorItems = 10_000

// floor measures occupies alone, and beside analysts.
func (r *rig) floor(ctx context.Context, all []subject, o options) error {
	alone, err := r.occupies(ctx, o.each)
	if err != nil {
		return err
	}
	fmt.Printf("the floor alone, %d a second: %v\n", perSecond, alone)
	beside, end := context.WithCancel(ctx)
	defer end()
	var asking sync.WaitGroup
	var answered, busy, failed atomic.Int64
	for range o.analysts {
		asking.Go(func() {
			for n := 0; beside.Err() == nil; n++ {
				q := questions[n%len(questions)]
				text, err := r.ask("ana", q.graphql, map[string]any{"where": q.where(any1(all))})
				switch {
				case err != nil:
					failed.Add(1)
				case bytes.Contains(text, []byte(`"UNAVAILABLE"`)):
					busy.Add(1)
				case bytes.Contains(text, []byte(`"errors"`)):
					failed.Add(1)
				default:
					answered.Add(1)
				}
			}
		})
	}
	with, err := r.occupies(beside, o.each)
	end()
	asking.Wait()
	fmt.Printf("the floor beside %d analysts at full tilt: %v (to reach: none failed, p99 25ms)\n", o.analysts, with)
	fmt.Printf("the analysts: %d questions answered, %d told that too many ask, %d failed\n", answered.Load(), busy.Load(), failed.Load())
	if err == nil && (alone.failed+with.failed > 0 || failed.Load() > 0) {
		err = errors.New("some failed")
	}
	return err
}

// pace is how a steady rate went.
type pace struct {
	done, failed int
	latencies    []time.Duration // from when each was due
}

func (p pace) String() string {
	return fmt.Sprintf("%d done, %d failed, p50 %v, p95 %v, p99 %v", p.done, p.failed, at(p.latencies, 0.5), at(p.latencies, 0.95), at(p.latencies, 0.99))
}

// occupies has one begin whenever it is due. Each is from another screen, so that each
// writes a row of history.
func (r *rig) occupies(ctx context.Context, d time.Duration) (p pace, err error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	began := time.Now()
	for n := range int(d.Seconds() * perSecond) {
		due := began.Add(time.Duration(n) * time.Second / perSecond)
		select {
		case <-ctx.Done():
			return p, ctx.Err()
		case <-time.After(time.Until(due)):
		}
		all.Go(func() {
			item := n % floorItems
			text, err := r.ask(fmt.Sprint("floor", item), `mutation($input: OccupyInput!) { occupy(input: $input) { ok code message } }`,
				map[string]any{"input": map[string]any{"itemType": "LOT", "itemName": fmt.Sprint("FLOOR-", item), "uiName": fmt.Sprint("screen ", began.Unix()%1000, n)}})
			took := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			p.latencies = append(p.latencies, took)
			if err == nil && bytes.Contains(text, []byte(`"ok":true`)) {
				p.done++
			} else {
				p.failed++
			}
		})
	}
	all.Wait()
	return p, nil
}
