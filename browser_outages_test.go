package main

import (
	"context"
	"testing"
	"time"
)

func TestConsoleThroughOutages(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if out, err := browse(t, ctx, "outages.mjs", "http://"+s.address).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Tokens are asked for, sent over HTTP and sockets, and kept for the window only.
func TestConsoleWithTokens(t *testing.T) {
	s, issuer := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if out, err := browse(t, ctx, "token.mjs", "http://"+s.address, issuer.For("kim", "OPERATOR")).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
