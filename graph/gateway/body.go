package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph"
)

// bodyTime is how long a client may take to send a request.
const bodyTime = 30 * time.Second

const parseFailed = graph.ErrorCodeGraphqlParseFailed

// limitBody reads the body before gqlgen does, which would answer one that is too
// large or broken with all of it.
func (g *Gateway) limitBody(next http.Handler) http.Handler {
	most := int64(g.limits.Body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := readBody(w, r, most)
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			refuse(w, http.StatusRequestEntityTooLarge, graph.ErrorCodeLimitExceeded, fmt.Sprintf("the request is larger than %d bytes", most))
		case err != nil:
			refuse(w, http.StatusBadRequest, parseFailed, "the request was not sent to its end")
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

// readBody bounds the time for the body only: a stream has none, and the server's
// ReadTimeout would count it.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	_ = control.SetReadDeadline(time.Time{})
	return body, err
}

// refuse answers what is no GraphQL request in GraphQL's form.
func refuse(w http.ResponseWriter, status int, code graph.ErrorCode, message string) {
	respond(w, status, gqlerror.List{{Message: message, Extensions: map[string]any{"code": code}}})
}

// respond answers that nothing was carried out.
func respond(w http.ResponseWriter, status int, errors gqlerror.List) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": errors})
}
