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
