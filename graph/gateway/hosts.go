package gateway

import (
	"net"
	"net/http"
	"strings"

	"occupy/graph"
)

// ownNames lets only requests through that call this machine by its loopback name or
// address, where there are no tokens. A page on the web can have its own name lead to
// this machine; it is the same origin then, and its requests come from here.
func (g *Gateway) ownNames(next http.Handler) http.Handler {
	if g.tokens != nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			g.metrics.refuse("host")
			refuse(w, http.StatusForbidden, graph.ErrorCodeForbidden, "without tokens this service goes by localhost and 127.0.0.1 only")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback judges the host of a request, which may have a port.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}
