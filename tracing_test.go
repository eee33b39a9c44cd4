package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// traces is a collector that keeps what it is sent.
type traces struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*spans.Span
	raw   strings.Builder
}

func newTraces(t *testing.T) *traces {
	c := &traces{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &sent); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw.Write(body)
		for _, of := range sent.ResourceSpans {
			for _, in := range of.ScopeSpans {
				c.spans = append(c.spans, in.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// named are the spans of that name.
func (c *traces) named(name string) (found []*spans.Span) {
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// tree writes a span and what is in it, one name a line, in order of beginning.
func (c *traces) tree(of *spans.Span, depth int) string {
	text := strings.Repeat("  ", depth) + of.Name + "\n"
	for _, s := range c.spans {
		if string(s.ParentSpanId) == string(of.SpanId) {
			text += c.tree(s, depth+1)
		}
	}
	return text
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
)

// One occupy is one trace, which its caller began, from the request down to the
// statements.
func TestATraceGoesFromTheRequestToTheStatements(t *testing.T) {
	log := logged(t, "OCCUPY_LOG_FORMAT=json", "OCCUPY_LOG_LEVEL=DEBUG")
	c := newTraces(t)
	s := newServer(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	header := s.as("kim").headers()
	header.Set("Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01")
	header.Set("Authorization", "Bearer my-token")
	_, text := s.send(http.MethodPost, "/graphql", header, `{"query": "mutation($i: OccupyInput!) { occupy(input: $i) { code } }",
		"variables": {"i": {"itemType": "LOT", "itemName": "MY-VARIABLE"}}}`)
	if !strings.Contains(text, "GRANTED") {
		t.Fatal(text)
	}
	s.as("kim").must(`{ __typename }`)
	if err := s.stop(); err != nil { // sends what it has
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"traceId":"`+callersTrace+`"`) {
		t.Errorf("the log does not say of which trace the operation is: %s", log)
	}
	requests := c.named("POST /graphql")
	if len(requests) != 2 {
		t.Fatalf("%d requests in %v", len(requests), c.spans)
	}
	first := requests[0]
	if hex.EncodeToString(first.TraceId) != callersTrace || hex.EncodeToString(first.ParentSpanId) != callersSpan {
		t.Errorf("not the caller's trace: %v", first)
	}
	tree := c.tree(first, 0)
	for _, line := range []string{"POST /graphql\n  mutation occupy\n    occupy\n      update group\n        ", "LockItems\n", "COMMIT\n"} {
		if !strings.Contains(tree, line) {
			t.Errorf("no %q in\n%s", line, tree)
		}
	}
	for _, secret := range []string{"my-token", "MY-VARIABLE"} {
		if strings.Contains(c.raw.String(), secret) {
			t.Errorf("%s is in a trace", secret)
		}
	}
	for _, s := range c.spans {
		if len(s.ParentSpanId) == 0 && s.Name != "POST /graphql" {
			t.Errorf("%s is nobody's", s.Name)
		}
	}
}

// A group serves several callers: it is part of one's trace, and linked with the others'.
func TestATraceOfAGroupIsLinkedToAllItServes(t *testing.T) {
	c := newTraces(t)
	s := newServer(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OCCUPY_TRANSACTIONS=1")
	s.as("kim").command("occupy", lot("FIRST"))
	tx, err := s.pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM ct_occupy_item WHERE item_name = 'FIRST' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	waiting := func() float64 {
		return valueOf(s.metrics()["occupy_group_waiting_callers"], map[string]string{"queue": "update"})
	}
	running := func() float64 { return valueOf(s.metrics()["occupy_running_operations"], map[string]string{}) }
	var load sync.WaitGroup
	load.Go(func() { s.as("kim").command("renew", lot("FIRST")) })
	eventually(t, "the first has its turn", func() bool { return running() == 1 && waiting() == 0 })
	const others = 3
	for i := range others {
		load.Go(func() { s.as("kim").command("occupy", lot(fmt.Sprint("LOT", i))) })
	}
	eventually(t, "the others wait", func() bool { return waiting() >= others })
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	load.Wait()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	callers := map[string]string{} // by span: which group served it
	for _, field := range c.named("occupy") {
		for _, link := range field.Links {
			callers[string(field.SpanId)] = string(link.SpanId)
		}
	}
	linked := 0
	for _, group := range c.named("update group") {
		for _, link := range group.Links {
			linked++
			if callers[string(link.SpanId)] != string(group.SpanId) {
				t.Errorf("the group is linked to %x, and that is not linked to the group", link.SpanId)
			}
		}
	}
	if linked != others-1 {
		t.Errorf("%d callers are linked beside the one whose trace it is, want %d", linked, others-1)
	}
}

func TestTheTraceEndpointIsChecked(t *testing.T) {
	for _, endpoint := range []string{"collector", "collector:4318", "ftp://collector", "http://"} {
		c := config(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint)
		if _, err := c.openTraces(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "OTEL_EXPORTER_OTLP_ENDPOINT ") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	c := config(t)
	if _, err := c.openTraces(t.Context()); c.traces != nil || err != nil {
		t.Errorf("without an endpoint: %v, %v", c.traces, err)
	}
}
