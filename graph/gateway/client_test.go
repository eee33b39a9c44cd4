package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// patience is more than anything here takes.
const patience = 20 * time.Second

// peer is a client of graphql-transport-ws that says what the test wants.
type peer struct {
	t    testing.TB
	conn *websocket.Conn
	tcp  net.Conn
}

// dial opens a socket and says nothing.
func (f *front) dial(t testing.TB, header http.Header) *peer {
	t.Helper()
	k := &peer{t: t}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		k.tcp, err = new(net.Dialer).DialContext(ctx, network, address)
		return k.tcp, err
	}}}
	conn, _, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header, HTTPClient: client,
		CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	k.conn = conn
	t.Cleanup(func() { _ = conn.CloseNow() })
	return k
}

// connect opens one and says who asks.
func (f *front) connect(t testing.TB) *peer {
	t.Helper()
	k := f.dial(t, nil)
	k.say(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`)
	k.want(`{"type":"connection_ack"}`)
	return k
}

func (k *peer) say(message string) {
	k.t.Helper()
	if err := k.conn.Write(k.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		k.t.Fatal(err)
	}
}

func (k *peer) subscribe(id, query string) {
	k.t.Helper()
	quoted, _ := json.Marshal(query)
	k.say(fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":{"query":%s}}`, id, quoted))
}

func (k *peer) hear() (string, error) {
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	_, text, err := k.conn.Read(ctx)
	return string(text), err
}

// want reads messages, each of which has to match, a * being any text.
func (k *peer) want(patterns ...string) {
	k.t.Helper()
	for _, p := range patterns {
		text, err := k.hear()
		if err != nil {
			k.t.Fatalf("%v, want %s", err, p)
		}
		if !matches(p, text) {
			k.t.Fatalf("%s, want %s", text, p)
		}
	}
}

// wantClose reads to the end, which has to come with that code.
func (k *peer) wantClose(code websocket.StatusCode) {
	k.t.Helper()
	for {
		if _, err := k.hear(); err != nil {
			if got := websocket.CloseStatus(err); got != code {
				k.t.Errorf("closed with %d, want %d: %v", got, code, err)
			}
			return
		}
	}
}

func matches(pattern, text string) bool {
	quote := strings.NewReplacer(`[`, `\[`, `?`, `\?`, `\`, `\\`, `/`, "|")
	ok, err := path.Match(quote.Replace(pattern), strings.ReplaceAll(text, "/", "|"))
	return ok && err == nil
}

// change is what a client is told of a change.
func change(id, item string, version int) string {
	return fmt.Sprintf(`{"id":%q,"type":"next","payload":%s}`, id, changed(item, version))
}

func snapshot(id, item string, version int) string {
	return strings.Replace(change(id, item, version), "CHANGED", "SNAPSHOT", 1)
}

func changed(item string, version int) string {
	return fmt.Sprintf(`{"data":{"occupancyChanged":{"kind":"CHANGED","occupancy":{"itemName":%q,"version":"%d"}}}}`, item, version)
}

// lines are those of an event stream.
type lines struct {
	t        testing.TB
	response *http.Response
	scanner  *bufio.Scanner
}

func (f *front) follow(t testing.TB, query string) *lines {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return open(t, request)
}

func open(t testing.TB, request *http.Request) *lines {
	t.Helper()
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("X-User-Id", "kim")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	scanner := bufio.NewScanner(response.Body)
	scanner.Buffer(nil, 1<<20)
	return &lines{t, response, scanner}
}

// want reads lines, without comments. "EOF" is a good end, "cut" is another.
func (e *lines) want(patterns ...string) {
	e.t.Helper()
	for _, p := range patterns {
		if got := e.line(); !matches(p, got) {
			e.t.Fatalf("%q, want %q", got, p)
		}
	}
}

func (e *lines) line() string {
	for e.scanner.Scan() {
		if line := e.scanner.Text(); line != ":" {
			return line
		}
		e.scanner.Scan() // the empty one after a comment
	}
	if e.scanner.Err() != nil {
		return "cut"
	}
	return "EOF"
}

// eventually waits for something that happens by itself.
func eventually(t testing.TB, what string, happened func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.Tick(5*time.Millisecond)
	for !happened() {
		select {
		case <-deadline:
			t.Fatal("waited in vain until " + what)
		case <-tick:
		}
	}
}

func (f *front) waitForSubscribers(t testing.TB, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " are subscribed"), func() bool { return f.metric(t, "occupy_subscribers") == fmt.Sprint(n) })
}

// metric is a line of /metrics.
func (f *front) metric(t testing.TB, name string) string {
	t.Helper()
	response := httptest.NewRecorder()
	f.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	for s := bufio.NewScanner(response.Body); s.Scan(); {
		if value, is := strings.CutPrefix(s.Text(), name+" "); is {
			return value
		}
	}
	return ""
}
