// Package gateway is the HTTP front: it finds out who asks, bounds what they may
// send and how long it may take, and serves GraphQL over POST, GET, SSE and
// WebSocket.
//
//	/graphql   GraphQL
//	/export/…  lists as files, for analysts
//	/healthz   200 as long as the process lives
//	/readyz    200 if requests can be served, else 503
//	/metrics   for Prometheus
//	/          the console, and every other path that a browser opens as a page
//
// A request passes:
//
//	own names ── request id ── address ── origin ── identify ── transport ── document ── refuse, rates, deadline, metrics ── resolvers
//
// What a page of another origin sends is refused, unless that is allowed; forms and
// uploads are not taken, and GET does not change anything. So no foreign page can
// act for its visitor. credentials.go reads who asks, from a token or, on a machine of
// one's own, from what the request says of itself; then it goes by this machine's names only.
//
// Sockets and streams are told through an outbox each, which is bounded and never
// waited for:
//
//	socket.go, protocol.go  graphql-transport-ws; wire.go: its frames
//	sse.go                  graphql-sse, one operation a stream
//	operation.go            one operation, and how it is carried out
//	sharing.go, feeds.go    equal subscriptions are carried out once, and each result
//	fanout.go               is written once, and told to all of them
//	outbox.go               the queue of one client
//	connections.go          all of them: their number, the wheel that looks after them,
//	                        and how they are sent away
package gateway
