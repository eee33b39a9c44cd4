package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"go.uber.org/goleak"
)

// Subscribers that come and go.

const watchOne = `subscription($name: String!, $snapshot: Boolean!) {
	occupancyChanged(filter: {itemNames: [$name]}, snapshot: $snapshot) { cursor occupancy { itemName version } } }`

// visits are those of a crowd at one gateway.
type visits struct {
	server *server
	ends   time.Time
	pause  time.Duration // between what one of them does, at most
	client http.Client
	begun  atomic.Int64 // subscriptions
	told   atomic.Int64 // events
}

func (v *visits) over() bool { return time.Now().After(v.ends) }

// linger does nothing for a while.
func (v *visits) linger() { <-time.After(rand.N(v.pause)) }

const visited = 100 // items

// wish is what to subscribe to.
func (v *visits) wish() object {
	v.begun.Add(1)
	return object{"query": watchOne, "variables": object{"name": fmt.Sprint("L", rand.IntN(visited)), "snapshot": rand.IntN(2) == 0}}
}

// visit is one subscription: each version that it is told comes after the one before.
type visit struct{ last int64 }

func (v *visits) take(one *visit, n news) {
	v.told.Add(1)
	version := n.Data.OccupancyChanged.Occupancy.Version
	if n.Errors != nil || version == 0 || (one.last != 0 && version != one.last+1) {
		v.server.t.Errorf("version %d of %s after %d, errors %s", version, n.Data.OccupancyChanged.Occupancy.ItemName, one.last, n.Errors)
	}
	one.last = version
}

// stream comes and goes by server-sent events.
func (v *visits) stream() {
	for !v.over() {
		ctx, leave := context.WithCancel(context.Background())
		v.follow(ctx, func() { v.linger(); leave() })
		leave()
	}
}

func (v *visits) follow(ctx context.Context, stay func()) {
	body, _ := json.Marshal(v.wish())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+v.server.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		v.server.t.Error(err)
		return
	}
	request.Header = caller{user: "visitor"}.headers()
	request.Header.Set("Accept", "text/event-stream")
	response, err := v.client.Do(request)
	if err != nil {
		v.server.t.Error(err)
		return
	}
	defer response.Body.Close()
	var staying sync.WaitGroup
	defer staying.Wait()
	staying.Go(stay)
	var one visit
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		var n news
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is && json.Unmarshal([]byte(data), &n) == nil {
			v.take(&one, n)
		}
	}
}

const perSocket = 10 // subscriptions

// socket comes and goes with a WebSocket, and so do the subscriptions on it.
func (v *visits) socket() {
	for !v.over() {
		conn, _, err := websocket.Dial(context.Background(), "ws://"+v.server.address+"/graphql", &websocket.DialOptions{
			Subprotocols: []string{"graphql-transport-ws"}, HTTPClient: &v.client, HTTPHeader: caller{user: "visitor"}.headers()})
		if err != nil {
			v.server.t.Error(err)
			return
		}
		var reads sync.WaitGroup
		reads.Go(func() { v.read(conn) })
		v.comeAndGo(conn)
		if rand.IntN(2) == 0 {
			_ = conn.Close(websocket.StatusNormalClosure, "")
		}
		_ = conn.CloseNow()
		reads.Wait()
	}
}

func (v *visits) comeAndGo(conn *websocket.Conn) {
	say := func(m message) {
		if err := wsjson.Write(context.Background(), conn, m); err != nil {
			v.server.t.Error(err)
		}
	}
	say(message{Type: "connection_init"})
	id, open := 0, make([]string, perSocket)
	subscribe := func(i int) {
		id++
		open[i] = fmt.Sprint(id)
		say(message{ID: open[i], Type: "subscribe", Payload: v.wish()})
	}
	for i := range open {
		subscribe(i)
	}
	for range rand.IntN(10) {
		if v.linger(); v.over() {
			return
		}
		i := rand.IntN(perSocket)
		say(message{ID: open[i], Type: "complete"})
		subscribe(i)
	}
}

// read hears what a socket is told, until it is closed.
func (v *visits) read(conn *websocket.Conn) {
	all := map[string]*visit{}
	for {
		var m struct {
			ID, Type string
			Payload  json.RawMessage
		}
		if wsjson.Read(context.Background(), conn, &m) != nil {
			return
		}
		var n news
		switch m.Type {
		case "next":
			_ = json.Unmarshal(m.Payload, &n)
			if all[m.ID] == nil {
				all[m.ID] = &visit{}
			}
			v.take(all[m.ID], n)
		case "connection_ack":
		default:
			v.server.t.Errorf("%s %s", m.Type, m.Payload)
		}
	}
}

// Subscribers come and go over both transports, five thousand of them at a time by
// `make storm`, while items change. Whatever each is told has no hole while it is there,
// who stays is told everything, and when they are gone nothing is left of them.
func TestStormOfSubscribers(t *testing.T) {
	crowd, lasts := 1000, storm(t, 6*time.Second)
	if lasts >= time.Minute {
		crowd = 5000
	}
	s := newServer(t)
	stays := stay(t, "WebSocket", false, func(int) string { return s.address })
	s.as("kim").command("occupy", lot("L0"))
	eventually(t, "one is there", func() bool { return stays.total() == 1 })
	s.pool() // has goroutines, too
	http.DefaultClient.CloseIdleConnections()
	before := goleak.IgnoreCurrent()

	v := &visits{server: s, ends: time.Now().Add(lasts), pause: time.Duration(crowd) * 2 * time.Millisecond,
		client: http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var all sync.WaitGroup
	for range crowd / 10 {
		all.Go(v.stream)
	}
	for range (crowd - crowd/10) / perSocket {
		all.Go(v.socket)
	}
	most, changes := 0, 0
	for tick := time.NewTicker(20 * time.Millisecond); !v.over(); <-tick.C {
		command := []string{"occupy", "free"}[changes/visited%2]
		s.as("kim").must(fmt.Sprintf(`mutation { %s(input: {itemType: "LOT", itemName: "L%d"}) { ok } }`, command, changes%visited))
		changes++
		if changes%25 == 0 {
			n, _ := strconv.Atoi(s.metric("occupy_subscribers"))
			most = max(most, n)
		}
	}
	all.Wait()
	s.waitForSubscribers("1")
	stays.wantAll(s)
	wantNoGoroutines(t, before)
	s.wantNoFaults()
	t.Logf("%d subscribers at once, %d in all; %d changes, told %d times", most, v.begun.Load(), changes, v.told.Load())
	if most < crowd*8/10 || v.begun.Load() < 2*int64(crowd) {
		t.Errorf("that is no storm of %d", crowd)
	}
}
