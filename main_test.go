package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/domain"
	"occupy/persistence/devstack"
)

// The API as its callers see it: GraphQL text in, JSON out, through run, on a real
// PostgreSQL and Redis.

// template is the migrated database that every test gets a copy of.
const template = "occupy"

var stack *devstack.Stack

func TestMain(m *testing.M) {
	if os.Getenv(gatewayProcess) != "" {
		main()
		return
	}
	os.Exit(devstack.Main(m, devstack.Options{Postgres: true, Redis: true}, func(s *devstack.Stack) error {
		stack = s
		c, err := loadConfig(map[string]string{"DATABASE_URL": s.DatabaseURL(template)})
		if err != nil {
			return err
		}
		store, err := openStore(context.Background(), c)
		if err == nil {
			store.Close() // nobody may be connected to a template when it is copied
		}
		return err
	}))
}

// unlimited: a test sends as much as a floor, from one address and as a few users.
const unlimited = "OCCUPY_RATE_LIMITS=off"

// server is one running Occupy.
type server struct {
	t       *testing.T
	address string
	url     string // of its database
	db      *pgxpool.Pool
	stop    func() error  // shuts down, and waits
	stopped chan struct{} // closed then
}

// newServer runs one on a database of its own.
func newServer(t *testing.T, settings ...string) *server {
	t.Helper()
	url, err := stack.NewDatabase(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	return newServerOn(t, url, settings...)
}

// newServerOn runs one on a database. Settings are "NAME=value".
func newServerOn(t *testing.T, url string, settings ...string) *server {
	t.Helper()
	c := config(t, append([]string{"OCCUPY_LISTEN=127.0.0.1:0", unlimited, "OCCUPY_RESTART_NOTICE=0s", "DATABASE_URL=" + url, "REDIS_URL=" + stack.RedisURL()}, settings...)...)
	started, failed := make(chan string, 1), make(chan error, 1)
	c.started = func(address string, _ *domain.Service) { started <- address }
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{t: t, url: url, stopped: make(chan struct{})}
	var result error
	go func() {
		defer close(s.stopped)
		result = run(ctx, c)
		failed <- result
	}()
	s.stop = func() error { cancel(); <-s.stopped; return result }
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	select {
	case s.address = <-started:
	case err := <-failed:
		t.Fatal(err)
	}
	return s
}

func config(t *testing.T, settings ...string) Config {
	t.Helper()
	environment := map[string]string{}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		environment[name] = value
	}
	c, err := loadConfig(environment)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pool connects to the database behind the service's back.
func (s *server) pool() *pgxpool.Pool {
	s.t.Helper()
	if s.db == nil {
		var err error
		if s.db, err = pgxpool.New(s.t.Context(), s.url); err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(s.db.Close)
	}
	return s.db
}

func (s *server) sql(statement string, args ...any) {
	s.t.Helper()
	if _, err := s.pool().Exec(context.WithoutCancel(s.t.Context()), statement, args...); err != nil {
		s.t.Fatal(err)
	}
}

// eventually waits for something that happens by itself.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	deadline, tick := time.After(20*time.Second), time.Tick(20*time.Millisecond)
	for !happened() {
		select {
		case <-deadline:
			t.Fatal("waited in vain until " + what)
		case <-tick:
		}
	}
}

// runOut moves an item's hold into the past: its time ran out a moment ago.
func (s *server) runOut(itemName string) {
	s.t.Helper()
	s.sql(`UPDATE ct_occupy_item SET start_time = start_time - interval '1 hour', reg_dt = reg_dt - interval '1 hour',
		updt_dt = updt_dt - interval '1 hour', expire_time = clock_timestamp() - interval '1 second' WHERE item_name = $1`, itemName)
}

// caller asks as somebody. Fields are headers.
type caller struct {
	server                *server
	user, roles, language string
	more                  http.Header
}

func (s *server) as(user string) caller { return caller{server: s, user: user} }

func (c caller) with(roles string) caller { c.roles = roles; return c }

func (c caller) in(language string) caller { c.language = language; return c }

func (c caller) headers() http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	for name, value := range map[string]string{"X-User-Id": c.user, "X-Roles": c.roles, "Accept-Language": c.language} {
		if value != "" {
			h.Set(name, value)
		}
	}
	maps.Copy(h, c.more)
	return h
}

// answer is a GraphQL response.
type answer struct {
	Data   object
	Errors []struct {
		Message    string
		Path       []any
		Extensions object
	}
}

// object is a JSON object, read by dotted paths.
type object map[string]any

// at is the value at a path such as "occupy.occupancy.userId", nil if there is none.
func (o object) at(path string) any {
	var v any = map[string]any(o)
	for step := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	return v
}

// ask sends a request. Variables, if any, are one object.
func (c caller) ask(query string, variables ...object) answer {
	c.server.t.Helper()
	request := object{"query": query}
	if len(variables) > 0 {
		request["variables"] = variables[0]
	}
	body, _ := json.Marshal(request)
	_, text := c.server.send(http.MethodPost, "/graphql", c.headers(), string(body))
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		c.server.t.Fatalf("%s: %v", text, err)
	}
	return a
}

// try is ask of a gateway that may be gone.
func (c caller) try(query string) (a answer, err error) {
	body, _ := json.Marshal(object{"query": query})
	request, err := http.NewRequest(http.MethodPost, "http://"+c.server.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	request.Header = c.headers()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	return a, json.NewDecoder(response.Body).Decode(&a)
}

// must is ask for what has to succeed.
func (c caller) must(query string, variables ...object) object {
	c.server.t.Helper()
	a := c.ask(query, variables...)
	if len(a.Errors) > 0 {
		c.server.t.Fatalf("%s: %+v", query, a.Errors)
	}
	return a.Data
}

// command sends a mutation with its input and gives its payload.
func (c caller) command(name string, input object) object {
	c.server.t.Helper()
	payload := c.must(mutation(name), object{"input": input}).at(name)
	return object(payload.(map[string]any))
}

// payloads are the fields of the mutations' payloads beside ok, code and message.
var payloads = map[string]string{
	"occupy":    "occupancy {...o} retryAfterSeconds",
	"occupyAll": "occupancies {...o} blockers {...o} retryAfterSeconds",
	"freeAll":   "occupancies {...o}",
}

func mutation(name string) string {
	return `mutation($input: ` + strings.ToUpper(name[:1]) + name[1:] + `Input!) {
		` + name + `(input: $input) { ok code message ` + cmp.Or(payloads[name], "occupancy {...o}") + ` } }
		fragment o on Occupancy { id itemType itemName state userId session startTime expireTime remainingSeconds uiName menuName
			fencingToken version renewals registeredBy registeredAt updatedBy updatedAt holder { userId session } }`
}

// send sends any HTTP request.
func (s *server) send(method, path string, header http.Header, body string) (*http.Response, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+path, bytes.NewReader([]byte(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(text)
}

// lot is the input of a command on a LOT.
func lot(name string, more ...any) object {
	o := object{"itemType": "LOT", "itemName": name}
	for i := 0; i < len(more); i += 2 {
		o[more[i].(string)] = more[i+1]
	}
	return o
}

// want compares values at paths, given in turns with what is wanted there.
func want(t *testing.T, got object, pairs ...any) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := pairs[i].(string)
		wanted, _ := json.Marshal(pairs[i+1])
		seen, _ := json.Marshal(got.at(path))
		if string(seen) != string(wanted) {
			t.Errorf("%s is %s, want %s", path, seen, wanted)
		}
	}
}
