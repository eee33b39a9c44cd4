package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkPost is what the front takes for a query whose document came before, without
// the network and the database.
func BenchmarkPost(b *testing.B) {
	f := newFront(b, &fake{read: func(context.Context) error { return nil }})
	const body = `{"query":"query($type: String!, $name: String!) { occupancy(itemType: $type, itemName: $name) { renewals userId fencingToken expireTime version } }","variables":{"type":"LOT","name":"LOT-1"}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"kim"}, "X-Roles": {"OPERATOR"}, "Accept-Encoding": {"gzip"}}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "errors") {
			b.Fatal(w.Body)
		}
	}
}
