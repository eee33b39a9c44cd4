package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/jackc/pgx/v5"
)

// faithful is a client that follows all LOTs for ever: whenever its stream ends, it
// comes back after its last cursor, and drops what it has. It has to be there before
// the first LOT is: then it can miss nothing.
type faithful struct {
	t         *testing.T
	name      string
	streams   func(f *faithful, ctx context.Context, address string, variables object) // over one transport
	wanders   bool                                                                     // it loses its connection by itself
	client    http.Client
	connected atomic.Int64 // connections, the present one too
	cursor    string

	mu      sync.Mutex
	last    map[string]int64 // versions
	here    map[string]int64 // those told on this connection
	told    int
	repeats int
	longest int // how many it is told on a connection, at most, before it loses that
	lose    int // how many more
}

const followLots = `subscription($snapshot: Boolean! = false, $after: String) {
	occupancyChanged(filter: {itemTypes: ["LOT"]}, snapshot: $snapshot, after: $after) { cursor occupancy { itemName version } } }`

// news is what it is told.
type news struct {
	Data struct {
		OccupancyChanged struct {
			Cursor    string
			Occupancy struct {
				ItemName string
				Version  int64 `json:",string"`
			}
		}
	}
	Errors json.RawMessage
}

var transports = map[string]func(f *faithful, ctx context.Context, address string, variables object){
	"SSE": (*faithful).overSSE, "WebSocket": (*faithful).overSocket,
}

// stay has one follow over a transport until the test ends. gateway gives the address
// to try, each time.
func stay(t *testing.T, transport string, wanders bool, gateway func(n int) string) *faithful {
	f := &faithful{t: t, name: transport, streams: transports[transport], wanders: wanders, last: map[string]int64{}, longest: 1000,
		client: http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			f.follow(ctx, gateway(int(f.connected.Add(1)-1)))
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return f
}

func (f *faithful) follow(ctx context.Context, address string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.lose = 1 + rand.IntN(f.longest)
	f.here = map[string]int64{}
	f.mu.Unlock()
	variables := object{"snapshot": f.cursor == ""}
	if f.cursor != "" {
		variables["after"] = f.cursor
	}
	f.streams(f, ctx, address, variables)
}

// patience ends a connection on which nothing was heard for a while, of one that
// wanders: its gateway may have been stopped. Call heard at each word.
func (f *faithful) patience(ctx context.Context) (_ context.Context, heard func()) {
	if !f.wanders {
		return ctx, func() {}
	}
	const patience = 2 * time.Second
	ctx, cancel := context.WithCancel(ctx)
	silent := time.AfterFunc(patience, cancel)
	return ctx, func() { silent.Reset(patience) }
}

func (f *faithful) overSSE(ctx context.Context, address string, variables object) {
	ctx, heard := f.patience(ctx)
	body, _ := json.Marshal(object{"query": followLots, "variables": variables})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/graphql", bytes.NewReader(body))
	if err != nil {
		f.t.Error(err)
		return
	}
	request.Header = caller{user: "watcher"}.headers()
	request.Header.Set("Accept", "text/event-stream")
	response, err := f.client.Do(request)
	if err != nil {
		return // it is away
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		heard()
		var n news
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is || json.Unmarshal([]byte(data), &n) != nil { // or cut in the middle
			continue
		}
		if !f.take(n) {
			return
		}
	}
}

func (f *faithful) overSocket(ctx context.Context, address string, variables object) {
	ctx, heard := f.patience(ctx)
	conn, _, err := websocket.Dial(ctx, "ws://"+address+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPClient: &f.client, HTTPHeader: caller{user: "watcher"}.headers()})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	for _, m := range []message{{Type: "connection_init"}, {ID: "1", Type: "subscribe", Payload: object{"query": followLots, "variables": variables}}} {
		if wsjson.Write(ctx, conn, m) != nil {
			return
		}
	}
	for {
		var m struct {
			Type    string
			Payload json.RawMessage
		}
		if wsjson.Read(ctx, conn, &m) != nil {
			return
		}
		heard()
		var n news
		switch m.Type {
		case "next":
			_ = json.Unmarshal(m.Payload, &n)
		case "error":
			n.Errors = m.Payload
		default:
			continue
		}
		if !f.take(n) {
			return
		}
	}
}

// take fails the test where there is a hole, or something comes twice on a connection.
// Returns false if the connection is to end.
func (f *faithful) take(n news) bool {
	if n.Errors != nil {
		if !strings.Contains(string(n.Errors), `"UNAVAILABLE"`) {
			f.t.Errorf("%s: %s", f.name, n.Errors)
		}
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	told := &n.Data.OccupancyChanged
	f.cursor = told.Cursor
	name, version := told.Occupancy.ItemName, told.Occupancy.Version
	if version <= f.here[name] {
		f.t.Errorf("%s: %s version %d after %d on one connection", f.name, name, version, f.here[name])
	}
	f.here[name] = version
	switch {
	case version <= f.last[name]:
		f.repeats++
		return true
	case version != f.last[name]+1:
		f.t.Errorf("%s: %s version %d after %d", f.name, name, version, f.last[name])
	}
	f.last[name] = version
	f.told++
	f.lose--
	return !f.wanders || f.lose > 0
}

// calm has it lose its connection less often, but once within so many changes.
func (f *faithful) calm(changes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.longest, f.lose = changes, changes/2
}

func (f *faithful) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.told
}

// wantAll waits until it was told each row of the history, and counts them.
func (f *faithful) wantAll(in *server) {
	f.t.Helper()
	rows, err := in.pool().Query(f.t.Context(), `SELECT item_name, count(*) FROM ct_occupy_item_history WHERE item_type = 'LOT' GROUP BY item_name ORDER BY item_name`)
	if err != nil {
		f.t.Fatal(err)
	}
	want, total := map[string]int64{}, 0
	var name string
	var versions int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &versions}, func() error {
		want[name] = versions
		total += int(versions)
		return nil
	}); err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, fmt.Sprint("all ", total, " changes of ", len(want), " items are seen"), func() bool { return f.total() >= total })
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told != total {
		f.t.Errorf("%s was told %d changes, there are %d", f.name, f.told, total)
	}
	for name, versions := range want {
		if f.last[name] != versions {
			f.t.Errorf("%s was told %d versions of %s, there are %d", f.name, f.last[name], name, versions)
		}
	}
	f.t.Logf("%s: %d told once, %d told again, %d connections", f.name, f.told, f.repeats, f.connected.Load())
}
