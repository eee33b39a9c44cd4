package gateway

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"occupy/domain"
	"occupy/identity"
	"occupy/identity/identitytest"
)

// newGuarded is a front that wants tokens of an issuer.
func newGuarded(t *testing.T) (*front, *identitytest.Issuer) {
	t.Helper()
	issuer := identitytest.New(t)
	roles := map[string]string{}
	for _, role := range domain.AllRoles {
		roles[string(role)] = string(role)
	}
	tokens, err := identity.Open(t.Context(), identity.Config{
		Issuer: issuer.URL, Audience: []string{identitytest.Audience}, Algorithms: identity.Algorithms,
		UserClaim: "sub", RolesClaim: "roles", RoleMap: roles,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(t, &fake{}, func(c *Config) { c.Tokens = tokens })
	f.fake.snapshot(1)
	return f, issuer
}

const (
	whoAmI   = `{ me { userId actor roles } }`
	watchNow = `subscription { occupancyChanged(snapshot: true) { kind occupancy { itemName version } } }`
)

// asked is how a query is answered over each way there is, with these credentials.
func (f *front) asked(t *testing.T, header http.Header) map[string]string {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": whoAmI})
	link := "/graphql?query=" + url.QueryEscape(whoAmI)
	return map[string]string{
		"POST":          f.text(t, http.MethodPost, "/graphql", string(body), "application/json", header),
		"GET":           f.text(t, http.MethodGet, link, "", "application/json", header),
		"SSE":           f.text(t, http.MethodPost, "/graphql", string(body), "text/event-stream", header),
		"SSE by GET":    f.text(t, http.MethodGet, link, "", "text/event-stream", header),
		"upgrade":       f.overSocket(t, header, `{}`),
		"Authorization": f.overSocket(t, nil, fields(header, "authorization", header.Get(tokenHeader))),
		"token":         f.overSocket(t, nil, fields(header, tokenField, strings.TrimPrefix(header.Get(tokenHeader), bearer))),
	}
}

// fields are a header's credentials as those of connection_init, the token by that name.
func fields(header http.Header, name, token string) string {
	all := map[string]string{name: token}
	for _, other := range []string{behalfHeader, userHeader, rolesHeader} {
		if header.Values(other) != nil {
			all[other] = header.Get(other)
		}
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// text is how a request is answered.
func (f *front) text(t *testing.T, method, path, body, accept string, header http.Header) string {
	t.Helper()
	header = header.Clone()
	header.Set("Accept", accept)
	header.Set("Content-Type", "application/json")
	_, text := f.send(t, method, path, header, strings.NewReader(body))
	return text
}

// overSocket is the close code and reason if it was not let in, else the answer.
func (f *front) overSocket(t *testing.T, header http.Header, init string) string {
	t.Helper()
	k := f.dial(t, header)
	defer k.conn.CloseNow()
	k.say(`{"type":"connection_init","payload":` + init + `}`)
	if text, err := k.hear(); err != nil {
		return err.Error()
	} else if text != `{"type":"connection_ack"}` {
		t.Fatal(text)
	}
	k.subscribe("1", whoAmI)
	text, err := k.hear()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func withToken(token string, more ...string) http.Header {
	h := http.Header{tokenHeader: {bearer + token}}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

func TestForgeriesAreRefusedOnEveryTransport(t *testing.T) {
	f, issuer := newGuarded(t)
	log := captureLog(t)
	for name, token := range issuer.Forgeries("kim") {
		// What dev would believe is not looked at.
		header := withToken(token, userHeader, "kim", rolesHeader, "SUPERVISOR")
		for transport, answer := range f.asked(t, header) {
			said := strings.Contains(answer, "the token is not valid") || name == "expired" && strings.Contains(answer, "the token has expired")
			refused := strings.Contains(answer, "UNAUTHENTICATED") || strings.Contains(answer, "4403")
			if !said || !refused || strings.Contains(answer, "kim") || len(token) > 9 && strings.Contains(answer, token) {
				t.Errorf("%s over %s: %s", name, transport, answer)
			}
		}
		if logged := log.taken(); strings.Count(logged, "msg=\"access denied\"") != 7 || len(token) > 9 && strings.Contains(logged, token[9:]) {
			t.Errorf("%s is logged as %s", name, logged)
		}
	}
	for transport, answer := range f.asked(t, withToken(issuer.For("kim", "ANALYST"), userHeader, "lee", rolesHeader, "SUPERVISOR")) {
		if !strings.Contains(answer, `"data":{"me":{"userId":"kim","actor":"kim","roles":["ANALYST"]}}`) {
			t.Errorf("a good one over %s: %s", transport, answer)
		}
	}
}

// kept is what was logged.
type kept struct {
	mu   sync.Mutex
	text strings.Builder
}

// captureLog keeps what is logged until the test ends.
func captureLog(t *testing.T) *kept {
	t.Helper()
	log, before := &kept{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

// taken is what was logged since the last time.
func (k *kept) taken() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.text.Reset()
	return k.text.String()
}

func TestWithoutATokenNobodyIsKnown(t *testing.T) {
	f, _ := newGuarded(t)
	header := http.Header{userHeader: {"kim"}, rolesHeader: {"SUPERVISOR"}}
	answers := f.asked(t, header)
	delete(answers, "Authorization") // these two send an empty one
	delete(answers, "token")
	for transport, answer := range answers {
		if !strings.Contains(answer, "UNAUTHENTICATED") || !strings.Contains(answer, "send your credentials") {
			t.Errorf("%s: %s", transport, answer)
		}
	}
	for _, scheme := range []string{"Basic a2ltOmtpbQ==", "Bearer", "bearer"} {
		if answer := f.asked(t, http.Header{tokenHeader: {scheme}})["POST"]; !strings.Contains(answer, "the token is not valid") {
			t.Errorf("%s: %s", scheme, answer)
		}
	}
}

func TestWhoHasNoRoleIsKnownAndMayNothing(t *testing.T) {
	f, issuer := newGuarded(t)
	header := withToken(issuer.For("kim"))
	for transport, answer := range f.asked(t, header) {
		if !strings.Contains(answer, `"userId":"kim"`) {
			t.Errorf("%s: %s", transport, answer)
		}
	}
	query, _ := json.Marshal(map[string]string{"query": watchNow})
	for range 2 {
		if answer := f.text(t, http.MethodPost, "/graphql", string(query), "text/event-stream", header); !strings.Contains(answer, "FORBIDDEN") {
			t.Error(answer)
		}
	}
	if n := f.metric(t, `occupy_access_denied_total{at="occupancyChanged",code="FORBIDDEN"}`); n != "2" {
		t.Errorf("%s are counted", n)
	}
}

func TestServicesActForUsersOnEveryTransport(t *testing.T) {
	f, issuer := newGuarded(t)
	for transport, answer := range f.asked(t, withToken(issuer.For("svc-batch", "SERVICE", "SUPERVISOR"), behalfHeader, "kim")) {
		if !strings.Contains(answer, `"data":{"me":{"userId":"kim","actor":"svc-batch","roles":["OPERATOR"]}}`) {
			t.Errorf("%s: %s", transport, answer)
		}
	}
	for transport, answer := range f.asked(t, withToken(issuer.For("boss", "OPERATOR", "SUPERVISOR", "ANALYST"), behalfHeader, "kim")) {
		if !strings.Contains(answer, "X-On-Behalf-Of needs the role SERVICE") || strings.Contains(answer, "boss") {
			t.Errorf("%s: %s", transport, answer)
		}
	}
	for _, nobody := range []string{"", "a\u200bb", domain.SystemUser} {
		answer := f.asked(t, withToken(issuer.For("svc-batch", "SERVICE"), behalfHeader, nobody))["POST"]
		if !strings.Contains(answer, "UNAUTHENTICATED") || !strings.Contains(answer, "X-On-Behalf-Of ") {
			t.Errorf("%q: %s", nobody, answer)
		}
	}
}
