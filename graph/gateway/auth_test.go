package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

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

// connectWith opens a socket with a token and subscribes.
func (f *front) connectWith(t *testing.T, token string, more string) *peer {
	t.Helper()
	k := f.dial(t, nil)
	k.say(fmt.Sprintf(`{"type":"connection_init","payload":{"token":%q%s}}`, token, more))
	k.want(`{"type":"connection_ack"}`)
	k.subscribe("1", watch)
	return k
}

// At the end of its token a connection ends, in a way that has its client come back,
// unless there was a fresh one.
func TestConnectionsEndWithTheirToken(t *testing.T) {
	f, issuer := newGuarded(t)
	short := issuer.Until("kim", time.Now().Add(2*time.Second))
	stale, renewed, anonymous := f.connectWith(t, short, ""), f.connectWith(t, short, ""), f.dial(t, nil)
	anonymous.say(`{"type":"connection_init"}`)
	anonymous.want(`{"type":"connection_ack"}`)
	body, _ := json.Marshal(map[string]string{"query": watch})
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/graphql", strings.NewReader(string(body)))
	request.Header = withToken(short, "Content-Type", "application/json")
	stream := open(t, request)
	f.waitForSubscribers(t, 3)

	renewed.say(fmt.Sprintf(`{"type":"ping","payload":{"Authorization":"Bearer %s"}}`, issuer.For("kim", "OPERATOR", "SUPERVISOR")))
	renewed.want(`{"type":"pong"}`)
	stale.say(`{"type":"ping","payload":{"about":"nothing"}}`)
	stale.want(`{"type":"pong","payload":{"about":"nothing"}}`)

	if _, err := stale.hear(); websocket.CloseStatus(err) != 4403 || !strings.Contains(err.Error(), tokenExpired) {
		t.Errorf("the stale one: %v", err)
	}
	stream.want("cut")
	f.waitForSubscribers(t, 1)
	f.fake.change("A", 1)
	f.hub.Ring()
	renewed.want(change("1", "A", 1))
	anonymous.say(`{"type":"ping"}`)
	anonymous.want(`{"type":"pong"}`)
	if n := f.metric(t, `occupy_cut_total{reason="expired"}`); n != "2" {
		t.Errorf("%s are counted", n)
	}
}

// What was begun in time is answered; what comes later is not begun.
func TestAMutationOutlivesItsToken(t *testing.T) {
	f, issuer := newGuarded(t)
	goOn := make(chan struct{})
	f.fake.read = func(context.Context) error { <-goOn; return nil }
	slow := `{ occupancy(itemType: "LOT", itemName: "x") { version } }`
	short := issuer.Until("kim", time.Now().Add(2*time.Second))
	k := f.connectWith(t, short, "")
	k.subscribe("slow", slow)
	body, _ := json.Marshal(map[string]string{"query": slow})
	streamed := make(chan string, 1)
	go func() {
		streamed <- f.text(t, http.MethodPost, "/graphql", string(body), "text/event-stream", withToken(short))
	}()
	for i := range time.Tick(50 * time.Millisecond) {
		k.subscribe(fmt.Sprint("quick", i.UnixNano()), `{ me { userId } }`)
		answer, err := k.hear()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(answer, `"type":"error"`) {
			if !strings.Contains(answer, "UNAUTHENTICATED") || !strings.Contains(answer, tokenExpired) {
				t.Error(answer)
			}
			break
		}
		k.want(`{"id":"quick*","type":"complete"}`)
	}
	close(goOn)
	k.want(`{"id":"slow","type":"next","payload":{"data":*}}`, `{"id":"slow","type":"complete"}`)
	k.wantClose(4403)
	if answer := <-streamed; !strings.Contains(answer, `"occupancy":{"version":"0"}`) || !strings.Contains(answer, "event: complete") {
		t.Errorf("over SSE: %s", answer)
	}
}

func TestAFreshTokenIsOfTheSameCaller(t *testing.T) {
	f, issuer := newGuarded(t)
	forKim := `,"X-On-Behalf-Of":"kim"`
	for name, c := range map[string]struct {
		token, more string // at first
		fresh       string
		code        websocket.StatusCode
	}{
		"the same":       {issuer.For("kim", "OPERATOR"), "", issuer.For("kim", "OPERATOR"), 0},
		"more roles":     {issuer.For("kim", "OPERATOR"), "", issuer.For("kim", "ANALYST", "OPERATOR"), 0},
		"a role less":    {issuer.For("kim", "OPERATOR", "ANALYST"), "", issuer.For("kim", "OPERATOR"), 4403},
		"another user":   {issuer.For("kim", "OPERATOR"), "", issuer.For("lee", "OPERATOR"), 4403},
		"acting":         {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc", "SERVICE"), 0},
		"acting no more": {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc", "OPERATOR"), 4403},
		"another actor":  {issuer.For("svc", "SERVICE"), forKim, issuer.For("svc2", "SERVICE"), 4403},
		"not a service":  {issuer.For("svc", "SERVICE"), forKim, issuer.For("kim", "OPERATOR"), 4403},
		"expired":        {issuer.For("kim", "OPERATOR"), "", issuer.Forgeries("kim")["expired"], 4403},
		"forged":         {issuer.For("kim", "OPERATOR"), "", issuer.Forgeries("kim")["tampered"], 4403},
	} {
		t.Run(name, func(t *testing.T) {
			k := f.connectWith(t, c.token, c.more)
			k.say(fmt.Sprintf(`{"type":"ping","payload":{"token":%q}}`, c.fresh))
			if c.code != 0 {
				k.wantClose(c.code)
				return
			}
			k.want(`{"type":"pong"}`)
		})
	}
	early := f.dial(t, nil)
	early.say(fmt.Sprintf(`{"type":"ping","payload":{"token":%q}}`, issuer.For("kim")))
	early.wantClose(4401)
}
