package gateway

import (
	"context"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Spans of a query or mutation: the request, in it the operation, in it each root
// field, in that what the store does. What a socket carries begins with its
// operation. A subscription has none: it lives for hours.

// traceRequests continues the trace that a request is part of, by its traceparent.
func traceRequests(traces trace.TracerProvider, next http.Handler) http.Handler {
	if traces == nil {
		return next
	}
	return otelhttp.NewHandler(next, "graphql", otelhttp.WithTracerProvider(traces),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Path }),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.Header.Get("Upgrade") == "" && !strings.Contains(r.Header.Get("Accept"), "text/event-stream")
		}))
}

// traceResponse makes the span of an operation.
func (g *Gateway) traceResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !isShort(ctx) {
		return next(ctx)
	}
	request := graphql.GetOperationContext(ctx)
	f := g.metrics.find(request.Operation)
	ctx, span := g.tracer.Start(ctx, f.kind+" "+f.name, trace.WithTimestamp(request.Stats.OperationStart),
		trace.WithAttributes(attribute.String("graphql.operation.type", f.kind)))
	defer span.End()
	response := next(ctx)
	if response != nil && len(response.Errors) > 0 {
		span.SetStatus(codes.Error, codeOf(response.Errors[0])) // the message may repeat what was sent
	}
	return response
}

// traceField makes the span of a root field.
func (g *Gateway) traceField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	if !isShort(ctx) {
		return next(ctx)
	}
	ctx, span := g.tracer.Start(ctx, graphql.GetRootFieldContext(ctx).Field.Name)
	defer span.End()
	return next(ctx)
}
