package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// sum is what a run came to.
func (r *record) sum(out io.Writer) {
	outcomes := map[outcome]int{}
	for _, o := range r.ops {
		outcomes[o.outcome]++
	}
	for _, d := range r.draws {
		outcomes[d.outcome]++
	}
	for _, l := range r.lots {
		outcomes[l.outcome]++
	}
	seen, lives := 0, 0
	for _, s := range r.subscriptions {
		seen += len(s.sights)
		if len(s.sights) > 0 {
			lives += s.sights[len(s.sights)-1].life
		}
	}
	fmt.Fprintf(out, "\n%d calls: %d ok, %d refused, %d undone, %d unknown\n", len(r.ops)+len(r.draws)+len(r.lots),
		outcomes[ok], outcomes[refused], outcomes[undone], outcomes[unknown])
	fmt.Fprintf(out, "%d rows of history of %d items; %d subscribers saw %d changes over %d connections\n",
		len(r.tables.history), len(r.tables.items), len(r.subscriptions), seen, lives)
	for n := range r.last {
		fmt.Fprintf(out, "gateway %d: %.0f goroutines, %.0f files, %.0f MB; when it was fresh %.0f, %.0f, %.0f\n", n, r.last[n].goroutines,
			r.last[n].files, r.last[n].memory/(1<<20), r.fresh[n].goroutines, r.fresh[n].files, r.fresh[n].memory/(1<<20))
	}
	r.sumRecoveries(out)
}

func (r *record) sumRecoveries(out io.Writer) {
	times := map[string]int{}
	for _, e := range r.episodes {
		times[e.fault]++
	}
	recoveries := r.recoveries()
	fmt.Fprintf(out, "\n%-26s %5s   %s\n", "fault", "times", "from its end to a gateway's first answer: median, longest")
	for _, fault := range slices.Sorted(maps.Keys(times)) {
		all := recoveries[fault]
		slices.Sort(all)
		if len(all) > 0 {
			fmt.Fprintf(out, "%-26s %5d   %s %s\n", fault, times[fault], all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
		}
	}
}

// tell lists what was found.
func tell(out io.Writer, found []violation) {
	for n, v := range found {
		if n == 50 {
			fmt.Fprintf(out, "and %d more\n", len(found)-n)
			break
		}
		fmt.Fprintf(out, "VIOLATION: %s: %s\n", v.promise, v.what)
	}
}
