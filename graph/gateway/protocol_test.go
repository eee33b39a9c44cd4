package gateway

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Cases W3, W4, W5 and W7, and what else breaks the protocol.
func TestCloseCodes(t *testing.T) {
	f := newFront(t, &fake{})
	init := `{"type":"connection_init","payload":{"X-User-Id":"kim"}}`
	subscribe := `{"id":"1","type":"subscribe","payload":{"query":"` + watch + `"}}`
	for _, c := range []struct {
		said string
		code websocket.StatusCode
	}{
		{subscribe, 4401},
		{`{"type":"connection_init","payload":{"X-User-Id":" "}}`, 4403},
		{`{"type":"connection_init","payload":{"X-User-Id":5}}`, 4403},
		{`{"type":"connection_init","payload":{"X-User-Id":"kim","X-Roles":"BOSS ` + strings.Repeat("가", 200) + `"}}`, 4403},
		{`{"type":"connection_init","payload":"kim"}`, 4400},
		{`{"type":"connection_init","payload":["kim"]}`, 4400},
		{`{"type":"connection_init","payload":5}`, 4400},
		{init + "\n" + init, 4429},
		{init + "\n" + subscribe + "\n" + subscribe, 4409},
		{init + "\n" + `{"type":"subscribe","payload":{"query":"{ me { userId } }"}}`, 4400},
		{init + "\n" + `{"id":"","type":"subscribe","payload":{"query":"{ me { userId } }"}}`, 4400},
		{init + "\n" + `{"id":1,"type":"subscribe","payload":{"query":"{ me { userId } }"}}`, 4400},
		{init + "\n" + `{"id":"1","type":"subscribe"}`, 4400},
		{init + "\n" + `{"id":"1","type":"subscribe","payload":{"query":5}}`, 4400},
		{init + "\n" + `{"id":"1","type":"subscribe","payload":{"query":"{ me { userId } }","variables":[]}}`, 4400},
		{init + "\n" + `{"type":"complete"}`, 4400},
		{`{"type":"start"}`, 4400},
		{`{"type":"connection_ack"}`, 4400},
		{`{`, 4400},
		{``, 4400},
		{`[]`, 4400},
		{`null`, 4400},
	} {
		k := f.dial(t, nil)
		for said := range strings.SplitSeq(c.said, "\n") {
			k.say(said)
		}
		k.wantClose(c.code)
	}
	k := f.dial(t, nil)
	if err := k.conn.Write(t.Context(), websocket.MessageBinary, []byte(init)); err != nil {
		t.Fatal(err)
	}
	k.wantClose(4400)
	eventually(t, "all are gone", func() bool { return f.connections.len() == 0 })
}

// Case W4.
func TestInitHasToComeInTime(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Init = 50 * time.Millisecond })
	late, early := f.dial(t, nil), f.connect(t)
	late.wantClose(4408)
	early.say(`{"type":"ping"}`)
	early.want(`{"type":"pong"}`)
}

func TestPingsAreAnsweredAtAnyTime(t *testing.T) {
	f := newFront(t, &fake{})
	k := f.dial(t, nil)
	k.say(`{"type":"ping","payload":{"at":[1,"x"]}}`)
	k.want(`{"type":"pong","payload":{"at":[1,"x"]}}`)
	k.say(`{"type":"pong"}`)
	k.say(`{"type":"connection_init"}`)
	k.want(`{"type":"connection_ack"}`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ctx = k.conn.CloseRead(ctx)
	if err := k.conn.Ping(ctx); err != nil {
		t.Error(err)
	}
}

// Case W6.
func TestNothingFollowsAnError(t *testing.T) {
	f := newFront(t, &fake{})
	k := f.connect(t)
	for _, wrong := range []string{`{ nobody }`, `{`, `subscription { nobody }`} {
		k.subscribe("1", wrong)
		k.want(`{"id":"1","type":"error","payload":[{"message":"*}]}`)
	}
	k.subscribe("1", `{ me { userId } }`)
	k.want(`{"id":"1","type":"next","payload":{"data":{"me":{"userId":"kim"}}}}`, `{"id":"1","type":"complete"}`)
}

// Case W8, and the older protocol, which has the same types under other names.
func TestOnlyTheOneSubprotocolIsSpoken(t *testing.T) {
	f := newFront(t, &fake{})
	for _, offered := range [][]string{nil, {"graphql-ws"}, {"chat", "soap"}} {
		_, response, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: offered})
		if err == nil || response == nil || response.StatusCode != http.StatusBadRequest {
			t.Errorf("%v: %v", offered, err)
		}
	}
	conn, _, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-ws", "graphql-transport-ws"}})
	if err != nil || conn.Subprotocol() != "graphql-transport-ws" {
		t.Fatal(err)
	}
	_ = conn.CloseNow()
}

func TestCompressionIsNotOffered(t *testing.T) {
	f := newFront(t, &fake{})
	conn, response, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{
		Subprotocols: []string{"graphql-transport-ws"}, CompressionMode: websocket.CompressionContextTakeover})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if extensions := response.Header.Get("Sec-WebSocket-Extensions"); extensions != "" {
		t.Error(extensions)
	}
}

// Cases W11 and 11: one event panics; its subscription ends with an error, the
// others go on, and the id is free again.
func TestAPanicEndsItsSubscriptionOnly(t *testing.T) {
	f := newFront(t, &fake{})
	k := f.connect(t)
	panics := `subscription { occupancyChanged { occupancy { history { nodes { version } } } } }`
	k.subscribe("well", watch)
	k.subscribe("panics", panics)
	e := f.follow(t, panics)
	f.waitForSubscribers(t, 3)
	f.fake.change("A", 1)
	f.hub.Ring()
	first, _ := k.hear()
	second, _ := k.hear()
	for _, p := range []string{change("well", "A", 1), `{"id":"panics","type":"error","payload":[{"message":"*"code":"INTERNAL","requestId":"*"}}]}`} {
		if !matches(p, first) && !matches(p, second) {
			t.Errorf("%s and %s, want %s", first, second, p)
		}
	}
	e.want(`event: next`, `data: {"errors":[{"message":"*"code":"INTERNAL","requestId":"*"}}]}`, ``, `event: complete`, `data:`, ``, "EOF")
	f.waitForSubscribers(t, 1)
	k.subscribe("panics", watch)
	f.waitForSubscribers(t, 2)
	k.say(`{"id":"well","type":"complete"}`)
	f.waitForSubscribers(t, 1)
	f.fake.change("A", 2)
	f.hub.Ring()
	k.want(change("panics", "A", 2))
}

func TestAnEndedOperationDoesNotFreeTheIdOfTheNext(t *testing.T) {
	earlier, later := &operation{id: []byte(`"1"`)}, &operation{id: []byte(`"1"`)}
	s := &socket{operations: map[string]*operation{`"1"`: later}}
	if s.forget(earlier) || len(s.operations) != 1 || !s.forget(later) || len(s.operations) != 0 {
		t.Error(s.operations)
	}
}

func TestATooLongMessageClosesItsSocketOnly(t *testing.T) {
	f := newFront(t, &fake{})
	k := f.connect(t)
	k.say(`{"type":"ping","payload":{"x":"` + strings.Repeat("x", DefaultLimits.Body) + `"}}`)
	k.wantClose(websocket.StatusMessageTooBig)
}
