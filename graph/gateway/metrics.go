package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
)

// metrics are the gateway's own, in a registry of its own, since a process may have
// more than one gateway.
type metrics struct {
	*operationMetrics
	registry *prometheus.Registry
	errors   *prometheus.CounterVec
	refused  *prometheus.CounterVec
	limited  *prometheus.CounterVec
	cut      *prometheus.CounterVec
	access   access
	exports  *prometheus.CounterVec
	taken    prometheus.Counter
}

func newMetrics(g *Gateway, schema *ast.Schema, hub *domain.Hub, more []prometheus.Collector) *metrics {
	m := &metrics{
		operationMetrics: newOperationMetrics(schema),
		registry:         prometheus.NewRegistry(),
		access:           newAccess(),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_errors_total", Help: "GraphQL errors, by code.",
		}, []string{"code"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_refused_total", Help: "What was not let in, by reason: origin, host, subprotocol, credentials, or too many connections, of one user, operations on one socket, or exports.",
		}, []string{"reason"}),
		cut: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_cut_total", Help: "Sockets and streams that were cut, because the client is slow or has vanished, or its token has expired.",
		}, []string{"reason"}),
	}
	m.limited = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "occupy_rate_limited_total", Help: "What came too often: mutations, connections or subscriptions, by one user or from one address.",
	}, []string{"what", "by"})
	m.exports = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "occupy_exports_total", Help: "Exports that began, by file and by how they ended: whole or broken off.",
	}, []string{"file", "end"})
	m.taken = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "occupy_exported_rows_total", Help: "Rows that exports have sent.",
	})
	// There from the start, so that the first one is a rise.
	for _, reason := range []string{"slow", "vanished"} {
		m.cut.WithLabelValues(reason)
	}
	for _, reason := range []string{"origin", "subprotocol", "credentials", "connections", "user", "operations", "exports"} {
		m.refused.WithLabelValues(reason)
	}
	for _, what := range []string{"mutations", "connections", "subscriptions"} {
		m.limited.WithLabelValues(what, "user")
		m.limited.WithLabelValues(what, "address")
	}
	for _, code := range graph.AllErrorCode {
		m.errors.WithLabelValues(string(code))
	}
	m.registry.MustRegister(m.operationMetrics.collectors()...)
	m.registry.MustRegister(m.errors, m.refused, m.limited, m.cut, m.access.denied, m.exports, m.taken,
		gauge("occupy_running_operations", "Queries and mutations that are being carried out.", g.running.len),
		gauge("occupy_subscribers", "Live subscriptions of this gateway.", func() int { return int(g.listeners.Load()) }),
		gauge("occupy_executions", "What carries them out: equal ones share one.", hub.Subscribers),
		gauge("occupy_connections", "Open sockets and streams.", g.connections.len),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(feedCollectors(hub)...)
	m.registry.MustRegister(more...)
	return m
}

// feedCollectors tell how the reading of the feed goes.
func feedCollectors(hub *domain.Hub) []prometheus.Collector {
	lag := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "occupy_feed_lag_seconds",
		Help:    "Time from a change to its being handed to the subscribers of this gateway, by the database's clock, of the oldest of each reading.",
		Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30},
	})
	hub.OnTold(func(d time.Duration) { lag.Observe(d.Seconds()) })
	reads := func() float64 { all, _ := hub.Reads(); return float64(all) }
	failures := func() float64 { _, failed := hub.Reads(); return float64(failed) }
	return []prometheus.Collector{
		lag,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "occupy_feed_reads_total", Help: "Readings of the feed, one a second at least while there are subscribers.",
		}, reads),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "occupy_feed_read_failures_total", Help: "Those that failed; the next one goes on from the same place.",
		}, failures),
	}
}

func gauge(name, help string, value func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
}

func (m *metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }

// exported counts an export that began.
func (m *metrics) exported(file string, rows int, err error) {
	end := "whole"
	if err != nil {
		end = "broken"
	}
	m.exports.WithLabelValues(file, end).Inc()
	m.taken.Add(float64(rows))
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// countErrors counts what a presenter presents.
func (m *metrics) countErrors(present graphql.ErrorPresenterFunc) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		told := present(ctx, err)
		m.access.note(ctx, told)
		return m.countError(told)
	}
}

func (m *metrics) countError(told *gqlerror.Error) *gqlerror.Error {
	m.errors.WithLabelValues(codeOf(told)).Inc()
	return told
}
