package postgres

import (
	"context"
	"strings"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// statements traces those that somebody asked for: what the service does by itself
// has no span that they could be part of. Returns nil if nothing is traced.
func (c *Config) statements() pgx.QueryTracer {
	if c.Traces == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(c.Traces), otelpgx.WithSpanNameFunc(statementName),
		otelpgx.WithDisableConnectionDetailsInAttributes())
}

// statementName is the name that a statement gives itself in its first line, or else
// its first word.
func statementName(sql string) string {
	first, _, _ := strings.Cut(sql, "\n")
	if name, named := strings.CutPrefix(first, "-- name: "); named {
		return name
	}
	word, _, _ := strings.Cut(first, " ")
	return word
}

// groups traces what is done for several callers at once. Nil traces nothing.
type groups struct {
	tracer trace.Tracer
	name   string
}

func (c *Config) groups(queue string) *groups {
	if c.Traces == nil {
		return nil
	}
	return &groups{c.Traces.Tracer("occupy/persistence/postgres"), queue + " group"}
}

// from is the span that a call is made in.
func (g *groups) from(ctx context.Context) trace.SpanContext {
	if g == nil {
		return trace.SpanContext{}
	}
	return trace.SpanContextFromContext(ctx)
}

// begin begins the span of a group: part of the trace of one caller, and linked to
// the spans of the others.
func (g *groups) begin(callers []trace.SpanContext) (context.Context, trace.Span) {
	ctx := context.Background()
	if g == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	var links []trace.Link
	for _, caller := range callers {
		switch {
		case !caller.IsSampled():
		case !trace.SpanContextFromContext(ctx).IsValid():
			ctx = trace.ContextWithSpanContext(ctx, caller)
		default:
			links = append(links, trace.Link{SpanContext: caller})
		}
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, trace.SpanFromContext(ctx) // nobody who asked is traced
	}
	return g.tracer.Start(ctx, g.name, trace.WithLinks(links...), trace.WithAttributes(attribute.Int("occupy.callers", len(callers))))
}

// servedBy notes in a caller's span by which group it was served.
func (g *groups) servedBy(ctx context.Context, group trace.SpanContext) {
	if g != nil && group.IsValid() {
		trace.SpanFromContext(ctx).AddLink(trace.Link{SpanContext: group})
	}
}
