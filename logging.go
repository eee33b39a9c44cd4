package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"occupy/resolvers"
)

// logFormat is how a line of the log is written: text or json.
type logFormat string

// UnmarshalText takes one of the two.
func (f *logFormat) UnmarshalText(text []byte) error {
	*f = logFormat(text)
	if *f != "text" && *f != "json" {
		return fmt.Errorf("is text or json, not %q", text)
	}
	return nil
}

// logger writes the log that the settings ask for.
func (c *Config) logger(to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(withRequest{slog.NewJSONHandler(to, options)})
	}
	return slog.New(withRequest{slog.NewTextHandler(to, options)})
}

// withRequest adds to what is logged of which request, and of which trace, it is.
type withRequest struct{ slog.Handler }

const requestID = "requestId"

// Handle adds the id, unless the line has it.
func (h withRequest) Handle(ctx context.Context, line slog.Record) error {
	if id := resolvers.RequestID(ctx); id != "" && !has(line, requestID) {
		line.AddAttrs(slog.String(requestID, id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		line.AddAttrs(slog.String("traceId", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

func has(line slog.Record, key string) (found bool) {
	line.Attrs(func(a slog.Attr) bool {
		found = a.Key == key
		return !found
	})
	return found
}

// WithAttrs and WithGroup keep the handler around what the embedded one makes.
func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

// WithGroup is as WithAttrs.
func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}
