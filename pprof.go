//go:build pprof

package main

import (
	"log/slog"
	"net/http"
	_ "net/http/pprof"
	"os"
)

// A build for `go run ./bench -profile` alone: no program that anybody uses has an
// address that tells its insides.
func init() {
	go func() {
		slog.Error("pprof", "err", http.ListenAndServe(os.Getenv("OCCUPY_PPROF"), nil))
	}()
}
