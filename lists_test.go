package main

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// names lists a connection's item names, and checks that nodes and edges agree.
func names(t *testing.T, connection any) string {
	t.Helper()
	var fromNodes, fromEdges []string
	c := object(connection.(map[string]any))
	for _, n := range c["nodes"].([]any) {
		fromNodes = append(fromNodes, object(n.(map[string]any)).at("itemName").(string))
	}
	for _, e := range c["edges"].([]any) {
		fromEdges = append(fromEdges, object(e.(map[string]any)).at("node.itemName").(string))
	}
	if fmt.Sprint(fromNodes) != fmt.Sprint(fromEdges) {
		t.Errorf("nodes %v, edges %v", fromNodes, fromEdges)
	}
	return strings.Join(fromNodes, " ")
}

// lately is the part of a filter without which a question would be about all of the
// past: when it was that these tests have written something.
func lately() string {
	return fmt.Sprintf(`at: {gte: %q}`, time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339))
}

const listed = `edges { cursor node { itemName } } nodes { itemName } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`

func TestOccupanciesForwardAndBackward(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	kim.command("occupyAll", object{"items": []object{lot("A"), lot("B"), lot("C"), lot("D"), lot("E")}})
	list := func(args string) (string, object) {
		c := kim.must(`{ occupancies(where: {itemType: {eq: "lot"}}, ` + args + `) { ` + listed + ` } }`).at("occupancies")
		return names(t, c), object(c.(map[string]any))
	}
	page := func(args, wanted string, next, previous bool) object {
		t.Helper()
		got, c := list(args)
		if got != wanted {
			t.Errorf("%s: %s, want %s", args, got, wanted)
		}
		want(t, c, "pageInfo.hasNextPage", next, "pageInfo.hasPreviousPage", previous)
		return c
	}
	first := page(`first: 2`, "A B", true, false)
	second := page(fmt.Sprintf(`first: 2, after: %q`, first.at("pageInfo.endCursor")), "C D", true, true)
	page(fmt.Sprintf(`first: 2, after: %q`, second.at("pageInfo.endCursor")), "E", false, true)
	last := page(`last: 2`, "D E", false, true)
	page(fmt.Sprintf(`last: 2, before: %q`, last.at("pageInfo.startCursor")), "B C", true, true)
	page(`orderBy: {field: ITEM, direction: DESC}, first: 2`, "E D", true, false)
	empty := page(`first: 0`, "", true, false)
	want(t, empty, "pageInfo.startCursor", nil, "pageInfo.endCursor", nil)
	wantBadInput(t, kim.ask(fmt.Sprintf(`{ occupancies(after: %q, orderBy: {field: START_TIME}) { totalCount } }`,
		first.at("pageInfo.endCursor"))), "after")
}

func TestHistoryOfAnItemAndNode(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	kim.command("occupy", lot("LOT1", "session", "w1"))
	s.as("boss").command("forceFree", lot("LOT1", "reason", "shift change", "fencingToken", "1"))
	got := kim.must(`{ occupancy(itemType: "LOT", itemName: "LOT1") { id history(first: 5) { totalCount nodes {
		id timeKey state event userId session actor comment version } } } history(where: {event: {eq: FORCED}, ` + lately() + `}) { nodes { itemName } } }`)
	nodes := got.at("occupancy.history.nodes").([]any)
	want(t, object(nodes[0].(map[string]any)), "event", "FORCED", "state", "FREE", "userId", "kim", "session", "w1",
		"actor", "boss", "comment", "shift change", "version", "2")
	want(t, object(nodes[1].(map[string]any)), "event", "OCCUPIED", "actor", "kim", "comment", nil, "version", "1")
	want(t, got, "occupancy.history.totalCount", 2)
	for kind, id := range map[string]any{"Occupancy": got.at("occupancy.id"), "HistoryEntry": object(nodes[0].(map[string]any))["id"]} {
		want(t, kim.must(fmt.Sprintf(`{ node(id: %q) { __typename id ... on HistoryEntry { event } } }`, id)), "node.__typename", kind, "node.id", id)
	}
	at := kim.must(`{ history(where: {event: {eq: OCCUPIED}, itemType: {in: ["LOT"]}, ` + lately() + `}) { nodes { at } } }`).at("history.nodes").([]any)[0]
	want(t, kim.must(fmt.Sprintf(`{ holderAt(itemType: "LOT", itemName: "LOT1", at: %q) { userId session } }`, object(at.(map[string]any))["at"])),
		"holderAt.userId", "kim", "holderAt.session", "w1")
	want(t, kim.must(`{ holderAt(itemType: "LOT", itemName: "LOT1", at: "2020-01-01T00:00:00Z") { userId } }`), "holderAt", nil)
}

func TestHolds(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	kim.command("occupy", lot("LOT1", "session", "w1", "uiName", "Track In"))
	kim.command("renew", lot("LOT1", "session", "w1"))
	s.as("boss").command("forceFree", lot("LOT1", "reason", "shift change", "fencingToken", "1"))
	s.as("lee").command("occupy", lot("LOT1", "session", "w2"))
	got := kim.must(`{ holds(where: {itemType: {eq: "lot"}, itemName: {eq: "lot1"}}) { totalCount nodes {
		itemType itemName userId session uiName menuName fencingToken renewals from to seconds endReason endedBy comment } } }`)
	want(t, got, "holds.totalCount", 2)
	nodes := got.at("holds.nodes").([]any)
	lasts, ended := object(nodes[0].(map[string]any)), object(nodes[1].(map[string]any))
	want(t, lasts, "userId", "lee", "to", nil, "endReason", nil, "endedBy", nil, "renewals", "0", "fencingToken", "2")
	want(t, ended, "userId", "kim", "session", "w1", "uiName", "Track In", "menuName", nil, "renewals", "1",
		"endReason", "FORCED", "endedBy", "boss", "comment", "shift change", "fencingToken", "1")
	if s, _ := ended["seconds"].(float64); s <= 0 || ended["to"] == nil {
		t.Error(ended)
	}
	at := kim.must(fmt.Sprintf(`{ heldAt(at: %q, where: {itemType: {ne: "slot"}, seconds: {lt: 3600}}) { totalCount nodes { itemName userId to endReason } } }`, ended["from"]))
	want(t, at, "heldAt.totalCount", 1, "heldAt.nodes", []object{{"itemName": "LOT1", "userId": "kim", "to": ended["to"], "endReason": "FORCED"}})
	want(t, kim.must(`{ holds(where: {open: true, not: {itemType: {eq: "SLOT"}}}, orderBy: {field: SECONDS}) { nodes { userId } } }`), "holds.nodes", []object{{"userId": "lee"}})
	for query, argument := range map[string]string{
		`{ holds(where: {endReason: {eq: FORCED}}) { nodes { userId } } }`:                              "where",
		`{ holds(where: {to: {gte: "2020-01-01T00:00:00Z"}, open: false}) { nodes { userId } } }`:       "where.to",
		`{ holds(orderBy: {field: SECONDS}) { nodes { userId } } }`:                                     "where",
		`{ holds(where: {seconds: {between: {from: 2, to: 1}}}) { nodes { userId } } }`:                 "where.seconds.between",
		`{ holds(after: "WyJFTkQiXQ") { nodes { userId } } }`:                                           "after",
		`{ heldAt(at: "0000-01-01T00:00:00Z") { nodes { userId } } }`:                                   "at",
		`{ heldAt(at: "2026-01-01T00:00:00Z", where: {comment: {eq: "\u0000"}}) { nodes { userId } } }`: "where.comment.eq",
		`{ heldAt(at: "2026-01-01T00:00:00Z", where: {endReason: {in: [GONE]}}) { nodes { userId } } }`: "where.endReason.in.0",
	} {
		wantBadInput(t, kim.ask(query), argument)
	}
}

func TestHistoryStats(t *testing.T) {
	s := newServer(t)
	kim, ann := s.as("kim"), s.as("ann")
	kim.command("occupyAll", object{"items": []object{lot("A"), lot("B"), lot("C")}, "uiName": "Track In"})
	kim.command("free", lot("A"))
	s.as("boss").command("forceFree", lot("B", "reason", "shift change", "fencingToken", "1"))
	const query = `{ historyStats(where: {itemType: {eq: "LOT"}, to: {gte: "%s"}}, groupBy: [UI, END_REASON], orderBy: {by: GROUP, direction: ASC}) {
		rowCount rows { userId uiName endReason holds forced forcedRate expiryRate denials } } }`
	got := ann.must(fmt.Sprintf(query, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)))
	row := object{"userId": nil, "uiName": "Track In", "endReason": "FORCED", "holds": "1", "forced": "1", "forcedRate": 1, "expiryRate": 0, "denials": "0"}
	freed := maps.Clone(row)
	maps.Copy(freed, object{"endReason": "FREED", "forced": "0", "forcedRate": 0})
	want(t, got, "historyStats.rowCount", 2, "historyStats.rows", []object{row, freed})
	for query, argument := range map[string]string{
		`{ historyStats(where: {itemType: {eq: "LOT"}}) { rowCount } }`:                      "where",
		`{ historyStats(where: {userId: {eq: "kim"}}, groupBy: [USER, USER]) { rowCount } }`: "groupBy.1",
		`{ historyStats(where: {userId: {eq: "kim"}}, groupBy: [WEEKDAY]) { rowCount } }`:    "groupBy.0",
		`{ historyStats(where: {userId: {eq: "kim"}}, orderBy: {by: LUCK}) { rowCount } }`:   "orderBy.by",
		`{ historyStats(where: {userId: {eq: "kim"}}, first: 1001) { rowCount } }`:           "first",
	} {
		wantBadInput(t, ann.ask(query), argument)
	}
}

func TestTotalCount(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupyAll", object{"items": []object{lot("A"), lot("B"), lot("C")}})
	query := `{ occupancies(where: {itemType: {eq: "LOT"}}, first: 1) { n: totalCount } history(where: {itemType: {eq: "LOT"}, ` + lately() + `}, first: 1) { totalCount } }`
	want(t, s.as("kim").must(query), "occupancies.n", 3, "history.totalCount", 3)
}

func TestTokensAreLimited(t *testing.T) {
	s := newServer(t)
	all := make([]string, 1000)
	for i := range all {
		all[i] = fmt.Sprintf(`{itemType: "LOT", itemName: "LOT-%d"}`, i)
	}
	got := s.as("kim").must(`mutation { occupyAll(input: {items: [` + strings.Join(all, " ") + `]}) { ok } }`)
	want(t, got, "occupyAll.ok", true)
	response, text := s.send(http.MethodPost, "/graphql", s.as("kim").headers(), `{"query": "{`+strings.Repeat("me ", 10_001)+`}"}`)
	if !strings.Contains(text, "LIMIT_EXCEEDED") {
		t.Errorf("%s %.200s", response.Status, text)
	}
}
