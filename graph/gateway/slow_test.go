package gateway

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// small makes a peer's machine take in little.
func (k *peer) small() *peer {
	_ = k.tcp.(*net.TCPConn).SetReadBuffer(64 << 10)
	return k
}

const floods = 80

// flood tells all subscribers more than a connection holds.
func (f *front) flood() {
	for i := range floods {
		f.fake.change(strings.Repeat("x", 100_000), int64(i+1))
	}
	f.hub.Ring()
}

// Cases W1 and 26: clients that do not read are cut in time and counted; the others
// do not wait for them.
func TestClientsThatDoNotReadAreCut(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Write = 2 * time.Second })
	const stalled = 20
	for range stalled {
		f.connect(t).small().subscribe("1", watch)
	}
	reader := f.connect(t)
	reader.subscribe("1", watch)
	f.waitForSubscribers(t, stalled+1)
	f.flood()
	for i := range floods {
		reader.want(change("1", strings.Repeat("x", 100_000), i+1))
	}
	f.waitForSubscribers(t, 1)
	if got := f.metric(t, `occupy_cut_total{reason="slow"}`); got != fmt.Sprint(stalled) {
		t.Errorf("%s are counted", got)
	}
	reader.say(`{"id":"1","type":"complete"}`)
	f.waitForSubscribers(t, 0)
}

// Case W1: what a client says is heard while it does not read.
func TestCompleteAndCloseAreHonouredWhileTheClientDoesNotRead(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Write = time.Hour })
	completes, closes, leaves := f.connect(t).small(), f.connect(t).small(), f.connect(t).small()
	for _, k := range []*peer{completes, closes, leaves} {
		k.subscribe("1", watch)
	}
	f.waitForSubscribers(t, 3)
	f.flood()
	completes.say(`{"id":"1","type":"complete"}`)
	f.waitForSubscribers(t, 2)
	go func() { _ = closes.conn.Close(websocket.StatusNormalClosure, "") }()
	f.waitForSubscribers(t, 1)
	_ = leaves.tcp.Close()
	f.waitForSubscribers(t, 0)
}

// A client that has said goodbye and does not read leaves nothing behind.
func TestAClosedSocketThatIsNotReadEnds(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Write = 500 * time.Millisecond })
	k := f.connect(t).small()
	k.subscribe("1", watch)
	f.waitForSubscribers(t, 1)
	s := f.connections.shutdown()[0].(*socket)
	f.flood()
	eventually(t, "writing waits", func() bool { return s.writing.Load() != 0 })
	if _, err := k.tcp.Write([]byte{0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8}); err != nil { // close, 1000
		t.Fatal(err)
	}
	eventually(t, "it has ended", func() bool {
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		return s.out.ended
	})
	if got := f.metric(t, `occupy_cut_total{reason="slow"}`); got != "0" {
		t.Errorf("%s are counted as slow", got)
	}
}

// Rule 23: a client that reads, but too slowly, is told to come back.
func TestAClientThatDoesNotKeepUpIsToldToComeBack(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.Write = patience })
	k, reader := f.connect(t).small(), f.connect(t)
	k.subscribe("1", watch)
	reader.subscribe("1", watch)
	f.waitForSubscribers(t, 2)
	f.flood() // and now it is behind by this
	told := floods
	for i := int64(0); f.metric(t, `occupy_cut_total{reason="slow"}`) != "1"; i += 2000 {
		for v := range int64(2000) {
			f.fake.change("x", i+v)
		}
		f.hub.Ring()
		for told += 2000; told > 0; told-- {
			_, _ = reader.hear()
		}
	}
	k.wantClose(websocket.StatusTryAgainLater)
	reader.say(`{"type":"ping"}`)
	reader.want(`{"type":"pong"}`)
	eventually(t, "it is gone", func() bool { return f.connections.len() == 1 })
}

// Case W2: a client answers once, then neither reads nor writes.
func TestAClientThatStallsAfterOnePongIsCut(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.KeepAlive = 500 * time.Millisecond })
	k := f.connect(t)
	k.subscribe("1", watch)
	f.waitForSubscribers(t, 1)
	k.say(`{"type":"ping"}`)
	k.want(`{"type":"pong"}`)
	f.waitForSubscribers(t, 0)
	if got := f.metric(t, `occupy_cut_total{reason="vanished"}`); got != "1" {
		t.Errorf("%q are counted", got)
	}
}

func TestAClientThatAnswersPingsIsNotCut(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Limits.KeepAlive = 500 * time.Millisecond })
	k, stalled := f.connect(t), f.connect(t)
	k.subscribe("1", watch)
	stalled.subscribe("1", watch)
	f.waitForSubscribers(t, 2)
	heard := make(chan string)
	go func() {
		text, _ := k.hear()
		heard <- text
	}()
	f.waitForSubscribers(t, 1) // by then the other one would have been cut
	f.fake.change("A", 1)
	f.hub.Ring()
	if got := <-heard; got != change("1", "A", 1) {
		t.Error(got)
	}
}

// An answer that is larger than what waits for a client is no slowness.
func TestALargeSnapshotIsToldAtTheClientsPace(t *testing.T) {
	f := newFront(t, &fake{})
	const items = maxQueue + 1000
	f.fake.snapshot(items)
	k := f.connect(t).small()
	k.subscribe("1", `subscription { occupancyChanged(snapshot: true) { kind occupancy { itemName version } } }`)
	f.waitForSubscribers(t, 1)
	for i := range items {
		k.want(snapshot("1", fmt.Sprint("item", i), 1))
	}
	f.fake.change("item7", 2)
	f.hub.Ring()
	k.want(change("1", "item7", 2))
}
