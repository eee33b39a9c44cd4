package main

import (
	"slices"
	"time"
)

const (
	// moreGoroutines and moreFiles are how many a gateway may have at the end beside those that it started with:
	// a full pool of connections, and callers whose connections are kept.
	moreGoroutines, moreFiles = 100, 100
	// mostMemory is what it may take, in bytes.
	mostMemory = 400 << 20
	// backWithin is how long after a fault a gateway may take to answer again.
	backWithin = 20 * time.Second
)

func checkGrowth(r *record, found func(string, ...any)) {
	for n, last := range r.last {
		fresh := r.fresh[n]
		if last.goroutines > fresh.goroutines+moreGoroutines {
			found("gateway %d has %.0f goroutines, and began with %.0f", n, last.goroutines, fresh.goroutines)
		}
		if last.files > fresh.files+moreFiles {
			found("gateway %d has %.0f open files, and began with %.0f", n, last.files, fresh.files)
		}
		if last.memory > mostMemory {
			found("gateway %d takes %.0f MB", n, last.memory/(1<<20))
		}
	}
	if r.connections > 0 {
		found("%d connections to the database are left after all gateways have gone", r.connections)
	}
}

// recoveries are, for each fault, how long each gateway that it befell took from its end to the first answer to
// a call that was begun after it. One that another fault befell meanwhile is left out.
func (r *record) recoveries() map[string][]time.Duration {
	took := map[string][]time.Duration{}
	for _, e := range r.episodes {
		for gateway := range r.last {
			if at := r.firstAnswer(gateway, e.over); e.befalls(gateway) && !at.IsZero() && !r.befallen(gateway, e, at) {
				took[e.fault] = append(took[e.fault], at.Sub(e.over))
			}
		}
	}
	return took
}

func (e episode) befalls(gateway int) bool { return e.gateway < 0 || e.gateway == gateway }

// befallen tells whether another fault befell a gateway between the end of one and an instant.
func (r *record) befallen(gateway int, e episode, at time.Time) bool {
	return slices.ContainsFunc(r.episodes, func(other episode) bool {
		return other != e && other.befalls(gateway) && other.from.Before(at) && other.over.After(e.over)
	})
}

// firstAnswer is when a gateway first answered a call that was begun after an instant; zero if never.
func (r *record) firstAnswer(gateway int, after time.Time) (at time.Time) {
	for _, o := range r.ops {
		answered := o.gateway == gateway && (o.outcome == ok || o.outcome == refused)
		if answered && o.call.After(after) && (at.IsZero() || o.back.Before(at)) {
			at = o.back
		}
	}
	return at
}

func checkRecovery(r *record, found func(string, ...any)) {
	for fault, all := range r.recoveries() {
		for _, took := range all {
			if took > backWithin {
				found("after %s a gateway took %s to answer", fault, took.Round(time.Millisecond))
			}
		}
	}
}
