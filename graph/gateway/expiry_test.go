package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// connectWith opens a socket with a token and subscribes.
func (f *front) connectWith(t *testing.T, token string, more string) *peer {
	t.Helper()
	k := f.dial(t, nil)
	k.say(fmt.Sprintf(`{"type":"connection_init","payload":{"token":%q%s}}`, token, more))
	k.want(`{"type":"connection_ack"}`)
	k.subscribe("1", watch)
	return k
}

// At the end of its token a connection ends, in a way that has its client come back,
// unless there was a fresh one.
func TestConnectionsEndWithTheirToken(t *testing.T) {
	f, issuer := newGuarded(t)
	short := issuer.Until("kim", time.Now().Add(2*time.Second))
	stale, renewed, anonymous := f.connectWith(t, short, ""), f.connectWith(t, short, ""), f.dial(t, nil)
	anonymous.say(`{"type":"connection_init"}`)
	anonymous.want(`{"type":"connection_ack"}`)
	body, _ := json.Marshal(map[string]string{"query": watch})
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(string(body)))
	request.Header = withToken(short, "Content-Type", "application/json")
	stream := open(t, request)
	f.waitForSubscribers(t, 3)

	renewed.say(fmt.Sprintf(`{"type":"ping","payload":{"Authorization":"Bearer %s"}}`, issuer.For("kim", "OPERATOR", "SUPERVISOR")))
	renewed.want(`{"type":"pong"}`)
	stale.say(`{"type":"ping","payload":{"about":"nothing"}}`)
	stale.want(`{"type":"pong","payload":{"about":"nothing"}}`)

	if _, err := stale.hear(); websocket.CloseStatus(err) != 4403 || !strings.Contains(err.Error(), tokenExpired) {
		t.Errorf("the stale one: %v", err)
	}
	stream.want("cut")
	f.waitForSubscribers(t, 1)
	f.fake.change("A", 1)
	f.hub.Ring()
	renewed.want(change("1", "A", 1))
	anonymous.say(`{"type":"ping"}`)
	anonymous.want(`{"type":"pong"}`)
	if n := f.metric(t, `occupy_cut_total{reason="expired"}`); n != "2" {
		t.Errorf("%s are counted", n)
	}
}

// What was begun in time is answered; what comes later is not begun.
func TestAMutationOutlivesItsToken(t *testing.T) {
	f, issuer := newGuarded(t)
	goOn := make(chan struct{})
	f.fake.read = func(context.Context) error { <-goOn; return nil }
	slow := `{ occupancy(itemType: "LOT", itemName: "x") { version } }`
	short := issuer.Until("kim", time.Now().Add(2*time.Second))
	k := f.connectWith(t, short, "")
	k.subscribe("slow", slow)
	body, _ := json.Marshal(map[string]string{"query": slow})
	streamed := make(chan string, 1)
	go func() {
		defer close(streamed)
		streamed <- f.text(t, http.MethodPost, "/graphql", string(body), "text/event-stream", withToken(short))
	}()
	f.connectWith(t, short, "").wantClose(4403)
	f.metric(t, "occupy_connections") // whoever is looked after has been looked at
	k.subscribe("late", `{ me { userId } }`)
	k.want(`{"id":"late","type":"error","payload":[{"message":"the token has expired","extensions":{"code":"UNAUTHENTICATED"}}]}`)
	close(goOn)
	k.want(`{"id":"slow","type":"next","payload":{"data":*}}`, `{"id":"slow","type":"complete"}`)
	k.wantClose(4403)
	if answer := <-streamed; !strings.Contains(answer, `"occupancy":{"version":"0"}`) || !strings.Contains(answer, "event: complete") {
		t.Errorf("over SSE: %s", answer)
	}
}

func TestAFreshTokenIsOfTheSameCaller(t *testing.T) {
	f, issuer := newGuarded(t)
	forKim := `,"X-On-Behalf-Of":"kim"`
	for name, c := range map[string]struct {
		token, more string // at first
		fresh       string
		code        websocket.StatusCode
	}{
		"the same":       {issuer.For("kim", "OPERATOR"), "", issuer.For("kim", "OPERATOR"), 0},
		"more roles":     {issuer.For("kim", "OPERATOR"), "", issuer.For("kim", "ANALYST", "OPERATOR"), 0},
		"a role less":    {issuer.For("kim", "OPERATOR", "ANALYST"), "", issuer.For("kim", "OPERATOR"), 4403},
		"another user":   {issuer.For("kim", "OPERATOR"), "", issuer.For("lee", "OPERATOR"), 4403},
		"acting":         {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc", "SERVICE"), 0},
		"acting no more": {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc", "OPERATOR"), 4403},
		"another actor":  {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc2", "SERVICE"), 4403},
		"not a service":  {issuer.For("svc", "SERVICE"), forKim, issuer.For("kim", "OPERATOR"), 4403},
		"expired":        {issuer.For("kim", "OPERATOR"), "", issuer.Forgeries("kim")["expired"], 4403},
		"forged":         {issuer.For("kim", "OPERATOR"), "", issuer.Forgeries("kim")["tampered"], 4403},
	} {
		t.Run(name, func(t *testing.T) {
			k := f.connectWith(t, c.token, c.more)
			k.say(fmt.Sprintf(`{"type":"ping","payload":{"token":%q}}`, c.fresh))
			if c.code != 0 {
				k.wantClose(c.code)
				return
			}
			k.want(`{"type":"pong"}`)
		})
	}
	early := f.dial(t, nil)
	early.say(fmt.Sprintf(`{"type":"ping","payload":{"token":%q}}`, issuer.For("kim")))
	early.wantClose(4401)
}
