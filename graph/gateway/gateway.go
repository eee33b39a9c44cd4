package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"occupy/domain"
	"occupy/graph"
	"occupy/graph/documents"
	"occupy/identity"
	"occupy/resolvers"
	"occupy/web/console"
)

// Config is what a Gateway needs.
type Config struct {
	Service *domain.Service
	// Readiness says whether requests can be served, and what else to know.
	Readiness Readiness
	// Collectors are metrics beside the gateway's own.
	Collectors []prometheus.Collector
	Limits     Limits
	Rates      Rates
	// Proxies are those that say truly, in X-Forwarded-For, whom they had a request from.
	Proxies   []netip.Prefix
	Documents Documents
	// Tokens say who asks; nil believes whatever a request says of itself, so that only
	// this machine may be listened to.
	Tokens *identity.Verifier
	// Traces is where spans go; nil = nothing is traced.
	Traces trace.TracerProvider
	Pages
}

// auth is what the console has to know of Tokens.
func (c Config) auth() console.Auth {
	if c.Tokens == nil {
		return console.Dev
	}
	return console.JWT
}

// Gateway is the HTTP front. Make one with New; end it with Leave, Drain and Close.
type Gateway struct {
	http.Handler
	ready       Readiness
	limits      Limits
	budgets     budgets
	tokens      *identity.Verifier
	metrics     *metrics
	tracer      trace.Tracer // nil if nothing is traced
	connections *connections
	feeds       feeds
	leaving     atomic.Bool // it serves, and soon will not
	draining    atomic.Bool
	running     counter      // queries and mutations
	listeners   atomic.Int64 // live subscriptions
}

// New makes the HTTP front.
func New(c Config) *Gateway {
	g := &Gateway{ready: c.Readiness, limits: c.Limits.orDefault(), budgets: newBudgets(c.Rates), tokens: c.Tokens}
	g.connections = newConnections(g.limits)
	g.feeds = feeds{gateway: g, open: map[feedKey]*feed{}}
	schema := graph.NewExecutableSchema(graph.Config{
		Resolvers: &resolvers.Resolver{Service: c.Service}, Directives: graph.DirectiveRoot{Needs: resolvers.Needs},
	})
	g.metrics = newMetrics(g, schema.Schema(), c.Service.Hub, c.Collectors)
	if c.Traces != nil {
		g.tracer = c.Traces.Tracer("occupy/graph/gateway")
	}
	mux := http.NewServeMux()
	front := func(next http.Handler) http.Handler {
		return traceRequests(c.Traces, withRequestID(withAddress(c.Proxies, g.guard(c.Pages, g.identify(next)))))
	}
	graphQL := g.serveGraphQL(g.executor(schema, c.Documents))
	mux.Handle("/graphql", front(graphQL))
	mux.Handle("/export/{file}", front(g.exporter(graphQL)))
	mux.HandleFunc("/healthz", g.healthz)
	mux.HandleFunc("/readyz", g.readyz)
	mux.Handle("/metrics", g.metrics.handler())
	mux.Handle("/", gzhttp.GzipHandler(console.New(console.Built(), c.auth())))
	g.Handler = g.ownNames(g.lastOnes(mux))
	return g
}

// executor is gqlgen, put together.
func (g *Gateway) executor(schema graphql.ExecutableSchema, d Documents) graphql.GraphExecutor {
	x := executor.New(schema)
	x.SetQueryCache(handedOver{})
	x.SetErrorPresenter(g.metrics.countErrors(resolvers.PresentError))
	x.SetRecoverFunc(resolvers.Recover)
	x.Use(extension.Introspection{}) // Documents says whether it may be asked for
	x.AroundOperations(g.aroundOperation)
	if g.tracer != nil {
		x.AroundResponses(g.traceResponse)
		x.AroundRootFields(g.traceField)
	}
	x.AroundResponses(g.aroundResponse)
	x.AroundFields(g.metrics.countAnswer)
	x.Use(resolvers.Ends{})
	return &documentExecutor{x, documents.New(d.config(schema.Schema()))}
}

// Leave makes the gateway not ready, so that balancers send no more. What comes is
// still served, and each answer asks its client not to use the connection again.
func (g *Gateway) Leave() { g.leaving.Store(true) }

// lastOnes ends connections with an answer rather than under a request.
func (g *Gateway) lastOnes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Drain leaves, and refuses new operations as UNAVAILABLE.
func (g *Gateway) Drain() {
	g.Leave()
	g.draining.Store(true)
}

// Close waits for the queries and mutations that run, then sends away the clients of
// sockets and streams, who come back to another gateway.
// Returns ctx's error if it ends first; what is still there is cut then.
func (g *Gateway) Close(ctx context.Context) error {
	err := g.running.wait(ctx)
	g.connections.closeAll(ctx)
	return err
}
