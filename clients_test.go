package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
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

// listen runs a program of web/clients until the test ends, or kill is called, and hears
// each line it says. To close leave is the end of its input.
func listen(t *testing.T, hear func(line string), program string, arguments ...string) (leave io.Closer, kill func()) {
	t.Helper()
	cmd := node(t, t.Context(), program, arguments...)
	leave, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
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
	kill = sync.OnceFunc(func() { _ = cmd.Process.Kill(); <-ended; _ = cmd.Wait() })
	t.Cleanup(kill)
	return leave, kill
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

// A browser that is killed leaves its item the grace; opened again, at another gateway,
// its window still holds it. One that the user closes gives it back at once.
func TestAWindowOfABrowserThatIsKilled(t *testing.T) {
	one := newServer(t)
	other := newServerOn(t, one.url)
	window := func(s *server, grace, first string) (leave io.Closer, kill func()) {
		said := make(chan string, 10)
		leave, kill = listen(t, func(line string) { said <- line }, "hold.mjs", s.address, "LOT1", "window", grace)
		if got := <-said; got != first {
			t.Errorf("it says %s, want %s", got, first)
		}
		return leave, kill
	}
	_, kill := window(one, "30", "OCCUPIED GRANTED 1")
	kill()
	eventually(t, "it is known to be lost", func() bool {
		return one.count(`SELECT count(*) FROM ct_occupy_item WHERE item_name = 'LOT1' AND end_event = 'CONNECTION_LOST' AND state = 'OCCUPIED'`) == 1
	})
	want(t, other.as("lee").command("occupy", lot("LOT1")), "code", "HELD")
	leave, _ := window(other, "30", "OCCUPIED REENTERED 1")
	_ = leave.Close()
	one.wantHistory("LOT1", "OCCUPIED WINDOW_CLOSED")
	_, kill = window(other, "1", "OCCUPIED GRANTED 2")
	kill()
	one.wantHistory("LOT1", "OCCUPIED WINDOW_CLOSED OCCUPIED CONNECTION_LOST")
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
