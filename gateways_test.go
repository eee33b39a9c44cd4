package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"occupy/persistence/devstack"
)

// Several gateways on one PostgreSQL and one Redis, and faults in the middle of it.

// newStack starts servers of the test's own, to be killed.
func newStack(t *testing.T, options devstack.Options) *devstack.Stack {
	t.Helper()
	s, err := devstack.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// gatewayProcess runs a gateway as a process of its own; TestMain sees the variable.
const gatewayProcess = "OCCUPY_TEST_GATEWAY"

// newProcess starts a gateway that can be stopped and killed.
func newProcess(t *testing.T, settings ...string) (*server, *os.Process) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), gatewayProcess+"=1", "OCCUPY_LISTEN=127.0.0.1:0", unlimited), settings...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			go func() {
				for lines.Scan() { // keep its pipe empty
				}
			}()
			return &server{t: t, address: strings.Fields(rest)[0]}, cmd.Process
		}
	}
	t.Fatal("the gateway did not start")
	return nil, nil
}

// seen is what a subscriber was told, as "version EVENT user" an item.
type seen struct {
	mu    sync.Mutex
	items map[string][]string
	count int
	anew  int // how often it began anew
}

// watch collects all that a stream tells, from its own goroutine, until it ends.
func (c caller) watch() *seen {
	c.server.t.Helper()
	e := c.follow(`subscription { occupancyChanged(filter: {itemTypes: ["LOT"]}) {
		event occupancy { itemName userId version } } }`, nil)
	s := &seen{items: map[string][]string{}}
	go func() {
		for e.lines.Scan() {
			data, is := strings.CutPrefix(e.lines.Text(), "data: ")
			if !is {
				continue
			}
			var o object
			_ = json.Unmarshal([]byte(data), &o)
			s.add(o)
		}
	}()
	return s
}

func (s *seen) add(o object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprint(o.at("data.occupancyChanged.occupancy.itemName"))
	s.items[name] = append(s.items[name], fmt.Sprintf("%v %v %v", o.at("data.occupancyChanged.occupancy.version"),
		o.at("data.occupancyChanged.event"), o.at("data.occupancyChanged.occupancy.userId")))
	s.count++
}

func (s *seen) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// wantWhole compares what a subscriber was told with the history: all of it,
// nothing twice, in order within each item.
func (s *seen) wantWhole(t *testing.T, in *server) {
	t.Helper()
	rows, err := in.pool().Query(t.Context(), `SELECT item_name, format('%s %s %s', version, event, user_id)
		FROM ct_occupy_item_history WHERE item_type = 'LOT' ORDER BY item_name, version`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want, total := map[string][]string{}, 0
	for rows.Next() {
		var name, entry string
		if err := rows.Scan(&name, &entry); err != nil {
			t.Fatal(err)
		}
		want[name] = append(want[name], entry)
		total++
	}
	eventually(t, fmt.Sprint("all ", total, " changes are seen"), func() bool { return s.total() >= total })
	s.mu.Lock()
	defer s.mu.Unlock()
	if got, want := fmt.Sprint(s.items), fmt.Sprint(want); got != want {
		t.Errorf("seen %s\nwant %s", got, want)
	}
}

// race has 50 users ask for one LOT at once through several gateways, and gives the winner.
func race(t *testing.T, name string, gateways ...*server) string {
	t.Helper()
	var all sync.WaitGroup
	winners := make(chan string, 50)
	for i := range 50 {
		all.Go(func() {
			user := fmt.Sprint("user", i)
			got := gateways[i%len(gateways)].as(user).command("occupy", lot(name))
			switch got["code"] {
			case "GRANTED":
				winners <- user
			case "HELD":
			default:
				t.Errorf("%v", got)
			}
		})
	}
	all.Wait()
	if len(winners) != 1 {
		t.Fatalf("%d winners of %s", len(winners), name)
	}
	return <-winners
}

// Cases L7, G6, and 12 of the gateway: Redis is killed and comes back while
// users race; a subscriber of the other gateway sees every change in order.
func TestRaceThroughTwoGatewaysWhileRedisDies(t *testing.T) {
	mine := newStack(t, devstack.Options{Redis: true})
	one := newServer(t, "REDIS_URL="+mine.RedisURL())
	other := newServerOn(t, one.url, "REDIS_URL="+mine.RedisURL())
	watcher := other.as("watcher").watch()
	other.waitForSubscribers("1")
	for round := range 12 {
		switch round {
		case 4:
			mine.Redis.Kill()
		case 8:
			if err := mine.Redis.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprint("LOT", round%3)
		winner := race(t, name, one, other)
		one.as(winner).command("free", lot(name))
	}
	watcher.wantWhole(t, one)
}

// Case L15.
func TestRedisFlushedAndRestartedWhileHeld(t *testing.T) {
	mine := newStack(t, devstack.Options{Redis: true})
	s := newServer(t, "REDIS_URL="+mine.RedisURL())
	s.as("kim").command("occupy", lot("LOT1"))
	mine.Redis.Kill()
	want(t, s.as("lee").command("occupy", lot("LOT1")), "code", "HELD", "occupancy.userId", "kim")
	if err := mine.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, s.as("lee").command("occupy", lot("LOT1")), "code", "HELD", "occupancy.userId", "kim")
}

// A transaction is held open while later ones pass and are seen. What it wrote
// has lower keys than what was seen; it must come all the same, and its item's
// next change after it.
func TestACommitHeldOpenWhileLaterOnesPass(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("HELD"))
	watcher := s.as("watcher").watch()
	s.waitForSubscribers("1")
	tx, err := s.pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	freeByHand(t, tx, "HELD")
	began := time.Now()
	passed := 0
	eventually(t, "three seconds of later commits are seen", func() bool {
		s.as("lee").command("occupy", lot(fmt.Sprint("LATER", passed)))
		passed++
		return time.Since(began) > 3*time.Second && watcher.total() >= passed/2
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.as("lee").command("occupy", lot("HELD"))
	eventually(t, "all is seen", func() bool { return watcher.total() >= passed+2 })
	watcher.mu.Lock()
	defer watcher.mu.Unlock()
	if got, want := fmt.Sprint(watcher.items["HELD"]), "[2 FREED kim 3 OCCUPIED lee]"; got != want {
		t.Errorf("seen %s, want %s", got, want)
	}
	if watcher.count != passed+2 {
		t.Errorf("%d events, want %d", watcher.count, passed+2)
	}
}

// freeByHand writes what a free does, in a transaction of the test's own.
func freeByHand(t *testing.T, tx pgx.Tx, name string) {
	t.Helper()
	_, err := tx.Exec(t.Context(), `
		WITH freed AS (UPDATE ct_occupy_item SET state = 'FREE', version = version + 1, updt_dt = clock_timestamp()
			WHERE item_name = $1 RETURNING *)
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, user_id, state, start_time, expire_time,
			fencing_token, version, event, reg_usr_id, reg_dt)
		SELECT to_char(updt_dt AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
			item_type, item_name, user_id, state, start_time, expire_time, fencing_token, version, 'FREED', 'kim', updt_dt FROM freed`, name)
	if err != nil {
		t.Fatal(err)
	}
}

// A process is stopped at any moment, with or without row locks: the other one
// answers for every item, and what was under way is not done twice.
func TestAStoppedProcessDoesNotStopTheOther(t *testing.T) {
	observer := newServer(t, "REDIS_URL=")
	settings := []string{"DATABASE_URL=" + observer.url, "REDIS_URL="}
	victim, process := newProcess(t, settings...)
	var stop atomic.Bool
	var load sync.WaitGroup
	for i := range 8 { // always some transaction under way
		load.Go(func() {
			user := victim.as(fmt.Sprint("user", i))
			for !stop.Load() {
				user.command("occupy", lot(fmt.Sprint("L", i)))
				user.command("free", lot(fmt.Sprint("L", i)))
			}
		})
	}
	for range 5 {
		before := observer.count(`SELECT count(*) FROM ct_occupy_item_history`)
		eventually(t, "there is traffic", func() bool {
			return observer.count(`SELECT count(*) FROM ct_occupy_item_history`) > before+50+rand.Int64N(50)
		})
		if err := process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			got := observer.as("other").command("occupy", lot(fmt.Sprint("L", i)))
			if got["ok"] == true {
				observer.as("other").command("free", lot(fmt.Sprint("L", i)))
			}
		}
		if err := process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	load.Wait()
	observer.wantNoFaults()
}

func (s *server) count(query string) (n int64) {
	s.t.Helper()
	if err := s.pool().QueryRow(s.t.Context(), query).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// wantNoFaults has the whole history proved.
func (s *server) wantNoFaults() {
	s.t.Helper()
	if err := start(s.t.Context(), []string{"-verify"}, map[string]string{"DATABASE_URL": s.url}); err != nil {
		s.t.Error(err)
	}
}

// Case 46 of the gateway: PostgreSQL crashes, or is shut down, and comes back under
// load. Callers hear UNAVAILABLE or OUTCOME_UNKNOWN, an answered grant is kept, and
// it works again by itself.
func TestPostgresRestartsUnderLoad(t *testing.T) {
	mine := newStack(t, devstack.Options{Postgres: true, PostgresSettings: map[string]string{
		"fsync": "on", "full_page_writes": "on"}}) // an answer must survive the crash
	s := newServerOn(t, mine.DatabaseURL("occupy"))
	granted, stop := underLoad(t, s)
	for _, leave := range []func(){mine.Postgres.Kill, mine.Postgres.Stop} {
		before := granted.Load()
		eventually(t, "there is traffic", func() bool { return granted.Load() > before+50 })
		leave()
		if err := mine.Postgres.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it works again", func() bool {
			return len(s.as("lee").ask(mutation("occupy"), object{"input": lot("AGAIN")}).Errors) == 0
		})
	}
	stop()
	s.wantNoFaults()
}

// underLoad has callers occupy one new item after the other, and holds each grant
// that they are told of against the history. Stop ends it.
func underLoad(t *testing.T, gateways ...*server) (granted *atomic.Int64, stop func()) {
	t.Helper()
	granted = &atomic.Int64{}
	var stopped atomic.Bool
	var load sync.WaitGroup
	var names sync.Map
	for i := range 16 {
		load.Go(func() {
			for n := 0; !stopped.Load(); n++ {
				name := fmt.Sprintf("L%d-%d", i, n)
				a := gateways[i%len(gateways)].as("kim").ask(mutation("occupy"), object{"input": lot(name)})
				switch {
				case len(a.Errors) == 0 && a.Data.at("occupy.code") == "GRANTED":
					names.Store(name, true)
					granted.Add(1)
				case len(a.Errors) == 1 && slices.Contains([]any{"UNAVAILABLE", "OUTCOME_UNKNOWN"}, a.Errors[0].Extensions["code"]):
				default:
					t.Errorf("%+v", a)
				}
			}
		})
	}
	return granted, func() {
		stopped.Store(true)
		load.Wait()
		names.Range(func(name, _ any) bool {
			if n := gateways[0].count(fmt.Sprintf(`SELECT count(*) FROM ct_occupy_item_history WHERE item_name = '%s'`, name)); n != 1 {
				t.Errorf("%s was granted and has %d history rows", name, n)
			}
			return true
		})
	}
}

// A subscriber that was there before PostgreSQL crashed hears what comes after.
func TestSubscribersOutliveACrashOfPostgres(t *testing.T) {
	mine := newStack(t, devstack.Options{Postgres: true, PostgresSettings: map[string]string{"fsync": "on", "full_page_writes": "on"}})
	s := newServerOn(t, mine.DatabaseURL("occupy"))
	watcher := s.as("watcher").watch()
	s.waitForSubscribers("1")
	s.as("kim").command("occupy", lot("LOT1"))
	mine.Postgres.Kill()
	if err := mine.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it works again", func() bool {
		a := s.as("kim").ask(mutation("free"), object{"input": lot("LOT1")})
		return len(a.Errors) == 0
	})
	s.as("lee").command("occupy", lot("LOT1"))
	watcher.wantWhole(t, s)
}

// Case R10, and rule 16: what nobody looks up is over soon after its time.
func TestExpiryIsWrittenWithinAboutASecond(t *testing.T) {
	s := newServer(t)
	watcher := s.as("watcher").watch()
	s.waitForSubscribers("1")
	for i := range 5 {
		s.as("kim").command("occupy", lot(fmt.Sprint("LOT", i), "ttlSeconds", 2))
	}
	eventually(t, "all are expired", func() bool { return watcher.total() == 10 })
	late := s.count(`SELECT count(*) FROM ct_occupy_item_history WHERE event = 'EXPIRED' AND reg_dt > expire_time + interval '2 s'`)
	if late != 0 {
		t.Errorf("%d were written a whole TTL late", late)
	}
	watcher.wantWhole(t, s)
}

// Case H5.
func TestAFloodOfDenialsWritesNothing(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	before := s.count(`SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables WHERE relname LIKE 'ct_occupy_item%'`)
	for i := range 200 {
		want(t, s.as(fmt.Sprint("user", i)).command("occupy", lot("LOT1")), "code", "HELD")
	}
	if n := s.count(`SELECT count(*) FROM ct_occupy_item_history WHERE item_type = 'LOT'`); n != 1 {
		t.Errorf("%d history rows", n)
	}
	s.sql(`SELECT pg_stat_force_next_flush()`)
	if n := s.count(`SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables WHERE relname LIKE 'ct_occupy_item%'`) - before; n > 20 {
		t.Errorf("%d rows were written; the sweeper's lock alone makes a few", n)
	}
}

// Five gateways start at once on an empty database.
func TestFiveGatewaysStartAtOnceOnAnEmptyDatabase(t *testing.T) {
	url, err := stack.NewDatabase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	gateways := make([]*server, 5)
	for i := range gateways {
		all.Go(func() { gateways[i], _ = newProcess(t, "DATABASE_URL="+url, "REDIS_URL=") })
	}
	all.Wait()
	race(t, "LOT1", gateways...)
}

// Case G3, and 40 of the gateway: goroutines and memory are where they were, and Redis
// has had the same few connections all the time.
func TestAThousandSubscriptionsLeaveNothingBehind(t *testing.T) {
	mine := newStack(t, devstack.Options{Redis: true})
	s := newServer(t, "REDIS_URL="+mine.RedisURL())
	connections := map[int64]bool{}
	cycle := func(n int) {
		for range n {
			k := s.as("watcher").connect()
			for id := range 50 {
				k.send(message{ID: fmt.Sprint(id), Type: "subscribe", Payload: object{"query": watchLots}})
			}
			s.waitForSubscribers("50")
			connections[redisConnections(t, mine)] = true
			_ = k.conn.CloseNow()
			s.waitForSubscribers("0")
		}
		http.DefaultClient.CloseIdleConnections()
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	cycle(2)
	goroutines, memory := runtime.NumGoroutine(), heap()
	clear(connections)
	cycle(20)
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= goroutines+5 })
	eventually(t, "the memory is free", func() bool { return heap() < memory+1<<20 })
	if len(connections) != 1 || !connections[2] {
		t.Errorf("Redis had these numbers of connections: %v, want 2", connections)
	}
}

// redisConnections counts those of others.
func redisConnections(t *testing.T, s *devstack.Stack) int64 {
	t.Helper()
	options, err := goredis.ParseURL(s.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	c := goredis.NewClient(options)
	defer c.Close()
	list, err := c.ClientList(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return int64(strings.Count(list, "\n")) - 1
}
