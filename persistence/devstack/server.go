package devstack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is one server of a stack. Its methods are for tests that ask what happens when it goes away and comes back:
// it always does so on the same port, with the data that it had.
type Server struct {
	name     string
	port     int
	log      string                            // path of the file that it writes its output to
	command  func(port int) (*exec.Cmd, error) // a fresh command that serves port
	ready    func(pid int) bool
	leave    syscall.Signal // asks for an orderly end
	orphaned syscall.Signal // sent by the kernel when this process is gone
	freePort func() int
	mu       sync.Mutex
	process  *process
}

const (
	startPatience = 60 * time.Second // a durable PostgreSQL may have to recover first
	stopPatience  = 30 * time.Second // its last checkpoint
	pollEvery     = 5 * time.Millisecond
)

// Start starts the server again and returns when it answers; nothing happens if it is running.
// Returns an error with the last lines of its log if it ends, or does not answer before ctx ends.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running() {
		return nil
	}
	return s.start(ctx)
}

// Stop ends the server in good order: its clients are cut, what they committed is on disk.
// One that does not end in time is killed.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running() {
		return
	}
	signalTree(s.process.pid, syscall.SIGCONT) // a paused one hears nothing
	_ = syscall.Kill(s.process.pid, s.leave)
	if !s.process.endsWithin(stopPatience) {
		s.kill()
	}
}

// Kill ends the server at once, by SIGKILL, with all of its processes: a crash.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running() {
		s.kill()
	}
}

// Pause freezes the server with all of its processes: connections stay open, nobody answers.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Continue ends a Pause.
func (s *Server) Continue() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running() {
		signalTree(s.process.pid, signal)
	}
}

func (s *Server) running() bool { return s.process != nil && s.process.running() }

func (s *Server) kill() {
	killTree(s.process.pid)
	<-s.process.done
}

// startAnywhere picks a port and starts there; another one if somebody else was faster.
func (s *Server) startAnywhere(ctx context.Context) (err error) {
	_ = os.Rename(s.log, s.log+".old") // what a durable one said last time stays for one more run
	for range 5 {
		s.port = s.freePort()
		if err = s.start(ctx); err == nil || isFree(s.port) {
			return err
		}
	}
	return err
}

func (s *Server) start(ctx context.Context) error {
	cmd, err := s.command(s.port)
	if err != nil {
		return err
	}
	if s.process, err = launchLogged(cmd, s.log, s.orphaned); err != nil {
		return fmt.Errorf("starting %s: %w", s.name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for !s.ready(s.process.pid) {
		select {
		case <-s.process.done:
			return fmt.Errorf("%s ended at its start: %w\n%s", s.name, s.process.err, tail(s.log))
		case <-ctx.Done():
			s.kill()
			return fmt.Errorf("waiting for %s: %w\n%s", s.name, ctx.Err(), tail(s.log))
		case <-time.After(pollEvery):
		}
	}
	return nil
}

// launchLogged launches cmd with its output appended to the file log, which stays ours: the child only gets to write.
func launchLogged(cmd *exec.Cmd, log string, death syscall.Signal) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	return launch(cmd, death)
}

// tail returns the last lines of a log, or where it would be.
func tail(log string) string {
	content, _ := os.ReadFile(log)
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n") + "\n(" + log + ")"
}

// randomPort returns a port that was free a moment ago. It is below the range that the kernel picks from for outgoing
// connections: while a server is stopped, nobody's connection takes its port, nor does a client that retries connect
// to itself.
func randomPort() int {
	for {
		if port := 20000 + rand.IntN(12000); isFree(port) {
			return port
		}
	}
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err == nil {
		listener.Close()
	}
	return err == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
