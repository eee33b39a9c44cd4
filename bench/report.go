package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// report is the results of each run, one a round; none of what was left out.
type report map[string][]result

// write prints the tables.
func (p report) write(w io.Writer, all []run) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "medians\tper second\tlowest\thighest\tp50 ms\tp95 ms\tp99 ms\tµs of gateway, database, load\tother answers\t")
	for _, r := range all {
		if rounds := p[r.name]; len(rounds) > 0 {
			rates := each(rounds, rate)
			fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t", r.name, median(rates), slices.Min(rates), slices.Max(rates))
			fmt.Fprintf(t, "%s\t%s\t%s\t", percentile(rounds, 0.50), percentile(rounds, 0.95), percentile(rounds, 0.99))
			fmt.Fprintf(t, "%s\t%s\t\n", used(rounds), unwanted(rounds))
		}
	}
	fmt.Fprintln(t, "\nratios, medians of the rounds\t\tlowest\thighest\tto reach\t\t")
	for _, r := range ratios {
		if values := p.values(r); len(values) > 0 {
			fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%s\t\n", r.what, median(values), slices.Min(values), slices.Max(values), r.goal.judge(median(values)))
		}
	}
	_ = t.Flush()
}

// values are a ratio's, round by round.
func (p report) values(r ratio) (values []float64) {
	for i := range min(len(p[r.of]), len(p[r.to])) {
		values = append(values, r.value(p[r.of][i])/r.value(p[r.to][i]))
	}
	return values
}

func (g goal) judge(value float64) string {
	verdict := func(holds bool) string {
		if holds {
			return "reached"
		}
		return "MISSED"
	}
	switch {
	case g.least > 0:
		return fmt.Sprintf("≥ %.1f\t%s", g.least, verdict(value >= g.least))
	case g.most > 0:
		return fmt.Sprintf("≤ %.1f\t%s", g.most, verdict(value <= g.most))
	}
	return "\t"
}

// writeBenchmarks writes what benchstat reads: `benchstat -col /by FILE`, or two files.
func (p report) writeBenchmarks(w io.Writer, all []run) {
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\npkg: occupy/bench\n", runtime.GOOS, runtime.GOARCH)
	for _, r := range all {
		for _, m := range p[r.name] {
			fmt.Fprintf(w, "Benchmark%s-%d 1 %.1f op/s", r.name, runtime.GOMAXPROCS(0), m.rate)
			if len(m.latencies) > 0 {
				fmt.Fprintf(w, " %d p50-ns/op %d p95-ns/op %d p99-ns/op", m.at(0.50), m.at(0.95), m.at(0.99))
			}
			fmt.Fprintln(w)
		}
	}
}

func percentile(rounds []result, share float64) string {
	d := time.Duration(median(each(rounds, func(r result) float64 { return float64(r.at(share)) })))
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}

// used is the processor time of one, all rounds together.
func used(rounds []result) string {
	var all usage
	var done float64
	for _, r := range rounds {
		all.gateway, all.database, all.load = all.gateway+r.used.gateway, all.database+r.used.database, all.load+r.used.load
		done += r.done
	}
	return all.each(done)
}

func unwanted(rounds []result) string {
	n := 0
	for _, r := range rounds {
		n += r.unwanted
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func each(rounds []result, value func(result) float64) (values []float64) {
	for _, r := range rounds {
		values = append(values, value(r))
	}
	return values
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
