package devstack

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
)

// Wire lies between a gateway and PostgreSQL or Redis, for a test that cuts it.
type Wire struct {
	listener net.Listener
	server   string
	mark     []byte

	mu       sync.Mutex
	conns    map[net.Conn]net.Conn // client's end → server's end
	onMarked func() (pass, cut bool)
	down     bool
	held     [2]bool   // by way
	changed  sync.Cond // held or conns
}

// The ways of a wire.
const (
	toServer = iota
	toClient
)

// OpenWire opens a wire to the server at the URL, and returns its own URL. The
// mark is something that only the chunks of data have which the test wants to meet.
func OpenWire(databaseURL, mark string) (*Wire, string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	w := &Wire{listener: listener, server: u.Host, mark: []byte(mark), conns: map[net.Conn]net.Conn{}}
	w.changed.L = &w.mu
	go w.accept()
	u.Host = listener.Addr().String()
	return w, u.String(), nil
}

// WhenMarked has f called with each chunk that goes to the server and has the
// mark. It says whether to pass it on, and whether to cut the wire then. Nil = pass all.
func (w *Wire) WhenMarked(f func() (pass, cut bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onMarked = f
}

// SetDown cuts all connections, and refuses others until it is up again.
func (w *Wire) SetDown(down bool) {
	w.mu.Lock()
	w.down = down
	w.mu.Unlock()
	if down {
		w.Cut()
	}
}

// Hold keeps what goes to the server, or to the client, or both, until it may go on: as a
// network does that loses every packet of one way, or of both.
func (w *Wire) Hold(server, client bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = [2]bool{toServer: server, toClient: client}
	w.changed.Broadcast()
}

// pass waits until what goes that way on a connection may go on, or the connection is cut.
func (w *Wire) pass(way int, client net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.held[way] && w.conns[client] != nil {
		w.changed.Wait()
	}
}

// Close ends the wire.
func (w *Wire) Close() {
	w.listener.Close()
	w.Cut()
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.server)
		w.mu.Lock()
		refuse := err != nil || w.down
		if !refuse {
			w.conns[client] = server
		}
		w.mu.Unlock()
		if refuse {
			client.Close()
			continue
		}
		go w.toServer(client, server)
		go w.toClient(client, server)
	}
}

func (w *Wire) toClient(client, server net.Conn) {
	defer client.Close()
	buf := make([]byte, 64*1024)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		w.pass(toClient, client)
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (w *Wire) toServer(client, server net.Conn) {
	defer server.Close()
	buf := make([]byte, 64*1024)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		w.pass(toServer, client)
		pass, cut := true, false
		if bytes.Contains(buf[:n], w.mark) {
			pass, cut = w.marked(client, server)
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
				_ = server.(*net.TCPConn).CloseWrite() // that was all; let it finish
				_, _ = io.Copy(io.Discard, server)
			}
			return
		}
	}
}

// marked asks what is to be done. The connection is nobody else's to cut meanwhile,
// nor later if it is to be cut: what was passed on has to reach the server.
func (w *Wire) marked(client, server net.Conn) (pass, cut bool) {
	w.mu.Lock()
	f := w.onMarked
	if f != nil {
		delete(w.conns, client)
	}
	w.mu.Unlock()
	if f == nil {
		return true, false
	}
	if pass, cut = f(); !cut {
		w.mu.Lock()
		w.conns[client] = server
		w.mu.Unlock()
	}
	return pass, cut
}

// Cut cuts all connections; others may be made at once.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for client, server := range w.conns {
		client.Close()
		server.Close()
	}
	clear(w.conns)
	w.changed.Broadcast()
}
