package gateway

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"occupy/graph"
)

// Pages says which pages may call, beside those of the gateway's own origin.
type Pages struct {
	// Origins are such as https://mes.example.com or https://*.example.com.
	Origins []string
	// Header is one that a GET must have, whatever it says; none if empty. A foreign page
	// can not send it without asking first.
	Header string
}

// guard refuses what pages of other origins send, but for those that are allowed, and
// tells browsers that these are. What does not come from a page has no origin.
func (g *Gateway) guard(pages Pages, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		switch {
		case origin == "" && isForeign(r), origin != "" && !isSame(origin, r.Host) && !isAllowed(origin, pages.Origins):
			g.metrics.refuse("origin")
			refuse(w, http.StatusForbidden, graph.ErrorCodeForbidden, "this origin is not allowed")
			return
		case origin == "" || isSame(origin, r.Host):
		default:
			allow(w.Header(), origin, pages.Header)
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && pages.Header != "" && r.Header.Get(pages.Header) == "" {
			g.metrics.refuse("origin")
			refuse(w, http.StatusForbidden, graph.ErrorCodeForbidden, "a GET must have the header "+pages.Header)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isForeign tells whether a page of another origin has caused a request that has none,
// such as by a link or an image.
func isForeign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

func isSame(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// isAllowed matches patterns such as https://*.example.com.
func isAllowed(origin string, allowed []string) bool {
	return slices.ContainsFunc(allowed, func(pattern string) bool {
		matches, _ := path.Match(strings.ToLower(pattern), strings.ToLower(origin))
		return matches
	})
}

var sentByPages = []string{"Content-Type", "Content-Encoding", tokenHeader, behalfHeader, userHeader, rolesHeader, languageHeader, requestIDHeader}

func allow(h http.Header, origin, header string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", strings.TrimSuffix(strings.Join(append(sentByPages, header), ", "), ", "))
	h.Set("Access-Control-Expose-Headers", requestIDHeader+", Retry-After")
	h.Set("Access-Control-Max-Age", "600")
}
