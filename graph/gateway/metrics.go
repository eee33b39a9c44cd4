package gateway

import (
	"context"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
)

// metrics are the gateway's own, in a registry of its own, since a process may have
// more than one gateway.
type metrics struct {
	registry   *prometheus.Registry
	operations *prometheus.CounterVec
	errors     *prometheus.CounterVec
	refused    *prometheus.CounterVec
	cut        *prometheus.CounterVec
	denials    denials
}

func newMetrics(g *Gateway, hub *domain.Hub, more []prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(), denials: newDenials(),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_operations_total", Help: "GraphQL operations, by type.",
		}, []string{"type"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_errors_total", Help: "GraphQL errors, by code.",
		}, []string{"code"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_refused_total", Help: "What was not let in, by reason: origin, subprotocol, credentials, or too many connections, of one user, or operations on one socket.",
		}, []string{"reason"}),
		cut: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_cut_total", Help: "Sockets and streams that were cut, because the client is slow or has vanished.",
		}, []string{"reason"}),
	}
	m.registry.MustRegister(m.operations, m.errors, m.refused, m.cut, m.denials.counted,
		gauge("occupy_subscribers", "Live subscriptions of this gateway.", func() int { return int(g.listeners.Load()) }),
		gauge("occupy_executions", "What carries them out: equal ones share one.", hub.Subscribers),
		gauge("occupy_connections", "Open sockets and streams.", g.connections.len),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(more...)
	return m
}

func gauge(name, help string, value func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
}

func (m *metrics) refuse(reason string) { m.refused.WithLabelValues(reason).Inc() }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) countOperation(ctx context.Context) {
	m.operations.WithLabelValues(string(graphql.GetOperationContext(ctx).Operation.Operation)).Inc()
}

// countErrors counts what a presenter presents.
func (m *metrics) countErrors(present graphql.ErrorPresenterFunc) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		told := present(ctx, err)
		m.denials.noteError(ctx, told)
		return m.countError(told)
	}
}

func (m *metrics) countError(told *gqlerror.Error) *gqlerror.Error {
	m.errors.WithLabelValues(fmt.Sprint(told.Extensions["code"])).Inc()
	return told
}
