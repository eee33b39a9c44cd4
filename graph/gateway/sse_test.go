package gateway

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// late has a server whose time for a response is over before it begins.
func late(g http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		g.ServeHTTP(w, r)
	})
}

// Case W13: events and their end, after the time that the server has for a response.
func TestStreamOutlivesTheServersWriteTimeout(t *testing.T) {
	f := newFrontBehind(t, late, &fake{}, func(c *Config) { c.Limits.KeepAlive = 50 * time.Millisecond })
	e, byGet := f.follow(t, watch), f.get(t, watch)
	f.waitForSubscribers(t, 2)
	for range 3 {
		if !e.scanner.Scan() || e.scanner.Text() != ":" || !e.scanner.Scan() || e.scanner.Text() != "" {
			t.Fatalf("%q, want a comment: %v", e.scanner.Text(), e.scanner.Err())
		}
	}
	f.fake.change("A", 1)
	f.hub.Ring()
	for _, e := range []*lines{e, byGet} {
		e.want(`event: next`, `data: `+changed("A", 1), ``)
		e.response.Body.Close()
	}
	f.waitForSubscribers(t, 0)
	eventually(t, "it is gone", func() bool { return f.connections.len() == 0 })
}

func TestStreamOfAQuery(t *testing.T) {
	f := newFront(t, &fake{})
	e := f.follow(t, `{ me { userId } }`)
	e.want(`event: next`, `data: {"data":{"me":{"userId":"kim"}}}`, ``, `event: complete`, `data:`, ``, "EOF")
	e = f.follow(t, `{ nobody }`)
	e.want(`event: next`, `data: {"errors":[*GRAPHQL_VALIDATION_FAILED*]}`, ``, `event: complete`, `data:`, ``, "EOF")
}

func (f *front) get(t *testing.T, query string) *lines {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+"/graphql?"+url.Values{"query": {query}}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, request)
}

// GET is for EventSource, and changes nothing: a link could send it.
func TestStreamByGet(t *testing.T) {
	f := newFront(t, &fake{})
	e := f.get(t, watch)
	f.waitForSubscribers(t, 1)
	f.fake.change("A", 1)
	f.hub.Ring()
	e.want(`event: next`, `data: `+changed("A", 1), ``)
	for _, changing := range []string{
		`mutation { occupy(input: {itemType: "LOT", itemName: "x"}) { ok } }`,
		`subscription { holdItem(input: {itemType: "LOT", itemName: "x"}) { kind } }`,
	} {
		f.get(t, changing).want(`event: next`, `data: {"errors":[*GET is for what changes nothing*]}`, ``, `event: complete`, `data:`, ``, "EOF")
	}
}

// A plain POST would get the first event and never know of the others.
func TestSubscriptionNeedsAStream(t *testing.T) {
	f := newFront(t, &fake{})
	if got := f.post(t, watch, "application/json"); !matches(`{"errors":[{"message":"*Accept: text/event-stream*`, got) {
		t.Error(got)
	}
}

func TestStreamThatIsNotReadIsCut(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Write = 100 * time.Millisecond })
	f.follow(t, watch)
	f.waitForSubscribers(t, 1)
	for f.metric(t, `occupy_cut_total{reason="slow"}`) != "1" {
		f.flood()
	}
	f.waitForSubscribers(t, 0)
	eventually(t, "it is gone", func() bool { return f.connections.len() == 0 })
}
