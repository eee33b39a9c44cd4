package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"occupy/resolvers"
)

// The close codes of graphql-transport-ws. The npm client graphql-ws comes back
// after 1012, 1013, 4403 and 4408 only.
const (
	badRequest   websocket.StatusCode = 4400
	unauthorized websocket.StatusCode = 4401
	forbidden    websocket.StatusCode = 4403
	initTooLate  websocket.StatusCode = 4408
	idInUse      websocket.StatusCode = 4409
	initTwice    websocket.StatusCode = 4429
)

// socket is one WebSocket. One goroutine reads; the outbox writes, the wheel of
// connections looks after it, and a subscription that others share needs neither.
type socket struct {
	gateway *Gateway
	exec    graphql.GraphExecutor
	conn    *websocket.Conn
	tcp     net.Conn
	direct  syscall.RawConn // of tcp; nil if it has none
	out     outbox
	opened  time.Time
	heard   atomic.Int64 // when the client last said anything, Unix nanoseconds
	writing atomic.Int64 // since when a piece has been written, 0 if none is
	until   atomic.Int64 // when the client's token ends, Unix seconds; 0 = never
	pinged  int64        // as heard; the wheel's
	wasCut  bool         // the wheel's
	ctx     context.Context
	cancel  context.CancelCauseFunc

	mu         sync.Mutex
	header     http.Header // of the upgrade, until the client has said who it is
	user       string
	ready      bool // connection_init was acknowledged
	closing    bool
	operations map[string]*operation
}

var errGone = errors.New("the client is gone")

// serve reads what the client says until it leaves.
func (s *socket) serve() {
	defer s.leave()
	defer s.recover()
	for {
		kind, data, err := s.conn.Read(context.Background())
		if err != nil {
			return
		}
		if code, reason := s.hear(kind, data); code != 0 {
			s.close(code, reason)
		}
	}
}

// recover makes of a panic the end of this connection only.
func (s *socket) recover() {
	if p := recover(); p != nil {
		_ = resolvers.Recover(s.ctx, p)
		s.close(websocket.StatusInternalError, "a fault of the service")
	}
}

// leave ends what the client had running, without a word.
func (s *socket) leave() {
	s.mu.Lock()
	s.closing = true
	running, user := s.operations, s.user
	s.operations = nil
	s.mu.Unlock()
	for _, o := range running {
		o.abandon(errGone)
	}
	s.cancel(errGone)
	_ = s.tcp.SetWriteDeadline(time.Now().Add(s.gateway.limits.Write)) // the wheel leaves it, too
	_ = s.conn.CloseNow()
	s.gateway.connections.leave(s, user)
}

// close says goodbye with a code, after what waits for the client. It waits for nothing
// itself.
func (s *socket) close(code websocket.StatusCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	s.closing = true
	s.cancel(errGone)
	go func() {
		s.out.seal()
		_ = s.conn.Close(code, closeReason(reason))
	}()
}

// cut ends the connection; what waits for the client is lost.
func (s *socket) cut() { _ = s.tcp.Close() }

// restart sends the client away, to come back.
func (s *socket) restart() { s.close(websocket.StatusServiceRestart, errRestarting.Error()) }

// tick sees to it that the client says who it is in time, and lives.
func (s *socket) tick(now time.Time) {
	limits, heard := &s.gateway.limits, s.heard.Load()
	silent := now.Sub(time.Unix(0, max(heard, s.pinged)))
	switch {
	case s.isLate(now):
		s.close(initTooLate, "connection_init did not come in time")
	case now.Sub(time.Unix(0, heard)) > 2*limits.KeepAlive:
		s.cutFor("vanished")
	case !s.wasCut && s.isOver(now) && !s.owesAnswers():
		s.expire()
	case s.isStuck(now):
		s.cutFor("slow")
	case silent > limits.KeepAlive:
		s.pinged = now.UnixNano()
		s.out.put(ping)
	}
}

// expire ends a connection whose token has ended.
func (s *socket) expire() {
	s.wasCut = true
	s.gateway.metrics.cut.WithLabelValues("expired").Inc()
	s.close(forbidden, tokenExpired)
}

// lastsUntil notes when the client's token ends.
func (s *socket) lastsUntil(t time.Time) {
	if !t.IsZero() {
		s.until.Store(t.Unix())
	}
}

func (s *socket) isOver(now time.Time) bool {
	end := s.until.Load()
	return end != 0 && now.Unix() >= end
}

// owesAnswers tells whether queries or mutations run: they were begun in time, and to
// cut them would leave their client not knowing what became of them.
func (s *socket) owesAnswers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.operations {
		if !o.lasts.Load() {
			return true
		}
	}
	return false
}

// cutFor counts it, once.
func (s *socket) cutFor(reason string) {
	if !s.wasCut {
		s.wasCut = true
		s.gateway.metrics.cut.WithLabelValues(reason).Inc()
	}
	s.cut()
}

func (s *socket) isStuck(now time.Time) bool {
	since := s.writing.Load()
	return since != 0 && now.Sub(time.Unix(0, since)) > s.gateway.limits.Write
}

func (s *socket) isLate(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ready && now.Sub(s.opened) > s.gateway.limits.Init
}

// append writes a message of graphql-transport-ws as a frame.
func (s *socket) append(b []byte, m message) []byte {
	switch m.kind {
	case next:
		return appendText(b, idPart, m.of.id, nextPart, m.payload, endPart)
	case failed:
		return appendText(b, idPart, m.of.id, errorPart, m.payload, endPart)
	case complete:
		return appendText(b, idPart, m.of.id, completePart)
	}
	return append(b, m.payload...)
}

var (
	idPart       = []byte(`{"id":`)
	nextPart     = []byte(`,"type":"next","payload":`)
	errorPart    = []byte(`,"type":"error","payload":`)
	completePart = []byte(`,"type":"complete"}`)
	endPart      = []byte(`}`)
)

func (s *socket) try(w *tryWriter) int {
	if s.direct == nil {
		return 0
	}
	return w.write(s.direct)
}

// write gives a client time for each piece, which the wheel looks at: one that reads
// slowly is not gone.
func (s *socket) write(b []byte) (err error) {
	defer s.writing.Store(0)
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), 4*batchSize)]
		s.writing.Store(time.Now().UnixNano())
		_, err = s.tcp.Write(piece)
		b = b[len(piece):]
	}
	return err
}

// overflow sends away a client that does not keep up, so that it resumes.
func (s *socket) overflow() {
	s.gateway.metrics.cut.WithLabelValues("slow").Inc()
	go s.close(websocket.StatusTryAgainLater, "you did not keep up; resume")
}

func (s *socket) broken(error) { s.cut() }

func (s *socket) end() { s.cut() }

// closeReason cuts a text to what a close frame can hold.
func closeReason(text string) string {
	const longest = 123
	for i := range text {
		if i > longest-4 {
			return text[:i]
		}
	}
	return text
}
