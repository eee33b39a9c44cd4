package gateway

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A page on the web whose name leads to this machine is of its own origin.
func TestWithoutTokensOnlyThisMachinesNamesAreServed(t *testing.T) {
	f := newFront(t, &fake{})
	guarded, _ := newGuarded(t)
	port := f.url[strings.LastIndex(f.url, ":"):]
	for host, served := range map[string]bool{
		"127.0.0.1" + port: true, "localhost" + port: true, "LOCALHOST.": true, "[::1]" + port: true, "127.8.8.8": true,
		"evil.example": false, "evil.example" + port: false, "localhost.evil.example" + port: false, "127.0.0.1.evil.example": false,
		"192.168.0.7" + port: false, "0.0.0.0" + port: false,
	} {
		for _, path := range []string{"/graphql?query=" + url.QueryEscape(whoAmI), "/metrics", "/"} {
			if code := statusOf(t, f.url+path, host, nil); (code != http.StatusForbidden) != served {
				t.Errorf("%s%s: %d", host, path, code)
			}
		}
		upgrade := http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-WebSocket-Version": {"13"},
			"Sec-WebSocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-WebSocket-Protocol": {subprotocol}, "Origin": {"http://" + host}}
		if code := statusOf(t, f.url+"/graphql", host, upgrade); (code == http.StatusSwitchingProtocols) != served {
			t.Errorf("%s, socket: %d", host, code)
		}
		if code := statusOf(t, guarded.url+"/metrics", host, nil); code != http.StatusOK {
			t.Errorf("%s with tokens: %d", host, code)
		}
	}
	if n := f.metric(t, `occupy_refused_total{reason="host"}`); n != "24" {
		t.Errorf("%s are counted", n)
	}
}

func statusOf(t *testing.T, address, host string, header http.Header) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}
