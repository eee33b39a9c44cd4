package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"occupy/graph/documents"
)

// send sends any HTTP request as kim.
func (f *front) send(t testing.TB, method, path string, header http.Header, body io.Reader) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, f.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header.Clone()
	request.Header.Set("X-User-Id", "kim")
	return f.do(t, request)
}

func (f *front) do(t testing.TB, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

var sentAsJSON = http.Header{"Content-Type": {"application/json"}}

// onEachTransport asks by POST, as a stream, and on a socket, and gives what came.
func (f *front) onEachTransport(t *testing.T, query string) map[string]string {
	t.Helper()
	k := f.connect(t)
	k.subscribe("1", query)
	text, err := k.hear()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"POST": f.post(t, query, "application/json"), "SSE": f.post(t, query, "text/event-stream"), "WebSocket": text,
	}
}

// What is not to be carried out is refused the same way, however it comes.
func TestRefusalsOnEveryTransport(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Documents.Limits = documents.Limits{Depth: 3, Cost: 60} })
	for query, code := range map[string]string{
		`{ me { userId }`:                       `"GRAPHQL_PARSE_FAILED"`,
		`{ nobody }`:                            `"GRAPHQL_VALIDATION_FAILED"`,
		`{ a: me { userId } b: me { userId } }`: `"code":"LIMIT_EXCEEDED","limit":"cost","maximum":60`,
		`{ occupancies(first: 0) { nodes { holder { userId } } } }`:                  `"code":"LIMIT_EXCEEDED","limit":"depth","maximum":3`,
		`{ __schema { description } }`:                                               `"GRAPHQL_VALIDATION_FAILED"`,
		`subscription { a: occupancyChanged { kind } b: occupancyChanged { kind } }`: `"GRAPHQL_VALIDATION_FAILED"`,
		`query a { me { userId } } query b { me { userId } }`:                        `"GRAPHQL_VALIDATION_FAILED"`,
	} {
		for transport, got := range f.onEachTransport(t, query) {
			if !strings.Contains(got, code) || strings.Contains(got, `"data":{`) {
				t.Errorf("%s %s: %s, want %s", transport, query, got, code)
			}
		}
	}
}

// Case H6: nobody is told what they could have meant, nor hears much of what they said.
func TestErrorsAreShortAndGuessNothing(t *testing.T) {
	f := newFront(t, &fake{})
	long := strings.Repeat("a", 100_000)
	for _, query := range []string{
		`{ mee { userId } }`, `{ me }`, `{ holder(itemTyp: "LOT", itemName: "x") { userId } }`, `{ me { ... on Caler { userId } } }`,
		`{ occupancies(where: {stat: {eq: FREE}}) { totalCount } }`, `{ occupancies(where: {state: {eq: FRE}}) { totalCount } }`,
		`{ me { userId @skipp(if: true) } }`, `{ me { userId @skip(iff: true) } }`, `query($w: OccupancyWher) { occupancies(where: $w) { totalCount } }`,
		`{ holder(itemType: ` + long[:190] + `, itemName: 5) { userId } }`, `{ occupancies(first: "` + long + `") { totalCount } }`,
		`{ me { "` + long + `" } }`, `{ ` + long + ` }`, `{ me { userId` + strings.Repeat(" @x", 3000) + ` } }`,
		"{" + strings.Repeat(" nobody", 700) + " }",
	} {
		for transport, got := range f.onEachTransport(t, query) {
			if strings.Contains(got, "Did you mean") || !strings.Contains(got, `"code":`) || len(got) > 20_000 || strings.Contains(got, long) {
				t.Errorf("%s %.60s: %d bytes, %.500s", transport, query, len(got), got)
			}
		}
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Case H5: a body of any size is refused without being kept.
func TestALargeBodyTakesNoMemory(t *testing.T) {
	f := newFront(t, &fake{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 5 {
		response, text := f.send(t, http.MethodPost, "/graphql", sentAsJSON, io.LimitReader(zeros{}, 50<<20))
		if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, `"LIMIT_EXCEEDED"`) {
			t.Errorf("%s %.200s", response.Status, text)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 50<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
	small := newFront(t, &fake{}, func(c *Config) { c.Limits.Body = 100 })
	if response, _ := small.send(t, http.MethodPost, "/graphql", sentAsJSON, strings.NewReader(fmt.Sprintf(`{"query":"{ me { userId } }","x":"%0100d"}`, 0))); response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(response.Status)
	}
}

// The deadline of a request is that of what it asks the database.
func TestTimeOfARequestIsThatOfItsStatements(t *testing.T) {
	f := newFront(t, &fake{read: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, func(c *Config) { c.Limits.Request = 50 * time.Millisecond })
	got := f.post(t, `{ occupancy(itemType: "LOT", itemName: "x") { version } }`, "application/json")
	if !strings.Contains(got, `"UNAVAILABLE"`) || !strings.Contains(got, "took too long") {
		t.Error(got)
	}
}
