package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Readiness tells whether requests can be served, and, one sentence each, what else
// somebody who looks after the gateway should know.
type Readiness func(ctx context.Context) (notes []string, err error)

// readyTime is less than what a load balancer usually waits.
const readyTime = 2 * time.Second

func (g *Gateway) healthz(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "alive") }

func (g *Gateway) readyz(w http.ResponseWriter, r *http.Request) {
	if g.leaving.Load() {
		http.Error(w, "this gateway is stopping", http.StatusServiceUnavailable)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	notes, err := g.ready(ctx)
	if err != nil {
		slog.WarnContext(ctx, "not ready", "err", err)
		http.Error(w, "the database is away or not migrated", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
	for _, note := range notes {
		fmt.Fprintln(w, note)
	}
}
