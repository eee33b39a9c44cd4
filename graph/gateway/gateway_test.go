package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"occupy/domain"
)

// fake is a database that says what the test wants.
type fake struct {
	domain.Store
	domain.Archive
	changes func() ([]*domain.OccupancyEvent, error)
	read    func(ctx context.Context) error
	list    func(domain.OccupancyQuery)
	ready   func() ([]string, error)
}

func (f *fake) Position(context.Context) (domain.Position, error) { return domain.Position{}, nil }

func (f *fake) Changes(_ context.Context, p domain.Position) ([]*domain.OccupancyEvent, domain.Position, error) {
	events, err := f.changes()
	return events, p, err
}

func (f *fake) Matching(context.Context, domain.OccupancyFilter) ([]domain.Occupancy, domain.Position, error) {
	return nil, domain.Position{}, nil
}

func (f *fake) Occupancies(_ context.Context, q domain.OccupancyQuery) (domain.Page[domain.Occupancy], error) {
	f.list(q)
	return domain.Page[domain.Occupancy]{}, nil
}

func (f *fake) Read(ctx context.Context, keys []domain.ItemKey) ([]domain.Occupancy, time.Time, error) {
	return make([]domain.Occupancy, len(keys)), time.Now(), f.read(ctx)
}

// front is a gateway on a fake.
type front struct {
	*Gateway
	hub *domain.Hub
	url string
}

func newFront(t *testing.T, f *fake) *front {
	t.Helper()
	hub := domain.NewHub(f, domain.NoBell{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); hub.Run(ctx) }()
	g := New(Config{
		Service:   domain.NewService(domain.ServiceConfig{Store: f, Archive: f, Feed: f, Hub: hub, TimeZone: time.UTC}),
		Readiness: func(context.Context) ([]string, error) { return f.ready() },
	})
	server := httptest.NewServer(g)
	t.Cleanup(func() { cancel(); <-ended; server.CloseClientConnections(); server.Close() })
	return &front{g, hub, server.URL}
}

func (f *front) post(t *testing.T, query, accept string) string {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {accept}, "X-User-Id": {"kim"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const watch = `subscription { occupancyChanged { kind } }`

// overSocket subscribes and gives all messages until the subscription is complete.
func (f *front) overSocket(t *testing.T, subscribed func()) (all string) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	write := func(v any) {
		if err := wsjson.Write(t.Context(), conn, v); err != nil {
			t.Fatal(err)
		}
	}
	write(map[string]any{"type": "connection_init", "payload": map[string]string{"X-User-Id": "kim"}})
	write(map[string]any{"type": "subscribe", "id": "1", "payload": map[string]string{"query": watch}})
	subscribed()
	for !strings.Contains(all, `"complete"`) {
		_, text, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err, all)
		}
		all += string(text)
	}
	return all
}

// ringUntil rings until the fake is asked for changes.
func (f *front) ringUntil(asked <-chan struct{}) {
	for {
		f.hub.Ring()
		select {
		case <-asked:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestEndOfAFeedIsToldOverBothTransports(t *testing.T) {
	asked := make(chan struct{}, 1)
	f := newFront(t, &fake{changes: func() ([]*domain.OccupancyEvent, error) {
		select {
		case asked <- struct{}{}:
		default:
		}
		return nil, domain.ErrFeedBroken
	}})
	got := f.overSocket(t, func() { go f.ringUntil(asked) })
	if strings.Count(got, "RESYNC") != 1 || strings.Count(got, `"next"`) != 1 {
		t.Errorf("WebSocket: %s", got)
	}
	go f.ringUntil(asked)
	got = f.post(t, watch, "text/event-stream")
	if strings.Count(got, "RESYNC") != 1 || !strings.Contains(got, "event: complete") {
		t.Errorf("SSE: %s", got)
	}
}

func TestCloseWaitsForWhatRunsAndDrainRefusesTheRest(t *testing.T) {
	reading, goOn := make(chan struct{}), make(chan struct{})
	f := newFront(t, &fake{read: func(context.Context) error {
		close(reading)
		<-goOn
		return nil
	}})
	query := `{ occupancy(itemType: "LOT", itemName: "x") { version } }`
	first := make(chan string, 1)
	go func() { first <- f.post(t, query, "application/json") }()
	<-reading

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	f.Drain()
	if err := f.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("closed while a query runs: %v", err)
	}
	if got := f.post(t, query, "application/json"); !strings.Contains(got, "UNAVAILABLE") {
		t.Errorf("while draining: %s", got)
	}
	if response, _ := http.Get(f.url + "/readyz"); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz says %s while draining", response.Status)
	}
	close(goOn)
	if err := f.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := <-first; strings.Contains(got, "errors") {
		t.Errorf("the running one: %s", got)
	}
}

// A count reads all that matches, so it is made only if it is asked for.
func TestTotalIsCountedOnlyWhenAsked(t *testing.T) {
	var counted bool
	f := newFront(t, &fake{list: func(q domain.OccupancyQuery) { counted = q.Cut.Total }})
	for query, want := range map[string]bool{
		`{ occupancies { nodes { id } } }`: false,
		`query($no: Boolean = true) { occupancies { nodes { id } totalCount @skip(if: $no) } }`:                                                false,
		`query($no: Boolean = false) { occupancies { nodes { id } ...f @include(if: $no) } } fragment f on OccupancyConnection { totalCount }`: false,
		`query($yes: Boolean = true) { occupancies { totalCount @include(if: $yes) } }`:                                                        true,
		`{ occupancies { nodes { id } n: totalCount } }`:                                                                                       true,
		`{ occupancies { ... { ... on OccupancyConnection { totalCount } } } }`:                                                                true,
		`{ o: occupancies { ...f } } fragment f on OccupancyConnection { ...g } fragment g on OccupancyConnection { totalCount }`:              true,
	} {
		got := f.post(t, query, "application/json")
		if counted != want || strings.Contains(got, "errors") {
			t.Errorf("%s: counted %v, want %v: %s", query, counted, want, got)
		}
	}
}

func TestPanicsAreOneCallersOnly(t *testing.T) {
	f := newFront(t, &fake{read: func(context.Context) error { panic("no such luck") }})
	got := f.post(t, `{ occupancy(itemType: "LOT", itemName: "x") { state } me { userId } }`, "application/json")
	if !strings.Contains(got, "INTERNAL") || !strings.Contains(got, "requestId") || strings.Contains(got, "luck") {
		t.Error(got)
	}
}

func TestReadyzNamesWhatElseToKnow(t *testing.T) {
	f := newFront(t, &fake{ready: func() ([]string, error) { return []string{"Redis is away"}, nil }})
	response, err := http.Get(f.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || string(text) != "ready\nRedis is away\n" {
		t.Errorf("%s %s", response.Status, text)
	}
}

func TestStreamWriterSwallowsWhatComesAfterItsEnd(t *testing.T) {
	to := httptest.NewRecorder()
	w := &streamWriter{to: to}
	_, _ = io.WriteString(w, "in time")
	w.end()
	_, err := io.WriteString(w, "too late")
	w.Flush()
	if err != nil || to.Body.String() != "in time" || to.Flushed {
		t.Errorf("%q %v", to.Body, err)
	}
}

func TestCloseReasonFitsItsFrame(t *testing.T) {
	if got := closeReason(strings.Repeat("가", 100)); len(got) > 123 || !strings.HasPrefix(got, "가가") || strings.Contains(got, "\ufffd") {
		t.Errorf("%d: %s", len(got), got)
	}
	if got := closeReason("short"); got != "short" {
		t.Error(got)
	}
}
