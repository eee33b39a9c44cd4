package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// subscriber is a panel that shows all items, and comes back after its last cursor.
type subscriber struct {
	rig     *rig
	n       int
	gateway int
	cursor  string
	lives   int

	mu   sync.Mutex
	seen subscription
	last map[item]int64 // the latest version
	// heard counts what came, so that it can be waited for.
	heard atomic.Int64
}

// silence is how long a gateway may say nothing before a panel goes to another: it is asked for a sign every second.
const silence = 2 * time.Second

const watch = `subscription($after: String, $snapshot: Boolean!) { occupancyChanged(filter: {itemTypes: ["LOT", "MASK", "SLOT"]},
	after: $after, snapshot: $snapshot) { kind cursor occupancy { itemType itemName state version } } }`

// live watches until ctx ends.
func (s *subscriber) live(ctx context.Context) {
	for ctx.Err() == nil {
		s.connect(ctx)
		s.gateway = (s.gateway + 1) % len(s.rig.gateways)
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// connect watches over one connection, until that ends.
func (s *subscriber) connect(ctx context.Context) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	dialing, dialed := context.WithTimeout(ctx, silence)
	defer dialed()
	conn, _, err := websocket.Dial(dialing, "ws://"+s.rig.gateways[s.gateway].at()+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: map[string][]string{"X-User-Id": {fmt.Sprint("panel-", s.n)}}})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(-1)
	s.lives++
	variables := map[string]any{"snapshot": s.cursor == ""}
	if s.cursor != "" {
		variables["after"] = s.cursor
	}
	subscribe, _ := json.Marshal(map[string]any{"id": "1", "type": "subscribe", "payload": map[string]any{"query": watch, "variables": variables}})
	if conn.Write(ctx, websocket.MessageText, []byte(`{"type":"connection_init"}`)) != nil ||
		conn.Write(ctx, websocket.MessageText, subscribe) != nil {
		return
	}
	go s.ping(ctx, conn)
	for {
		waiting, waited := context.WithTimeout(ctx, silence)
		_, text, err := conn.Read(waiting)
		waited()
		if err != nil || !s.hear(text) {
			return
		}
	}
}

func (s *subscriber) ping(ctx context.Context, conn *websocket.Conn) {
	for tick := time.Tick(time.Second); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-tick:
			_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"ping"}`))
		}
	}
}

// hear notes a message. Returns false if nothing comes after it.
func (s *subscriber) hear(text []byte) bool {
	var m struct {
		Type    string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(text, &m); err != nil {
		add(s.rig.rec, &s.rig.rec.strange, fmt.Sprintf("subscriber %d was sent %s", s.n, text))
		return false
	}
	switch m.Type {
	case "next":
		return s.see(m.Payload)
	case "error":
		s.refused(string(m.Payload))
		return false
	case "complete":
		return false
	}
	return true
}

func (s *subscriber) see(payload []byte) bool {
	var got struct {
		Data struct {
			Change *struct {
				Kind, Cursor string
				Occupancy    struct {
					ItemType, ItemName, State string
					Version                   int64 `json:",string"`
				}
			} `json:"occupancyChanged"`
		}
	}
	if err := json.Unmarshal(payload, &got); err != nil || got.Data.Change == nil {
		s.refused(string(payload))
		return false
	}
	o := got.Data.Change.Occupancy
	i := item{o.ItemType, o.ItemName}
	if strings.HasPrefix(i.Name, "job:") { // the service's own
		s.cursor = got.Data.Change.Cursor
		return true
	}
	s.mu.Lock()
	s.seen.sights = append(s.seen.sights, sight{s.lives, i, o.Version, o.State, got.Data.Change.Kind == "SNAPSHOT"})
	s.last[i] = max(s.last[i], o.Version)
	s.mu.Unlock()
	s.cursor = got.Data.Change.Cursor
	s.heard.Add(1)
	return true
}

// refused notes that the subscription ended with an error: after RESYNC only a snapshot helps.
func (s *subscriber) refused(payload string) {
	switch {
	case strings.Contains(payload, "RESYNC"):
		s.mu.Lock()
		s.seen.resyncs++
		s.mu.Unlock()
		s.cursor = ""
	case !strings.Contains(payload, "UNAVAILABLE"):
		add(s.rig.rec, &s.rig.rec.strange, fmt.Sprintf("subscriber %d was told %s", s.n, payload))
	}
}

// has tells whether the subscriber has seen everything up to these versions.
func (s *subscriber) has(all []present) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range all {
		if s.last[p.item()] < p.Version {
			return false
		}
	}
	return true
}
