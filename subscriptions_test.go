package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

const watchLots = `subscription($snapshot: Boolean! = false) {
	occupancyChanged(filter: {itemTypes: ["lot"]}, snapshot: $snapshot) {
		kind event at previous { state userId } occupancy { itemName state userId version } } }`

// socket is a graphql-transport-ws client.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

// message is one of the protocol's.
type message struct {
	ID      string `json:"id,omitempty"`
	Type    string `json:"type"`
	Payload any    `json:"payload,omitempty"`
}

// dial opens a socket with the headers given.
func (s *server) dial(header http.Header) *socket {
	s.t.Helper()
	conn, _, err := websocket.Dial(s.t.Context(), "ws://"+s.address+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{s.t, conn}
}

// connect opens a socket and says who asks.
func (c caller) connect() *socket {
	c.server.t.Helper()
	k := c.server.dial(nil)
	init := object{"Accept-Language": c.language}
	if c.user != "" {
		init["x-user-id"] = c.user
	}
	if c.roles != "" {
		init["X-Roles"] = c.roles
	}
	for name := range c.more {
		init[name] = c.more.Get(name)
	}
	k.send(message{Type: "connection_init", Payload: init})
	k.expect("connection_ack")
	return k
}

func (k *socket) send(m message) {
	k.t.Helper()
	if err := wsjson.Write(k.t.Context(), k.conn, m); err != nil {
		k.t.Fatal(err)
	}
}

// expect reads the next message, which has to be of that type, and gives its payload.
func (k *socket) expect(kind string) (payload object) {
	k.t.Helper()
	_ = json.Unmarshal(k.read(kind), &payload)
	return payload
}

// expectError is expect for an error, whose payload is a list.
func (k *socket) expectError() (payload []any) {
	k.t.Helper()
	_ = json.Unmarshal(k.read("error"), &payload)
	return payload
}

func (k *socket) read(kind string) json.RawMessage {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), 20*time.Second)
	defer cancel()
	var m struct {
		Type    string
		Payload json.RawMessage
	}
	if err := wsjson.Read(ctx, k.conn, &m); err != nil {
		k.t.Fatalf("waiting for %s: %v", kind, err)
	}
	if m.Type != kind {
		k.t.Fatalf("%s %s, want %s", m.Type, m.Payload, kind)
	}
	return m.Payload
}

// closeCode reads to the end.
func (k *socket) closeCode() websocket.StatusCode {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), 20*time.Second)
	defer cancel()
	for {
		if _, _, err := k.conn.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// events is a client of SSE.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
	close func() error // as a browser does that is shut
}

// follow opens a stream.
func (c caller) follow(query string, variables object) *events {
	c.server.t.Helper()
	body, _ := json.Marshal(object{"query": query, "variables": variables})
	request, err := http.NewRequestWithContext(c.server.t.Context(), http.MethodPost, "http://"+c.server.address+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		c.server.t.Fatal(err)
	}
	request.Header = c.headers()
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.server.t.Fatal(err)
	}
	c.server.t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		c.server.t.Fatal(kind)
	}
	return &events{c.server.t, bufio.NewScanner(response.Body), response.Body.Close}
}

// expect reads the next event, which has to have that name, and gives its data.
func (e *events) expect(name string) (data object) {
	e.t.Helper()
	for e.lines.Scan() {
		line := e.lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, ":"):
		case line == "event: complete" && name == "complete":
			return nil
		case strings.HasPrefix(line, "data: ") && name == "next":
			_ = json.Unmarshal([]byte(line[len("data: "):]), &data)
			return data
		case line != "event: "+name:
			e.t.Fatalf("%s, want %s", line, name)
		}
	}
	e.t.Fatalf("the end, want %s: %v", name, e.lines.Err())
	return nil
}

// stream is what both transports can do.
type stream interface{ expect(string) object }

// streams opens the subscription over each transport.
func (c caller) streams(query string, variables object) map[string]stream {
	c.server.t.Helper()
	k := c.connect()
	k.send(message{ID: "1", Type: "subscribe", Payload: object{"query": query, "variables": variables}})
	return map[string]stream{"WebSocket": k, "SSE": c.follow(query, variables)}
}

// waitForSubscribers waits until that many are listening.
func (s *server) waitForSubscribers(n string) {
	s.t.Helper()
	s.waitForMetric("occupy_subscribers", n)
}

func (s *server) waitForMetric(name, value string) {
	s.t.Helper()
	eventually(s.t, name+" is "+value, func() bool { return s.metric(name) == value })
}

// metric is a value of /metrics.
func (s *server) metric(name string) string {
	s.t.Helper()
	_, text := s.send(http.MethodGet, "/metrics", nil, "")
	_, rest, _ := strings.Cut(text, "\n"+name+" ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

func TestSubscriptionWithSnapshotThenChanges(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	s.as("kim").command("occupy", object{"itemType": "MASK", "itemName": "M1"})
	streams := s.as("watcher").streams(watchLots, object{"snapshot": true})
	for name, stream := range streams {
		want(t, stream.expect("next"), "data.occupancyChanged.kind", "SNAPSHOT", "data.occupancyChanged.event", nil,
			"data.occupancyChanged.previous", nil, "data.occupancyChanged.occupancy.userId", "kim",
			"data.occupancyChanged.occupancy.itemName", "LOT1", "data.occupancyChanged.occupancy.version", "1")
		t.Log(name)
	}
	s.as("kim").command("renew", lot("LOT1"))
	s.as("kim").command("free", lot("LOT1", "how", "WINDOW_CLOSED"))
	s.as("lee").command("occupy", lot("LOT2"))
	for name, stream := range streams {
		want(t, stream.expect("next"), "data.occupancyChanged.kind", "CHANGED", "data.occupancyChanged.event", "WINDOW_CLOSED",
			"data.occupancyChanged.previous.state", "OCCUPIED", "data.occupancyChanged.occupancy.version", "2",
			"data.occupancyChanged.occupancy.state", "FREE")
		want(t, stream.expect("next"), "data.occupancyChanged.event", "OCCUPIED", "data.occupancyChanged.previous", nil,
			"data.occupancyChanged.occupancy.itemName", "LOT2")
		t.Log(name)
	}
}

func TestSubscriptionOfAnotherGatewaySeesTheChange(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	streams := other.as("watcher").streams(watchLots, nil)
	other.waitForSubscribers("2")
	one.as("kim").command("occupy", lot("LOT1"))
	for _, stream := range streams {
		want(t, stream.expect("next"), "data.occupancyChanged.occupancy.userId", "kim")
	}
}

func TestSubscriptionEndsWithItsClient(t *testing.T) {
	s := newServer(t)
	k := s.as("watcher").connect()
	for _, id := range []string{"1", "2"} {
		k.send(message{ID: id, Type: "subscribe", Payload: object{"query": watchLots}})
	}
	s.waitForSubscribers("2")
	k.send(message{ID: "1", Type: "complete"})
	s.waitForSubscribers("1")
	_ = k.conn.CloseNow()
	s.waitForSubscribers("0")
}

// They are told with a code on which they come back, or without a proper end.
func TestSubscribersAreSentAwayByAShutdown(t *testing.T) {
	s := newServer(t)
	streams := s.as("watcher").streams(watchLots, nil)
	s.waitForSubscribers("2")
	s.as("kim").command("occupy", lot("LOT1"))
	for _, stream := range streams {
		want(t, stream.expect("next"), "data.occupancyChanged.occupancy.itemName", "LOT1")
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	if code := streams["WebSocket"].(*socket).closeCode(); code != websocket.StatusServiceRestart {
		t.Errorf("closed with %d, want 1012", code)
	}
	lines := streams["SSE"].(*events).lines
	for lines.Scan() {
		if line := lines.Text(); line != "" && line != ":" {
			t.Errorf("SSE: %s", line)
		}
	}
	if lines.Err() == nil {
		t.Error("the stream has a proper end")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// wantRefused fails unless the subscription ends with one error, and gives its extensions.
func wantRefused(t *testing.T, s stream) object {
	t.Helper()
	var errors []any
	switch s := s.(type) {
	case *socket:
		errors = s.expectError()
	case *events:
		errors, _ = s.expect("next")["errors"].([]any)
		s.expect("complete")
	}
	if len(errors) != 1 {
		t.Fatalf("%v", errors)
	}
	return object(errors[0].(map[string]any)["extensions"].(map[string]any))
}

func TestSubscriptionRefusals(t *testing.T) {
	s := newServer(t)
	names := make([]string, 1001)
	tooMany := `subscription($n: [String!]) { occupancyChanged(filter: {itemNames: $n}) { kind } }`
	for _, stream := range s.as("watcher").streams(tooMany, object{"n": names}) {
		want(t, wantRefused(t, stream), "code", "BAD_USER_INPUT", "argument", "filter.itemNames")
	}
	for _, stream := range s.as("").with("OPERATOR").streams(watchLots, nil) {
		want(t, wantRefused(t, stream), "code", "UNAUTHENTICATED")
	}
}

func TestSocketAnswersQueriesAndMutations(t *testing.T) {
	s := newServer(t)
	k := s.as("kim").in("ko").connect()
	k.send(message{ID: "1", Type: "subscribe", Payload: object{"query": mutation("occupy"), "variables": object{"input": lot("LOT1")}}})
	want(t, k.expect("next"), "data.occupy.code", "GRANTED", "data.occupy.occupancy.userId", "kim")
	k.expect("complete")
	k.send(message{ID: "2", Type: "subscribe", Payload: object{"query": `{ me { userId language } }`}})
	want(t, k.expect("next"), "data.me.userId", "kim", "data.me.language", "ko")
	k.expect("complete")
	k.send(message{Type: "ping"})
	k.expect("pong")
}

func TestSocketTakesCallerFromTheUpgradeHeadersToo(t *testing.T) {
	s := newServer(t)
	k := s.dial(http.Header{"X-User-Id": {"kim"}, "X-Roles": {"ANALYST"}})
	k.send(message{Type: "connection_init", Payload: object{"X-Roles": "OPERATOR"}})
	k.expect("connection_ack")
	k.send(message{ID: "1", Type: "subscribe", Payload: object{"query": `{ me { userId roles } }`}})
	want(t, k.expect("next"), "data.me.userId", "kim", "data.me.roles", []string{"OPERATOR"})
}

func TestSocketsThatAreRefused(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		init any
		code websocket.StatusCode
	}{
		{object{"X-User-Id": " "}, 4403},
		{object{"X-User-Id": 5}, 4403},
		{object{"X-User-Id": "kim", "X-Roles": "BOSS " + strings.Repeat("가", 200)}, 4403},
		{"kim", 4400},
		{[]string{"kim"}, 4400},
	} {
		k := s.dial(nil)
		k.send(message{Type: "connection_init", Payload: c.init})
		if code := k.closeCode(); code != c.code {
			t.Errorf("%v: closed with %d, want %d", c.init, code, c.code)
		}
	}
	_, response, err := websocket.Dial(t.Context(), "ws://"+s.address+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{"Origin": {"http://evil.example"}},
	})
	if err == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign origin: %v", err)
	}
}
