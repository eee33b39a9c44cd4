package postgres

import (
	"testing"
	"time"

	"occupy/domain"
)

func TestListsOfSequencesAndGaps(t *testing.T) {
	url := newURL(t)
	s := open(t, Config{URL: url, Node: "gateway-1"})
	for _, name := range []string{"b", "A", "가", "c"} {
		mustNextVal(t, s, name)
	}
	setCache(t, s, "c", 20)
	mustNextVal(t, s, "c", 2)
	other := open(t, Config{URL: url, Node: "gateway-2"})
	mustNextVal(t, other, "c")
	other.Close()

	page, err := s.Sequences(t.Context(), domain.SequenceQuery{Cut: domain.Cut{Limit: 2, After: domain.Cursor{"NAME", "A"}, Total: true}})
	if err != nil || len(page.Nodes) != 2 || page.Nodes[0].Name != "b" || page.Nodes[1].Name != "c" || !page.More || *page.Total != 4 {
		t.Fatalf("%+v %v", page, err)
	}
	c := page.Nodes[1]
	if c.Value != 44 || c.Epoch != 1 || c.CacheSize != 20 || c.Lost != 20 || len(c.Blocks) != 1 {
		t.Fatalf("%+v", c)
	}
	if b := c.Blocks[0]; b.Gateway != "gateway-1" || b.First != 2 || b.Last != 23 || time.Until(b.LeaseUntil) > domain.SequenceLease {
		t.Errorf("%+v", b)
	}
	back, err := s.Sequences(t.Context(), domain.SequenceQuery{Cut: domain.Cut{Limit: 2, Backward: true, Before: domain.Cursor{"NAME", "가"}}})
	if err != nil || len(back.Nodes) != 2 || back.Nodes[0].Name != "b" || back.Cursors[1][1] != "c" || !back.More {
		t.Fatalf("%+v %v", back, err)
	}
	gaps, err := s.SequenceGaps(t.Context(), domain.SequenceGapQuery{Name: "c", Cut: domain.Cut{Limit: 1, Total: true}})
	if err != nil || len(gaps.Nodes) != 1 || gaps.More || *gaps.Total != 1 {
		t.Fatalf("%+v %v", gaps, err)
	}
	if g := gaps.Nodes[0]; g.Values != (domain.Values{Epoch: 1, First: 25, Last: 44}) || g.Reason != domain.GapStopped || g.Gateway != "gateway-2" {
		t.Errorf("%+v", g)
	}
	none, err := s.SequenceGaps(t.Context(), domain.SequenceGapQuery{Name: "c", Cut: domain.Cut{Limit: 1, After: gaps.Cursors[0]}})
	if err != nil || len(none.Nodes) != 0 {
		t.Errorf("%+v %v", none, err)
	}
}
