package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"occupy/persistence/devstack"
)

// Clients that lose their connection and go on after their last cursor.

const goOn = `subscription($filter: OccupancyFilter = {itemTypes: ["LOT"]}, $snapshot: Boolean! = false, $renewals: Boolean! = false, $after: String) {
	occupancyChanged(filter: $filter, snapshot: $snapshot, renewals: $renewals, after: $after) {
		kind event cursor at previous { version } occupancy { itemName state userId version renewals expireTime } } }`

// told is an event in short: "CHANGED LOT1 2.0".
func told(o object) string {
	at := func(path string) any { return o.at("data.occupancyChanged." + path) }
	return fmt.Sprint(at("kind"), " ", at("occupancy.itemName"), " ", at("occupancy.version"), ".", at("occupancy.renewals"))
}

func cursorOf(o object) string { s, _ := o.at("data.occupancyChanged.cursor").(string); return s }

// expectTold reads events and gives the cursor of the last.
func expectTold(t *testing.T, s stream, want ...string) (cursor string) {
	t.Helper()
	for _, one := range want {
		got := s.expect("next")
		if told(got) != one {
			t.Fatalf("%s, want %s", told(got), one)
		}
		cursor = cursorOf(got)
	}
	return cursor
}

// G2: over each transport, and on the other gateway.
func TestGoingOnFromACursor(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	one.as("kim").command("occupy", lot("LOT1"))
	one.as("kim").command("occupy", lot("LOT2"))
	streams := one.as("watcher").streams(goOn, object{"snapshot": true})
	whole := map[string]string{}
	for name, s := range streams {
		inside := expectTold(t, s, "SNAPSHOT LOT1 1.0")
		whole[name] = expectTold(t, s, "SNAPSHOT LOT2 1.0")
		for _, refused := range other.as("watcher").streams(goOn, object{"after": inside}) {
			want(t, wantRefused(t, refused), "code", "RESYNC") // not all of it is there
		}
	}
	one.as("kim").command("free", lot("LOT1"))
	live := map[string]string{}
	for name, s := range streams {
		live[name] = expectTold(t, s, "CHANGED LOT1 2.0")
	}
	other.as("lee").command("occupy", lot("LOT1"))
	other.as("lee").command("renew", lot("LOT1"))
	var back []stream
	for name := range streams {
		for _, s := range other.as("watcher").streams(goOn, object{"after": whole[name]}) {
			expectTold(t, s, "CHANGED LOT1 2.0", "CHANGED LOT1 3.0")
			back = append(back, s)
		}
		for _, s := range one.as("watcher").streams(goOn, object{"after": live[name]}) {
			expectTold(t, s, "CHANGED LOT1 3.0")
			back = append(back, s)
		}
	}
	other.as("lee").command("free", lot("LOT1"))
	for _, s := range back {
		expectTold(t, s, "CHANGED LOT1 4.1")
	}
}

func TestCursorsThatAreRefused(t *testing.T) {
	one, another := newServer(t), newServer(t)
	one.as("kim").command("occupy", lot("LOT1"))
	cursor := expectTold(t, one.as("watcher").follow(goOn, object{"snapshot": true}), "SNAPSHOT LOT1 1.0")
	for name, c := range map[string]struct {
		server    *server
		variables object
		code      string
		argument  any
	}{
		"broken":              {one, object{"after": cursor[1:]}, "BAD_USER_INPUT", "after"},
		"too long":            {one, object{"after": strings.Repeat("A", 5000)}, "BAD_USER_INPUT", "after"},
		"with a snapshot":     {one, object{"after": cursor, "snapshot": true}, "BAD_USER_INPUT", "after"},
		"of another database": {another, object{"after": cursor}, "RESYNC", nil},
		"not a text":          {one, object{"after": 5}, "BAD_USER_INPUT", "after"},
	} {
		for transport, s := range c.server.as("watcher").streams(goOn, c.variables) {
			t.Log(name, transport)
			want(t, wantRefused(t, s), "code", c.code, "argument", c.argument)
		}
	}
	if _, err := one.pool().Exec(t.Context(), `
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, version, reg_dt)
		SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
		       'LOT', 'M' || n, 'FREE', 'FREED', 1, now() FROM generate_series(1, 50001) n`); err != nil {
		t.Fatal(err)
	}
	// On a busy machine reading that much may take longer than it may: UNAVAILABLE, try again.
	eventually(t, "it is said that too much has happened", func() bool {
		codes := map[any]bool{}
		for _, s := range one.as("watcher").streams(goOn, object{"after": cursor}) {
			codes[wantRefused(t, s)["code"]] = true
		}
		return len(codes) == 1 && codes["RESYNC"]
	})
}

func TestRenewalsThroughTwoGateways(t *testing.T) {
	one := newServer(t, "OCCUPY_NODE=one")
	other := newServerOn(t, one.url, "OCCUPY_NODE=other")
	one.as("kim").command("occupy", lot("LOT1"))
	streams := other.as("watcher").streams(goOn, object{"snapshot": true, "renewals": true})
	for _, s := range streams {
		expectTold(t, s, "SNAPSHOT LOT1 1.0")
	}
	plain := other.as("watcher").follow(goOn, object{"snapshot": true})
	expectTold(t, plain, "SNAPSHOT LOT1 1.0")
	renewed := one.as("kim").command("renew", lot("LOT1", "ttlSeconds", 600))
	for name, s := range streams {
		got := s.expect("next")
		if told(got) != "RENEWED LOT1 1.1" {
			t.Errorf("%s: %s", name, told(got))
		}
		want(t, got, "data.occupancyChanged.event", nil, "data.occupancyChanged.previous", nil,
			"data.occupancyChanged.occupancy.expireTime", renewed.at("occupancy.expireTime"))
	}
	one.as("kim").command("free", lot("LOT1"))
	for _, s := range streams {
		expectTold(t, s, "CHANGED LOT1 2.1")
	}
	expectTold(t, plain, "CHANGED LOT1 2.1")
}

// A transaction is held open; clients come back with the cursors of later events.
func TestACommitHeldOpenWhileClientsGoOnAfterLaterEvents(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("HELD"))
	watcher := s.as("watcher").follow(goOn, nil)
	s.waitForSubscribers("1")
	tx, err := s.pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	freeByHand(t, tx, "HELD")
	began := time.Now()
	var cursors []string
	for n := 0; time.Since(began) < 3*time.Second; n++ {
		s.as("lee").command("occupy", lot(fmt.Sprint("LATER", n)))
		cursors = append(cursors, cursorOf(watcher.expect("next")))
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.as("lee").command("occupy", lot("HELD"))
	filter := object{"itemNames": []string{"HELD"}}
	for _, cursor := range []string{cursors[0], cursors[len(cursors)/2], cursors[len(cursors)-1]} {
		expectTold(t, s.as("watcher").follow(goOn, object{"after": cursor, "filter": filter}), "CHANGED HELD 2.0", "CHANGED HELD 3.0")
	}
}

// Case 39: a gateway is stopped while 40 MB are published, and goes on.
func TestAStoppedGatewayThatGoesOnIsRightAgain(t *testing.T) {
	mine := newStack(t, devstack.Options{Redis: true})
	steady := newServer(t, "REDIS_URL="+mine.RedisURL())
	stopped, process := newProcess(t, "REDIS_URL="+mine.RedisURL(), "DATABASE_URL="+steady.url)
	watcher := stopped.as("watcher").watch()
	renewals := stopped.as("watcher").follow(goOn, object{"renewals": true, "filter": object{"itemNames": []string{"kept"}}})
	stopped.waitForSubscribers("2")
	steady.as("kim").command("occupy", lot("KEPT"))
	expectTold(t, renewals, "CHANGED KEPT 1.0")
	steady.as("kim").command("renew", lot("KEPT"))
	expectTold(t, renewals, "RENEWED KEPT 1.1")
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	floodRedis(t, mine, 40<<20)
	for n := range 50 {
		steady.as("kim").command("occupy", lot(fmt.Sprint("LOT", n)))
	}
	last := steady.as("kim").command("renew", lot("KEPT"))
	if err := process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for {
		got := renewals.expect("next")
		if got.at("data.occupancyChanged.occupancy.renewals") == last.at("occupancy.renewals") {
			break
		}
	}
	watcher.wantWhole(t, steady)
}

// floodRedis publishes so much to every gateway.
func floodRedis(t *testing.T, s *devstack.Stack, size int) {
	t.Helper()
	options, err := goredis.ParseURL(s.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	c := goredis.NewClient(options)
	defer c.Close()
	channels, err := c.PubSubChannels(t.Context(), "occupy:*").Result()
	if err != nil || len(channels) != 1 {
		t.Fatalf("%v, %v", channels, err)
	}
	for word := "changed n9 " + strings.Repeat("x", 64<<10); size > 0; size -= len(word) {
		if err := c.Publish(t.Context(), channels[0], word).Err(); err != nil {
			t.Fatal(err)
		}
	}
}
