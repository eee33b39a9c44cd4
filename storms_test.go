package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"occupy/persistence/devstack"
)

// impatient asks, and leaves when the time is over, whatever comes.
func (c caller) impatient(client *http.Client, patience time.Duration, query string, variables object) {
	ctx, done := context.WithTimeout(c.server.t.Context(), patience)
	defer done()
	body, _ := json.Marshal(object{"query": query, "variables": variables})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.server.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		c.server.t.Error(err)
		return
	}
	request.Header = c.headers()
	response, err := client.Do(request)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

// Cases 42 and 51: two hundred questions a second, and commands among them, whose
// callers leave after ten milliseconds at most. No goroutine is left, there were never
// more connections than the pools may have, and who comes next is answered.
func TestAStormOfCallersWhoLeave(t *testing.T) {
	const theirs, ours = 3, 6
	s := newServer(t, fmt.Sprint("OCCUPY_ADHOC_CONNECTIONS=", theirs), fmt.Sprint("OCCUPY_FLOOR_CONNECTIONS=", ours))
	items := make([]any, 300)
	for i := range items {
		items[i] = lot(fmt.Sprint("LOT", i))
	}
	for range 4 { // a history that takes a while to read
		s.as("kim").command("occupyAll", object{"items": items})
		s.as("kim").command("freeAll", object{})
	}
	question := `{ history(first: 1000, where: {itemName: {startsWith: "LOT"}, ` + lately() + `}) { totalCount edges { node { id itemName } } } }`
	s.as("ann").must(question)
	s.pool() // has goroutines, too
	http.DefaultClient.CloseIdleConnections()
	before := goleak.IgnoreCurrent()

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	var storm sync.WaitGroup
	most := int64(0)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for n := range 400 {
		<-tick.C
		patience := time.Duration(rand.IntN(10_000)) * time.Microsecond
		storm.Go(func() { s.as("ann").impatient(client, patience, question, nil) })
		if n%5 == 0 {
			storm.Go(func() {
				s.as("kim").impatient(client, patience, mutation("occupy"), object{"input": lot(fmt.Sprint("STORM", n))})
			})
		}
		if n%20 == 0 {
			most = max(most, s.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'occupy'`))
		}
	}
	storm.Wait()
	client.CloseIdleConnections()
	if most > theirs+ours {
		t.Errorf("%d connections, may be %d", most, theirs+ours)
	}
	want(t, s.as("ann").must(question), "history.totalCount", s.count(`SELECT count(*) FROM ct_occupy_item_history WHERE item_name LIKE 'LOT%'`))
	want(t, s.as("lee").command("occupy", lot("AFTER")), "code", "GRANTED")
	wantNoGoroutines(t, before)
	s.wantNoFaults()
}

// wantNoGoroutines waits until there are no more of them than before.
func wantNoGoroutines(t *testing.T, before goleak.Option) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	// After a slow write pgx leaves a reader on a connection, one at most, until something comes.
	reader := goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgconn/internal/bgreader.(*BGReader).bgRead")
	// A gateway that was kept busy may have lost the lead of a job, and have it again.
	leader := goleak.IgnoreAnyFunction("occupy/domain.(*Jobs).keep")
	var left error
	defer func() {
		if left != nil {
			t.Log(left)
		}
	}()
	eventually(t, "every goroutine has ended", func() bool { left = goleak.Find(before, reader, leader); return left == nil })
}

// Case 47: as many commands at once as there are connections, and many more, each in a
// transaction of its own. None waits for a connection that it has itself.
func TestAsManyCommandsAsConnections(t *testing.T) {
	const connections = 4
	s := newServer(t, fmt.Sprint("OCCUPY_FLOOR_CONNECTIONS=", connections), fmt.Sprint("OCCUPY_TRANSACTIONS=", connections), "OCCUPY_GROUP_SIZE=1")
	for _, many := range []int{connections, 25 * connections} {
		began := time.Now()
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				c := s.as(fmt.Sprint("user", i))
				want(t, c.command("occupy", lot(fmt.Sprint("LOT", many, "-", i))), "code", "GRANTED")
				c.next("SEQUENCE", 1)
				c.must(`mutation { nextLotIds(input: {count: 1}) { ids } }`)
				c.must(`mutation { freeAll(input: {}) { ok } }`)
			})
		}
		all.Wait()
		if took := time.Since(began); took > 9*time.Second { // whoever waits for himself gives up after ten
			t.Errorf("%d at once took %v", many, took)
		}
	}
	if n := s.count(`SELECT curr_value FROM ct_sequence WHERE seq_name = 'SEQUENCE'`); n != 26*connections {
		t.Errorf("%d values were drawn", n)
	}
}

// The kind of rule 12: a caller goes away while its command is on its way to the
// database. What was begun is done, whole, and nothing twice.
func TestACallerThatLeavesInTheMidstOfItsCommand(t *testing.T) {
	url, err := stack.NewDatabase(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	const marked = "MARKED-ITEM"
	wire, through, err := devstack.OpenWire(url, marked)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wire.Close)
	s := newServerOn(t, through)
	s.url = url
	leaves := func(command, history string) {
		under, left := make(chan bool), make(chan bool)
		var once sync.Once
		wire.WhenMarked(func() (pass, cut bool) {
			once.Do(func() { under <- true; <-left }) // as the row is to be locked
			return true, false
		})
		k := s.as("kim").connect()
		k.send(message{ID: "1", Type: "subscribe", Payload: object{"query": mutation(command), "variables": object{"input": lot(marked, "session", "A")}}})
		<-under
		_ = k.conn.CloseNow()
		s.waitForMetric("occupy_connections", "0")
		left <- true
		wire.WhenMarked(nil)
		s.wantHistory(marked, history)
	}
	leaves("occupy", "OCCUPIED")
	want(t, s.as("kim").command("occupy", lot(marked, "session", "A")), "code", "REENTERED", "occupancy.version", "1")
	leaves("free", "OCCUPIED FREED")
	want(t, s.as("kim").command("free", lot(marked, "session", "A")), "code", "ALREADY_FREE")
}

// The wire to the database is cut as the commit goes out, and stays cut: nobody can
// know, and the caller is told just that. Once it is mended the caller looks.
func TestOutcomeUnknownIsTold(t *testing.T) {
	t.Parallel() // it takes as long as a gateway tries to find out
	const mark = "MARK-OF-THE-COMMIT"
	for name, c := range map[string]struct {
		reached bool
		then    string // what the same command says later
	}{
		"it had reached the server": {true, "REENTERED"},
		"it had not":                {false, "GRANTED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, err := stack.NewDatabase(t.Context(), template)
			if err != nil {
				t.Fatal(err)
			}
			wire, through, err := devstack.OpenWire(url, mark)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(wire.Close)
			s := newServerOn(t, through)
			s.url = url
			wire.WhenMarked(func() (pass, cut bool) { go wire.SetDown(true); return c.reached, true })
			command := object{"input": lot("LOT1", "menuName", mark)}
			told := s.as("kim").ask(mutation("occupy"), command)
			wire.WhenMarked(nil)
			wire.SetDown(false)
			wantCode(t, told, "OUTCOME_UNKNOWN")
			eventually(t, "the database is back", func() bool {
				return len(s.as("kim").ask(`{ occupancy(itemType: "LOT", itemName: "LOT1") { state } }`).Errors) == 0
			})
			held := s.count(`SELECT count(*) FROM ct_occupy_item_history WHERE item_name = 'LOT1'`) == 1
			if held != c.reached {
				t.Errorf("it was written: %t", held)
			}
			want(t, s.as("kim").command("occupy", lot("LOT1", "menuName", mark)), "code", c.then, "occupancy.version", "1")
		})
	}
}
