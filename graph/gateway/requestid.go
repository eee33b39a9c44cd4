package gateway

import (
	"crypto/rand"
	"net/http"

	"occupy/resolvers"
)

const (
	requestIDHeader = "X-Request-Id"
	maxRequestID    = 128
)

// withRequestID gives a request an id: that of its caller, if it is sane, or else a
// new one. The answer has it, too, and so has what is logged of the request. What a
// socket carries goes by the id of its upgrade.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !isSaneID(id) {
			id = rand.Text()
		}
		w.Header()[requestIDHeader] = []string{id}
		next.ServeHTTP(w, r.WithContext(resolvers.WithRequestID(r.Context(), id)))
	})
}

// isSaneID lets nothing into the log that could be taken for another line of it, or
// that fills it.
func isSaneID(id string) bool {
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return false
		}
	}
	return 0 < len(id) && len(id) <= maxRequestID
}
