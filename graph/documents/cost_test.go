package documents

import (
	"encoding/json"
	"testing"
)

func TestCost(t *testing.T) {
	d := newDocuments()
	for _, c := range []struct {
		text      string
		variables map[string]any
		cost      int
	}{
		{`{ me { userId } }`, nil, 50 + 1},
		{`{ me { ...f userId } } fragment f on Caller { language }`, nil, 50 + 2},
		{`{ occupancies { nodes { version } } }`, nil, 50 + 50*2},
		{`{ occupancies(first: 7) { totalCount edges { node { version } } } }`, nil, 50 + 7*4},
		{`{ occupancies(last: 7) { nodes { version } } }`, nil, 50 + 7*2},
		{`{ occupancies(first: -7) { nodes { version } } }`, nil, 50},
		{`{ occupancies(first: 2000000000) { nodes { version } } }`, nil, 50 + 1000*2},
		{`query($n: Int) { occupancies(first: $n) { nodes { version } } }`, map[string]any{"n": json.Number("9")}, 50 + 9*2},
		{`query($n: Int) { occupancies(first: $n) { nodes { version } } }`, map[string]any{"n": int64(9)}, 50 + 9*2},
		{`query($n: Int) { occupancies(first: $n) { nodes { version } } }`, nil, 50 + 50*2},
		{`{ occupancies(first: 10) { nodes { history(first: 20) { nodes { version } } } } }`, nil, 50 + 10*(1+50+20*2)},
		{`{ node(id: "x") { ... on Occupancy { version } ... on HistoryEntry { version at } } }`, nil, 50 + 3},
		{`{ __schema { types { fields { name } } } }`, nil, 50 + 1 + 5*(1+5)},
		{`mutation { occupyAll(input: {items: []}) { ok blockers { version } } }`, nil, 50 + 2 + 5},
		{`subscription { occupancyChanged { at } }`, nil, 50 + 1},
	} {
		found, wrong := d.Find(c.text)
		if wrong != nil {
			t.Errorf("%s: %v", c.text, wrong)
			continue
		}
		o := found.AST.Operations[0]
		cost := found.weights[o]
		if cost.varies {
			cost = weigh(o, c.variables)
		}
		if cost.fixed != c.cost {
			t.Errorf("%s costs %d, want %d", c.text, cost.fixed, c.cost)
		}
	}
}

// The verdict is kept with the document, but for what a variable says.
func TestCostOfAPageThatAVariableSays(t *testing.T) {
	d := newDocuments(func(c *Config) { c.Limits.Cost = 1000 })
	found, wrong := d.Find(`query a($n: Int) { occupancies(first: $n) { nodes { version } } } query b { me { userId } }`)
	if wrong != nil {
		t.Fatal(wrong)
	}
	a, b := found.AST.Operations[0], found.AST.Operations[1]
	if dear := d.Afford(found, a, map[string]any{"n": json.Number("900")}); dear == nil {
		t.Error("a long page is affordable")
	}
	if dear := d.Afford(found, a, map[string]any{"n": json.Number("9")}); dear != nil {
		t.Error(dear)
	}
	if found.weights[b].varies || d.Afford(found, b, nil) != nil {
		t.Error("the other operation")
	}
}
