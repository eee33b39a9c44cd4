package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// The short form of `make chaos`.
func TestNothingIsLostUnderFaults(t *testing.T) {
	binary, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := options{seed: 256, total: 13 * time.Second, gateways: 3, users: 30, subscribers: 10, binary: binary, folder: t.TempDir()}
	r, err := run(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	r.sum(t.Output())
	var said strings.Builder
	if found := checkAll(r); len(found) > 0 {
		tell(&said, found)
		t.Error(said.String())
	}
	if len(r.tables.history) < 100 || len(r.episodes) < 8 {
		t.Errorf("%d rows and %d faults are no proof of anything", len(r.tables.history), len(r.episodes))
	}
}

func TestAPlanIsThatOfItsSeed(t *testing.T) {
	names := func(seed uint64) (names [2][]string) {
		for c, course := range plan(seed, 2*time.Minute, 3) {
			for _, p := range course {
				names[c] = append(names[c], p.String())
			}
		}
		return names
	}
	if !reflect.DeepEqual(names(1), names(1)) {
		t.Error("one seed has two plans")
	}
	if reflect.DeepEqual(names(1), names(2)) {
		t.Error("two seeds have one plan")
	}
}

func TestEveryFaultIsHadInTwoMinutes(t *testing.T) {
	for seed := range uint64(20) {
		had := map[string]bool{}
		for _, course := range plan(seed, 2*time.Minute, 3) {
			for n, p := range course {
				had[p.fault.name] = true
				if p.at+p.length > 2*time.Minute || n > 0 && p.at < course[n-1].at+course[n-1].length {
					t.Errorf("seed %d: %v", seed, p)
				}
			}
		}
		if want := len(gatewayFaults) + len(serverFaults); len(had) != want {
			t.Errorf("seed %d: %d of %d faults", seed, len(had), want)
		}
	}
}
