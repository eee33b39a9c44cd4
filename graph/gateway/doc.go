// Package gateway is the HTTP front: it finds out who asks, bounds what they may
// send and how long it may take, and serves GraphQL over POST, GET, SSE and
// WebSocket.
//
//	/graphql   GraphQL
//	/healthz   200 as long as the process lives
//	/readyz    200 if requests can be served, else 503
//	/metrics   for Prometheus
//	/          a page that names all of this
//
// A request passes:
//
//	identify ── limit the body ── transport ── refuse, deadline, metrics ── resolvers
//
// There are no CORS headers, and a browser may not send application/json, which
// POST and SSE want, to another origin without being allowed to; GET does not
// change anything; and a socket from another origin is refused. So no foreign
// page can act for its visitor.
package gateway
