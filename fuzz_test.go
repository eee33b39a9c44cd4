package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"occupy/graph"
)

// What callers send is never more than a mistake of theirs.

const (
	randomRequests = 10_000
	senders        = 8
	framesAtOnce   = 50
)

// inner is what only we should see: of the driver, the database, the language.
var inner = regexp.MustCompile(`(?i)pgx|sqlstate|pgconn|syntax error at|ct_occupy|relation "|runtime error|goroutine \d|\.go:\d|panic|\binterface ?\{|map\[|strconv\.|json\.Number|\bjson: |reflect\.|domain\.|postgres\.|gqlgen|"code":"INTERNAL"`)

// asker sends requests and judges what comes.
type asker struct {
	*gibberish
	s *server
}

func (a *asker) judge(sent, status, got string) {
	if found := inner.FindString(got); found != "" || strings.HasPrefix(status, "5") {
		a.s.t.Errorf("%s %q for %.1500s: %.600s", status, found, sent, got)
	}
}

func TestTenThousandRandomRequests(t *testing.T) {
	s := newServer(t)
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	var all sync.WaitGroup
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range senders {
		all.Go(func() {
			a := &asker{&gibberish{Rand: rand.New(rand.NewPCG(seed, uint64(i))), schema: schema}, s}
			for n := 0; n < randomRequests/senders && !t.Failed(); {
				if a.once(100) {
					a.frames()
					n += framesAtOnce
				} else {
					a.request()
					n++
				}
			}
		})
	}
	all.Wait()
	s.as("kim").must(`{ me { userId } }`)
}

func (a *asker) headers() http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "X-User-Id": {pick(a.gibberish, []string{"kim", "lee"})}}
	for name, values := range map[string][]string{
		"Content-Type": {"text/plain", "application/json; charset=x", "multipart/form-data", "", ";;"}, "X-User-Id": oddHeaders, "X-Roles": {"OPERATOR", "ANALYST,SUPERVISOR", "SERVICE", "BOSS", ""},
		"Accept": {"application/graphql-response+json", "*/*;q=x", "text/html", "text/event-stream"}, "Accept-Language": {"ko", "xx;q=9", "en-ko-ko-ko"},
		"X-On-Behalf-Of": oddHeaders, "Content-Encoding": {"gzip", "br"}, "X-Forwarded-For": {"1.2.3.4", "x, y"}, "X-Request-Id": oddHeaders, "Origin": {"null", "http://x"},
		"Authorization": {"Bearer x", "x"}, "traceparent": {"00-x"}, "Upgrade": {"websocket", "h2c"},
	} {
		if a.once(25) {
			h.Set(name, pick(a.gibberish, values))
		}
	}
	return h
}

var oddHeaders = []string{"", " ", "kim", "\xff\xfe", "가", strings.Repeat("x", 2000), "SYSTEM", "a'b"}

func (a *asker) request() {
	ctx, cancel := context.WithTimeout(a.s.t.Context(), 30*time.Second)
	defer cancel()
	method, body, header := http.MethodPost, a.body(), a.headers()
	address := "http://" + a.s.address + "/graphql"
	switch {
	case a.once(10):
		text, _ := a.document()
		method, address = http.MethodGet, address+"?"+url.Values{"query": {text}, "variables": {pick(a.gibberish, oddTexts)}, "documentId": {""}}.Encode()
		if a.once(5) {
			address = address[:len(address)-a.IntN(20)]
		}
	case a.once(50):
		method = pick(a.gibberish, []string{"PUT", "HEAD", "DELETE", "OPTIONS", "TRACE", "PATCH"})
	case a.once(50):
		method, address = http.MethodGet, "http://"+a.s.address+"/export/"+pick(a.gibberish, []string{"history.csv", "history.x", "%00"})+"?"+url.Values{"where": {pick(a.gibberish, oddTexts)}}.Encode()
	}
	streams := header.Get("Accept") == "text/event-stream"
	if streams { // which may have no end
		ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return // it can not be sent at all
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		if !streams && !strings.Contains(err.Error(), "invalid header") {
			a.s.t.Errorf("%v for %s %.1500s", err, method, body)
		}
		return
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil && !streams {
		a.s.t.Errorf("%v for %s %.1500s", err, method, body)
	}
	a.judge(method+" "+address+" "+body+fmt.Sprint(header), response.Status, string(got))
}

// frames says many things on one socket, and hears what comes, until it says nothing more.
func (a *asker) frames() {
	ctx := a.s.t.Context()
	conn, _, err := websocket.Dial(ctx, "ws://"+a.s.address+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		a.s.t.Error(err)
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 24)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for {
			within, cancel := context.WithTimeout(ctx, time.Second)
			_, text, err := conn.Read(within)
			cancel()
			a.judge("a frame", "", string(text))
			if err != nil {
				return
			}
		}
	}()
	_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`))
	for i := range framesAtOnce {
		frame := fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, i, a.body())
		if a.once(60) {
			frame = a.spoil(frame)
		}
		if conn.Write(ctx, websocket.MessageText, []byte(frame)) != nil {
			break // it was sent away
		}
	}
	<-heard
}
