package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"occupy/persistence/devstack"
)

// People who ask, and what they may not do to the floor.

// Analysts use up all the connections that are theirs, and nothing else.
func TestQuestionsThatHangKeepNoCommandWaiting(t *testing.T) {
	const theirs = 3
	s := newServer(t, fmt.Sprint("OCCUPY_ADHOC_CONNECTIONS=", theirs), "OCCUPY_ADHOC_WAIT=300ms")
	lock, err := s.pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), `LOCK TABLE ct_lot_rule`); err != nil {
		t.Fatal(err)
	}
	const hangs = `{ lotRules { name } }`
	var hanging sync.WaitGroup
	for range theirs {
		hanging.Go(func() { s.as("ann").must(hangs) })
	}
	eventually(t, "all of them hang", func() bool {
		return s.count(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ListLotRules%'`) == theirs
	})
	var more sync.WaitGroup
	for range 20 {
		more.Go(func() {
			began := time.Now()
			a := s.as("bob").ask(`{ history { edges { node { event } } } }`)
			wantCode(t, a, "UNAVAILABLE")
			if took := time.Since(began); took < 300*time.Millisecond || took > 10*time.Second || !strings.Contains(a.Errors[0].Message, "too many questions") {
				t.Errorf("%q after %v", a.Errors[0].Message, took)
			}
		})
	}
	for i := range 200 {
		want(t, s.as("kim").command("occupy", lot(fmt.Sprint("LOT", i))), "code", "GRANTED")
	}
	want(t, s.as("lee").command("occupy", lot("LOT1")), "code", "HELD")
	want(t, s.as("lee").must(`{ occupancy(itemType: "LOT", itemName: "LOT1") { userId } }`), "occupancy.userId", "kim")
	more.Wait()
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	hanging.Wait()
	want(t, s.as("bob").must(`{ history(where: {itemType: {eq: "LOT"}, `+lately()+`}) { totalCount } }`), "history.totalCount", 200)
}

// withReplica starts a gateway that asks a replica for what people want to know.
func withReplica(t *testing.T) (s *server, replica *devstack.Beside) {
	t.Helper()
	mine := newStack(t, devstack.Options{Postgres: true})
	s = newServerOn(t, mine.DatabaseURL(template))
	if err := s.stop(); err != nil { // it has migrated
		t.Fatal(err)
	}
	replica, err := mine.StartReplica(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = newServerOn(t, mine.DatabaseURL(template), "DATABASE_READ_URL="+replica.DatabaseURL(template), "OCCUPY_READ_MAX_LAG=1s")
	s.waitForReplica()
	return s, replica
}

func (s *server) replicaServes() bool {
	_, text := s.send(http.MethodGet, "/readyz", nil, "")
	return !strings.Contains(text, "replica")
}

func (s *server) waitForReplica() {
	s.t.Helper()
	eventually(s.t, "the replica serves", s.replicaServes)
}

// listed tells whether people are shown the item.
func (s *server) listed(name string) bool {
	s.t.Helper()
	a := s.as("ann").must(`query($name: String!) { occupancies(where: {itemName: {eq: $name}}) { edges { node { itemName } } } }`, object{"name": name})
	return len(a.at("occupancies.edges").([]any)) == 1
}

// The replica stands still, falls behind, catches up, dies and comes back. Whoever
// judges, and whoever follows, never reads it; people who ask are answered all the
// time, and from the primary once the replica is too far behind.
func TestAReplicaAnswersQuestionsAsLongAsItKeepsUp(t *testing.T) {
	s, replica := withReplica(t)
	onReplica := server{t: t, url: replica.DatabaseURL(template)}
	watcher := s.as("watcher").watch()
	s.waitForSubscribers("1")

	onReplica.sql(`SELECT pg_wal_replay_pause()`)
	eventually(t, "it stands still", func() bool {
		return onReplica.count(`SELECT count(*) WHERE pg_get_wal_replay_pause_state() = 'paused'`) == 1
	})
	token := s.as("kim").command("occupy", lot("LOT1")).at("occupancy.fencingToken")
	if s.replicaServes() && s.listed("LOT1") && s.replicaServes() {
		t.Error("the list is not the replica's")
	}
	want(t, s.as("lee").command("occupy", lot("LOT1")), "code", "HELD", "occupancy.userId", "kim")
	want(t, s.as("lee").must(`{ holder(itemType: "LOT", itemName: "LOT1") { userId } }`), "holder.userId", "kim")
	want(t, s.as("kim").must(`query($token: Long!) { verifyHolder(itemType: "LOT", itemName: "LOT1", userId: "kim", fencingToken: $token) { ok } }`,
		object{"token": token}), "verifyHolder.ok", true)
	watcher.wantWhole(t, s)

	eventually(t, "it is too far behind", func() bool { return s.listed("LOT1") })
	if s.replicaServes() {
		t.Error("readyz does not say so")
	}
	if up := s.metrics()["occupy_replica_up"].Metric[0].GetGauge().GetValue(); up != 0 {
		t.Errorf("occupy_replica_up is %v", up)
	}
	s.as("kim").command("occupy", lot("LOT2"))
	if !s.listed("LOT2") {
		t.Error("the list is not the primary's")
	}
	onReplica.sql(`SELECT pg_wal_replay_resume()`)
	s.waitForReplica()

	onReplica.pool().Close()
	replica.Kill()
	for range 20 {
		if !s.listed("LOT2") {
			t.Error("a list without the item, as the replica died")
		}
	}
	eventually(t, "readyz tells that it is gone", func() bool { return !s.replicaServes() })
	if err := replica.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.waitForReplica()
	_, metrics := s.send(http.MethodGet, "/metrics", nil, "")
	if !strings.Contains(metrics, `occupy_pool_max_connections{pool="replica"}`) {
		t.Error("no metrics of the replica's connections")
	}
}
