package console

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

var files = fstest.MapFS{
	"index.html":          {Data: []byte(`<html lang="en" data-auth="dev"><script src="/assets/index-B1.js"></script>`)},
	"mark.svg":            {Data: []byte(`<svg/>`)},
	"assets/index-B1.js":  {Data: []byte(`let here`)},
	"assets/index-B1.css": {Data: []byte(`body {}`)},
}

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

func get(c *Console, path, accept string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result()
}

func TestFilesAndPagesAreServed(t *testing.T) {
	const page, forEver, askAgain = "text/html; charset=utf-8", "public, max-age=31536000, immutable", "no-cache"
	c := New(files, Dev)
	for _, test := range []struct {
		path, accept string
		status       int
		kind, cache  string
	}{
		{"/", "*/*", 200, page, askAgain},
		{"/", browser, 200, page, askAgain},
		{"/index.html", browser, 200, page, askAgain},
		{"/history", browser, 200, page, askAgain},
		{"/history/LOT.1", browser, 200, page, askAgain},
		{"/history", "*/*", 404, "text/plain; charset=utf-8", ""},
		{"/mark.svg", "image/*", 200, "image/svg+xml", askAgain},
		{"/assets/index-B1.js", "*/*", 200, "text/javascript; charset=utf-8", forEver},
		{"/assets/index-B1.css", "text/css", 200, "text/css; charset=utf-8", forEver},
		{"/assets/index-B0.js", "*/*", 404, "text/plain; charset=utf-8", ""},
		{"/assets/../../serve.go", "*/*", 404, "text/plain; charset=utf-8", ""},
	} {
		r := get(c, test.path, test.accept)
		if r.StatusCode != test.status || r.Header.Get("Content-Type") != test.kind || r.Header.Get("Cache-Control") != test.cache {
			t.Errorf("%s for %s: %s, %v", test.path, test.accept, r.Status, r.Header)
		}
		if r.Header.Get("Content-Security-Policy") != policy || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", test.path, r.Header)
		}
	}
}

func TestOnlyGetsArePages(t *testing.T) {
	w := httptest.NewRecorder()
	New(files, Dev).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x")))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
}

// A gateway that was restarted with another Auth does not leave browsers with the index
// of the one before.
func TestIndexSaysHowCallersAreKnown(t *testing.T) {
	tags := map[string]bool{}
	for _, auth := range []Auth{Dev, JWT} {
		c := New(files, auth)
		if !strings.Contains(string(c.index), `data-auth="`+string(auth)+`"`) {
			t.Errorf("%s: %s", auth, c.index)
		}
		tag := get(c, "/", browser).Header.Get("ETag")
		tags[tag] = true
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		if c.ServeHTTP(w, r); w.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", auth, w.Code)
		}
	}
	if len(tags) != 2 {
		t.Errorf("the tags are %v", tags)
	}
}

func TestWithoutNodeAPageSaysSo(t *testing.T) {
	r := get(New(fstest.MapFS{".keep": {}}, Dev), "/", browser)
	text := make([]byte, 2000)
	n, _ := r.Body.Read(text)
	if r.StatusCode != http.StatusOK || !strings.Contains(string(text[:n]), "make console") {
		t.Errorf("%s: %s", r.Status, text[:n])
	}
}

// The source of the index has the mark that New looks for, and loads nothing from elsewhere.
func TestSourceOfTheIndex(t *testing.T) {
	source, err := os.ReadFile("index.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), authMark) {
		t.Errorf("index.html has no %s", authMark)
	}
	if elsewhere := regexp.MustCompile(`(src|href)="(https?:)?//`).Find(source); elsewhere != nil {
		t.Errorf("index.html loads %s", elsewhere)
	}
}

// graphiQL is the part that comes when it is opened, and is as large as it is.
const graphiQL = "src/questions/questions.tsx"

// All views together, GraphiQL apart.
func TestConsoleStaysSmall(t *testing.T) {
	text, err := fs.ReadFile(Built(), "parts.json")
	if err != nil {
		t.Fatalf("the console is not built; make console builds it: %v", err)
	}
	parts := map[string]struct {
		File           string
		Imports        []string
		DynamicImports []string
	}{}
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	var follow func(name string)
	follow = func(name string) {
		if ours[name] || name == graphiQL {
			return
		}
		ours[name] = true
		for _, next := range append(parts[name].Imports, parts[name].DynamicImports...) {
			follow(next)
		}
	}
	follow(indexName)
	sizes := map[bool]int{}
	for name, part := range parts {
		if strings.HasSuffix(part.File, ".js") {
			sizes[ours[name]] += packed(t, part.File)
		}
	}
	t.Logf("in gzip the console has %d bytes, GraphiQL %d", sizes[true], sizes[false])
	if sizes[true] > 300_000 || sizes[false] > 500_000 || sizes[false] < 100_000 {
		t.Error("more than they may, or GraphiQL is a part of the console")
	}
}

func packed(t *testing.T, name string) int {
	t.Helper()
	source, err := fs.ReadFile(Built(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(source); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// Every file that Vite made has a type.
func TestAllThatIsBuiltCanBeServed(t *testing.T) {
	c := New(Built(), Dev)
	err := fs.WalkDir(Built(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == ".keep" {
			return err
		}
		if r := get(c, "/"+name, "*/*"); r.StatusCode != http.StatusOK && name != indexName {
			t.Errorf("%s: %s", name, r.Status)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
