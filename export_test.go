package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestAnAnalystTakesTheHistoryAway: what the file has is what the tables have, and the
// filter is that of GraphQL.
func TestAnAnalystTakesTheHistoryAway(t *testing.T) {
	s := newServer(t)
	for _, user := range []string{"kim", "lee"} {
		s.as(user).command("occupy", lot("LOT-"+user, "menuName", "=1+1"))
		s.as(user).command("free", lot("LOT-"+user))
	}
	ana := s.as("ana").with("ANALYST")
	where := url.QueryEscape(`{"userId": {"eq": "kim"}, "itemType": {"eq": "lot"}}`)
	response, text := s.send(http.MethodGet, "/export/history.ndjson?where="+where, ana.headers(), "")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if response.StatusCode != http.StatusOK || len(lines) != 2 {
		t.Fatal(response.Status, text)
	}
	for i, event := range []string{"OCCUPIED", "FREED"} {
		var row object
		if err := json.Unmarshal([]byte(lines[i]), &row); err != nil {
			t.Fatal(err)
		}
		want(t, row, "event", event, "userId", "kim", "itemName", "LOT-KIM", "menuName", "=1+1", "comment", nil)
	}
	_, text = s.send(http.MethodGet, "/export/history.csv?bom=1&where="+where, ana.headers(), "")
	if lines := strings.Split(text, "\r\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], "\ufefftimeKey,at,itemType,") || !strings.Contains(lines[1], ",'=1+1,") {
		t.Errorf("%q", text)
	}
	response, text = s.send(http.MethodGet, "/export/history.csv", s.as("kim").with("OPERATOR").headers(), "")
	if response.StatusCode != http.StatusForbidden || !strings.Contains(text, "FORBIDDEN") {
		t.Errorf("an operator: %s %s", response.Status, text)
	}
}

// TestAnAnalystTakesTheHoldsAway: those that ended in their order, then those that last.
func TestAnAnalystTakesTheHoldsAway(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT-A"))
	for _, name := range []string{"LOT-C", "LOT-B"} {
		s.as("kim").command("occupy", lot(name, "uiName", "=1+1"))
		s.as("kim").command("free", lot(name))
	}
	s.as("lee").command("occupy", lot("LOT-B"))
	ana, where := s.as("ana").with("ANALYST"), url.QueryEscape(`{"userId": {"eq": "kim"}}`)
	_, text := s.send(http.MethodGet, "/export/holds.ndjson?where="+where, ana.headers(), "")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 3 {
		t.Fatal(text)
	}
	for i, name := range []string{"LOT-C", "LOT-B", "LOT-A"} {
		var row object
		if err := json.Unmarshal([]byte(lines[i]), &row); err != nil {
			t.Fatal(err)
		}
		reason := any("FREED")
		if name == "LOT-A" {
			reason = nil
		}
		want(t, row, "itemName", name, "userId", "kim", "endReason", reason, "fencingToken", "1", "renewals", "0")
		if lasts := row["to"] == nil; lasts != (reason == nil) {
			t.Errorf("%v", row)
		}
	}
	_, text = s.send(http.MethodGet, "/export/holds.csv?where="+where, ana.headers(), "")
	if lines := strings.Split(text, "\r\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "itemType,itemName,userId,session,from,to,") ||
		!strings.Contains(lines[1], ",FREED,kim,,'=1+1,,1,0") {
		t.Errorf("%q", text)
	}
	response, text := s.send(http.MethodGet, "/export/holds.csv?where="+url.QueryEscape(`{"uiName": {"eq": "x"}}`), ana.headers(), "")
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(text, `"argument":"where"`) {
		t.Errorf("a hopeless question: %s %s", response.Status, text)
	}
}
