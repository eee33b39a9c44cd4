package main

import (
	"net/http"
	"testing"
)

func TestRateLimitsAreOnUnlessTheyAreTurnedOff(t *testing.T) {
	for _, c := range []struct {
		setting string
		status  int
	}{{"OCCUPY_RATE_LIMITS=on", http.StatusTooManyRequests}, {"OCCUPY_RATE_LIMITS=off", http.StatusOK}} {
		s := newServer(t, c.setting, "OCCUPY_RATE_MUTATIONS_PER_USER=1")
		for range 10 {
			s.as("kim").command("occupy", lot("A"))
		}
		response, text := s.send(http.MethodPost, "/graphql", s.as("kim").headers(), `{"query":"mutation { free(input: {itemType: \"LOT\", itemName: \"A\"}) { code } }"}`)
		if response.StatusCode != c.status {
			t.Errorf("%s: %s %s", c.setting, response.Status, text)
		}
	}
	c := config(t)
	if r := c.rates(); r.Mutations.PerUser == 0 || r.Connections.PerAddress == 0 || r.Subscriptions.PerUser == 0 {
		t.Errorf("not on by themselves: %+v", r)
	}
}
