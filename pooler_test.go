package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"occupy/persistence/devstack"
)

// behindPooler starts a PgBouncer in transaction mode with fewer connections to
// PostgreSQL than a single gateway wants, and gives the URLs of one database: for
// a gateway, and past the pooler.
func behindPooler(t *testing.T) (pooler *devstack.Beside, url, direct string) {
	t.Helper()
	mine := newStack(t, devstack.Options{Postgres: true})
	pooler, err := mine.StartPooler(t.Context(), map[string]string{"default_pool_size": fmt.Sprint(poolSize), "server_login_retry": "1"})
	if err != nil {
		t.Fatal(err)
	}
	return pooler, pooler.DatabaseURL(template) + "&default_query_exec_mode=exec", mine.DatabaseURL(template)
}

const poolSize = 4

// Case J2, and all else that could go by a connection of one's own: two gateways
// do everything there is to do through the same few connections, which also serve
// a stranger in between.
func TestEverythingWorksBehindATransactionPooler(t *testing.T) {
	_, url, direct := behindPooler(t)
	one := newServerOn(t, url) // migrates through it, too
	two := newServerOn(t, url)
	one.url = direct // for what the test looks at itself
	watcher := two.as("watcher").watch()
	two.waitForSubscribers("1")
	for round := range 6 {
		name := fmt.Sprint("LOT", round%2)
		winner := one.as(race(t, name, one, two))
		want(t, winner.command("renew", lot(name, "ttlSeconds", 600)), "code", "RENEWED")
		want(t, winner.command("free", lot(name)), "code", "FREED")
	}
	drawAtOnce(t, one, two)
	excludeJobs(t, one, two)

	sweeps := func(name string) {
		two.as("kim").command("occupy", lot(name, "ttlSeconds", 1))
		eventually(t, name+" is swept", func() bool {
			return one.count(`SELECT count(*) FROM ct_occupy_item_history WHERE event = 'EXPIRED' AND item_name = '`+name+`'`) == 1
		})
	}
	sweeps("LOT-A")
	history := two.as("ann").must(`{ history(where: {itemType: {eq: "LOT"}, itemName: {eq: "LOT0"}}, first: 5) { totalCount edges { node { event } } } }`)
	want(t, history, "history.totalCount", 6)
	if err := one.stop(); err != nil {
		t.Error(err)
	}
	sweeps("LOT-B") // whoever had the job's lock
	watcher.wantWhole(t, one)
	if err := start(t.Context(), []string{"-verify"}, map[string]string{"DATABASE_URL": url}); err != nil {
		t.Error(err)
	}
	wantNothingLeftOn(t, strings.TrimSuffix(url, "&default_query_exec_mode=exec"))
	if n := one.count(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`); n != 0 {
		t.Errorf("%d advisory locks are left on connections that nobody owns", n)
	}
}

// drawAtOnce draws numbers and LOT IDs from many callers of all gateways: each is given once.
func drawAtOnce(t *testing.T, gateways ...*server) {
	t.Helper()
	gateways[0].as("boss").must(`mutation { setSequenceCache(name: "CACHED", size: 20) { ok } }`)
	var all sync.WaitGroup
	var mu sync.Mutex
	given := map[string]int{}
	for i := range 40 {
		all.Go(func() {
			c := gateways[i%len(gateways)].as(fmt.Sprint("user", i))
			for _, name := range []string{"PLAIN", "CACHED"} {
				values, _ := c.next(name, 3)
				mu.Lock()
				for _, v := range values {
					given[fmt.Sprint(name, v)]++
				}
				mu.Unlock()
			}
			const draw = `mutation { nextLotIds(input: {count: 2, requestId: "order"}) { ids } }`
			ids := c.must(draw).at("nextLotIds.ids").([]any)
			again := c.must(draw).at("nextLotIds.ids").([]any)
			if !slices.Equal(ids, again) {
				t.Errorf("the same request got %v, then %v", ids, again)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, id := range ids {
				given[id.(string)]++
			}
		})
	}
	all.Wait()
	if len(given) != 40*(3+3+2) {
		t.Errorf("%d different numbers and IDs, want %d", len(given), 40*(3+3+2))
	}
}

// excludeJobs has many instances want one job's lock, round after round.
func excludeJobs(t *testing.T, gateways ...*server) {
	t.Helper()
	for range 3 {
		var all sync.WaitGroup
		var winner atomic.Pointer[string]
		for i := range 20 {
			all.Go(func() {
				session := fmt.Sprint("instance", i)
				got := gateways[i%len(gateways)].as("svc").lock(tryLock, object{"slotKey": "job:report", "session": session})
				if got["code"] == "GRANTED" && !winner.CompareAndSwap(nil, &session) {
					t.Errorf("%s has the lock, and so has %s", session, *winner.Load())
				}
			})
		}
		all.Wait()
		if winner.Load() == nil {
			t.Fatal("nobody got the lock")
		}
		want(t, gateways[0].as("svc").lock(releaseLock, object{"slotKey": "job:report", "session": *winner.Load()}), "code", "FREED")
	}
}

// wantNothingLeftOn looks at all connections of the pooler at once, as a stranger.
func wantNothingLeftOn(t *testing.T, url string) {
	t.Helper()
	for range poolSize {
		conn, err := pgx.Connect(t.Context(), url+"&default_query_exec_mode=exec")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		tx, err := conn.Begin(t.Context()) // keeps it to itself
		if err != nil {
			t.Fatal(err)
		}
		rows, err := tx.Query(t.Context(), `SELECT name || ' = ' || setting FROM pg_settings
			WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
			UNION ALL SELECT 'prepared: ' || statement FROM pg_prepared_statements`)
		if err != nil {
			t.Fatal(err)
		}
		left, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(left) > 0 {
			t.Errorf("a stranger finds %q, %v", left, err)
		}
	}
}

// PgBouncer is stopped and started again under load: callers hear UNAVAILABLE or
// OUTCOME_UNKNOWN meanwhile, an answered grant is kept, and all goes on by itself.
func TestThePoolerRestartsUnderLoad(t *testing.T) {
	pooler, url, direct := behindPooler(t)
	one := newServerOn(t, url)
	two := newServerOn(t, url)
	one.url = direct
	watcher := two.as("watcher").watch()
	two.waitForSubscribers("1")
	granted, stop := underLoad(t, one, two)
	for range 2 {
		before := granted.Load()
		eventually(t, "there is traffic", func() bool { return granted.Load() > before+100 })
		pooler.Kill()
		if err := pooler.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*server{one, two} {
			eventually(t, "it works again", func() bool {
				return len(s.as("lee").ask(mutation("occupy"), object{"input": lot("AGAIN")}).Errors) == 0
			})
		}
	}
	stop()
	one.wantNoFaults()
	watcher.wantWhole(t, one)
}

func TestAPoolerThatIsNotSpokenOfStopsTheStart(t *testing.T) {
	_, url, direct := behindPooler(t)
	plain := strings.TrimSuffix(url, "&default_query_exec_mode=exec")
	for url, says := range map[string]string{
		plain: "add default_query_exec_mode=exec",
		plain + "&default_query_exec_mode=simple_protocol": "default_query_exec_mode is exec behind a pooler",
		plain + "&pool_max_conns=5":                        "use OCCUPY_FLOOR_CONNECTIONS",
	} {
		store, err := openStore(t.Context(), config(t, "DATABASE_URL="+url, "DATABASE_MIGRATE_URL="+direct))
		if err == nil {
			store.Close()
			err = errors.New("it starts")
		}
		if !strings.Contains(err.Error(), "DATABASE_URL: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
