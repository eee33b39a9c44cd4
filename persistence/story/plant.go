package story

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Plant says what past to make up.
type Plant struct {
	// Seed is which of all stories of that size it is.
	Seed uint64
	// From and To bound the rows' times. What is held at To stays held.
	From, To time.Time
	// Rows is about how many history rows there will be.
	Rows int
	// Zone is the plant's, by which shifts and weekends go; nil = that of Korea.
	Zone *time.Location
}

// rowsAVisit is how many rows somebody's coming to a screen leaves on average.
const rowsAVisit = 2.12

// screen is where people take items, and how they work there.
type screen struct {
	ui, menu, itemType string
	share              float64       // of all visits
	work               time.Duration // the median
	ttl                time.Duration
	also               string // a type of which something is often needed in the middle of the work
}

var screens = []screen{
	{"Track In", "Lot", "LOT", 0.28, 90 * time.Second, 5 * time.Minute, "CST"},
	{"Track Out", "Lot", "LOT", 0.25, time.Minute, 5 * time.Minute, ""},
	{"Force Sampling", "Quality", "LOT", 0.10, 5 * time.Minute, 10 * time.Minute, "MASK"},
	{"Hold Release", "Quality", "LOT", 0.05, 11 * time.Minute, 10 * time.Minute, ""},
	{"Mask Change", "Mask", "MASK", 0.12, 7 * time.Minute, 10 * time.Minute, "LOT"},
	{"Mask Inspection", "Mask", "MASK", 0.03, 25 * time.Minute, 15 * time.Minute, ""},
	{"Carrier Clean", "Carrier", "CST", 0.12, 4 * time.Minute, 5 * time.Minute, ""},
	{"Recipe Edit", "Product", "PRODUCT", 0.05, 30 * time.Minute, 15 * time.Minute, "LOT"},
}

var surnames = []string{"kim", "lee", "park", "choi", "jung", "kang", "cho", "yoon", "jang", "lim", "han", "oh"}

// person is somebody who works at screens.
type person struct {
	id      string
	slow    float64 // how long they take for what others do in 1
	forgets float64 // how often they leave without a word
	windows bool    // whether their screens say which window they are
}

// cast is who there is, and how many things. It grows with what is done in a day, so
// that a small plant is as crowded as a large one.
type cast struct {
	teams      [shifts][]person
	office     []person
	supervisor []string
	things     map[string]int // how many there are of a type; of LOT, how many begin a day
}

func newCast(r *rand.Rand, visitsADay float64) *cast {
	atLeast := func(least int, wanted float64) int { return max(least, int(math.Round(wanted))) }
	c := &cast{things: map[string]int{
		"LOT": atLeast(2, visitsADay*0.7/20), "MASK": atLeast(3, visitsADay/60),
		"CST": atLeast(5, visitsADay/12), "PRODUCT": atLeast(2, visitsADay/250),
	}}
	n := 0
	people := func(count int) (all []person) {
		for range count {
			p := person{
				id:   fmt.Sprintf("%s%03d", surnames[n%len(surnames)], n/len(surnames)+1),
				slow: math.Exp(r.NormFloat64() * 0.3), forgets: 0.03, windows: n%10 != 9,
			}
			if n%17 == 5 {
				p.forgets = 0.2
			}
			all = append(all, p)
			n++
		}
		return all
	}
	for i := range c.teams {
		c.teams[i] = people(atLeast(4, visitsADay/160))
	}
	c.office = people(atLeast(3, visitsADay/300))
	for i := range atLeast(2, visitsADay/3000) {
		c.supervisor = append(c.supervisor, fmt.Sprintf("boss%02d", i+1))
	}
	return c
}
