package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
)

// sse is gqlgen's, but for two things: it would write a broken body to the log, and
// its keep-alive may write once more when the request is over, which ends the
// process.
type sse struct{ transport.SSE }

// Do serves one stream to its end.
func (t sse) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	body, _ := io.ReadAll(r.Body) // it is in memory
	if json.Unmarshal(body, &graphql.RawParams{}) != nil {
		refuse(w, http.StatusBadRequest, "the request is not the JSON object of a GraphQL request")
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	stream := &streamWriter{to: w}
	defer stream.end()
	t.SSE.Do(stream, r, exec)
}

// streamWriter is a response that can be written to by more than one, and after its
// end, when it swallows what comes.
type streamWriter struct {
	mu    sync.Mutex
	to    http.ResponseWriter
	ended bool
}

// Header is the response's.
func (s *streamWriter) Header() http.Header { return s.to.Header() }

// WriteHeader sends the header.
func (s *streamWriter) WriteHeader(status int) { s.to.WriteHeader(status) }

// Write writes to the response, if it has not ended.
func (s *streamWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return len(p), nil
	}
	return s.to.Write(p)
}

// Flush sends what was written, if the response has not ended.
func (s *streamWriter) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		_ = http.NewResponseController(s.to).Flush()
	}
}

func (s *streamWriter) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
