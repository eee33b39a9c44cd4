package main

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The hooks for screens: web/occupy-react.

// TestHooks holds them against sockets and answers that the tests give by hand, on both
// versions of React, and their types and generated documents against the schema.
func TestHooks(t *testing.T) {
	t.Parallel()
	for _, made := range []string{"/node_modules/vitest", "/test/react-18/node_modules/react"} {
		if _, err := os.Stat("web/occupy-react" + made); err != nil {
			t.Fatalf("what the hooks are tested with is not there; make test fetches it: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, script := range []string{"fresh", "check", "test"} {
		cmd := exec.CommandContext(ctx, "npm", "run", "--silent", script)
		cmd.Dir = "web/occupy-react"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("npm run %s: %v\n%s", script, err, out)
		}
	}
}
