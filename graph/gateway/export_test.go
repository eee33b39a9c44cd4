package gateway

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"occupy/domain"
)

// past is an archive of so many history rows, in which item LOT-n has row n.
type past struct {
	fake
	rows  int
	asked atomic.Int32               // pages
	fault func(page int) error       // of that page, nil if there is none
	entry func(*domain.HistoryEntry) // what else a row has
}

var atNoon = time.Date(2026, 3, 2, 12, 0, 0, 1000, time.UTC)

func (p *past) History(_ context.Context, q domain.HistoryQuery) (domain.Page[domain.HistoryEntry], error) {
	page := domain.Page[domain.HistoryEntry]{Cut: q.Cut}
	if p.fault != nil {
		if err := p.fault(int(p.asked.Load())); err != nil {
			return page, err
		}
	}
	p.asked.Add(1)
	n := 0
	if q.Cut.After != nil {
		_, _ = fmt.Sscan(strings.TrimLeft(q.Cut.After[1], "0"), &n)
	}
	for n++; n <= p.rows && len(page.Nodes) < q.Cut.Limit; n++ {
		h := domain.HistoryEntry{ItemKey: domain.ItemKey{ItemType: "LOT", ItemName: fmt.Sprint("LOT-", n)}, TimeKey: fmt.Sprintf("%032d", n),
			State: domain.StateOccupied, Event: domain.EventOccupied, UserID: "kim", FencingToken: int64(n), Version: 1, Actor: "kim",
			StartTime: atNoon, ExpireTime: atNoon, At: atNoon}
		if p.entry != nil {
			p.entry(&h)
		}
		page.Nodes = append(page.Nodes, h)
		page.Cursors = append(page.Cursors, domain.Cursor{"TIME", h.TimeKey})
	}
	page.More = n <= p.rows
	return page, nil
}

func newPast(t testing.TB, p *past, options ...func(*Config)) *front {
	t.Helper()
	return newFront(t, &p.fake, append(options, func(c *Config) { c.Service.Archive = p })...)
}

// export asks for a file as somebody.
func (f *front) export(t testing.TB, path string, header ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+"/export/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-User-Id", "ana")
	request.Header.Set("X-Roles", "ANALYST")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func bodyOf(t testing.TB, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%v after %d bytes", err, len(body))
	}
	return string(body)
}

func TestExportsHaveEachRowOnce(t *testing.T) {
	const rows = 2*exportPage + 7
	f := newPast(t, &past{rows: rows})
	response := f.export(t, "history.csv")
	records, err := csv.NewReader(strings.NewReader(bodyOf(t, response))).ReadAll()
	if err != nil || len(records) != rows+1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	want := "[00000000000000000000000000000001 2026-03-02T12:00:00.000001Z LOT LOT-1 OCCUPIED OCCUPIED kim  2026-03-02T12:00:00.000001Z 2026-03-02T12:00:00.000001Z   1 1 0  kim]"
	if got := fmt.Sprint(records[1]); got != want || records[0][0] != "timeKey" || records[rows][3] != fmt.Sprint("LOT-", rows) {
		t.Errorf("%s\n%v\n%v", got, records[0], records[rows])
	}
	if h := response.Header; h.Get("Content-Type") != "text/csv; charset=utf-8" || h.Get("Content-Disposition") != `attachment; filename="history.csv"` {
		t.Error(h)
	}
	lines := strings.Split(strings.TrimSpace(bodyOf(t, f.export(t, "history.ndjson"))), "\n")
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[rows-1]), &last); err != nil || len(lines) != rows ||
		last["itemName"] != fmt.Sprint("LOT-", rows) || last["fencingToken"] != fmt.Sprint(rows) || last["session"] != nil {
		t.Errorf("%d lines, the last %v, %v", len(lines), last, err)
	}
	if got := bodyOf(t, newPast(t, &past{}).export(t, "history.ndjson")); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestExportsForKoreanSpreadsheetsAndZipped(t *testing.T) {
	f := newPast(t, &past{rows: 3, entry: func(h *domain.HistoryEntry) { h.Comment = "교대 후 미반납" }})
	if got := bodyOf(t, f.export(t, "history.csv?bom=1")); !strings.HasPrefix(got, "\ufefftimeKey,") || !strings.Contains(got, ",교대 후 미반납,kim\r\n") {
		t.Errorf("%q", got)
	}
	plain := bodyOf(t, f.export(t, "history.csv"))
	response := f.export(t, "history.csv", "Accept-Encoding", "gzip, br")
	zipped, err := gzip.NewReader(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(zipped); err != nil || string(got) != plain || response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%v %q", err, got)
	}
}

func TestFormulasAreDefused(t *testing.T) {
	for v, want := range map[any]string{
		"=1+1": "'=1+1", "+82": "'+82", "-x": "'-x", "@sum": "'@sum", "\tx": "'\tx", "\rx": "'\rx", "＝1": "'＝1",
		"LOT-1": "LOT-1", "": "", nil: "", "'x": "'x", json.Number("-5"): "-5", "a=b": "a=b",
	} {
		if got := cell(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	f := newPast(t, &past{rows: 1, entry: func(h *domain.HistoryEntry) { h.ItemName = `=HYPERLINK("x")` }})
	if got := bodyOf(t, f.export(t, "history.csv")); !strings.Contains(got, `,"'=HYPERLINK(""x"")",`) {
		t.Errorf("%q", got)
	}
}

// TestABrokenExportSaysSo: the client sees no end, and who opens what there is reads
// so in its last line.
func TestABrokenExportSaysSo(t *testing.T) {
	for file, said := range map[string]string{
		"history.csv": "BROKEN OFF after 250 rows", "history.ndjson": `{"error":"BROKEN OFF after 250 rows`,
	} {
		p := &past{rows: 3000, fault: func(page int) error {
			if page == 1 {
				return domain.ErrUnavailable
			}
			return nil
		}}
		f := newPast(t, p)
		for _, zip := range []string{"", "gzip"} {
			p.asked.Store(0)
			f.exportBroken(t, file, zip, said)
		}
		if got := f.metric(t, fmt.Sprintf("occupy_exports_total{end=\"broken\",file=%q}", file)); got != "2" {
			t.Errorf("counted %s", got)
		}
	}
}

func (f *front) exportBroken(t *testing.T, file, zip, said string) {
	t.Helper()
	var body io.Reader
	response := f.export(t, file, "Accept-Encoding", zip)
	body = response.Body
	if zip != "" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = unzipped
	}
	got, err := io.ReadAll(body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(string(got), said) {
		t.Errorf("%s %s: %v, %q", file, zip, err, got[max(0, len(got)-100):])
	}
}

func TestExportsAreRefused(t *testing.T) {
	f := newPast(t, &past{rows: 1})
	where := func(json string) string { return "history.csv?where=" + url.QueryEscape(json) }
	for name, c := range map[string]struct {
		path, header, value string
		status              int
		code, argument      string
	}{
		"nobody":            {"history.csv", "X-User-Id", "", 401, "UNAUTHENTICATED", ""},
		"an operator":       {"history.csv", "X-Roles", "OPERATOR,SERVICE", 403, "FORBIDDEN", ""},
		"no JSON":           {where(`{userId`), "", "", 400, "BAD_USER_INPUT", "where"},
		"a list":            {where(`[]`), "", "", 400, "BAD_USER_INPUT", "where"},
		"no such filter":    {where(`{"userID":{"eq":"kim"}}`), "", "", 400, "BAD_USER_INPUT", "where.userID"},
		"of another type":   {where(`{"userId":{"eq":7}}`), "", "", 400, "BAD_USER_INPUT", "where.userId.eq"},
		"another parameter": {"history.csv?wehre={}", "", "", 400, "BAD_USER_INPUT", "wehre"},
		"twice":             {"history.csv?bom=1&bom=1", "", "", 400, "BAD_USER_INPUT", "bom"},
		"bom of JSON":       {"history.ndjson?bom=1", "", "", 400, "BAD_USER_INPUT", "bom"},
		"another file":      {"history.xlsx", "", "", 404, "GRAPHQL_PARSE_FAILED", ""},
		"another list":      {"users.csv", "", "", 404, "GRAPHQL_PARSE_FAILED", ""},
	} {
		header := []string{"X-User-Id", "ana"}
		if c.header != "" {
			header = []string{c.header, c.value}
		}
		response := f.export(t, c.path, header...)
		var answer struct {
			Errors []struct {
				Extensions struct{ Code, Argument string }
			}
		}
		body := bodyOf(t, response)
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Errors) != 1 || response.StatusCode != c.status ||
			answer.Errors[0].Extensions.Code != c.code || answer.Errors[0].Extensions.Argument != c.argument {
			t.Errorf("%s: %d %s", name, response.StatusCode, body)
		}
	}
	response, err := http.Post(f.url+"/export/history.csv", "text/plain", nil)
	if err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		t.Error(response, err)
	}
	response.Body.Close()
}

func TestExportsAtOnceAreBounded(t *testing.T) {
	release, waiting := make(chan struct{}), make(chan struct{}, 100)
	f := newPast(t, &past{rows: 1, fault: func(int) error { waiting <- struct{}{}; <-release; return nil }})
	done := make(chan struct{})
	for range 2 {
		go func() {
			defer func() { done <- struct{}{} }()
			_, _ = io.Copy(io.Discard, f.export(t, "history.csv").Body)
		}()
		<-waiting
	}
	response := f.export(t, "history.csv")
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %d", response.StatusCode)
	}
	close(release)
	<-done
	<-done
	eventually(t, "there is room again", func() bool { return f.export(t, "history.csv").StatusCode == http.StatusOK })
}

func TestALongExportTakesNoMoreMemoryThanAShortOne(t *testing.T) {
	const most = 50 << 20
	var before, now runtime.MemStats
	var peak uint64
	p := &past{rows: 40_000}
	p.fault = func(page int) error {
		if page%10 == 5 {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		return nil
	}
	f := newPast(t, p)
	runtime.GC()
	runtime.ReadMemStats(&before)
	lines := 0
	for reader := bufio.NewScanner(f.export(t, "history.ndjson").Body); reader.Scan(); {
		lines++
	}
	if lines != p.rows || peak == 0 || peak > before.HeapAlloc+most {
		t.Errorf("%d rows, %d MB before, %d MB at most", lines, before.HeapAlloc>>20, peak>>20)
	}
}
