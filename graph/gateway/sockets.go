package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/coder/websocket"
)

const (
	// writeTime is how long a client may leave a frame unread, before it is cut.
	writeTime = 10 * time.Second
	maxFrame  = maxBody
)

var errRestarting = errors.New("this gateway is restarting")

// sockets are the open ones.
type sockets struct {
	mu     sync.Mutex
	open   map[*websocket.Conn]struct{}
	closed bool
}

func (a *sockets) add(c *websocket.Conn) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return errRestarting
	}
	if a.open == nil {
		a.open = map[*websocket.Conn]struct{}{}
	}
	a.open[c] = struct{}{}
	return nil
}

func (a *sockets) remove(c *websocket.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, c)
}

// shut lets no socket be opened any more, and gives those that are.
func (a *sockets) shut() map[*websocket.Conn]struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return maps.Clone(a.open)
}

// closeAll says 1012, service restart, to all and cuts those that have not answered
// when ctx ends.
func (a *sockets) closeAll(ctx context.Context) {
	var all sync.WaitGroup
	for c := range a.shut() {
		all.Go(func() {
			defer context.AfterFunc(ctx, func() { _ = c.CloseNow() })()
			_ = c.Close(websocket.StatusServiceRestart, errRestarting.Error())
		})
	}
	all.Wait()
}

// socket is one WebSocket, as gqlgen wants it: an implementation that makes one
// connection, and that connection.
type socket struct {
	all  *sockets
	conn *websocket.Conn

	closing sync.Once
	gone    chan struct{} // made by closing; closed when the goodbyes are over

	mu       sync.Mutex
	deadline *time.Timer // cuts a client that does not answer pings
}

// Accept upgrades a request of the same origin.
func (s *socket) Accept(w http.ResponseWriter, r *http.Request, o transport.WebsocketAcceptOptions) (transport.WebsocketConn, error) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: o.Subprotocols})
	if err != nil {
		return nil, err
	}
	s.conn = conn
	if err := s.all.add(conn); err != nil {
		return nil, errors.Join(err, conn.Close(websocket.StatusServiceRestart, err.Error()))
	}
	conn.SetReadLimit(maxFrame)
	return s, nil
}

// NextReader waits for a message.
func (s *socket) NextReader() (int, io.Reader, error) {
	kind, data, err := s.conn.Read(context.Background())
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusNoStatusRcvd:
		err = transport.ErrWebsocketClosed
	}
	return int(kind), bytes.NewReader(data), err
}

// WriteJSON cuts a client that does not read.
func (s *socket) WriteJSON(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	defer time.AfterFunc(writeTime, func() { _ = s.conn.CloseNow() }).Stop()
	return s.conn.Write(context.Background(), websocket.MessageText, data)
}

// WriteClose ends the connection with a code, once. It does not wait for the client.
func (s *socket) WriteClose(code int, reason string) error {
	s.closing.Do(func() {
		s.gone = make(chan struct{})
		go func() {
			defer close(s.gone)
			_ = s.conn.Close(websocket.StatusCode(code), reason)
			_ = s.SetReadDeadline(time.Time{})
			s.all.remove(s.conn)
		}()
	})
	return nil
}

// finish closes with that code, unless one was said already, and returns when the
// client has answered or does not.
func (s *socket) finish(code int, reason string) {
	if s.conn != nil {
		_ = s.WriteClose(code, reason)
		<-s.gone
	}
}

// Close has nothing to do: gqlgen calls WriteClose first, and that is under way.
func (s *socket) Close() error { return nil }

// Subprotocol is the one that was agreed on.
func (s *socket) Subprotocol() string { return s.conn.Subprotocol() }

// SetReadDeadline cuts the connection at that time; zero takes it back.
func (s *socket) SetReadDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deadline != nil {
		s.deadline.Stop()
	}
	if !at.IsZero() {
		s.deadline = time.AfterFunc(time.Until(at), func() { _ = s.conn.CloseNow() })
	}
	return nil
}
