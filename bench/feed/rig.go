package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"occupy/persistence/devstack"
)

// rig is what is measured on.
type rig struct {
	stack   *devstack.Stack
	folder  string
	one     *process // gateways on one database
	other   *process
	bare    *process
	started []*process
}

// process is one that serves.
type process struct {
	cmd     *exec.Cmd
	address string
}

func newRig(ctx context.Context) (r *rig, err error) {
	r = &rig{}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.folder, err = os.MkdirTemp("", "occupy-feed"); err != nil {
		return r, err
	}
	binary := filepath.Join(r.folder, "occupy")
	if out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", binary, "occupy").CombinedOutput(); err != nil {
		return r, fmt.Errorf("build: %w\n%s", err, out)
	}
	if r.stack, err = devstack.Start(ctx, devstack.Options{Postgres: true, Redis: true}); err != nil {
		return r, err
	}
	itself, err := os.Executable()
	if err != nil {
		return r, err
	}
	settings := []string{"DATABASE_URL=" + r.stack.DatabaseURL("occupy"), "REDIS_URL=" + r.stack.RedisURL(),
		"DATABASE_READ_URL=", "DATABASE_MIGRATE_URL=", "OCCUPY_LISTEN=127.0.0.1:0", "OCCUPY_RATE_LIMITS=off", "OCCUPY_RESTART_NOTICE=0s"}
	if r.one, err = r.start(settings, binary); err != nil {
		return r, err
	}
	if r.other, err = r.start(settings, binary); err != nil {
		return r, err
	}
	r.bare, err = r.start(nil, itself, "-bare")
	return r, err
}

// start runs a program until the rig is closed, and reads its address from what it logs.
func (r *rig) start(settings []string, program string, arguments ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, arguments...)}
	p.cmd.Env = append(os.Environ(), settings...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	r.started = append(r.started, p)
	lines, said := bufio.NewScanner(log), ""
	for lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			p.address = strings.Fields(rest)[0]
			return p, nil
		}
		said += lines.Text() + "\n"
	}
	return nil, fmt.Errorf("%s does not start:\n%s", program, said)
}

func (r *rig) close() (err error) {
	for _, p := range r.started {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
	if r.stack != nil {
		err = r.stack.Stop()
	}
	return errors.Join(err, os.RemoveAll(r.folder))
}

// resident is how much memory a process has, in bytes.
func (p *process) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes int64
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10, err
}

// processor is how much of the processors a process has used.
func (p *process) processor() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var user, system time.Duration
	_, _ = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	const tick = 10 * time.Millisecond
	return (user + system) * tick
}

// ask sends a GraphQL request, which has to succeed.
func (p *process) ask(query string, variables map[string]any) error {
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
	request, err := http.NewRequest(http.MethodPost, "http://"+p.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"bench"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && (bytes.Contains(text, []byte(`"errors"`)) || !bytes.Contains(text, []byte(`"ok":true`))) {
		err = fmt.Errorf("%s", text)
	}
	return err
}

// subscribers waits until a gateway has that many.
func (p *process) subscribers(n int) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		response, err := http.Get("http://" + p.address + "/metrics")
		if err != nil {
			return err
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if _, rest, _ := strings.Cut(string(text), "\noccupy_subscribers "); strings.HasPrefix(rest, fmt.Sprint(n, "\n")) {
			return nil
		}
	}
	return fmt.Errorf("there are never %d subscribers", n)
}
