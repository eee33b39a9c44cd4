package postgres

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// commitMark is a menu name by which a link knows the round trip that commits:
// it is sent there and nowhere else.
const commitMark = "MARK-OF-THE-COMMIT"

// link is a wire between a Store and PostgreSQL that a test can cut.
type link struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	conns map[net.Conn]net.Conn // client's end → server's end
	// onCommit is called with each chunk that goes to the server and holds
	// commitMark. It says whether to pass it on, and whether to cut the wire then.
	onCommit func() (pass, cut bool)
	down     bool
}

// newLink opens a wire to the database at the URL, and returns its own URL.
func newLink(t *testing.T, databaseURL string) (*link, string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, server: u.Host, conns: map[net.Conn]net.Conn{}}
	go l.accept()
	t.Cleanup(func() { listener.Close(); l.cutAll() })
	u.Host = listener.Addr().String()
	return l, u.String()
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.server)
		l.mu.Lock()
		refuse := err != nil || l.down
		if !refuse {
			l.conns[client] = server
		}
		l.mu.Unlock()
		if refuse {
			client.Close()
			continue
		}
		go l.toServer(client, server)
		go func() { _, _ = io.Copy(client, server); client.Close() }()
	}
}

func (l *link) toServer(client, server net.Conn) {
	defer server.Close()
	buf := make([]byte, 64*1024)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		pass, cut := true, false
		if bytes.Contains(buf[:n], []byte(commitMark)) {
			pass, cut = l.commit()
		}
		if cut {
			client.Close() // before the answer can come back
		}
		if pass {
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
		if cut {
			if pass {
				_, _ = io.Copy(io.Discard, server) // let it finish
			}
			return
		}
	}
}

func (l *link) commit() (pass, cut bool) {
	l.mu.Lock()
	f := l.onCommit
	l.mu.Unlock()
	if f == nil {
		return true, false
	}
	return f()
}

func (l *link) whenCommitting(f func() (pass, cut bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onCommit = f
}

func (l *link) setDown(down bool) {
	l.mu.Lock()
	l.down = down
	l.mu.Unlock()
	if down {
		l.cutAll()
	}
}

func (l *link) cutAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for client, server := range l.conns {
		client.Close()
		server.Close()
	}
	clear(l.conns)
}
