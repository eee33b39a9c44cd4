package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Auth is how callers say who they are, which the console has to know before it asks
// anything.
type Auth string

// The ways: by headers that are believed, and by a token.
const (
	Dev Auth = "dev"
	JWT Auth = "jwt"
)

// Console answers browsers. Make one with New.
type Console struct {
	files fs.FS
	index []byte
	tag   string // of the index
}

// New serves what Vite made, for callers of an Auth.
func New(files fs.FS, auth Auth) *Console {
	c := &Console{files: files, index: unbuilt}
	if index, err := fs.ReadFile(files, "index.html"); err == nil {
		c.index = bytes.Replace(index, []byte(authMark), []byte(`data-auth="`+string(auth)+`"`), 1)
	}
	sum := sha256.Sum256(c.index)
	c.tag = `"` + hex.EncodeToString(sum[:8]) + `"`
	return c
}

// authMark is in the source of index.html.
const authMark = `data-auth="dev"`

// policy lets pages load and call nothing but this gateway. Styles may be written into
// the page: the editor of GraphiQL does that. Images may come as data, for its icons.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers with a file, or, for what a browser opens as a page, the index: the
// console's own router knows more paths than there are files.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages are asked for by GET", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Add("Vary", "Accept")
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	switch kind, known := kinds[path.Ext(name)]; {
	case known && name != indexName && c.serveFile(w, r, name, kind):
	case name == "" || wantsPage(r):
		c.serveIndex(w, r)
	default:
		http.NotFound(w, r)
	}
}

const indexName = "index.html"

// kinds are the types of all that Vite makes, by extension. The machine's own table of
// types is not asked: it is another one everywhere.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon",
	".js": "text/javascript; charset=utf-8", ".json": "application/json", ".png": "image/png",
	".svg": "image/svg+xml", ".ttf": "font/ttf", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2",
}

// serveFile returns false if there is none.
func (c *Console) serveFile(w http.ResponseWriter, r *http.Request, name, kind string) bool {
	content, err := fs.ReadFile(c.files, name)
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // another content has another name
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return true
}

// wantsPage tells a browser that opens a page from a program that looks for something.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// serveIndex has the index asked for again each time: it names the present files.
func (c *Console) serveIndex(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", kinds[".html"])
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", c.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(c.index))
}
