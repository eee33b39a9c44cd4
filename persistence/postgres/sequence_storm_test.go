package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"occupy/domain"
)

// Rule 25, all at once: three gateways draw, one crashes in the middle, one
// loses its link now and then, and meanwhile sequences are reset and their
// caches switched. No value is given twice, and what nobody got is in a gap.
func TestNoValueIsGivenTwice(t *testing.T) {
	cachedAndNot(t, func(t *testing.T, size int) {
		const wanted = 100_000
		direct := newURL(t)
		wire, shakyURL := newLink(t, direct)
		lifeline, doomedURL := newLink(t, direct)
		steady, doomed, shaky := open(t, Config{URL: direct}), open(t, Config{URL: doomedURL}), open(t, Config{URL: shakyURL})
		keepTops(t, steady)
		names := []string{"HOT", "HOT", "WARM", "COLD"}
		for _, name := range names {
			setCache(t, steady, name, size)
		}
		given := newGiven()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		var drawing, meddling sync.WaitGroup
		for i := range 60 {
			s := []*Store{steady, doomed, shaky}[i%3]
			drawing.Go(func() {
				for n := 0; ctx.Err() == nil && given.count() < wanted; n++ {
					name := names[(i+n)%len(names)]
					v, err := nextVal(s, name, rand.Int64N(12)+1)
					if err != nil { // one is cut off, and one is dead
						select {
						case <-ctx.Done():
						case <-time.After(10 * time.Millisecond):
						}
						continue
					}
					given.add(name, v)
				}
			})
		}
		reached := func(part float64) {
			waitUntil(t, fmt.Sprint(part, " of the values are given"), func() bool { return float64(given.count()) > part*wanted })
		}
		meddling.Go(func() { reached(0.2); wire.SetDown(true); reached(0.3); wire.SetDown(false) })
		meddling.Go(func() { reached(0.4); doomed.sequences.stop(); lifeline.SetDown(true) })
		meddling.Go(func() { reached(0.6); wire.Cut() })
		meddling.Go(func() { reached(0.5); reset(t, steady, "HOT"); reached(0.7); reset(t, steady, "WARM") })
		meddling.Go(func() { reached(0.8); setCache(t, steady, "HOT", domain.DefaultCacheSize-size) })
		meddling.Wait()
		drawing.Wait()
		if n := given.count(); n < wanted {
			t.Errorf("%d values in time, want %d", n, wanted)
		}
		given.account(t, steady, shaky)
		t.Logf("%d values given; in gaps: %d stopped, %d reset, %d cache off, %d lost", given.count(),
			gaps(t, steady, domain.GapStopped), gaps(t, steady, domain.GapReset), gaps(t, steady, domain.GapCacheOff), gaps(t, steady, domain.GapLost))
	})
}
