package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"

	"occupy/domain"
)

const (
	// keepAlive is how often an idle stream says that it lives; proxies cut
	// connections that say nothing for a minute.
	keepAlive = 20 * time.Second
	initTime  = 10 * time.Second
	// unauthorized is graphql-transport-ws's close code, on which clients do not
	// come back.
	unauthorized = 4401
)

// transports are the ways to speak GraphQL, the first that fits is taken. Neither
// forms nor uploads: a foreign page could send those.
func (g *Gateway) transports() []graphql.Transport {
	return []graphql.Transport{
		webSocket{sockets: &g.sockets, Websocket: transport.Websocket{
			InitFunc: initSocket, InitTimeout: initTime,
			PingPongInterval: keepAlive, KeepAlivePingInterval: keepAlive,
		}},
		sse{transport.SSE{KeepAlivePingInterval: keepAlive}},
		transport.Options{},
		transport.GET{},
		transport.POST{},
	}
}

// webSocket is gqlgen's, with connections of our own.
type webSocket struct {
	transport.Websocket
	sockets *sockets
}

// Do serves one socket to its end.
func (t webSocket) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	s := &socket{all: t.sockets}
	t.Implementation = s
	ctx := context.WithValue(r.Context(), upgradeKey{}, r.Header)
	t.Websocket.Do(w, r.WithContext(ctx), exec)
	// gqlgen leaves a connection open whose connection_init it does not understand.
	s.finish(4400, "connection_init was not understood")
}

type upgradeKey struct{}

// initSocket reads who asks from connection_init, or else from the headers of the
// upgrade.
func initSocket(ctx context.Context, payload transport.InitPayload) (context.Context, *transport.InitPayload, error) {
	header, _ := ctx.Value(upgradeKey{}).(http.Header)
	ctx = withCaller(ctx, ofInit(payload, ofHeader(header)))
	if err := refusal(ctx); err != nil {
		ctx = transport.WithWebsocketCloseCode(ctx, unauthorized)
		return transport.AppendCloseReason(ctx, closeReason(err.Message)), nil, domain.ErrUnauthenticated
	}
	return ctx, nil, nil
}

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
