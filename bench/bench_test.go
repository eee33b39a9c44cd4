package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"occupy/persistence/devstack"
)

// short is how long each thing runs here, so that all of it stays a matter of seconds.
const short = 250 * time.Millisecond

// few is how many items a short run has: sweeps go by the batch.
const few plant = 2 * sweepBatch

// Everything is measured once, and in small: what was not asked for the right
// thing, or counts nothing, is found here and not in front of a table.
func TestEverythingIsMeasured(t *testing.T) {
	binary, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	options := devstack.Options{PostgresSettings: map[string]string{"max_connections": "400"}}
	r, err := newRig(t.Context(), options, binary, few)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}()
	all := runs(few)
	var log, table, file bytes.Buffer
	p, err := r.measureAll(t.Context(), all, 1, short, &log)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range all {
		rounds := p[run.name]
		if len(rounds) == 0 && strings.Contains(log.String(), run.name+" is left out") {
			continue
		}
		if len(rounds) != 1 || rounds[0].rate <= 0 || rounds[0].unwanted > 0 {
			t.Errorf("%s: %+v", run.name, rounds)
		}
	}
	p.write(&table, all)
	p.writeBenchmarks(&file, all)
	t.Logf("%s\n%s\n%s", log.String(), table.String(), file.String())
}

// What a ratio is made of is a run's name: a typing error would leave it out.
func TestRatiosNameRuns(t *testing.T) {
	known := map[string]bool{}
	for _, run := range runs(few) {
		known[run.name] = true
	}
	for _, r := range ratios {
		if !known[r.of] || !known[r.to] {
			t.Errorf("%s: %s, %s", r.what, r.of, r.to)
		}
	}
}

func TestGoalsAreJudged(t *testing.T) {
	for _, test := range []struct {
		goal  goal
		value float64
		want  string
	}{
		{goal{least: 2}, 2, "≥ 2.0\treached"},
		{goal{least: 2}, 1.99, "≥ 2.0\tMISSED"},
		{goal{most: 1.3}, 1.3, "≤ 1.3\treached"},
		{goal{most: 1.3}, 1.31, "≤ 1.3\tMISSED"},
		{goal{}, 9, "\t"},
	} {
		if got := test.goal.judge(test.value); got != test.want {
			t.Errorf("%v of %+v: %q, want %q", test.value, test.goal, got, test.want)
		}
	}
}

// An answer that came in chunks is whole, and the next one begins where it ended.
func TestClientReadsLengthsAndChunks(t *testing.T) {
	server := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst" +
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n" +
		"HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 5\r\n\r\nthird"
	c := newClient(nil, strings.NewReader(server))
	for _, want := range []string{"first", "second", "third"} {
		if got, err := c.read(); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
