package gateway

import (
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
)

// Do serves one stream to its end.
func (t serverSentEvents) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	g := t.gateway
	params := g.readRequest(w, r)
	if params == nil {
		return
	}
	if err := g.budgets.connections.spend(r.Context(), 1); err != nil {
		g.refuseConnection(w, err)
		return
	}
	if err := g.connections.enter(); err != nil {
		g.refuseConnection(w, err)
		return
	}
	caller, _ := domain.CallerFrom(r.Context())
	if err := g.connections.claim(caller.UserID); err != nil {
		g.connections.leave(nil, "")
		g.refuseConnection(w, err)
		return
	}
	s := newStream(g, w, r)
	defer g.connections.leave(s, caller.UserID)
	s.open()
	g.connections.watch(s)
	go g.perform(exec, s.operation, params)
	s.wait()
}

// stream is one response of server-sent events.
type stream struct {
	gateway   *Gateway
	operation *operation
	to        http.ResponseWriter
	control   *http.ResponseController
	out       outbox
	until     time.Time     // when the client's token ends; zero = never
	expired   bool          // the wheel's
	wrote     atomic.Int64  // when, Unix nanoseconds
	written   chan struct{} // closed when nothing will be written any more
}

func newStream(g *Gateway, w http.ResponseWriter, r *http.Request) *stream {
	s := &stream{gateway: g, to: w, control: http.NewResponseController(w), until: untilOf(r.Context()), written: make(chan struct{})}
	s.out.pipe = s
	s.operation = begin(streamContext(r.Context()), nil, &s.out, s)
	s.operation.safe = r.Method == http.MethodGet
	return s
}

// open sends the header, and a comment, which proxies hand on at once.
func (s *stream) open() {
	h := s.to.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	s.to.WriteHeader(http.StatusOK)
	s.out.put(comment)
}

var comment = message{kind: raw, payload: []byte(":\n\n")}

// wait returns when the operation has ended and all is written, or the client left.
func (s *stream) wait() {
	<-s.operation.ctx.Done()
	s.out.finish()
	<-s.written
	if !s.operation.ended.Load() {
		s.spoil()
	}
}

func (s *stream) forget(*operation) bool { return true }

// restart ends the stream in the midst, and the client comes back.
func (s *stream) restart() { s.operation.cancel(errRestarting) }

// errExpired ends a stream whose token has ended, in the midst: the client comes back
// with another.
var errExpired = errors.New(tokenExpired)

func (s *stream) cut() {
	s.operation.abandon(errGone)
	s.spoil()
}

// spoil lets nothing be written any more, not even the proper end of a response: a
// client is to see that this is not the end of its subscription.
func (s *stream) spoil() { _ = s.control.SetWriteDeadline(time.Unix(1, 0)) }

// tick shows that the stream lives: proxies cut one that says nothing, and a client
// that is gone is found out by writing.
func (s *stream) tick(now time.Time) {
	if !s.until.IsZero() && !now.Before(s.until) && !s.expired && s.operation.lasts.Load() {
		s.expired = true
		s.gateway.metrics.cut.WithLabelValues("expired").Inc()
		s.operation.cancel(errExpired)
	}
	if now.Sub(time.Unix(0, s.wrote.Load())) > s.gateway.limits.KeepAlive {
		s.out.put(comment)
	}
}

// append writes a message as an event. EventSource knows no event without data.
func (s *stream) append(b []byte, m message) []byte {
	switch m.kind {
	case next:
		return appendEvent(b, m.payload)
	case failed:
		b = appendEvent(b, []byte(`{"errors":`+string(m.payload)+`}`))
		return append(b, completeEvent...)
	case complete:
		return append(b, completeEvent...)
	}
	return append(b, m.payload...)
}

const completeEvent = "event: complete\ndata:\n\n"

func appendEvent(b, data []byte) []byte {
	b = append(b, "event: next\ndata: "...)
	return append(append(b, data...), "\n\n"...)
}

func (s *stream) try(*tryWriter) int { return 0 }

// write has a deadline of its own, whatever the server's is.
func (s *stream) write(b []byte) error {
	now := time.Now()
	s.wrote.Store(now.UnixNano())
	_ = s.control.SetWriteDeadline(now.Add(s.gateway.limits.Write))
	if _, err := s.to.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}

// overflow ends the stream of a client that does not keep up, so that it resumes.
func (s *stream) overflow() {
	s.gateway.metrics.cut.WithLabelValues("slow").Inc()
	s.operation.cancel(errGone)
}

func (s *stream) broken(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		s.gateway.metrics.cut.WithLabelValues("slow").Inc()
	}
	s.operation.cancel(errGone)
}

func (s *stream) end() { close(s.written) }
