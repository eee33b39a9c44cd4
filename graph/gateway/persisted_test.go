package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occupy/graph/documents"
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

const askMe = "query Me { me { userId } }"

// manifest is what graphql-codegen writes: ids and texts.
func manifest(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "persisted-documents.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// knowing is a front that carries out two documents, one by its hash and one by a name.
func knowing(t *testing.T, only bool) *front {
	known, err := documents.ReadManifest(manifest(t, fmt.Sprintf(`{%q: %q, "watch": %q}`, hashOf(askMe), askMe, watch)))
	if err != nil {
		t.Fatal(err)
	}
	return newFront(t, &fake{}, func(c *Config) { c.Documents.Known, c.Documents.OnlyKnown = known, only })
}

func persisted(hash string) string {
	return fmt.Sprintf(`"extensions":{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hash)
}

// byEach sends what a request has by every transport, and gives what came.
func (f *front) byEach(t *testing.T, fields string) map[string]string {
	t.Helper()
	k := f.connect(t)
	k.say(`{"id":"1","type":"subscribe","payload":{` + fields + `}}`)
	socket, err := k.hear()
	if err != nil {
		t.Fatal(err)
	}
	stream := http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	_, sse := f.send(t, http.MethodPost, "/graphql", stream, strings.NewReader("{"+fields+"}"))
	_, post := f.send(t, http.MethodPost, "/graphql", sentAsJSON, strings.NewReader("{"+fields+"}"))
	return map[string]string{"POST": post, "SSE": sse, "WebSocket": socket}
}

func (f *front) wantFromEach(t *testing.T, fields, want string) {
	t.Helper()
	for transport, got := range f.byEach(t, fields) {
		if !strings.Contains(got, want) {
			t.Errorf("%s {%s}: %s, want %s", transport, fields, got, want)
		}
	}
}

func TestOnlyKnownDocuments(t *testing.T) {
	f := knowing(t, true)
	other := "query Other { me { userId roles } }"
	for fields, want := range map[string]string{
		fmt.Sprintf(`"documentId":%q`, hashOf(askMe)):                 `"kim"`,
		fmt.Sprintf(`"documentId":"sha256:%s"`, hashOf(askMe)):        `"kim"`,
		fmt.Sprintf(`"query":%q`, askMe):                              `"kim"`,
		persisted(hashOf(askMe)):                                      `"kim"`,
		fmt.Sprintf(`"query":%q,%s`, askMe, persisted(hashOf(askMe))): `"kim"`,
		fmt.Sprintf(`"query":%q`, other):                              `DOCUMENT_NOT_KNOWN`,
		fmt.Sprintf(`"query":%q`, askMe+" "):                          `DOCUMENT_NOT_KNOWN`,
		`"query":"{ __schema { description } }"`:                      `DOCUMENT_NOT_KNOWN`,
		`"query":"nonsense"`:                                          `DOCUMENT_NOT_KNOWN`,
		`"documentId":"else"`:                                         `DOCUMENT_NOT_KNOWN`,
		persisted(hashOf(other)):                                      `DOCUMENT_NOT_KNOWN`,
		fmt.Sprintf(`"query":%q,%s`, other, persisted(hashOf(other))): `DOCUMENT_NOT_KNOWN`,
	} {
		f.wantFromEach(t, fields, want)
	}
	for id, want := range map[string]string{hashOf(askMe): `"kim"`, "else": "DOCUMENT_NOT_KNOWN"} {
		if _, text := f.send(t, http.MethodGet, "/graphql?documentId="+id, http.Header{}, nil); !strings.Contains(text, want) {
			t.Errorf("GET %s: %s", id, text)
		}
	}
	k := f.connect(t)
	k.say(`{"id":"1","type":"subscribe","payload":{"documentId":"watch"}}`)
	f.waitForSubscribers(t, 1)
	f.fake.change("A", 1)
	f.hub.Ring()
	k.want(change("1", "A", 1))
}

func TestDocumentsAreFoundByTheHashOfOneThatWasSent(t *testing.T) {
	f := newFront(t, &fake{})
	f.wantFromEach(t, persisted(hashOf(askMe)), `{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}`)
	f.wantFromEach(t, fmt.Sprintf(`"query":"{ me { roles } }",%s`, persisted(hashOf(askMe))), "GRAPHQL_VALIDATION_FAILED")
	bad := "{ nobody }"
	f.wantFromEach(t, fmt.Sprintf(`"query":%q,%s`, bad, persisted(hashOf(bad))), "GRAPHQL_VALIDATION_FAILED")
	f.wantFromEach(t, persisted(hashOf(bad)), "PERSISTED_QUERY_NOT_FOUND")
	f.wantFromEach(t, persisted(hashOf(askMe)), "PERSISTED_QUERY_NOT_FOUND")
	f.wantFromEach(t, fmt.Sprintf(`"query":%q,%s`, askMe, persisted(hashOf(askMe))), `"kim"`)
	f.wantFromEach(t, persisted(hashOf(askMe)), `"kim"`)
	f.wantFromEach(t, fmt.Sprintf(`"documentId":"sha256:%s"`, hashOf(askMe)), `"kim"`)
	q := url.Values{"extensions": {`{"persistedQuery":{"version":1,"sha256Hash":"` + hashOf(askMe) + `"}}`}}
	if _, text := f.send(t, http.MethodGet, "/graphql?"+q.Encode(), http.Header{}, nil); !strings.Contains(text, `"kim"`) {
		t.Errorf("GET: %s", text)
	}
}

func TestWrongNamesOfDocuments(t *testing.T) {
	f := knowing(t, false)
	for fields, want := range map[string]string{
		`"query":"{ me { userId roles } }"`:                `"kim"`,
		`"documentId":"watch","query":"{ me { userId } }"`: "GRAPHQL_VALIDATION_FAILED",
		`"documentId":"else"`:                              "PERSISTED_QUERY_NOT_FOUND",
		`"extensions":{"persistedQuery":{"version":2,"sha256Hash":"` + hashOf(askMe) + `"}}`: "version 1",
		`"extensions":{"persistedQuery":{"version":1,"sha256Hash":"abc"}}`:                   "64 hexadecimal",
		`"extensions":{"persistedQuery":5}`:                                                  "sha256Hash",
	} {
		f.wantFromEach(t, fields, want)
	}
	for _, content := range []string{`[]`, `{}`, `{"a": 5}`, `{"a": ""}`, `{"": "{ me { userId } }"}`, `x`} {
		if _, err := documents.ReadManifest(manifest(t, content)); err == nil {
			t.Errorf("%s is taken", content)
		}
	}
}

// What was sent with its hash is bounded like everything that is kept.
func TestDocumentsThatWereSentAreForgotten(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Documents.CacheBytes = 20_000 })
	for i := range 100 {
		text := fmt.Sprintf("query Q%d { me { userId } }", i)
		f.send(t, http.MethodPost, "/graphql", sentAsJSON, strings.NewReader(fmt.Sprintf(`{"query":%q,%s}`, text, persisted(hashOf(text)))))
	}
	for number, want := range map[int]string{0: "PERSISTED_QUERY_NOT_FOUND", 99: `"kim"`} {
		f.wantFromEach(t, persisted(hashOf(fmt.Sprintf("query Q%d { me { userId } }", number))), want)
	}
}
