package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// executions waits until that many are carried out.
func (f *front) waitForExecutions(t testing.TB, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " executions"), func() bool { return f.hub.Subscribers() == n })
}

func (k *peer) subscribeWith(id, payload string) {
	k.t.Helper()
	k.say(fmt.Sprintf(`{"id":%q,"type":"subscribe","payload":%s}`, id, payload))
}

func TestEqualSubscriptionsShareOneExecution(t *testing.T) {
	f := newFront(t, &fake{})
	k, other := f.connect(t), f.connect(t)
	k.subscribe("1", watch)
	k.subscribe("2", watch)
	other.subscribe(`quoted "id"`, watch)
	e := f.follow(t, watch)
	f.waitForSubscribers(t, 4)
	f.waitForExecutions(t, 1)
	f.fake.change("A", 1)
	f.hub.Ring()
	first, _ := k.hear()
	second, _ := k.hear()
	if one, two := change("1", "A", 1), change("2", "A", 1); !(first == one && second == two) && !(first == two && second == one) {
		t.Errorf("%s and %s", first, second)
	}
	other.want(change(`quoted "id"`, "A", 1))
	e.want(`event: next`, `data: `+changed("A", 1), ``)
	k.say(`{"id":"1","type":"complete"}`)
	f.waitForSubscribers(t, 3)
	f.fake.change("A", 2)
	f.hub.Ring()
	k.want(change("2", "A", 2))
	_ = k.conn.CloseNow()
	_ = other.conn.CloseNow()
	f.waitForSubscribers(t, 1)
	f.waitForExecutions(t, 1)
	e.response.Body.Close()
	f.waitForSubscribers(t, 0)
	f.waitForExecutions(t, 0)
}

func TestSubscriptionsThatDifferDoNotShare(t *testing.T) {
	f := newFront(t, &fake{})
	k := f.connect(t)
	english := f.dial(t, nil)
	english.say(`{"type":"connection_init","payload":{"X-User-Id":"kim","Accept-Language":"ko"}}`)
	english.want(`{"type":"connection_ack"}`)
	analyst := f.dial(t, http.Header{"X-Roles": {"ANALYST"}})
	analyst.say(`{"type":"connection_init","payload":{"X-User-Id":"kim"}}`)
	analyst.want(`{"type":"connection_ack"}`)
	const filtered = `"query":"subscription A($n: [String!]) { occupancyChanged(filter: {itemNames: $n}) { kind } } subscription B { occupancyChanged { kind } }"`
	k.subscribe("1", watch)
	k.subscribe("2", watch+" ")
	english.subscribe("1", watch)
	analyst.subscribe("1", watch)
	k.subscribeWith("3", `{`+filtered+`,"operationName":"A","variables":{"n":["a"]}}`)
	k.subscribeWith("4", `{`+filtered+`,"operationName":"A","variables":{"n":["b"]}}`)
	k.subscribeWith("5", `{`+filtered+`,"operationName":"B"}`)
	f.waitForExecutions(t, 7)
	k.subscribeWith("6", `{`+filtered+`,"operationName":"A","variables":{"n":["b"]}}`)
	f.waitForSubscribers(t, 8)
	f.waitForExecutions(t, 7)
}

const watchAll = `subscription($s: Boolean!) { occupancyChanged(snapshot: $s) { kind occupancy { itemName version } } }`

// Those that begin with a snapshot share what comes then with those that do not.
func TestSnapshotsAreEachTheirOwn(t *testing.T) {
	f := newFront(t, &fake{})
	f.fake.snapshot(2)
	k := f.connect(t)
	k.subscribeWith("1", `{"query":"`+watchAll+`","variables":{"s":false}}`)
	f.waitForSubscribers(t, 1)
	k.subscribeWith("2", `{"query":"`+watchAll+`","variables":{"s":true}}`)
	k.want(snapshot("2", "item0", 1), snapshot("2", "item1", 1))
	f.waitForExecutions(t, 1)
	f.fake.change("item0", 2)
	f.hub.Ring()
	first, _ := k.hear()
	second, _ := k.hear()
	if one, two := change("1", "item0", 2), change("2", "item0", 2); !(first == one && second == two) && !(first == two && second == one) {
		t.Errorf("%s and %s", first, second)
	}
}

// While changes pour in, a snapshot is followed by the version after it and every
// later one, once.
func TestASnapshotJoinsTheSharedStreamWithoutGapOrRepeat(t *testing.T) {
	f := newFront(t, &fake{})
	f.fake.snapshot(1)
	stop := make(chan struct{})
	var pour sync.WaitGroup
	pour.Go(func() {
		for v := int64(2); ; v++ {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Microsecond):
				f.fake.change("item0", v)
				f.hub.Ring()
			}
		}
	})
	var all sync.WaitGroup
	for range 50 {
		k := f.connect(t)
		all.Go(func() {
			for range 5 {
				k.subscribeWith("1", `{"query":"`+watchAll+`","variables":{"s":true}}`)
				k.wantVersionsInOrder(50)
				k.say(`{"id":"1","type":"complete"}`)
				k.say(`{"type":"ping"}`)
				for text := ""; text != `{"type":"pong"}`; {
					text, _ = k.hear()
				}
			}
		})
	}
	all.Wait()
	close(stop)
	pour.Wait()
	f.waitForSubscribers(t, 0)
	f.waitForExecutions(t, 0)
}

// wantVersionsInOrder reads a snapshot and what follows.
func (k *peer) wantVersionsInOrder(n int) {
	for i, last := 0, int64(0); i < n; i++ {
		text, err := k.hear()
		var m struct {
			Payload struct {
				Data struct {
					OccupancyChanged struct {
						Kind      string
						Occupancy struct {
							Version int64 `json:",string"`
						}
					}
				}
			}
		}
		if json.Unmarshal([]byte(text), &m) != nil || err != nil {
			k.t.Errorf("%s %v", text, err)
			return
		}
		got := m.Payload.Data.OccupancyChanged
		if (i == 0) != (got.Kind == "SNAPSHOT") || (i > 0 && got.Occupancy.Version != last+1) {
			k.t.Errorf("%d: %s after version %d", i, text, last)
			return
		}
		last = got.Occupancy.Version
	}
}

// Case 28: subscribers come and go while events pour in; who stays misses nothing.
func TestStormOfSubscribers(t *testing.T) {
	f := newFront(t, &fake{})
	stays := f.connect(t)
	stays.subscribe("1", watch)
	f.waitForSubscribers(t, 1)
	var storm sync.WaitGroup
	for range 20 {
		k := f.connect(t)
		storm.Go(func() {
			for i := range 100 {
				id := fmt.Sprint(i)
				k.subscribe(id, watch)
				if i%2 == 0 {
					if _, err := k.hear(); err != nil {
						t.Error(err)
					}
				}
				k.say(fmt.Sprintf(`{"id":%q,"type":"complete"}`, id))
			}
			_ = k.conn.CloseNow()
		})
	}
	ended := make(chan struct{})
	go func() { storm.Wait(); close(ended) }()
	sent := int64(0)
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		sent++
		f.fake.change("A", sent)
		f.hub.Ring()
		stays.want(change("1", "A", int(sent)))
	}
	f.waitForSubscribers(t, 1)
	f.waitForExecutions(t, 1)
}

// Case 33: five thousand changes within a second reach a client of either transport,
// in order and without a hole.
func TestFiveThousandChangesAtOnce(t *testing.T) {
	f := newFront(t, &fake{})
	k, e := f.connect(t), f.follow(t, watch)
	k.subscribe("1", watch)
	f.waitForSubscribers(t, 2)
	const changes = 5000
	go func() {
		for v := range int64(changes) {
			f.fake.change("A", v+1)
			f.hub.Ring()
		}
	}()
	for v := range changes {
		k.want(change("1", "A", v+1))
		e.want(`event: next`, `data: `+changed("A", v+1), ``)
	}
}

// Case 32: the feed can not be read for a while. What a reader can take comes then;
// if it is more, each subscriber is told that there is a hole, and a new snapshot is right.
func TestTheReaderIsBlockedWhileChangesPourIn(t *testing.T) {
	f := newFront(t, &fake{})
	f.fake.snapshot(1)
	k, e := f.connect(t), f.follow(t, watch)
	k.subscribe("1", watch)
	f.waitForSubscribers(t, 2)
	pour := func(from, to int64) {
		f.fake.reading.Lock()
		for v := from; v <= to; v++ {
			f.fake.change("item0", v)
		}
		f.fake.reading.Unlock()
		f.hub.Ring()
	}
	pour(2, maxQueue/2)
	for v := 2; v <= maxQueue/2; v++ {
		k.want(change("1", "item0", v))
		e.want(`event: next`, `data: `+changed("item0", v), ``)
	}
	pour(maxQueue/2+1, 2*maxQueue)
	k.want(`{"id":"1","type":"error","payload":[{"message":"*","extensions":{"code":"RESYNC"}}]}`)
	e.want(`event: next`, `data: {"errors":[*"RESYNC"*]}`, ``, `event: complete`, `data:`, ``, "EOF")
	k.subscribeWith("1", `{"query":"`+watchAll+`","variables":{"s":true}}`)
	k.want(snapshot("1", "item0", 2*maxQueue))
}
