package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Case W9.
func TestConnectionsAreLimited(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Connections = 2 })
	k := f.connect(t)
	f.follow(t, watch)
	_, response, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err == nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("a third socket: %v", err)
	}
	if e := f.follow(t, watch); e.response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third stream: %s", e.response.Status)
	}
	_ = k.conn.CloseNow()
	eventually(t, "there is room", func() bool { return f.connections.len() == 1 })
	f.connect(t)
	if got := f.metric(t, `occupy_refused_total{reason="connections"}`); got != "2" {
		t.Errorf("%s are counted", got)
	}
}

// Case W9.
func TestConnectionsOfOneUserAreLimited(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.PerUser = 2 })
	k := f.connect(t)
	f.follow(t, watch)
	third := f.dial(t, nil)
	third.say(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`)
	third.wantClose(websocket.StatusTryAgainLater)
	if e := f.follow(t, watch); e.response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third stream: %s", e.response.Status)
	}
	other := f.dial(t, nil)
	other.say(`{"type":"connection_init","payload":{"X-User-Id":"lee"}}`)
	other.want(`{"type":"connection_ack"}`)
	_ = k.conn.CloseNow()
	eventually(t, "there is room", func() bool { return f.connections.len() == 2 })
	f.connect(t)
}

// Case W9.
func TestOperationsOnOneSocketAreLimited(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Operations = 2 })
	k := f.connect(t)
	k.subscribe("1", watch)
	k.subscribe("2", watch)
	k.subscribe("3", watch)
	k.want(`{"id":"3","type":"error","payload":[{"message":"*","extensions":{"code":"UNAVAILABLE"}}]}`)
	k.say(`{"id":"1","type":"complete"}`)
	k.subscribe("3", watch)
	f.waitForSubscribers(t, 2)
}

// Case W10: sockets are closed with 1012 and streams cut, so that clients come back
// and resume; until then they hear what changes.
func TestCloseSendsClientsAwayOneAfterTheOther(t *testing.T) {
	const n = 50
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Spread = 200 * time.Millisecond })
	var peers []*peer
	for range n {
		k := f.connect(t)
		k.subscribe("1", watch)
		peers = append(peers, k)
	}
	e := f.follow(t, watch)
	f.waitForSubscribers(t, n+1)
	f.Drain()
	refused := f.dial(t, nil)
	refused.say(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`)
	refused.want(`{"type":"connection_ack"}`)
	refused.subscribe("1", watch)
	refused.want(`{"id":"1","type":"error","payload":[{"message":"*","extensions":{"code":"UNAVAILABLE"}}]}`)
	f.fake.change("A", 1)
	f.hub.Ring()
	for _, k := range peers {
		k.want(change("1", "A", 1))
	}
	closed := make(chan error, 1)
	began := time.Now()
	go func() { closed <- f.Close(t.Context()) }()
	e.want(`event: next`, `data: `+changed("A", 1), ``, "cut")
	for _, k := range append(peers, refused) {
		k.wantClose(websocket.StatusServiceRestart)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("all within %v", took)
	}
	_, _, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err == nil {
		t.Error("it takes new ones")
	}
}

// Case W10: who does not answer does not keep a gateway from stopping.
func TestCloseCutsWhoDoesNotAnswerInTime(t *testing.T) {
	f := newFront(t, &fake{})
	stalled := f.connect(t).small()
	stalled.subscribe("1", watch)
	f.waitForSubscribers(t, 1)
	f.flood()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := f.Close(ctx); err != nil || ctx.Err() == nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}

// Case 22.
func TestOrigins(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Origins = []string{"https://mes.example.com", "https://*.floor.example"} })
	for origin, allowed := range map[string]bool{
		"": true, f.url: true, "https://mes.example.com": true, "https://MES.example.com": true, "https://a.floor.example": true,
		"http://mes.example.com": false, "https://mes.example.com.evil.example": false, "https://evil.example": false, "null": false,
		"https://evil.example/.floor.example": false,
	} {
		header := http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"kim"}}
		if origin != "" {
			header.Set("Origin", origin)
		}
		_, _, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{subprotocol}, HTTPHeader: header})
		if (err == nil) != allowed {
			t.Errorf("socket from %q: %v", origin, err)
		}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(`{"query":"{ me { userId } }"}`))
		request.Header = header
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if (response.StatusCode == http.StatusOK) != allowed {
			t.Errorf("POST from %q: %s", origin, response.Status)
		}
	}
	if got := f.metric(t, `occupy_refused_total{reason="origin"}`); got != fmt.Sprint(2*5) {
		t.Errorf("%s are counted", got)
	}
}

func TestBrowsersAreToldOfAllowedOrigins(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Origins = []string{"https://mes.example.com"} })
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodOptions, f.url+"/graphql", nil)
	request.Header.Set("Origin", "https://mes.example.com")
	request.Header.Set("Access-Control-Request-Headers", "content-type,x-user-id")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if h := response.Header; response.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "https://mes.example.com" ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-User-Id") || h.Get("Vary") != "Origin" {
		t.Errorf("%s %v", response.Status, h)
	}
}
