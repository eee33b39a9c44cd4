package main

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"occupy/graph/gateway"
)

// An item that is held by a connection.

const holdItem = `subscription($input: OccupyInput!, $grace: Int) {
	holdItem(input: $input, graceSeconds: $grace) {
		kind event fencingToken at payload { ok code message occupancy { userId } }
		occupancy { state userId session version renewals uiName } } }`

// hold subscribes over a socket.
func (c caller) hold(input object, grace any) *socket {
	c.server.t.Helper()
	k := c.connect()
	k.send(message{ID: "1", Type: "subscribe", Payload: object{"query": holdItem, "variables": object{"input": input, "grace": grace}}})
	return k
}

// held reads the next event, which has to be of that kind.
func held(t *testing.T, s stream, kind string) object {
	t.Helper()
	got, _ := s.expect("next").at("data.holdItem").(map[string]any)
	want(t, got, "kind", kind)
	return got
}

// history waits until an item has had these events.
func (s *server) wantHistory(item, events string) {
	s.t.Helper()
	eventually(s.t, item+" has had "+events, func() bool {
		var got string
		if err := s.pool().QueryRow(s.t.Context(), `SELECT coalesce(string_agg(event, ' ' ORDER BY version), '')
			FROM ct_occupy_item_history WHERE item_name = $1`, item).Scan(&got); err != nil {
			s.t.Fatal(err)
		}
		return got == events
	})
	s.wantNoFaults()
}

// waitForRenewals waits until an item has been renewed that often.
func (s *server) waitForRenewals(item string, n int64) {
	s.t.Helper()
	eventually(s.t, fmt.Sprint(item, " is renewed ", n, " times"), func() bool {
		return s.count(`SELECT coalesce(max(renewals), 0) FROM ct_occupy_item WHERE item_name = '`+item+`'`) >= n
	})
}

func TestHoldItemUntilComplete(t *testing.T) {
	s := newServer(t)
	k := s.as("kim").hold(lot("lot1", "ttlSeconds", 3, "session", "A"), nil)
	first := held(t, k, "OCCUPIED")
	want(t, first, "event", nil, "fencingToken", "1", "payload.ok", true, "payload.code", "GRANTED", "payload.occupancy.userId", "kim", "occupancy.state", "OCCUPIED")
	other := s.as("lee").hold(lot("LOT1"), nil)
	want(t, held(t, other, "DENIED"), "payload.ok", false, "payload.code", "HELD", "fencingToken", nil, "occupancy.userId", "kim")
	other.expect("complete")
	s.waitForRenewals("LOT1", 5) // longer than the TTL
	s.as("kim").command("occupy", lot("LOT1", "session", "A", "uiName", "SPC", "ttlSeconds", 3))
	want(t, held(t, k, "CHANGED"), "event", "REENTERED", "occupancy.uiName", "SPC", "payload", nil, "fencingToken", "1")
	k.send(message{ID: "1", Type: "complete"})
	s.wantHistory("LOT1", "OCCUPIED REENTERED WINDOW_CLOSED")
}

func TestHoldItemIsLost(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	streams := map[string]stream{
		"WebSocket": one.as("kim").hold(lot("LOT1", "session", "A"), nil),
		"SSE":       one.as("kim").follow(holdItem, object{"input": lot("LOT1", "session", "A")}),
	}
	for _, s := range streams {
		held(t, s, "OCCUPIED")
	}
	other.as("boss").command("forceFree", lot("LOT1", "reason", "why", "fencingToken", 1))
	for name, s := range streams {
		t.Log(name)
		want(t, held(t, s, "LOST"), "event", "FORCED", "occupancy.state", "FREE", "fencingToken", "1")
		s.expect("complete")
	}
}

func TestHoldItemAfterALostConnection(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	input := lot("LOT1", "session", "A", "ttlSeconds", 60)
	k := one.as("kim").hold(input, 20)
	held(t, k, "OCCUPIED")
	_ = k.conn.CloseNow()
	one.waitForRenewals("LOT1", 1)
	if n := one.count(`SELECT count(*) FROM ct_occupy_item WHERE end_event = 'CONNECTION_LOST' AND expire_time < clock_timestamp() + interval '20 s'`); n != 1 {
		t.Error("there is no grace")
	}
	k = other.as("kim").hold(input, 1)
	want(t, held(t, k, "OCCUPIED"), "payload.code", "REENTERED", "fencingToken", "1", "occupancy.session", "A")
	_ = k.conn.CloseNow()
	one.wantHistory("LOT1", "OCCUPIED CONNECTION_LOST")
	if n := one.count(`SELECT count(*) FROM ct_occupy_item_history WHERE event = 'CONNECTION_LOST' AND state = 'EXPIRED'`); n != 1 {
		t.Error("it has not expired")
	}
}

// A stream by SSE can not say that it is complete.
func TestHoldItemOverSSEHasItsGrace(t *testing.T) {
	s := newServer(t)
	body := s.as("kim").follow(holdItem, object{"input": lot("LOT1", "ttlSeconds", 60), "grace": 1})
	held(t, body, "OCCUPIED")
	_ = body.close()
	s.wantHistory("LOT1", "OCCUPIED CONNECTION_LOST")
}

// Over HTTP a page that is left can not say whether it comes again.
func TestAFreeWithAGrace(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	kim.command("occupy", lot("LOT1", "session", "A", "ttlSeconds", 60))
	want(t, kim.command("free", lot("LOT1", "session", "A", "graceSeconds", 30)), "ok", true, "code", "LEFT")
	want(t, s.as("lee").command("occupy", lot("LOT1")), "code", "HELD")
	want(t, kim.command("occupy", lot("LOT1", "session", "A")), "code", "REENTERED")
	kim.command("free", lot("LOT1", "session", "A", "graceSeconds", 1))
	s.wantHistory("LOT1", "OCCUPIED CONNECTION_LOST")
	bad := kim.ask(`mutation { free(input: {itemType: "LOT", itemName: "LOT1", graceSeconds: 0}) { ok } }`)
	want(t, wantCode(t, bad, "BAD_USER_INPUT"), "argument", "input.graceSeconds")
}

// The gateway stops, or is killed: what it held is taken up on the other one, or
// expires after the grace, or after the TTL.
func TestHoldItemWhenTheGatewayGoes(t *testing.T) {
	steady := newServer(t)
	settings := []string{"DATABASE_URL=" + steady.url, "REDIS_URL=" + stack.RedisURL()}
	for name, c := range map[string]struct {
		signal syscall.Signal
		ends   string
	}{"STOPPED": {syscall.SIGTERM, "OCCUPIED CONNECTION_LOST"}, "KILLED": {syscall.SIGKILL, "OCCUPIED EXPIRED"}} {
		victim, process := newProcess(t, settings...)
		stay, back := lot(name+"1", "session", "A", "ttlSeconds", 6), lot(name+"2", "session", "A", "ttlSeconds", 6)
		held(t, victim.as("kim").hold(stay, 1), "OCCUPIED")
		k := victim.as("kim").hold(back, 5)
		held(t, k, "OCCUPIED")
		if err := process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		k.closeCode()
		k = steady.as("kim").hold(back, 5)
		want(t, held(t, k, "OCCUPIED"), "payload.code", "REENTERED", "fencingToken", "1")
		steady.wantHistory(name+"1", c.ends)
		steady.waitForRenewals(name+"2", 3)
		k.send(message{ID: "1", Type: "complete"})
		steady.wantHistory(name+"2", "OCCUPIED WINDOW_CLOSED")
	}
}

// A connection that is dead and not known to be: the client has come back on the
// other gateway, and the first one goes on renewing until it finds out.
func TestAHalfOpenHoldDoesNotEndTheNewOne(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	input := lot("LOT1", "session", "A", "ttlSeconds", 3)
	dead := one.as("kim").hold(input, 0)
	held(t, dead, "OCCUPIED")
	one.waitForRenewals("LOT1", 1)
	back := other.as("kim").hold(input, 0)
	held(t, back, "OCCUPIED")
	before := one.count(`SELECT renewals FROM ct_occupy_item WHERE item_name = 'LOT1'`)
	one.waitForRenewals("LOT1", before+3)
	_ = dead.conn.CloseNow()
	one.waitForRenewals("LOT1", before+6)
	one.wantHistory("LOT1", "OCCUPIED")
	back.send(message{ID: "1", Type: "complete"})
	one.wantHistory("LOT1", "OCCUPIED WINDOW_CLOSED")
}

// Half-open sockets: their clients say nothing more, and the gateway finds that out only
// after a while. Who has come back elsewhere by then keeps the item; who has not leaves
// it the grace, from then on.
func TestHalfOpenSocketsThatAreNoticedLate(t *testing.T) {
	before := gateway.DefaultLimits.KeepAlive
	gateway.DefaultLimits.KeepAlive = time.Second
	one := newServer(t)
	gateway.DefaultLimits.KeepAlive = before
	other := newServerOn(t, one.url)
	input := func(name string) object { return lot(name, "session", "A", "ttlSeconds", 30) }
	held(t, one.as("kim").hold(input("BACK"), 1), "OCCUPIED") // and who does not read answers no ping
	held(t, one.as("kim").hold(input("GONE"), 1), "OCCUPIED")
	back := other.as("kim").hold(input("BACK"), 1)
	want(t, held(t, back, "OCCUPIED"), "payload.code", "REENTERED", "fencingToken", "1")
	eventually(t, "both are noticed", func() bool {
		_, text := one.send(http.MethodGet, "/metrics", nil, "")
		return strings.Contains(text, `occupy_cut_total{reason="vanished"} 2`)
	})
	one.wantHistory("GONE", "OCCUPIED CONNECTION_LOST")
	one.wantHistory("BACK", "OCCUPIED")
	if n := one.count(`SELECT count(*) FROM ct_occupy_item WHERE item_name = 'BACK' AND end_event = '' AND expire_time > clock_timestamp() + interval '10 s'`); n != 1 {
		t.Error("the one that came back has not its time")
	}
	back.send(message{ID: "1", Type: "complete"})
	one.wantHistory("BACK", "OCCUPIED WINDOW_CLOSED")
}

func TestHoldItemRefusals(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		as        caller
		variables object
		code      string
		argument  any
	}{
		{s.as("kim"), object{"input": lot("LOT1", "ttlSeconds", 10), "grace": 11}, "BAD_USER_INPUT", "graceSeconds"},
		{s.as("kim"), object{"input": lot("LOT1"), "grace": -1}, "BAD_USER_INPUT", "graceSeconds"},
		{s.as("kim"), object{"input": lot(" ")}, "BAD_USER_INPUT", "input.itemName"},
		{s.as("ann").with("ANALYST"), object{"input": lot("LOT1")}, "FORBIDDEN", nil},
		{s.as("").with("OPERATOR"), object{"input": lot("LOT1")}, "UNAUTHENTICATED", nil},
	} {
		for _, stream := range c.as.streams(holdItem, c.variables) {
			want(t, wantRefused(t, stream), "code", c.code, "argument", c.argument)
		}
	}
	if n := s.count(`SELECT count(*) FROM ct_occupy_item_history WHERE item_type = 'LOT'`); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// Holds come and go, over both transports: everything is free in the end, and
// the history is whole.
func TestAStormOfHolds(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	began, lasts := time.Now(), storm(t, 3*time.Second)
	for n := 0; time.Since(began) < lasts; n++ {
		s := []*server{one, other}[n%2]
		k := s.as(fmt.Sprint("user", n%3)).hold(lot(fmt.Sprint("LOT", n%4), "ttlSeconds", 2, "session", "A"), n%2)
		first, _ := k.expect("next").at("data.holdItem").(map[string]any)
		if first["kind"] == "DENIED" {
			k.expect("complete")
		}
		if n%3 == 0 {
			k.send(message{ID: "1", Type: "complete"})
		} else {
			_ = k.conn.CloseNow()
		}
	}
	eventually(t, "all is free", func() bool {
		return one.count(`SELECT count(*) FROM ct_occupy_item WHERE item_type = 'LOT' AND state = 'OCCUPIED'`) == 0
	})
	one.wantNoFaults()
	one.waitForSubscribers("0")
}
