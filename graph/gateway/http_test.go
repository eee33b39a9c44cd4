package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"occupy/domain"
)

const who = `{"query":"{ me { userId } }"}`

func TestStatusAndMediaType(t *testing.T) {
	f := newFront(t, &fake{read: func(context.Context) error { return domain.ErrUnavailable }}, func(c *Config) { c.Documents.Introspection = true })
	badUser := http.Header{"X-Roles": {"BOSS"}}
	for _, c := range []struct {
		method, path, accept, body string
		header                     http.Header
		status                     int
		media, part                string
	}{
		{"POST", "", "", who, nil, 200, mediaJSON, `{"data":{"me":{"userId":"kim"}}}`},
		{"POST", "", mediaGraphQL + ";q=0.5, application/json;q=0.4", who, nil, 200, mediaGraphQL, `"kim"`},
		{"POST", "", mediaGraphQL + ";q=0, */*", who, nil, 200, mediaJSON, `"kim"`},
		{"POST", "", "text/html, application/*;q=0.1", who, nil, 200, mediaJSON, `"kim"`},
		{"POST", "", "text/html", who, nil, 406, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"POST", "", mediaGraphQL, `{"query":"{ nobody }"}`, nil, 400, mediaGraphQL, "GRAPHQL_VALIDATION_FAILED"},
		{"POST", "", mediaJSON, `{"query":"{ nobody }"}`, nil, 200, mediaJSON, "GRAPHQL_VALIDATION_FAILED"},
		{"POST", "", mediaGraphQL, `{"query":"{ occupancy(itemType: \"LOT\", itemName: \"x\") { version } }"}`, nil, 200, mediaGraphQL, `"data":null`},
		{"POST", "", mediaJSON, who, badUser, 401, mediaJSON, "UNAUTHENTICATED"},
		{"POST", "", mediaJSON, `{"query":"subscription { occupancyChanged { at } }"}`, nil, 200, mediaJSON, "text/event-stream"},
		{"POST", "", mediaGraphQL, `{"query":"subscription { occupancyChanged { at } }"}`, nil, 400, mediaGraphQL, "text/event-stream"},
		{"POST", "", "", who + " x", nil, 400, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"POST", "", "", "[" + who + "]", nil, 400, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"POST", "", "", `{"query":""}`, nil, 400, mediaJSON, "no query"},
		{"POST", "", "", who, http.Header{"Content-Type": {"text/plain"}}, 415, mediaJSON, "application/json"},
		{"POST", "", "", who, http.Header{"Content-Type": {"application/json; charset=latin1"}}, 415, mediaJSON, "application/json"},
		{"POST", "", "", "--x", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, 415, mediaJSON, "application/json"},
		{"POST", "", "", who, http.Header{"Content-Encoding": {"br"}}, 415, mediaJSON, "gzip"},
		{"POST", "", "", who, http.Header{"Content-Encoding": {"gzip"}}, 400, mediaJSON, "to its end"},
		{"GET", "query={me{userId}}", "", "", nil, 200, mediaJSON, `"kim"`},
		{"GET", "query=query($n:String!){__type(name:$n){name}}&variables=" + `{"n":"Query"}`, "", "", nil, 200, mediaJSON, `"data":`},
		{"GET", "query={me{userId}}&variables=5", "", "", nil, 400, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"GET", "", "", "", nil, 400, mediaJSON, "no query"},
		{"GET", "query=mutation{free(input:{itemType:\"LOT\",itemName:\"x\"}){ok}}", "", "", nil, 405, mediaJSON, "GRAPHQL_VALIDATION_FAILED"},
		{"PUT", "", "", who, nil, 405, mediaJSON, "GRAPHQL_PARSE_FAILED"},
		{"HEAD", "", "", "", nil, 405, mediaJSON, ""},
		{"OPTIONS", "", "", "", nil, 204, "", ""},
	} {
		header := http.Header{"Content-Type": {"application/json"}}
		for name, values := range c.header {
			header[name] = values
		}
		if c.accept != "" {
			header.Set("Accept", c.accept)
		}
		name, value, _ := strings.Cut(c.path, "&variables=")
		path := "/graphql"
		if c.path != "" {
			path += "?query=" + url.QueryEscape(strings.TrimPrefix(name, "query=")) + "&variables=" + url.QueryEscape(value)
		}
		response, text := f.send(t, c.method, path, header, strings.NewReader(c.body))
		media, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
		if response.StatusCode != c.status || media != c.media || !strings.Contains(text, c.part) {
			t.Errorf("%s %s %s accepting %q: %s %s %s, want %d %s %s", c.method, c.path, c.body, c.accept, response.Status, media, text, c.status, c.media, c.part)
		}
		if c.status == 405 && response.Header.Get("Allow") == "" {
			t.Errorf("%s: what is allowed is not told", c.method)
		}
		if text != "" && response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s may be kept by a proxy", c.method, c.path)
		}
	}
}

func TestAStoppingGatewaySaysWhenToComeBack(t *testing.T) {
	f := newFront(t, &fake{})
	f.Drain()
	response, text := f.send(t, http.MethodPost, "/graphql", sentAsJSON, strings.NewReader(who))
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || !strings.Contains(text, "UNAVAILABLE") {
		t.Errorf("%s %v %s", response.Status, response.Header, text)
	}
}

func TestLongResponsesArePacked(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Documents.Introspection = true })
	header := http.Header{"Content-Type": {"application/json"}, "Accept-Encoding": {"gzip"}}
	long := `{"query":"{ __schema { types { name description fields { name description } } } }"}`
	response, packed := f.send(t, http.MethodPost, "/graphql", header, strings.NewReader(long))
	if response.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(response.Header.Get("Vary"), "Accept-Encoding") {
		t.Fatalf("%v", response.Header)
	}
	_, plain := f.send(t, http.MethodPost, "/graphql", http.Header{"Content-Type": {"application/json"}, "Accept-Encoding": {"identity"}}, strings.NewReader(long))
	unpacking, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacking); err != nil || string(text) != plain || len(packed) > len(plain)/2 {
		t.Errorf("%d bytes packed, %d plain; %v", len(packed), len(plain), err)
	}
	if response, _ = f.send(t, http.MethodPost, "/graphql", header, strings.NewReader(who)); response.Header.Get("Content-Encoding") != "" {
		t.Error("a short one is packed")
	}
	header.Set("Accept", "text/event-stream")
	if response, text := f.send(t, http.MethodPost, "/graphql", header, strings.NewReader(long)); response.Header.Get("Content-Encoding") != "" || !strings.Contains(text, "event: next") {
		t.Errorf("a stream: %v", response.Header)
	}
}

func pack(text []byte) *bytes.Buffer {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(text)
	_ = w.Close()
	return &packed
}

// A packed request is bounded by what it is when unpacked.
func TestPackedRequests(t *testing.T) {
	f := newFront(t, &fake{})
	header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
	if response, text := f.send(t, http.MethodPost, "/graphql", header, pack([]byte(who))); response.StatusCode != http.StatusOK || !strings.Contains(text, `"kim"`) {
		t.Errorf("%s %s", response.Status, text)
	}
	bomb := pack(bytes.Repeat([]byte(" "), 50<<20))
	if response, text := f.send(t, http.MethodPost, "/graphql", header, bomb); response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d bytes that are 50 MB: %s %s", bomb.Len(), response.Status, text)
	}
	half := pack([]byte(who)).Bytes()
	if response, text := f.send(t, http.MethodPost, "/graphql", header, bytes.NewReader(half[:len(half)/2])); response.StatusCode != http.StatusBadRequest {
		t.Errorf("%s %s", response.Status, text)
	}
}

// No foreign page can cause a request without the browser's asking first.
func TestSimpleRequestsOfForeignPages(t *testing.T) {
	f := newFront(t, &fake{}, func(c *Config) { c.Origins = []string{"https://mes.example.com"}; c.Header = "X-Requested-With" })
	get := "/graphql?query=" + url.QueryEscape("{ me { userId } }")
	for _, c := range []struct {
		header http.Header
		status int
	}{
		{http.Header{}, http.StatusForbidden},
		{http.Header{"X-Requested-With": {"x"}}, http.StatusOK},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"none"}}, http.StatusOK},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"same-origin"}}, http.StatusOK},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"cross-site"}}, http.StatusForbidden},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"same-site"}}, http.StatusForbidden},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://mes.example.com"}}, http.StatusOK},
		{http.Header{"X-Requested-With": {"x"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, http.StatusForbidden},
	} {
		if response, text := f.send(t, http.MethodGet, get, c.header, nil); response.StatusCode != c.status {
			t.Errorf("%v: %s %s", c.header, response.Status, text)
		}
	}
	response, _ := f.send(t, http.MethodOptions, "/graphql", http.Header{"Origin": {"https://mes.example.com"}}, nil)
	if !strings.HasSuffix(response.Header.Get("Access-Control-Allow-Headers"), ", X-Requested-With") {
		t.Error(response.Header)
	}
	f.connect(t) // a socket can not send it, and says its origin
}
