package redis

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"occupy/persistence/devstack"
)

// server is a Redis of the test's own, of any kind.
type server struct {
	t      *testing.T
	port   int
	client *goredis.Client
	kill   func()
}

// start starts a redis-server with these lines of configuration.
func start(t *testing.T, args []string, lines ...string) *server {
	t.Helper()
	s := &server{t: t, port: freePort(t)}
	folder := t.TempDir()
	file := filepath.Join(folder, "redis.conf")
	config := fmt.Sprintf("bind 127.0.0.1\nport %d\ndir %s\n%s\n", s.port, folder, strings.Join(lines, "\n"))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, err := devstack.RedisServer(folder, append([]string{file}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	s.client = goredis.NewClient(&goredis.Options{Addr: s.address(), MaxRetries: -1})
	t.Cleanup(func() { s.client.Close(); s.kill() })
	eventually(t, "a server to answer", func() bool { return s.client.Ping(t.Context()).Err() == nil })
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *server) address() string { return fmt.Sprint("127.0.0.1:", s.port) }

func (s *server) do(args ...any) {
	s.t.Helper()
	if err := s.client.Do(s.t.Context(), args...).Err(); err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
}

// fleetBell is a bell that runs and hears itself.
func fleetBell(t *testing.T, c Config) *Bell {
	t.Helper()
	c.DatabaseID, c.Node = "fleet", fmt.Sprintf("node-%d", nodes.Add(1))
	b, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	run(t, b)
	eventually(t, "the bell to hear itself", func() bool { return !b.Away() })
	return b
}

// ringsUntilHeard rings until another bell hears it.
func ringsUntilHeard(t *testing.T, from, to *Bell) {
	t.Helper()
	takesRings(t, to)
	eventually(t, "a ring to be heard", func() bool {
		from.Ring()
		select {
		case <-to.Rung():
			return true
		default:
			return false
		}
	})
}

// The master dies, the Sentinels make another one, and the gateways hear each
// other by that.
func TestSentinelFailsOver(t *testing.T) {
	master := start(t, nil, `save ""`)
	replica := start(t, nil, `save ""`, fmt.Sprint("replicaof 127.0.0.1 ", master.port))
	eventually(t, "the replica to follow", func() bool {
		info, err := replica.client.Info(t.Context(), "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	sentinel := start(t, []string{"--sentinel"}, fmt.Sprintf("sentinel monitor floor 127.0.0.1 %d 1", master.port),
		"sentinel down-after-milliseconds floor 500", "sentinel failover-timeout floor 3000")
	eventually(t, "the Sentinel to know the replica", func() bool {
		replicas, err := sentinel.client.Do(t.Context(), "SENTINEL", "REPLICAS", "floor").Slice()
		return err == nil && len(replicas) == 1
	})
	c := Config{URL: sentinel.address() + "," + sentinel.address(), MasterName: "floor"}
	a, b := fleetBell(t, c), fleetBell(t, c)
	ringsUntilHeard(t, a, b)
	master.kill()
	eventually(t, "another master", func() bool {
		address, err := sentinel.client.Do(t.Context(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "floor").StringSlice()
		return err == nil && address[1] == fmt.Sprint(replica.port)
	})
	ringsUntilHeard(t, a, b)
	ringsUntilHeard(t, b, a)
}

// newCluster makes a cluster of three that divide the slots, of which two are
// enough to go on.
func newCluster(t *testing.T) []*server {
	t.Helper()
	const slots, n = 16384, 3
	var all []*server
	for i := range n {
		s := start(t, nil, `save ""`, "cluster-enabled yes", "cluster-node-timeout 1000", "cluster-require-full-coverage no")
		s.do("CLUSTER", "ADDSLOTSRANGE", i*slots/n, (i+1)*slots/n-1)
		if i > 0 {
			s.do("CLUSTER", "MEET", "127.0.0.1", all[0].port)
		}
		all = append(all, s)
	}
	for _, s := range all {
		eventually(t, "the cluster to be one", func() bool {
			info, err := s.client.ClusterInfo(t.Context()).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprint("cluster_known_nodes:", n)) &&
				strings.Contains(info, fmt.Sprint("cluster_slots_assigned:", slots))
		})
	}
	return all
}

// Each bell knows only one of the nodes to begin with. Then the channel's slot
// moves, and then the node that it was on dies.
func TestClusterWhoseSlotsMove(t *testing.T) {
	all := newCluster(t)
	url := func(i int) Config { return Config{URL: all[i].address() + "," + all[i].address()} }
	a, b := fleetBell(t, url(0)), fleetBell(t, url(1))
	ringsUntilHeard(t, a, b)
	ringsUntilHeard(t, b, a)

	slot, err := all[0].client.ClusterKeySlot(t.Context(), "occupy:fleet").Result()
	if err != nil {
		t.Fatal(err)
	}
	from := slices.IndexFunc(all, func(s *server) bool { return s.owner(slot) == s.address() })
	to := all[(from+1)%len(all)]
	to.do("CLUSTER", "SETSLOT", slot, "IMPORTING", all[from].id())
	all[from].do("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id())
	to.do("CLUSTER", "SETSLOT", slot, "NODE", to.id())
	all[from].do("CLUSTER", "SETSLOT", slot, "NODE", to.id())
	eventually(t, "all to know", func() bool {
		return !slices.ContainsFunc(all, func(s *server) bool { return s.owner(slot) != to.address() })
	})
	ringsUntilHeard(t, a, b)
	ringsUntilHeard(t, b, a)

	all[from].kill()
	ringsUntilHeard(t, a, b)
	ringsUntilHeard(t, b, a)
}

// id is that of a node of a cluster.
func (s *server) id() string {
	s.t.Helper()
	id, err := s.client.Do(s.t.Context(), "CLUSTER", "MYID").Text()
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// owner is the address of the node that has a slot, as this node knows it.
func (s *server) owner(slot int64) string {
	s.t.Helper()
	shards, err := s.client.ClusterShards(s.t.Context()).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, shard := range shards {
		if slices.ContainsFunc(shard.Slots, func(r goredis.SlotRange) bool { return r.Start <= slot && slot <= r.End }) {
			return fmt.Sprint(shard.Nodes[0].IP, ":", shard.Nodes[0].Port)
		}
	}
	return ""
}

// However many listen and tell, a process has the same few connections.
func TestAFewConnectionsToACluster(t *testing.T) {
	all := newCluster(t)
	b := fleetBell(t, Config{URL: all[0].address() + "," + all[1].address()})
	other := fleetBell(t, Config{URL: all[0].address() + "," + all[1].address()})
	heard := listening(other)
	eventually(t, "it to be known that the other listens", b.isWanted)
	for range 1000 {
		b.Ring()
		b.Tell(nil)
	}
	eventually(t, "the other to be told that it missed what was before", func() bool { return heard.gaps() > 0 })
	connected := 0
	for _, s := range all {
		clients, err := s.client.ClientList(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(clients), "\n") {
			if !strings.Contains(line, "cmd=client") {
				connected++
			}
		}
	}
	if connected > 2*(1+len(all)) {
		t.Errorf("two bells have %d connections to %d nodes", connected, len(all))
	}
}
