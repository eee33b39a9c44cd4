package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"occupy/domain"
)

// fake is a database that says what the test wants.
type fake struct {
	domain.Store
	domain.Archive
	changes func() ([]*domain.Change, error)
	read    func(ctx context.Context) error
	list    func(domain.OccupancyQuery)
	ready   func() ([]string, error)

	reading sync.Mutex // held over each read of changes

	mu     sync.Mutex
	now    []domain.Occupancy // what a snapshot has
	queued []*domain.Change
	tx     uint64 // of the last change
}

func (f *fake) Position(context.Context) (domain.Position, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position(), nil
}

func (f *fake) position() domain.Position {
	return domain.Position{System: "fake", Snapshot: domain.Snapshot{Xmin: f.tx + 1, Xmax: f.tx + 1}}
}

func (f *fake) Changes(context.Context, domain.Position) ([]*domain.Change, domain.Position, error) {
	if f.changes != nil {
		events, err := f.changes()
		return events, domain.Position{}, err
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.queued
	f.queued = nil
	return events, f.position(), nil
}

func (f *fake) Matching(context.Context, domain.OccupancyFilter) ([]domain.Occupancy, domain.Position, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.now), f.position(), nil
}

func (f *fake) Occupied(context.Context, domain.Occupancy, int) ([]domain.Occupancy, error) {
	return nil, nil
}

// snapshot has that many items there.
func (f *fake) snapshot(items int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range items {
		f.now = append(f.now, occupied(fmt.Sprint("item", i), 1))
	}
}

// change commits that many changes of an item.
func (f *fake) change(name string, versions ...int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range versions {
		f.tx++
		f.queued = append(f.queued, &domain.Change{Kind: domain.KindChanged, Event: domain.EventOccupied, TxID: f.tx, At: time.Now(),
			Occupancy: occupied(name, v)})
		for i := range f.now {
			if f.now[i].ItemName == name {
				f.now[i].Version = v
			}
		}
	}
}

func occupied(name string, version int64) domain.Occupancy {
	return domain.Occupancy{ItemKey: domain.ItemKey{ItemType: "LOT", ItemName: name}, State: domain.StateOccupied, Version: version}
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
	fake *fake
	hub  *domain.Hub
	url  string
}

func newFront(t testing.TB, f *fake, options ...func(*Config)) *front {
	t.Helper()
	return newFrontBehind(t, func(g http.Handler) http.Handler { return g }, f, options...)
}

// newFrontBehind has something before the gateway.
func newFrontBehind(t testing.TB, before func(http.Handler) http.Handler, f *fake, options ...func(*Config)) *front {
	t.Helper()
	hub := domain.NewHub(f, domain.NoBell{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); hub.Run(ctx) }()
	c := Config{
		Service:   domain.NewService(domain.ServiceConfig{Store: f, Archive: f, Feed: f, Hub: hub, TimeZone: time.UTC, Limits: domain.Limits{DefaultTTL: time.Minute, MaxTTL: time.Hour}}),
		Readiness: func(context.Context) ([]string, error) { return f.ready() },
		Limits:    Limits{Spread: time.Millisecond},
	}
	for _, set := range options {
		set(&c)
	}
	g := New(c)
	server := httptest.NewServer(before(g))
	t.Cleanup(func() {
		now, cut := context.WithCancel(context.Background())
		cut()
		_ = g.Close(now)
		cancel()
		<-ended
		server.CloseClientConnections()
		server.Close()
	})
	return &front{g, f, hub, server.URL}
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

const watch = `subscription { occupancyChanged { kind occupancy { itemName version } } }`

func TestEndOfAFeedIsToldOverBothTransports(t *testing.T) {
	f := newFront(t, &fake{changes: func() ([]*domain.Change, error) { return nil, domain.ErrFeedBroken }})
	k := f.connect(t)
	k.subscribe("1", watch)
	e := f.follow(t, watch)
	f.waitForSubscribers(t, 2)
	f.hub.Ring()
	k.want(`{"id":"1","type":"error","payload":[{"message":"*","extensions":{"code":"RESYNC"}}]}`)
	e.want(`event: next`, `data: {"errors":[{"message":"*","extensions":{"code":"RESYNC"}}]}`, ``, `event: complete`, `data:`, ``, "EOF")
	f.waitForSubscribers(t, 0)
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
	response, err := http.Get(f.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
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

func TestCloseReasonFitsItsFrame(t *testing.T) {
	if got := closeReason(strings.Repeat("가", 100)); len(got) > 123 || !strings.HasPrefix(got, "가가") || strings.Contains(got, "\ufffd") {
		t.Errorf("%d: %s", len(got), got)
	}
	if got := closeReason("short"); got != "short" {
		t.Error(got)
	}
}
