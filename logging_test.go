package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// safeLog is what several goroutines log to.
type safeLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *safeLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logged catches the log of a test, as the settings have it.
func logged(t *testing.T, settings ...string) *safeLog {
	t.Helper()
	log, before := &safeLog{}, slog.Default()
	c := config(t, settings...)
	slog.SetDefault(c.logger(log))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}

// lines are those of a log in JSON.
func (l *safeLog) lines(t *testing.T) (all []object) {
	t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(l.String())); lines.Scan(); {
		var o object
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		all = append(all, o)
	}
	return all
}

func TestAFaultIsFoundByTheIDOfItsRequest(t *testing.T) {
	log := logged(t, "OCCUPY_LOG_FORMAT=json", "OCCUPY_LOG_LEVEL=DEBUG")
	s := newServer(t)
	s.sql(`ALTER TABLE ct_sequence RENAME TO ct_sequence_gone`)
	ask := func(id string) (header string, a answer) {
		h := s.as("kim").headers()
		h.Set("X-Request-Id", id)
		h.Set("Authorization", "Bearer my-token")
		response, text := s.send(http.MethodPost, "/graphql", h,
			`{"query": "query($n: String!) { currVal(name: $n) }", "variables": {"n": "my-variable"}}`)
		if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Errors) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		return response.Header.Get("X-Request-Id"), a
	}
	for _, sent := range []string{"order-4711.a/b:c", "", "two\"words", strings.Repeat("x", 129)} {
		header, a := ask(sent)
		if header == "" || header != sent && sent == "order-4711.a/b:c" || header == sent && sent != "order-4711.a/b:c" {
			t.Errorf("sent %q, answered %q", sent, header)
		}
		if got := a.Errors[0].Extensions["requestId"]; got != header {
			t.Errorf("the error is of %v, the header says %s", got, header)
		}
		found := 0
		for _, line := range log.lines(t) {
			if line["requestId"] == header && line["level"] == "ERROR" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d lines of %s", found, header)
		}
	}
	found := 0
	for _, line := range log.lines(t) {
		if line["msg"] == "operation" && line["field"] == "currVal" && line["user"] == "kim" && line["code"] == "INTERNAL" {
			found++
		}
	}
	if found != 4 {
		t.Errorf("%d operations are logged", found)
	}
	for _, secret := range []string{"my-token", "my-variable"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %s: %s", secret, log)
		}
	}
}

func TestLogSettings(t *testing.T) {
	log := logged(t, "OCCUPY_LOG_FORMAT=text", "OCCUPY_LOG_LEVEL=WARN")
	slog.Info("too little")
	slog.With("a", 1).WithGroup("g").Warn("enough", "b", 2)
	if got := log.String(); !strings.Contains(got, "level=WARN msg=enough a=1 g.b=2") || strings.Contains(got, "too little") {
		t.Error(got)
	}
	for name, value := range map[string]string{"OCCUPY_LOG_FORMAT": "xml", "OCCUPY_LOG_LEVEL": "LOUD"} {
		if _, err := loadConfig(map[string]string{name: value}); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

func TestProfilesAreForThisMachineOnly(t *testing.T) {
	log := logged(t)
	s := newServer(t, "OCCUPY_PPROF_LISTEN=127.0.0.1:0")
	_, rest, _ := strings.Cut(log.String(), "http://")
	address, _, found := strings.Cut(rest, "/debug/pprof/")
	if !found {
		t.Fatalf("no address in the log: %s", log)
	}
	profiles := &server{t: t, address: address}
	if response, _ := profiles.send(http.MethodGet, "/debug/pprof/allocs", nil, ""); response.StatusCode != http.StatusOK {
		t.Errorf("profiles: %s", response.Status)
	}
	if response, _ := s.send(http.MethodGet, "/debug/pprof/allocs", nil, ""); response.StatusCode != http.StatusNotFound {
		t.Errorf("profiles for everybody: %s", response.Status)
	}
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:6060", "nonsense"} {
		c := config(t, "OCCUPY_PPROF_LISTEN="+address)
		if _, err := c.servePprof(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "OCCUPY_PPROF_LISTEN: ") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
