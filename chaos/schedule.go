package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// planned is a fault to come.
type planned struct {
	at     time.Duration // from the beginning
	fault  fault
	target int // of the gateways; -1: not one of them
	length time.Duration
}

func (p planned) String() string {
	target := ""
	if p.target >= 0 {
		target = fmt.Sprintf(" of gateway %d", p.target)
	}
	return fmt.Sprintf("%s %s%s for %s", p.at.Round(10*time.Millisecond), p.fault.name, target, p.length.Round(10*time.Millisecond))
}

// plan draws two courses of faults that go on side by side, one after the other within each: those of
// gateways, and those of what they stand on. The same seed gives the same plan. Every fault comes once
// before one comes again.
func plan(seed uint64, total time.Duration, gateways int) (courses [2][]planned) {
	random := rand.New(rand.NewPCG(seed, 1))
	for c, all := range [][]fault{gatewayFaults, serverFaults} {
		var left []fault
		for at := time.Second; ; {
			if len(left) == 0 {
				left = append(left, all...)
				random.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
			}
			p := planned{at, left[0], -1, left[0].length(random)}
			left = left[1:]
			if c == 0 {
				p.target = random.IntN(gateways)
			}
			at += p.length + time.Second + time.Duration(random.Int64N(int64(2*time.Second)))
			if p.at+p.length > total {
				break
			}
			courses[c] = append(courses[c], p)
		}
	}
	return courses
}
