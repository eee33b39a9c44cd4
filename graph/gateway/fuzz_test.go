package gateway

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// `go test -fuzz FuzzBody ./graph/gateway` goes on for as long as it is left to; without
// -fuzz the seeds are tests. The gateway drains, so that what is good is refused as
// UNAVAILABLE, for want of a database.

var innerText = regexp.MustCompile(`runtime error|goroutine \d|\.go:\d|interface ?\{|map\[|strconv\.|json\.Number|reflect\.|domain\.|"INTERNAL"`)

var seeds = []string{
	who, occupyOne,
	`{"query":"query($w: OccupancyWhere) { occupancies(where: $w, first: 2) { nodes { id } } }","variables":{"w":{"userId":{"eq":"kim"}}}}`,
	`{"query":"mutation { renew(input: {itemType: \"LOT\", itemName: \"x\", fencingToken: ` + strings.Repeat("9", 10_000) + `}) { code } }"}`,
	`{"query":"mutation($i: OccupyInput!) { occupy(input: $i) { code } }","variables":{"i":{"itemType":"LOT","itemName":"x","ttlSeconds":1e400}}}`,
	`{"documentId":"sha256:00"}`, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 64) + `"}}}`,
	`{"query":"{ a: me { ...f } } fragment f on Caller { ...f }"}`, `{"query":"\u0000"}`, `{"query":"{","variables":null}`, `[]`, `null`, ``,
}

func FuzzBody(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	g := newFront(f, &fake{})
	g.Drain()
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/graphql", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"kim"}}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if found := innerText.FindString(w.Body.String()); w.Code == http.StatusInternalServerError || found != "" && !strings.Contains(body, found) {
			t.Errorf("%d %q: %s", w.Code, found, w.Body)
		}
	})
}

// FuzzFrame hears what a client says after it has said who it is.
func FuzzFrame(f *testing.F) {
	for _, seed := range seeds {
		f.Add(`{"id":"1","type":"subscribe","payload":` + seed + `}`)
	}
	for _, seed := range []string{`{"type":"ping","payload":{"token":5}}`, `{"type":"complete","id":"1"}`, `{"type":"connection_init"}`, `{"id":"1","type":"subscribe"}`, `{}`, ``} {
		f.Add(seed)
	}
	g := newFront(f, &fake{})
	g.Drain()
	f.Fuzz(func(t *testing.T, frame string) {
		k := g.connect(t)
		k.say(frame)
		if k.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)) != nil {
			return
		}
		for {
			text, err := k.hear()
			if websocket.CloseStatus(err) == websocket.StatusInternalError {
				t.Error("it broke the connection")
			}
			if found := innerText.FindString(text); found != "" && !strings.Contains(frame, found) {
				t.Errorf("%q: %s", found, text)
			}
			if err != nil || text == `{"type":"pong"}` {
				return
			}
		}
	})
}
