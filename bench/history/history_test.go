package main

import (
	"os"
	"testing"
	"time"
)

// Everything is measured once, and in small: a question that is refused, or a plan that is
// not found, is found here and not after ten million rows.
func TestEverythingIsMeasured(t *testing.T) {
	folder, err := os.MkdirTemp("", "bench-history")
	if err == nil {
		err = os.Chmod(folder, 0o755) // PostgreSQL runs as another user if this one is root
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	o := options{rows: 5000, times: 5, analysts: 5, exported: 2000, each: time.Second, plans: true}
	if err := measure(t.Context(), folder, o); err != nil {
		t.Error(err)
	}
}
