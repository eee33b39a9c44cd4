package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAnalystsAskWhoWasInTheWay: refused by every way to occupy, seen by an analyst a
// moment later (case H6).
func TestAnalystsAskWhoWasInTheWay(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1", "uiName", "Track In", "menuName", "Lot"))
	s.as("lee").command("occupy", lot("LOT2"))
	for range 3 {
		s.as("lee").command("occupy", lot("LOT1", "uiName", "Mask Change"))
	}
	s.as("lee").command("occupyAll", object{"items": []object{lot("LOT1"), lot("LOT9")}})
	s.as("kim").command("occupy", lot("LOT2"))
	ana := s.as("ana").with("ANALYST")
	const question = `{ denials(direction: ASC) { totalCount nodes {
		itemName userId uiName menuName blockerUserId blockerUiName blockerMenuName attempts gotItAt waitedSeconds } } }`
	eventually(t, "the refusals are written down", func() bool { return ana.must(question).at("denials.totalCount") == float64(2) })
	first := object{"itemName": "LOT1", "userId": "lee", "uiName": "Mask Change", "menuName": nil, "blockerUserId": "kim",
		"blockerUiName": "Track In", "blockerMenuName": "Lot", "attempts": "4", "gotItAt": nil, "waitedSeconds": nil}
	node := ana.must(question)["denials"].(map[string]any)["nodes"].([]any)[0].(map[string]any)
	want(t, object{"first": node}, "first", first)

	day := fmt.Sprintf(`at: {gte: %q, lt: %q}`, time.Now().Add(-time.Hour).Format(time.RFC3339), time.Now().Add(time.Hour).Format(time.RFC3339))
	got := ana.must(`{ topBlockers(where: {` + day + `}, by: SCREEN) { userId uiName denials attempts askers items gaveUp } }`)
	want(t, got, "topBlockers", []object{
		{"userId": nil, "uiName": nil, "denials": "1", "attempts": "1", "askers": "1", "items": "1", "gaveUp": "1"},
		{"userId": nil, "uiName": "Track In", "denials": "1", "attempts": "4", "askers": "1", "items": "1", "gaveUp": "1"}})
	got = ana.must(`{ crossedPairs(where: {` + day + `}) { one { userId itemName } other { userId itemName } } }`)
	want(t, got, "crossedPairs", []object{{"one": object{"userId": "lee", "itemName": "LOT1"}, "other": object{"userId": "kim", "itemName": "LOT2"}}})
	wantBadInput(t, ana.ask(`{ topBlockers(where: {}) { userId } }`), "where.at")
	if _, text := s.send("GET", "/metrics", nil, ""); !strings.Contains(text, "occupy_denials_dropped_total 0") {
		t.Error("the metrics do not tell of what was not written down")
	}
}
