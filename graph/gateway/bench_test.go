package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"occupy/domain"
)

// Update finds the item free.
func (*fake) Update(_ context.Context, u domain.Update) error {
	u.Decide(time.Unix(1e9, 0), []domain.Occupancy{{ItemKey: u.Keys[0], State: domain.StateFree}})
	return nil
}

// BenchmarkPost is what the front takes for an occupy whose document came before,
// without the network and the database.
func BenchmarkPost(b *testing.B) {
	f := newFront(b, &fake{})
	const body = `{"query":"mutation Occupy($input: OccupyInput!) { occupy(input: $input) { ok code message occupancy { fencingToken expireTime } } }",` +
		`"variables":{"input":{"itemType":"LOT","itemName":"LOT-1","ttlSeconds":300,"uiName":"Bench"}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/graphql", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"kim"}, "X-Roles": {"OPERATOR"}, "Accept-Encoding": {"gzip"}}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"ok":true`) {
			b.Fatal(w.Body)
		}
	}
}
