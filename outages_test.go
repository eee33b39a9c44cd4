package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"occupy/persistence/devstack"
)

// storm is how long a storm lasts: as long as OCCUPY_STORM says, as `make storm` sets
// it, and otherwise only as long as every test run can bear.
func storm(t *testing.T, short time.Duration) time.Duration {
	t.Helper()
	asked := os.Getenv("OCCUPY_STORM")
	if asked == "" {
		return short
	}
	d, err := time.ParseDuration(asked)
	if err != nil {
		t.Fatalf("OCCUPY_STORM: %v", err)
	}
	return d
}

// outage is two gateways with all they need, each of which may be taken away.
type outage struct {
	t             *testing.T
	stack         *devstack.Stack
	settings      []string
	steady, other *server
	process       *os.Process // the other's
	database      *server     // not to be asked for anything else
	cuts          int
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{t: t}
	o.stack = newStack(t, devstack.Options{Postgres: true, Redis: true, PostgresSettings: map[string]string{
		"fsync": "on", "full_page_writes": "on"}}) // what was answered must survive
	url := o.stack.DatabaseURL("occupy")
	o.settings = []string{"REDIS_URL=" + o.stack.RedisURL(), "DATABASE_URL=" + url, "OCCUPY_RESTART_NOTICE=100ms", "OCCUPY_RESTART_SPREAD=500ms"}
	o.steady, _ = newProcess(t, o.settings...)
	o.other, o.process = newProcess(t, o.settings...)
	o.database = &server{t: t, url: url}
	return o
}

// end ends the other gateway, and startOther has it back at its old address.
func (o *outage) end(signal syscall.Signal) {
	_ = o.process.Signal(signal)
	_, _ = o.process.Wait()
}

func (o *outage) startOther() {
	_, o.process = newProcess(o.t, append(o.settings, "OCCUPY_LISTEN="+o.other.address)...)
}

func (o *outage) startRedis() {
	if err := o.stack.Redis.Start(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outage) restartPostgres(leave func()) {
	leave()
	if err := o.stack.Postgres.Start(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

// cutRedis cuts all connections to Redis.
func (o *outage) cutRedis() {
	options, err := goredis.ParseURL(o.stack.RedisURL())
	if err != nil {
		o.t.Fatal(err)
	}
	c := goredis.NewClient(options)
	defer c.Close()
	for _, kind := range []string{"normal", "pubsub"} {
		n, err := c.Do(o.t.Context(), "CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes").Int()
		if err != nil {
			o.t.Error(err)
		}
		o.cuts += n
	}
}

// step is something that happens when so much of a storm has passed.
type step struct {
	at float64
	do func()
}

// course is what happens to it all, in order.
func (o *outage) course() []step {
	steps := []step{
		{0.05, o.stack.Redis.Kill},
		{0.05 + 10.0/60, o.startRedis},
		{0.45, func() { o.end(syscall.SIGKILL) }},
		{0.55, o.startOther},
		{0.60, func() { o.restartPostgres(o.stack.Postgres.Stop) }},
		{0.70, func() { _ = o.process.Signal(syscall.SIGSTOP) }},
		{0.75, func() { _ = o.process.Signal(syscall.SIGCONT) }},
		{0.80, func() { o.restartPostgres(o.stack.Postgres.Kill) }},
		{0.90, func() { o.end(syscall.SIGTERM) }},
		{0.95, o.startOther},
		{1, func() {}},
	}
	for i := range 10 {
		steps = append(steps, step{0.25 + 0.018*float64(i), o.cutRedis})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(1000 * (a.at - b.at)) })
	return steps
}

// load is two hundred mutations a second, through both gateways, whatever becomes of them.
type load struct {
	sent, answered atomic.Int64
	stop           func()
}

func (o *outage) load() *load {
	l := &load{}
	stop, all := make(chan struct{}), sync.WaitGroup{}
	all.Go(func() {
		for n, due := 0, time.Now(); ; n, due = n+1, due.Add(time.Second/200) {
			select {
			case <-stop:
				return
			case <-time.After(time.Until(due)):
				l.sent.Add(1)
				all.Go(func() { o.mutate(n, l) })
			}
		}
	})
	l.stop = func() { close(stop); all.Wait() }
	return l
}

// mutate changes one of forty items, each of which is occupied and freed by turns.
func (o *outage) mutate(n int, l *load) {
	const items = 40
	command := "occupy"
	if n/items%2 == 1 {
		command = "free"
	}
	gateway := []*server{o.steady, o.other}[n%2]
	a, err := gateway.as("kim").try(fmt.Sprintf(`mutation { %s(input: {itemType: "LOT", itemName: "L%d"}) { code } }`, command, n%items))
	switch {
	case err != nil: // it is away, or was killed with this under way
	case len(a.Errors) == 0:
		l.answered.Add(1)
	case !slices.Contains([]any{"UNAVAILABLE", "OUTCOME_UNKNOWN"}, a.Errors[0].Extensions["code"]):
		o.t.Errorf("%+v", a)
	}
}

// clients follow over both transports: some stay where they are, at either gateway, and
// some wander from one to the other.
func (o *outage) clients() (all, steady []*faithful) {
	o.steady.as("kim").command("occupy", lot("FIRST"))
	for transport := range transports {
		for _, c := range []struct {
			wanders  bool
			gateways []*server
		}{
			{false, []*server{o.steady}}, {false, []*server{o.other}},
			{true, []*server{o.steady, o.other}}, {true, []*server{o.other, o.steady}}, {true, []*server{o.other, o.steady}},
		} {
			f := stay(o.t, transport, c.wanders, func(n int) string { return c.gateways[n%len(c.gateways)].address })
			all = append(all, f)
			if len(c.gateways) == 1 && c.gateways[0] == o.steady {
				steady = append(steady, f)
			}
		}
	}
	for _, f := range all {
		eventually(o.t, "all are there", func() bool { return f.total() == 1 })
	}
	return all, steady
}

// Cases 31, 33 and G6: under two hundred mutations a second Redis is killed and stays
// away, its connections are cut ten times, a gateway is killed, stopped and shut down,
// PostgreSQL is restarted and killed; then 5,000 changes come in a second. Every client
// that stays or comes back ends with every version of every item exactly once, in order.
func TestStormOfOutages(t *testing.T) {
	o := newOutage(t)
	clients, steady := o.clients()
	load, began := o.load(), time.Now()
	lasts := storm(t, 10*time.Second)
	for _, s := range o.course() {
		<-time.After(time.Until(began.Add(time.Duration(s.at * float64(lasts)))))
		before := clients[0].total()
		s.do()
		eventually(t, "there is traffic", func() bool { return clients[0].total() > before+10 })
	}
	load.stop()
	for _, c := range clients {
		c.calm(5000)
	}
	for batch := range 5 {
		var items []object
		for i := range 1000 {
			items = append(items, lot(fmt.Sprintf("B%d-%d", batch, i)))
		}
		got := o.steady.as("kim").must(`mutation($i: OccupyAllInput!) { occupyAll(input: $i) { code } }`, object{"i": object{"items": items}})
		want(t, got, "occupyAll.code", "GRANTED")
	}
	for _, c := range clients {
		c.wantAll(o.database)
	}
	for _, c := range steady {
		if n := c.connected.Load(); n != 1 {
			t.Errorf("%s: %d connections to a gateway that was there all the time", c.name, n)
		}
	}
	o.database.wantNoFaults()
	t.Logf("%v: %d mutations sent, %d answered; %d connections to Redis cut", time.Since(began).Round(time.Second), load.sent.Load(), load.answered.Load(), o.cuts)
	if o.cuts < 20 {
		t.Errorf("only %d connections to Redis were cut", o.cuts)
	}
}
