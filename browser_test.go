package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"occupy/persistence/devstack"
)

// The console in a real browser.

// browse is a program of web/console/browser, which is told where the browser is.
func browse(t *testing.T, ctx context.Context, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	const folder = "web/console"
	for _, made := range []string{"/node_modules/playwright-core", "/dist/index.html"} {
		if _, err := os.Stat(folder + made); err != nil {
			t.Fatalf("the console is not built; make test builds it: %v", err)
		}
	}
	chromium, environment, err := devstack.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{"browser/" + program}, arguments...)...)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), environment...), "PATH="+os.Getenv("PATH"), "CHROMIUM="+chromium)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

var screenshots = flag.String("screenshots", "", "a folder: TestConsoleInABrowser takes README's pictures instead")

func TestConsoleInABrowser(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	program := browse(t, ctx, "console.mjs", "http://"+s.address)
	if *screenshots != "" {
		program = browse(t, ctx, "screenshots.mjs", "http://"+s.address, *screenshots)
	}
	if out, err := program.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// What needs no browser.
func TestConsolesParts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "node_modules/vitest/vitest.mjs", "run", "--passWithNoTests=false")
	cmd.Dir = "web/console"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v; make test fetches what is missing\n%s", err, out)
	}
}
