package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"occupy/domain"
)

func TestBadSettingsAreNamed(t *testing.T) {
	for setting, named := range map[string]string{
		"OCCUPY_LISTEN=0.0.0.0:0":            "OCCUPY_LISTEN",
		"OCCUPY_LISTEN=:0":                   "OCCUPY_LISTEN",
		"OCCUPY_LISTEN=nonsense":             "OCCUPY_LISTEN",
		"OCCUPY_AUTH=jwt":                    "OCCUPY_JWT_ISSUER",
		"OCCUPY_AUTH=none":                   "OCCUPY_AUTH",
		"OCCUPY_DOCUMENTS=some":              "OCCUPY_DOCUMENTS",
		"OCCUPY_DOCUMENTS=known":             "OCCUPY_DOCUMENTS_FILE",
		"OCCUPY_DOCUMENTS_FILE=/nowhere":     "OCCUPY_DOCUMENTS_FILE",
		"OCCUPY_RATE_LIMITS=yes":             "OCCUPY_RATE_LIMITS",
		"OCCUPY_RATE_MUTATIONS_PER_USER=-1":  "OCCUPY_RATE_MUTATIONS_PER_USER",
		"OCCUPY_TRUSTED_PROXIES=10.0.0.0/99": "OCCUPY_TRUSTED_PROXIES",
		"OCCUPY_TTL_DEFAULT=5":               "OCCUPY_TTL_DEFAULT",
		"OCCUPY_TTL_DEFAULT=0s":              "OCCUPY_TTL_DEFAULT",
		"OCCUPY_TTL_DEFAULT=9h":              "OCCUPY_TTL_DEFAULT",
		"OCCUPY_TTL_MAX=1500ms":              "OCCUPY_TTL_MAX",
		"OCCUPY_MAX_HOLD=-1s":                "OCCUPY_MAX_HOLD",
		"OCCUPY_KEEP_CASE=perhaps":           "OCCUPY_KEEP_CASE",
		"OCCUPY_TIME_ZONE=Asia/Atlantis":     "OCCUPY_TIME_ZONE",
		"OCCUPY_GROUP_SIZE=0":                "OCCUPY_GROUP_SIZE",
		"OCCUPY_FLOOR_CONNECTIONS=1":         "OCCUPY_FLOOR_CONNECTIONS",
		"OCCUPY_ADHOC_CONNECTIONS=0":         "OCCUPY_ADHOC_CONNECTIONS",
		"OCCUPY_ADHOC_WAIT=0s":               "OCCUPY_ADHOC_WAIT",
		"OCCUPY_ADHOC_TIMEOUT=1us":           "OCCUPY_ADHOC_TIMEOUT",
		"OCCUPY_READ_MAX_LAG=100ms":          "OCCUPY_READ_MAX_LAG",
		"OCCUPY_GROUP_ROWS=many":             "OCCUPY_GROUP_ROWS",
		"OCCUPY_MAX_CONNECTIONS=0":           "OCCUPY_MAX_CONNECTIONS",
		"OCCUPY_MAX_CONNECTIONS_PER_USER=-1": "OCCUPY_MAX_CONNECTIONS_PER_USER",
		"OCCUPY_MAX_SUBSCRIPTIONS=0":         "OCCUPY_MAX_SUBSCRIPTIONS",
		"OCCUPY_MAX_BODY=0":                  "OCCUPY_MAX_BODY",
		"OCCUPY_MAX_TOKENS=0":                "OCCUPY_MAX_TOKENS",
		"OCCUPY_MAX_FIELDS=many":             "OCCUPY_MAX_FIELDS",
		"OCCUPY_MAX_COST=-1":                 "OCCUPY_MAX_COST",
		"OCCUPY_DOCUMENT_CACHE=0":            "OCCUPY_DOCUMENT_CACHE",
		"OCCUPY_INTROSPECTION=maybe":         "OCCUPY_INTROSPECTION",
		"OCCUPY_REQUEST_TIMEOUT=0s":          "OCCUPY_REQUEST_TIMEOUT",
		"OCCUPY_RESTART_SPREAD=0s":           "OCCUPY_RESTART_SPREAD",
		"OCCUPY_TRANSACTIONS=0":              "OCCUPY_TRANSACTIONS",
		"DATABASE_URL=postgres://x:y@[::":    "DATABASE_URL",
		"DATABASE_URL=":                      "DATABASE_URL",
		"DATABASE_READ_URL=host=a port=b":    "DATABASE_READ_URL",
		"REDIS_URL=http://127.0.0.1":         "REDIS_URL",
	} {
		name, value, _ := strings.Cut(setting, "=")
		environment := map[string]string{"DATABASE_URL": stack.DatabaseURL(template), "OCCUPY_LISTEN": "127.0.0.1:0"}
		environment[name] = value
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := start(ctx, nil, environment)
		cancel()
		if err == nil || !strings.Contains(err.Error(), named) {
			t.Errorf("%s: %v, want an error with %s", setting, err, named)
		}
	}
}

func TestDefaultSettings(t *testing.T) {
	c := config(t)
	if c.Listen != "127.0.0.1:8080" || c.DefaultTTL != 5*time.Minute || c.MaxTTL != 8*time.Hour || c.MaxHold != 0 ||
		c.GroupSize != 256 || c.GroupRows != 2000 || c.Transactions != 4 || c.Auth != "dev" || c.Node == "" || c.KeepCase {
		t.Errorf("%+v", c)
	}
}

func TestHelpListsEverySetting(t *testing.T) {
	var help bytes.Buffer
	printSettings(&help)
	var source string
	for _, file := range []string{"config.go", "config_requests.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	for _, part := range strings.Split(source, `env:"`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if !strings.Contains(help.String(), "  "+name) {
			t.Errorf("%s is not in the help", name)
		}
	}
	if err := start(t.Context(), []string{"-h"}, nil); err != nil {
		t.Error(err)
	}
}

func TestListensByLoopbackNames(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.8.8.8:0"} {
		c := config(t, "OCCUPY_LISTEN="+address)
		listener, err := c.listen()
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		listener.Close()
	}
}

// Case W13: a client that has vanished is noticed, also by an idle stream.
func TestConnectionsEndWhoseClientIsGone(t *testing.T) {
	c := config(t, "OCCUPY_LISTEN=127.0.0.1:0")
	listener, err := c.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	raw, err := accepted.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var bound int
	_ = raw.Control(func(fd uintptr) { bound, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT) })
	if err != nil || bound != int(goneAfter.Milliseconds()) {
		t.Errorf("%d ms, %v", bound, err)
	}
}

func TestPagesBesideGraphQL(t *testing.T) {
	s := newServer(t)
	for path, part := range map[string]string{
		"/": "Occupy", "/healthz": "alive", "/readyz": "ready",
		"/metrics": "occupy_pool_max_connections",
	} {
		response, text := s.send(http.MethodGet, path, nil, "")
		if response.StatusCode != http.StatusOK || !strings.Contains(text, part) {
			t.Errorf("%s: %s, %.200s", path, response.Status, text)
		}
	}
	if response, _ := s.send(http.MethodGet, "/nowhere", nil, ""); response.StatusCode != http.StatusNotFound {
		t.Errorf("/nowhere: %s", response.Status)
	}
}

func TestMetricsCountOperationsAndErrors(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	s.as("").ask(`{ me { userId } }`)
	s.as("kim").ask(`{ nobody }`)
	s.wantMetrics(
		`occupy_operations_total{code="OK",operation="occupy",type="mutation"} 1`, `occupy_operations_total{code="UNAUTHENTICATED",operation="me",type="query"} 1`,
		`occupy_errors_total{code="UNAUTHENTICATED"} 1`, `occupy_errors_total{code="GRAPHQL_VALIDATION_FAILED"} 1`,
	)
}

// wantMetrics fails unless /metrics has each of the lines.
func (s *server) wantMetrics(lines ...string) {
	s.t.Helper()
	_, text := s.send(http.MethodGet, "/metrics", nil, "")
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			s.t.Errorf("no %s", line)
		}
	}
}

func TestRedisAwayIsANoteAndFailsNothing(t *testing.T) {
	s := newServer(t)
	note := func() string {
		response, text := s.send(http.MethodGet, "/readyz", nil, "")
		if response.StatusCode != http.StatusOK {
			t.Errorf("readyz says %s", response.Status)
		}
		return text
	}
	eventually(t, "Redis is heard", func() bool { return !strings.Contains(note(), "Redis is away") })
	stack.Redis.Stop()
	t.Cleanup(func() { _ = stack.Redis.Start(t.Context()) })
	eventually(t, "Redis is missed", func() bool { return strings.Contains(note(), "Redis is away") })
	want(t, s.as("kim").command("occupy", lot("LOT1")), "code", "GRANTED")
}

func TestShutdownGivesTheSweepersLockBack(t *testing.T) {
	s := newServer(t)
	state := func() (state string) {
		_ = s.pool().QueryRow(t.Context(), `SELECT state FROM ct_occupy_item WHERE item_type = 'SLOT' AND item_name = $1`,
			domain.CleanupLock.ItemName).Scan(&state)
		return state
	}
	eventually(t, "the sweeper holds its lock", func() bool { return state() == "OCCUPIED" })
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if got := state(); got != "FREE" {
		t.Errorf("the lock is %s", got)
	}
}

func TestRunsWithoutRedis(t *testing.T) {
	s := newServer(t, "REDIS_URL=")
	want(t, s.as("kim").command("occupy", lot("LOT1")), "code", "GRANTED")
	if _, text := s.send(http.MethodGet, "/readyz", nil, ""); text != "ready\n" {
		t.Error(text)
	}
}

func TestVerifyFlagFindsAFault(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	environment := map[string]string{"DATABASE_URL": s.url}
	if err := start(t.Context(), []string{"-verify"}, environment); err != nil {
		t.Errorf("a whole history: %v", err)
	}
	s.sql(`UPDATE ct_occupy_item SET version = 9 WHERE item_name = 'LOT1'`)
	if err := start(t.Context(), []string{"-verify"}, environment); err == nil || !strings.Contains(err.Error(), "faults") {
		t.Errorf("a broken one: %v", err)
	}
}

func TestSettingsReachTheDomain(t *testing.T) {
	s := newServer(t, "OCCUPY_KEEP_CASE=true", "OCCUPY_TTL_DEFAULT=7s", "OCCUPY_TTL_MAX=10s", "OCCUPY_MAX_HOLD=9s")
	want(t, s.as("kim").command("occupy", lot("lot1")), "occupancy.itemName", "lot1", "occupancy.remainingSeconds", 7)
	want(t, s.as("kim").command("renew", lot("lot1", "ttlSeconds", 10)), "occupancy.remainingSeconds", 9)
	wantBadInput(t, s.as("kim").ask(mutation("occupy"), object{"input": lot("x", "ttlSeconds", 11)}), "input.ttlSeconds")
}

// TestASupervisorVerifiesTheHistory, finds a fault that somebody made by hand, and
// sees in the metrics that the gateway has not found it by itself yet.
func TestASupervisorVerifiesTheHistory(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	for _, name := range []string{"V1", "V2"} {
		kim.command("occupy", lot(name))
		kim.command("free", lot(name))
	}
	const question = `{ verify { done next rows items faultCount faults { itemType itemName version problem } } }`
	got := s.as("boss").with("SUPERVISOR").must(question)
	want(t, got, "verify.done", true, "verify.next", nil, "verify.faultCount", "0", "verify.faults", []any{})
	s.sql(`UPDATE ct_occupy_item SET user_id = 'eve' WHERE item_name = 'V2'`)
	got = s.as("boss").with("SUPERVISOR").must(question)
	want(t, got, "verify.done", true, "verify.faultCount", "1", "verify.faults", []any{object{"itemType": "LOT", "itemName": "V2",
		"version": "2", "problem": "the item has another state, holder, token, start or screen"}})
	wantCode(t, s.as("kim").with("OPERATOR,ANALYST,SERVICE").ask(question), "FORBIDDEN")
	if _, text := s.send("GET", "/metrics", nil, ""); !strings.Contains(text, "occupy_history_faults 0") ||
		!strings.Contains(text, "occupy_history_verified_timestamp_seconds 0") {
		t.Error("the metrics do not tell of verifications")
	}
}
