package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// fleet is gateways that are replaced one by one, and what their callers were told.
type fleet struct {
	t  *testing.T
	mu sync.Mutex
	// open are those that somebody may be sent to; ready those that say so.
	open, ready []*server
	next        atomic.Int64
	outcomes    sync.Map // by item name: a code, or what went wrong
}

// outcomes beside the codes of an answer.
const (
	notSent = "NOT_SENT" // nobody listened
	noWord  = "NO_WORD"  // a socket was closed with 1012 before there was an answer
)

func (f *fleet) pick(from *[]*server) *server {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(*from) == 0 {
		return nil
	}
	return (*from)[int(f.next.Add(1))%len(*from)]
}

// add has a new gateway in.
func (f *fleet) add(s *server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = append(f.open, s)
}

// check is a balancer's: it asks who is ready, again and again, until ctx ends.
func (f *fleet) check(ctx context.Context) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	for tick := time.Tick(20 * time.Millisecond); ctx.Err() == nil; <-tick {
		f.mu.Lock()
		open := f.open
		f.mu.Unlock()
		var ready []*server
		for _, s := range open {
			response, err := client.Get("http://" + s.address + "/readyz")
			if err != nil {
				continue
			}
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				ready = append(ready, s)
			}
		}
		f.mu.Lock()
		f.ready = ready
		f.mu.Unlock()
	}
}

// occupyAt asks one gateway for an item, over a connection that is kept.
func (f *fleet) occupyAt(client *http.Client, s *server, name string) (outcome string) {
	body, _ := json.Marshal(object{"query": mutation("occupy"), "variables": object{"input": lot(name)}})
	request, _ := http.NewRequest(http.MethodPost, "http://"+s.address+"/graphql", bytes.NewReader(body))
	request.Header = s.as("kim").headers()
	response, err := client.Do(request)
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "dial":
		return notSent
	case err != nil:
		return "lost: " + err.Error()
	}
	defer response.Body.Close()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return "cut: " + err.Error()
	}
	return outcomeOf(a)
}

func outcomeOf(a answer) string {
	if len(a.Errors) > 0 {
		return fmt.Sprint(a.Errors[0].Extensions["code"])
	}
	return fmt.Sprint(a.Data.at("occupy.code"))
}

// balanced asks whoever is ready.
func (f *fleet) balanced(who string, stop *atomic.Bool) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	for n := 0; !stop.Load(); n++ {
		if s := f.pick(&f.ready); s != nil {
			name := fmt.Sprintf("%s-%d", who, n)
			f.outcomes.Store(name, f.occupyAt(client, s, name))
		}
	}
}

// direct stays with one gateway until that does not serve any more.
func (f *fleet) direct(who string, stop *atomic.Bool) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	s := f.pick(&f.open)
	for n := 0; !stop.Load(); n++ {
		name := fmt.Sprintf("%s-%d", who, n)
		outcome := f.occupyAt(client, s, name)
		f.outcomes.Store(name, outcome)
		if outcome == "UNAVAILABLE" || outcome == notSent {
			s = f.pick(&f.ready)
		}
	}
}

// overSocket asks over a socket, and comes back to another when it is sent away.
func (f *fleet) overSocket(who string, stop *atomic.Bool) {
	for n := 0; !stop.Load(); {
		s := f.pick(&f.ready)
		if s == nil {
			continue
		}
		options := &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: s.as("kim").headers()}
		conn, _, err := websocket.Dial(context.Background(), "ws://"+s.address+"/graphql", options)
		if err != nil {
			continue
		}
		_ = conn.Write(context.Background(), websocket.MessageText, []byte(`{"type":"connection_init"}`))
		for sent := true; sent && !stop.Load(); n++ {
			name := fmt.Sprintf("%s-%d", who, n)
			sent = f.occupyOver(conn, name)
		}
		_ = conn.CloseNow()
	}
}

// occupyOver returns whether the socket is of use still.
func (f *fleet) occupyOver(conn *websocket.Conn, name string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	body, _ := json.Marshal(message{ID: name, Type: "subscribe", Payload: object{"query": mutation("occupy"), "variables": object{"input": lot(name)}}})
	_ = conn.Write(ctx, websocket.MessageText, body)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			outcome := "lost: " + err.Error()
			if websocket.CloseStatus(err) == websocket.StatusServiceRestart {
				outcome = noWord
			}
			f.outcomes.Store(name, outcome)
			return false
		}
		var got struct {
			Type    string
			Payload json.RawMessage
		}
		_ = json.Unmarshal(text, &got)
		var a answer
		switch got.Type {
		case "next":
			_ = json.Unmarshal(got.Payload, &a)
		case "error":
			_ = json.Unmarshal(got.Payload, &a.Errors)
		default:
			continue // the acknowledgement, or the end of the last one
		}
		f.outcomes.Store(name, outcomeOf(a))
		return true
	}
}

// replace starts a gateway and stops another, as somebody would who brings in a new version.
func (f *fleet) replace(old *server, process *os.Process, settings []string) *server {
	f.t.Helper()
	fresh, _ := newProcess(f.t, settings...)
	f.add(fresh)
	eventually(f.t, "the new one is ready", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.ready) == 3
	})
	if err := process.Signal(syscall.SIGTERM); err != nil {
		f.t.Fatal(err)
	}
	if state, err := process.Wait(); err != nil || !state.Success() {
		f.t.Errorf("the old one ended with %v, %v", state, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, s := range f.open {
		if s == old {
			f.open = append(f.open[:i:i], f.open[i+1:]...)
		}
	}
	return fresh
}

// Case W10: two gateways are replaced under load, one after the other. Whoever asks, through a
// balancer, directly or over a socket, gets an answer that is true: what was granted
// is in the history, and what was said not to have been done is not.
func TestARollingRestartLosesNoAnswer(t *testing.T) {
	observer := newServer(t, "REDIS_URL=")
	settings := []string{"DATABASE_URL=" + observer.url, "REDIS_URL=" + stack.RedisURL(), "OCCUPY_RESTART_NOTICE=800ms", "OCCUPY_RESTART_SPREAD=200ms"}
	f := &fleet{t: t}
	one, process1 := newProcess(t, settings...)
	two, process2 := newProcess(t, settings...)
	f.add(one)
	f.add(two)
	checking, done := context.WithCancel(t.Context())
	var load, balancer sync.WaitGroup
	balancer.Go(func() { f.check(checking) })
	var stop atomic.Bool
	for i := range 4 {
		load.Go(func() { f.balanced(fmt.Sprint("balanced", i), &stop) })
		load.Go(func() { f.direct(fmt.Sprint("direct", i), &stop) })
		load.Go(func() { f.overSocket(fmt.Sprint("socket", i), &stop) })
	}
	f.replace(one, process1, settings)
	f.replace(two, process2, settings)
	stop.Store(true)
	load.Wait()
	done()
	balancer.Wait()
	f.wantTrue(observer)
	observer.wantNoFaults()
}

// wantTrue holds what callers were told against the history.
func (f *fleet) wantTrue(in *server) {
	f.t.Helper()
	written := map[string]bool{}
	rows, err := in.pool().Query(f.t.Context(), `SELECT item_name FROM ct_occupy_item_history WHERE item_type = 'LOT'`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			f.t.Fatal(err)
		}
		written[name] = true
	}
	told := map[string]int{}
	f.outcomes.Range(func(name, outcome any) bool {
		kind, _, _ := strings.Cut(fmt.Sprint(name), "-")
		told[strings.TrimRight(kind, "0123456789")+" "+outcome.(string)]++
		there := written[strings.ToUpper(fmt.Sprint(name))]
		switch outcome {
		case "GRANTED":
			if !there {
				f.t.Errorf("%s was granted and is not in the history", name)
			}
		case "UNAVAILABLE", notSent, noWord:
			if there {
				f.t.Errorf("%s: %s, and it is in the history", name, outcome)
			}
		case "OUTCOME_UNKNOWN":
		default:
			f.t.Errorf("%s: %s", name, outcome)
		}
		return true
	})
	f.t.Log(told)
	for _, kind := range []string{"balanced", "direct", "socket"} {
		if told[kind+" GRANTED"] < 20 {
			f.t.Errorf("%s: no load: %v", kind, told)
		}
	}
	if told["balanced UNAVAILABLE"]+told["balanced "+notSent] > 0 {
		f.t.Errorf("behind a balancer nobody need notice: %v", told)
	}
}

// A connection that was idle while a gateway began to stop is answered, and told not
// to be used again, instead of being closed under the request.
func TestAnIdleConnectionIsAnsweredByAGatewayThatStops(t *testing.T) {
	s, process := newProcess(t, "DATABASE_URL="+newServer(t).url, "REDIS_URL=", "OCCUPY_RESTART_NOTICE=1s")
	idle := func() func() (*http.Response, answer) {
		client := &http.Client{Transport: &http.Transport{}}
		ask := func() (*http.Response, answer) {
			request, _ := http.NewRequest(http.MethodPost, "http://"+s.address+"/graphql", strings.NewReader(`{"query":"mutation { nextVal(name: \"S\", count: 1) { code } }"}`))
			request.Header = s.as("kim").headers()
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var a answer
			_ = json.NewDecoder(response.Body).Decode(&a)
			return response, a
		}
		if response, a := ask(); response.Close || len(a.Errors) > 0 {
			t.Fatalf("before: %v %+v", response.Close, a)
		}
		return ask
	}
	early, late, probe := idle(), idle(), idle()
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is not ready", func() bool {
		response, _ := s.send(http.MethodGet, "/readyz", nil, "")
		return response.StatusCode == http.StatusServiceUnavailable
	})
	if response, a := early(); !response.Close || len(a.Errors) > 0 {
		t.Errorf("while it is not ready: closes %v, %+v", response.Close, a)
	}
	eventually(t, "it refuses", func() bool { _, a := probe(); return len(a.Errors) > 0 })
	if response, a := late(); !response.Close || len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAVAILABLE" {
		t.Errorf("while it refuses: closes %v, %+v", response.Close, a)
	}
	if state, err := process.Wait(); err != nil || !state.Success() {
		t.Errorf("it ended with %v, %v", state, err)
	}
}
