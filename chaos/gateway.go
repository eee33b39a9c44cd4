package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"occupy/persistence/devstack"
)

// gateway is one of the three. Each start is another process, on another port.
type gateway struct {
	n        int
	binary   string
	settings []string
	log      *os.File
	rec      *recorder
	// database and redis are its ways to them; redis is nil in a cluster, whose nodes are reached by their own addresses.
	database, redis *devstack.Wire

	address atomic.Pointer[string]

	mu      sync.Mutex
	process *exec.Cmd
}

// at is where it serves, or served last.
func (g *gateway) at() string { return *g.address.Load() }

// start starts it, however often that takes while the database is away.
func (g *gateway) start(ctx context.Context) error {
	for {
		said, err := g.startOnce()
		if err == nil || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(g.log, "it does not start: %v: %s\n", err, said)
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (g *gateway) startOnce() (said string, err error) {
	cmd := exec.Command(g.binary)
	cmd.Env = append(os.Environ(), g.settings...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		fmt.Fprintln(g.log, lines.Text())
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			address := strings.Fields(rest)[0]
			g.address.Store(&address)
			g.mu.Lock()
			g.process = cmd
			g.mu.Unlock()
			go g.follow(lines)
			v, err := vitalsOf(address)
			g.rec.mu.Lock()
			g.rec.fresh[g.n] = v
			g.rec.mu.Unlock()
			return "", err
		}
		said = lines.Text()
	}
	return said, cmd.Wait()
}

// follow keeps its log, and notes what no fault explains.
func (g *gateway) follow(lines *bufio.Scanner) {
	for lines.Scan() {
		fmt.Fprintln(g.log, lines.Text())
		if strings.Contains(lines.Text(), "panic") || strings.Contains(lines.Text(), "DATA RACE") {
			add(g.rec, &g.rec.strange, fmt.Sprintf("gateway %d logs: %s", g.n, lines.Text()))
		}
	}
}

func (g *gateway) signal(s os.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.process != nil {
		_ = g.process.Process.Signal(s)
	}
}

// kill ends it at once.
func (g *gateway) kill() { _ = g.end(syscall.SIGKILL) }

// stop ends it in good order.
func (g *gateway) stop() error { return g.end(syscall.SIGTERM) }

func (g *gateway) end(by os.Signal) error {
	g.signal(syscall.SIGCONT)
	g.signal(by)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.process == nil {
		return nil
	}
	err := g.process.Wait()
	g.process = nil
	return err
}

// vitalsOf asks a gateway what it uses.
func vitalsOf(address string) (v vitals, err error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	response, err := client.Get("http://" + address + "/metrics")
	if err != nil {
		return v, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return v, err
	}
	value := func(name string) float64 { return families[name].GetMetric()[0].GetGauge().GetValue() }
	return vitals{value("go_goroutines"), value("process_open_fds"), value("process_resident_memory_bytes")}, nil
}
