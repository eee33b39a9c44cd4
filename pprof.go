package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// servePprof serves profiles of this process, to this machine only, until stop is
// called. Without an address it does nothing.
func (c *Config) servePprof(ctx context.Context) (stop func(), err error) {
	if c.PprofListen == "" {
		return func() {}, nil
	}
	listener, err := c.listenPprof(ctx)
	if err != nil {
		return nil, fmt.Errorf("OCCUPY_PPROF_LISTEN: %w", err)
	}
	// A mux of its own: the address that others reach has none of this.
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	slog.Info("profiles", "at", "http://"+listener.Addr().String()+"/debug/pprof/")
	return func() { _ = server.Close() }, nil
}

func (c *Config) listenPprof(ctx context.Context) (net.Listener, error) {
	address, err := net.ResolveTCPAddr("tcp", c.PprofListen)
	if err != nil {
		return nil, err
	}
	if !address.IP.IsLoopback() {
		return nil, fmt.Errorf("%s can be reached from outside; it must be a loopback address", c.PprofListen)
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", address.String())
}
