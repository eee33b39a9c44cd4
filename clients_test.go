package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"occupy/persistence/devstack"
)

// The npm clients that browsers have: graphql-ws and graphql-sse.

// node is a program of web/clients.
func node(t *testing.T, ctx context.Context, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	const folder = "web/clients"
	if _, err := os.Stat(folder + "/node_modules/graphql-ws"); err != nil {
		t.Fatalf("the npm clients are not there; make test fetches them: %v", err)
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{program}, arguments...)...)
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func TestNpmClients(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := node(t, ctx, "clients.mjs", s.address).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
	s.waitForSubscribers("0")
}

// panel runs a live panel and gives what it was told of each item, as it comes. What it
// knew before it began anew is forgotten.
func panel(t *testing.T, transport, address string) *seen {
	t.Helper()
	s := &seen{items: map[string][]string{}}
	listen(t, func(line string) {
		switch words := strings.Fields(line); {
		case len(words) == 4:
			s.note(words[1], words[2]+" "+words[3])
		case line == "RESYNC":
			s.forget()
		default:
			t.Errorf("%s: the panel says %q", transport, line)
		}
	}, "panel.mjs", transport, address)
	return s
}

// listen runs a program of web/clients until the test ends, and hears each line it says.
func listen(t *testing.T, hear func(line string), program string, arguments ...string) {
	t.Helper()
	cmd := node(t, t.Context(), program, arguments...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			hear(lines.Text())
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended; _ = cmd.Wait() })
}

func (s *seen) note(item, entry string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[item] = append(s.items[item], entry)
	s.count++
}

func (s *seen) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anew++
	s.count = 0
	clear(s.items)
}

// A gateway comes back with another database, as after a restore: panels can not go on
// where they were, and begin anew. One that comes while the database is away waits.
func TestPanelsBeginAnewAfterARestore(t *testing.T) {
	before, after := newServer(t), newServer(t)
	for range 2 {
		before.as("kim").command("occupy", lot("LOT1"))
		before.as("kim").command("free", lot("LOT1"))
	}
	after.as("lee").command("occupy", lot("LOT1"))
	wire, through, err := devstack.OpenWire(after.url, "no mark")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wire.Close)
	victim, process := newProcess(t, "DATABASE_URL="+before.url, "REDIS_URL=")
	panels := map[string]*seen{"ws": panel(t, "ws", victim.address), "sse": panel(t, "sse", victim.address)}
	for transport, p := range panels {
		p.wait(t, transport+" has the first database", "LOT1", "[4 kim]")
	}
	_ = process.Kill()
	_, _ = process.Wait()
	restored, _ := newProcess(t, "DATABASE_URL="+through, "REDIS_URL=", "OCCUPY_LISTEN="+victim.address)
	for transport, p := range panels {
		p.wait(t, transport+" has the second database", "LOT1", "[1 lee]")
		if p.anew != 1 {
			t.Errorf("%s began anew %d times", transport, p.anew)
		}
	}
	wire.SetDown(true)
	late := panel(t, "ws", victim.address)
	eventually(t, "the late one is told that the database is away", func() bool {
		_, text := restored.send(http.MethodGet, "/metrics", nil, "")
		return strings.Contains(text, `occupy_errors_total{code="UNAVAILABLE"}`)
	})
	wire.SetDown(false)
	late.wait(t, "the late one has it", "LOT1", "[1 lee]")
	after.as("lee").command("free", lot("LOT1"))
	panels["late"] = late
	for transport, p := range panels {
		p.wait(t, transport+" is live", "LOT1", "[1 lee 2 lee]")
	}
}

// wait waits until that is what was told of an item.
func (s *seen) wait(t *testing.T, what, item, entries string) {
	t.Helper()
	eventually(t, what, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return fmt.Sprint(s.items[item]) == entries
	})
}

// Case 31, and G2: a gateway is killed, is away for a while and comes back. Its panels
// come back by themselves, and have each version of each item once, in order.
func TestPanelsComeBackByThemselves(t *testing.T) {
	other := newServer(t)
	settings := []string{"DATABASE_URL=" + other.url, "REDIS_URL=" + stack.RedisURL()}
	victim, process := newProcess(t, settings...)
	panels := map[string]*seen{"ws": panel(t, "ws", victim.address), "sse": panel(t, "sse", victim.address)}
	victim.waitForSubscribers("2")
	n := 0
	change := func(times int) {
		for range times {
			name := fmt.Sprint("LOT", n%7)
			if other.as("kim").command("occupy", lot(name))["code"] != "GRANTED" {
				other.as("kim").command("free", lot(name))
			}
			n++
		}
	}
	total := func() int64 {
		return other.count(`SELECT count(*) FROM ct_occupy_item_history WHERE item_type = 'LOT'`)
	}
	haveAll := func(after string) {
		for transport, p := range panels {
			eventually(t, transport+" has all, "+after, func() bool { return int64(p.total()) == total() })
		}
	}
	change(30)
	haveAll("before anything happens")
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		if err := process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_, _ = process.Wait()
		change(30) // while it is away
		_, process = newProcess(t, append(settings, "OCCUPY_LISTEN="+victim.address)...)
		change(30)
		haveAll(fmt.Sprint("after ", signal))
	}
	for transport, p := range panels {
		p.mu.Lock()
		for item, entries := range p.items {
			for i, entry := range entries {
				if !strings.HasPrefix(entry, fmt.Sprint(i+1, " ")) {
					t.Errorf("%s: %s has %v", transport, item, entries)
					break
				}
			}
		}
		p.mu.Unlock()
	}
}

// Case H7: the GraphQL-over-HTTP standard, to the letter.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := node(t, ctx, "audit.mjs", s.address).CombinedOutput(); err != nil || string(out) != "61 audits\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
