package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph"
)

// transports are the ways to speak GraphQL, the first that fits is taken. Neither
// forms nor uploads: a foreign page could send those.
func (g *Gateway) transports() []graphql.Transport {
	return []graphql.Transport{
		webSocket{g},
		serverSentEvents{g},
		newOverHTTP(g),
	}
}

// subprotocol is the only one there is. A client that offers none would be taken for
// one of the older protocol.
const subprotocol = "graphql-transport-ws"

// webSocket is the transport of graphql-transport-ws.
type webSocket struct{ gateway *Gateway }

// Supports tells whether a request is for a WebSocket.
func (webSocket) Supports(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// Do opens a socket, which goes on by itself: net/http's goroutine and buffers are
// larger than what it needs.
func (t webSocket) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	g := t.gateway
	if !offers(r.Header, subprotocol) {
		g.metrics.refuse("subprotocol")
		refuse(w, http.StatusBadRequest, parseFailed, "offer the sub-protocol "+subprotocol)
		return
	}
	if err := g.budgets.connections.spendAddresses(r.Context(), 1); err != nil {
		g.refuseConnection(w, err)
		return
	}
	if err := g.connections.enter(); err != nil {
		g.refuseConnection(w, err)
		return
	}
	s := &socket{gateway: g, exec: exec, opened: time.Now(), header: r.Header}
	s.out.pipe = s
	s.heard.Store(s.opened.UnixNano())
	s.ctx, s.cancel = context.WithCancelCause(streamContext(context.WithoutCancel(r.Context())))
	// Its origin was checked.
	options := &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true}
	var err error
	if s.conn, err = websocket.Accept(upgrade{w, s}, r, options); err != nil {
		g.connections.leave(s, "")
		return
	}
	s.conn.SetReadLimit(int64(g.limits.Body))
	g.connections.watch(s)
	go s.serve()
}

func offers(h http.Header, protocol string) bool {
	return slices.ContainsFunc(h.Values("Sec-WebSocket-Protocol"), func(list string) bool {
		return slices.ContainsFunc(strings.Split(list, ","), func(offered string) bool { return strings.TrimSpace(offered) == protocol })
	})
}

// refuseConnection answers one that is too many.
func (g *Gateway) refuseConnection(w http.ResponseWriter, err error) {
	if limited := g.presentRate(err); limited != nil {
		all := gqlerror.List{g.metrics.countError(limited)}
		w.Header().Set("Retry-After", retryAfter(all))
		respond(w, http.StatusTooManyRequests, all)
		return
	}
	w.Header().Set("Retry-After", "5")
	if errors.Is(err, errUserFull) {
		g.metrics.refuse("user")
		respond(w, http.StatusTooManyRequests, gqlerror.List{{Message: err.Error(), Extensions: map[string]any{
			"code": graph.ErrorCodeLimitExceeded, "limit": "connections of one user", "maximum": g.limits.PerUser,
		}}})
		return
	}
	g.metrics.refuse("connections")
	refuse(w, http.StatusServiceUnavailable, graph.ErrorCodeUnavailable, err.Error())
}

// serverSentEvents is the transport of graphql-sse in its distinct connections mode:
// one operation a request. GET is for EventSource.
type serverSentEvents struct{ gateway *Gateway }

// Supports tells whether a request wants a stream.
func (serverSentEvents) Supports(r *http.Request) bool {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return false
	}
	return overHTTP{}.Supports(r)
}

// serveGraphQL hands a request to the transport that fits.
func (g *Gateway) serveGraphQL(exec graphql.GraphExecutor) http.Handler {
	all := g.transports()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fits := slices.IndexFunc(all, func(t graphql.Transport) bool { return t.Supports(r) })
		if fits < 0 {
			refuseMethod(w, r.Method)
			return
		}
		r = r.WithContext(graphql.StartOperationTrace(r.Context()))
		defer g.recover(r.Context(), func(errors gqlerror.List) { respond(w, http.StatusInternalServerError, errors) })
		all[fits].Do(w, r, exec)
	})
}

// refuseMethod answers what no transport takes.
func refuseMethod(w http.ResponseWriter, method string) {
	switch method {
	case http.MethodPost:
		w.Header().Set("Accept-Post", mediaJSON)
		refuse(w, http.StatusUnsupportedMediaType, parseFailed, "send a GraphQL request as "+mediaJSON)
	case http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", allowedMethods)
		refuse(w, http.StatusMethodNotAllowed, parseFailed, "GraphQL is asked by POST or GET")
	}
}

const allowedMethods = "GET, POST, OPTIONS"
