package gateway

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"occupy/domain"
)

const occupyOne = `{"query":"mutation { occupy(input: {itemType: \"LOT\", itemName: \"x\"}) { code } }"}`

// limited is a front whose burst of everything is ten.
func limited(t *testing.T, set func(*Rates)) *front {
	return newFront(t, &fake{}, func(c *Config) {
		set(&c.Rates)
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
}

// mutate sends a mutation as somebody from somewhere, and gives status and body.
func (f *front) mutate(t *testing.T, user, from, body string) (*http.Response, string) {
	t.Helper()
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(body))
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {user}, "X-Forwarded-For": {from}}
	return f.do(t, request)
}

func TestMutationsOfOneUserAreLimited(t *testing.T) {
	f := limited(t, func(r *Rates) { r.Mutations.PerUser = 1 })
	for i := range 10 {
		if response, text := f.mutate(t, "kim", "10.0.0.1", occupyOne); response.StatusCode != http.StatusOK || !strings.Contains(text, "GRANTED") {
			t.Fatalf("mutation %d: %s %s", i, response.Status, text)
		}
	}
	response, text := f.mutate(t, "kim", "10.0.0.2", occupyOne)
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "1" ||
		!matches(`{"errors":[{"message":"too many mutations by one user*","extensions":{"code":"RATE_LIMITED","retryAfterSeconds":1}}]}`, text) {
		t.Errorf("%s %v %s", response.Status, response.Header, text)
	}
	if response, text := f.mutate(t, "kim", "10.0.0.1", who); response.StatusCode != http.StatusOK {
		t.Errorf("a query: %s %s", response.Status, text)
	}
	if response, text := f.mutate(t, "lee", "10.0.0.1", occupyOne); response.StatusCode != http.StatusOK {
		t.Errorf("another user: %s %s", response.Status, text)
	}
	k := f.connect(t)
	k.subscribe("1", `mutation { free(input: {itemType: "LOT", itemName: "x"}) { code } }`)
	k.want(`{"id":"1","type":"next","payload":{"errors":[{"message":"*","extensions":{"code":"RATE_LIMITED","retryAfterSeconds":1}}]}}`, `{"id":"1","type":"complete"}`)
	if got := f.metric(t, `occupy_rate_limited_total{by="user",what="mutations"}`); got != "2" {
		t.Errorf("%s are counted", got)
	}
}

// A mutation counts as often as it has root fields, however they are written.
func TestRootFieldsCountOneByOne(t *testing.T) {
	f := limited(t, func(r *Rates) { r.Mutations.PerUser = 1 })
	many := `{"query":"mutation { ...f ...f a: free(input: {itemType: \"LOT\", itemName: \"x\"}) { code } } fragment f on Mutation {` +
		strings.Repeat(` free(input: {itemType: \"LOT\", itemName: \"x\"}) { code }`, 4) + `}"}`
	if response, text := f.mutate(t, "kim", "", many); response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", response.Status, text)
	}
	f.mutate(t, "kim", "", occupyOne) // the tenth
	if response, text := f.mutate(t, "kim", "", occupyOne); response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%s %s", response.Status, text)
	}
}

func TestMutationsFromOneAddressAreLimited(t *testing.T) {
	f := limited(t, func(r *Rates) { r.Mutations = Rate{PerUser: 1, PerAddress: 2} })
	for range 30 { // those that their own budget refuses cost their neighbours nothing
		f.mutate(t, "kim", "10.0.0.1", occupyOne)
	}
	for range 10 {
		if response, text := f.mutate(t, "lee", "10.0.0.1", occupyOne); response.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", response.Status, text)
		}
	}
	if response, text := f.mutate(t, "park", "10.0.0.1", occupyOne); response.StatusCode != http.StatusTooManyRequests || !strings.Contains(text, "by one address") {
		t.Errorf("%s %s", response.Status, text)
	}
	if response, text := f.mutate(t, "park", "10.0.0.2", occupyOne); response.StatusCode != http.StatusOK {
		t.Errorf("from another address: %s %s", response.Status, text)
	}
}

func TestConnectionsAreLimitedInTime(t *testing.T) {
	f := limited(t, func(r *Rates) { r.Connections = Rate{PerUser: 1, PerAddress: 2} })
	for range 10 {
		_ = f.connect(t).conn.CloseNow()
	}
	k := f.dial(t, nil)
	k.say(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`)
	k.wantClose(websocket.StatusTryAgainLater)
	stream := http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if response, text := f.send(t, http.MethodPost, "/graphql", stream, strings.NewReader(who)); response.StatusCode != http.StatusTooManyRequests ||
		response.Header.Get("Retry-After") == "" || !strings.Contains(text, `"RATE_LIMITED"`) {
		t.Errorf("a stream: %s %s", response.Status, text)
	}
	for range 9 {
		_ = f.dial(t, nil).conn.CloseNow()
	}
	_, response, err := websocket.Dial(t.Context(), f.url+"/graphql", &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err == nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("one more socket from the address: %v", err)
	}
	for line, want := range map[string]string{`{by="user",what="connections"}`: "2", `{by="address",what="connections"}`: "1"} {
		if got := f.metric(t, "occupy_rate_limited_total"+line); got != want {
			t.Errorf("%s: %s are counted, want %s", line, got, want)
		}
	}
}

// Subscriptions that share their execution count like others.
func TestSubscriptionsAreLimitedInTime(t *testing.T) {
	f := limited(t, func(r *Rates) { r.Subscriptions.PerUser = 1 })
	k := f.connect(t)
	for i := range 10 {
		k.subscribe(fmt.Sprint(i), watch)
	}
	f.waitForSubscribers(t, 10)
	k.subscribe("more", watch)
	k.want(`{"id":"more","type":"error","payload":[{"message":"*","extensions":{"code":"RATE_LIMITED","retryAfterSeconds":1}}]}`)
	k.subscribe("hold", `subscription { holdItem(input: {itemType: "LOT", itemName: "x"}) { kind } }`)
	k.want(`{"id":"hold","type":"error","payload":[{"message":"*","extensions":{"code":"RATE_LIMITED","retryAfterSeconds":1}}]}`)
	f.follow(t, watch).want(`event: next`, `data: {"errors":[*RATE_LIMITED*]}`, ``, `event: complete`, `data:`, ``, "EOF")
}

// A service that acts for users has a budget for each of them, and they have their own.
func TestWhoseBudgetAServiceUses(t *testing.T) {
	budget := newBudget("mutations", Rate{PerUser: 1})
	service, _ := domain.NewCaller("mes", []string{"SERVICE"}, "")
	forKim, _ := service.ActingFor("kim")
	forLee, _ := service.ActingFor("lee")
	kim, _ := domain.NewCaller("kim", []string{"OPERATOR"}, "")
	as := func(c domain.Caller) context.Context { return domain.WithCaller(t.Context(), c) }
	if budget.spend(as(forKim), 10) != nil || budget.spend(as(forKim), 1) == nil {
		t.Error("the service is not held up for kim")
	}
	for _, c := range []domain.Caller{service, forLee, kim} {
		if err := budget.spend(as(c), 10); err != nil {
			t.Errorf("%s for %s: %v", c.Actor(), c.UserID, err)
		}
	}
}

func TestBucketsFillAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuckets[string](2)
		if b.take("a", 20) != 0 {
			t.Error("it is not full")
		}
		if wait := b.take("a", 4); wait != 2*time.Second {
			t.Errorf("to wait: %v", wait)
		}
		time.Sleep(2 * time.Second)
		if b.take("a", 4) != 0 || b.take("a", 1) == 0 {
			t.Error("it is not as full as it should be")
		}
		time.Sleep(time.Hour)
		if b.take("a", 1000) != 0 || b.take("a", 1) == 0 {
			t.Error("who wants more than a bucket holds does not get all of it")
		}
	})
}

// A flood of addresses does not take memory.
func TestManyAddressesTakeLittleMemory(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, b := heap(), newBuckets[netip.Addr](1)
	address := netip.MustParseAddr("10.0.0.0")
	for range 200_000 {
		b.take(address, 1)
		address = address.Next()
	}
	if took := int64(heap()) - int64(before); took > 10<<20 {
		t.Errorf("%d bytes", took)
	}
	if n := b.kept.Len(); n != maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

func TestWhereARequestComesFrom(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		peer, header, want string
	}{
		{"192.0.2.1", "198.51.100.7", "192.0.2.1"}, // nobody that we know says so
		{"10.0.0.1", "", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.7", "198.51.100.7"},
		{"10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // what it was told by others
		{"10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"},
		{"10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"},
		{"10.0.0.1", "198.51.100.7, nonsense", "10.0.0.1"},
		{"10.0.0.1", "198.51.100.7:8000", "198.51.100.7"},
		{"::ffff:10.0.0.1", "[2001:db8::7]:8000", "2001:db8::7"},
		{"fd00::1", "2001:db8::7", "2001:db8::7"},
	} {
		var lists []string
		if c.header != "" {
			lists = []string{c.header}
		}
		if got := forwarded(plainAddress(netip.MustParseAddr(c.peer)), lists, proxies); got.String() != c.want {
			t.Errorf("%s, %s: %s, want %s", c.peer, c.header, got, c.want)
		}
	}
	if a, b := network(netip.MustParseAddr("2001:db8::7")), network(netip.MustParseAddr("2001:db8::ffff:7")); a != b {
		t.Error("one machine has as many budgets as it has addresses")
	}
}

func TestARefusalSaysWhatCredentialsAreTaken(t *testing.T) {
	f := newFront(t, &fake{})
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(who))
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"kim"}, "X-Roles": {"BOSS"}}
	if response, _ := f.do(t, request); response.StatusCode != http.StatusUnauthorized || response.Header.Get("WWW-Authenticate") != "X-User-Id" {
		t.Errorf("%s %v", response.Status, response.Header)
	}
}
