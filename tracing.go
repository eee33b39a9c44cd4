package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// flushWithin bounds how long a stopping gateway tries to hand on its last spans.
const flushWithin = 3 * time.Second

// openTraces sends spans to where the settings say, until stop is called. Without an
// endpoint there is no provider, and nobody spends anything on it. What else
// OpenTelemetry reads from the environment, its sampler, headers and time-outs, holds.
func (c *Config) openTraces(ctx context.Context) (stop func(), err error) {
	if c.TraceEndpoint == "" {
		return func() {}, nil
	}
	endpoint, err := url.Parse(c.TraceEndpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://collector:4318, not %q", c.TraceEndpoint)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint.JoinPath("v1", "traces").String()))
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "occupy"), attribute.String("service.version", version),
		attribute.String("service.instance.id", c.Node),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("traces: some are lost", "err", err) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	c.traces = provider
	return func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
		defer done()
		if err := provider.Shutdown(ctx); err != nil {
			slog.Warn("traces: the last spans are lost", "err", err)
		}
	}, nil
}
