package gateway

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"occupy/graph"
)

// origins refuses what pages of other origins send, but for those that are allowed,
// and tells browsers that these are. What does not come from a page has no origin.
func (g *Gateway) origins(allowed []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		switch {
		case origin == "" || isSame(origin, r.Host):
		case !isAllowed(origin, allowed):
			g.metrics.refuse("origin")
			refuse(w, http.StatusForbidden, graph.ErrorCodeForbidden, "this origin is not allowed")
			return
		default:
			allow(w.Header(), origin)
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
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

func allow(h http.Header, origin string) {
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", strings.Join([]string{"Content-Type", tokenHeader, behalfHeader, userHeader, rolesHeader, languageHeader, requestIDHeader}, ", "))
	h.Set("Access-Control-Expose-Headers", requestIDHeader)
	h.Set("Access-Control-Max-Age", "600")
}
