package redis

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// proxy is a way to Redis whose connections can go dead without a word, as when
// a host or a firewall on it vanishes.
type proxy struct {
	net.Listener
	target string
	life   atomic.Int64 // connections of an earlier life are dead
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target, _, _ := strings.Cut(strings.TrimPrefix(stack.RedisURL(), "redis://"), "/")
	p := &proxy{Listener: l, target: target}
	t.Cleanup(func() { l.Close() })
	go p.serve()
	return p
}

func (p *proxy) url() string { return "redis://" + p.Addr().String() }

func (p *proxy) serve() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		life := p.life.Load()
		go p.carry(server, client, life)
		go p.carry(client, server, life)
	}
}

// carry carries what is said in one direction until either end closes; what is
// said on a dead connection goes nowhere.
func (p *proxy) carry(to, from net.Conn, life int64) {
	defer to.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if p.life.Load() != life {
			to = discard{to}
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

type discard struct{ net.Conn }

func (discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }

func TestAConnectionThatDiesWithoutAWordIsReplaced(t *testing.T) {
	leavesNothing(t)
	p := newProxy(t)
	a, b := ringing(t, p.url(), "proxy"), ringing(t, stack.RedisURL(), "proxy")
	p.life.Add(1)
	eventually(t, "a to notice", a.Away)
	eventually(t, "a to be back", func() bool { return !a.Away() })
	takesRings(t, a)
	b.Ring()
	hears(t, a)
}
