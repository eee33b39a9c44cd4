package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"occupy/identity/identitytest"
)

// newGuarded runs one that wants tokens of an issuer, and listens to the whole network.
func newGuarded(t *testing.T, settings ...string) (*server, *identitytest.Issuer) {
	t.Helper()
	issuer := identitytest.New(t)
	s := newServer(t, append([]string{"OCCUPY_LISTEN=0.0.0.0:0", "OCCUPY_AUTH=jwt",
		"OCCUPY_JWT_ISSUER=" + issuer.URL, "OCCUPY_JWT_AUDIENCE=" + identitytest.Audience}, settings...)...)
	s.address = "127.0.0.1" + s.address[strings.LastIndex(s.address, ":"):]
	return s, issuer
}

// bears asks with a token, and with more headers, in pairs.
func (s *server) bears(token string, more ...string) caller {
	c := s.as("")
	c.more = http.Header{"Authorization": {"Bearer " + token}}
	for i := 0; i < len(more); i += 2 {
		c.more.Set(more[i], more[i+1])
	}
	return c
}

func TestWhoAsksIsWhatTheTokenSays(t *testing.T) {
	s, issuer := newGuarded(t, "OCCUPY_JWT_USER_CLAIM=preferred_username", "OCCUPY_JWT_ROLES_CLAIM=realm_access.roles",
		"OCCUPY_JWT_ROLE_MAP=mes-user=OPERATOR,mes-lead=SUPERVISOR")
	named := func(user string, roles ...string) string {
		return issuer.Token("a-number", identitytest.Claims{"preferred_username": user, "realm_access": identitytest.Claims{"roles": roles}})
	}
	kim := s.bears(named("kim", "mes-user", "uma_authorization"), "X-User-Id", "lee", "X-Roles", "SUPERVISOR")
	want(t, kim.command("occupy", lot("LOT1")), "code", "GRANTED", "occupancy.userId", "kim")
	force := lot("LOT1", "reason", "r", "fencingToken", 1)
	wantCode(t, kim.ask(mutation("forceFree"), object{"input": force}), "FORBIDDEN")
	want(t, s.bears(named("boss", "mes-lead")).command("forceFree", force), "code", "FREED")
	wantCode(t, s.bears(named("lee", "SUPERVISOR")).ask(mutation("forceFree"), object{"input": force}), "FORBIDDEN")
	wantCode(t, s.as("kim").ask(`{ me { userId } }`), "UNAUTHENTICATED")
	s.wantMetrics(`occupy_token_keys 1`, `occupy_token_key_reads_total{result="ok"} 1`)
}

// The history has both: whose it was, and who did it.
func TestAServiceActsForAUser(t *testing.T) {
	s, issuer := newGuarded(t)
	batch := s.bears(issuer.For("svc-batch", "SERVICE"), "X-On-Behalf-Of", "kim")
	want(t, batch.must(`{ me { userId actor roles } }`), "me.userId", "kim", "me.actor", "svc-batch", "me.roles", []string{"OPERATOR"})
	want(t, batch.command("occupy", lot("LOT1")), "code", "GRANTED", "occupancy.userId", "kim",
		"occupancy.registeredBy", "svc-batch", "occupancy.updatedBy", "svc-batch")
	want(t, s.bears(issuer.For("kim")).ask(mutation("free"), object{"input": lot("LOT1")}).Errors[0].Extensions, "code", "FORBIDDEN")
	want(t, s.bears(issuer.For("svc-batch", "SERVICE")).command("free", lot("LOT1")), "code", "NOT_HOLDER")
	want(t, s.bears(issuer.For("kim", "OPERATOR")).command("free", lot("LOT1")), "code", "FREED")
	want(t, batch.command("occupy", lot("LOT1")), "code", "GRANTED", "occupancy.registeredBy", "svc-batch")
	wantCode(t, batch.ask(`mutation { tryLock(input: {slotKey: "job:x"}) { code } }`), "FORBIDDEN")
	wantCode(t, s.bears(issuer.For("lee", "OPERATOR", "SUPERVISOR"), "X-On-Behalf-Of", "kim").ask(`{ me { userId } }`), "FORBIDDEN")

	rows, err := s.pool().Query(t.Context(), `SELECT event || ' ' || user_id || ' ' || reg_usr_id FROM ct_occupy_item_history WHERE item_name = 'LOT1' ORDER BY version`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if strings.Join(got, ", ") != "OCCUPIED kim svc-batch, FREED kim kim, OCCUPIED kim svc-batch" {
		t.Error(got)
	}
	s.wantNoFaults()
}

// The keys that were known serve while the issuer is away; a new one is found once it is back.
func TestTheIssuersKeysChangeUnderTheGateway(t *testing.T) {
	s, issuer := newGuarded(t)
	old := issuer.For("kim", "OPERATOR")
	issuer.Away.Store(true)
	issuer.Rotate("second")
	fresh := issuer.For("kim", "OPERATOR")
	eventually(t, "the issuer was asked in vain", func() bool {
		wantCode(t, s.bears(fresh).ask(`{ me { userId } }`), "UNAUTHENTICATED")
		_, text := s.send(http.MethodGet, "/metrics", nil, "")
		return strings.Contains(text, `occupy_token_key_reads_total{result="failed"} 1`)
	})
	s.bears(old).must(`{ me { userId } }`)
	issuer.Away.Store(false)
	eventually(t, "the new key is known", func() bool { return len(s.bears(fresh).ask(`{ me { userId } }`).Errors) == 0 })
	wantCode(t, s.bears(old).ask(`{ me { userId } }`), "UNAUTHENTICATED") // withdrawn
}

// A hold outlives the token that it was begun with: its screen comes back with a fresh one.
func TestAHoldOutlivesItsToken(t *testing.T) {
	s, issuer := newGuarded(t, "OCCUPY_JWT_LEEWAY=0s")
	input := lot("LOT1", "session", "window")
	short := s.bears(issuer.Until("kim", time.Now().Add(2*time.Second)))
	k := short.hold(input, 20)
	want(t, held(t, k, "OCCUPIED"), "fencingToken", "1", "payload.code", "GRANTED")
	if code := k.closeCode(); code != 4403 {
		t.Errorf("closed with %d, want 4403", code)
	}
	s.waitForRenewals("LOT1", 1) // it counts as one that the connection was lost
	want(t, s.bears(issuer.For("lee", "OPERATOR")).command("occupy", lot("LOT1")), "code", "HELD")
	again := s.bears(issuer.For("kim", "OPERATOR")).hold(input, 20)
	want(t, held(t, again, "OCCUPIED"), "fencingToken", "1", "payload.code", "REENTERED")
	s.wantHistory("LOT1", "OCCUPIED")
}

// The npm client graphql-ws, as docs/identity.md shows it, past the end of its tokens.
func TestNpmClientLivesLongerThanItsTokens(t *testing.T) {
	s, issuer := newGuarded(t, "OCCUPY_JWT_LEEWAY=0s")
	said := map[string]chan string{}
	for _, way := range []string{"fresh", "anew"} {
		lines := make(chan string, 100)
		said[way] = lines
		listen(t, func(line string) { lines <- line }, "token.mjs", s.address, issuer.URL+"/token?user=panel&seconds=4", way)
	}
	expect := func(way string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			select {
			case got := <-said[way]:
				if got != line {
					t.Fatalf("%s says %q, want %q", way, got, line)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s says nothing, want %q", way, line)
			}
		}
	}
	expect("fresh", "connected")
	expect("anew", "connected", "closed 4403 the token has expired", "connected")
	s.waitForSubscribers("2")
	s.bears(issuer.For("kim", "OPERATOR")).command("occupy", lot("LOT1"))
	expect("anew", "LOT1")
	expect("fresh", "LOT1")
}

func TestHalfSetTokenSettingsAreNamed(t *testing.T) {
	issuer := identitytest.New(t)
	whole := map[string]string{"OCCUPY_AUTH": "jwt", "OCCUPY_JWT_ISSUER": issuer.URL, "OCCUPY_JWT_AUDIENCE": "occupy",
		"DATABASE_URL": stack.DatabaseURL(template), "OCCUPY_LISTEN": "127.0.0.1:0"}
	for _, c := range []struct{ change, named string }{
		{"OCCUPY_JWT_ISSUER=", "OCCUPY_JWT_ISSUER must be set"},
		{"OCCUPY_JWT_AUDIENCE=", "OCCUPY_JWT_AUDIENCE must be set"},
		{"OCCUPY_JWT_AUDIENCE=a,", "OCCUPY_JWT_AUDIENCE"},
		{"OCCUPY_JWT_ISSUER=keycloak", "OCCUPY_JWT_ISSUER is no address"},
		{"OCCUPY_JWT_ISSUER=http://login.example.com", "OCCUPY_JWT_ISSUER must begin with https"},
		{"OCCUPY_JWT_ISSUER=http://127.0.0.1:1", "OCCUPY_JWT_ISSUER: "},
		{"OCCUPY_JWT_ISSUER=" + issuer.URL + "/", "OCCUPY_JWT_ISSUER: "},
		{"OCCUPY_JWT_KEYS=http://keys.example.com/", "OCCUPY_JWT_KEYS must begin with https"},
		{"OCCUPY_JWT_KEYS=" + issuer.URL + "/nowhere", "OCCUPY_JWT_KEYS: "},
		{"OCCUPY_JWT_KEYS=/nowhere/keys.json", "OCCUPY_JWT_KEYS: "},
		{"OCCUPY_JWT_ALGORITHMS=none", "OCCUPY_JWT_ALGORITHMS"},
		{"OCCUPY_JWT_ALGORITHMS=RS256,HS256", `OCCUPY_JWT_ALGORITHMS: "HS256"`},
		{"OCCUPY_JWT_LEEWAY=-1s", "OCCUPY_JWT_LEEWAY"},
		{"OCCUPY_JWT_LEEWAY=1h", "OCCUPY_JWT_LEEWAY"},
		{"OCCUPY_JWT_LEEWAY=30", "OCCUPY_JWT_LEEWAY"},
		{"OCCUPY_JWT_ROLE_MAP=lead=BOSS", "OCCUPY_JWT_ROLE_MAP: lead=BOSS"},
		{"OCCUPY_JWT_ROLE_MAP=lead", "OCCUPY_JWT_ROLE_MAP"},
		{"OCCUPY_AUTH=dev", "OCCUPY_JWT_ISSUER is set, but OCCUPY_AUTH is not jwt"},
	} {
		environment := map[string]string{}
		for name, value := range whole {
			environment[name] = value
		}
		name, value, _ := strings.Cut(c.change, "=")
		environment[name] = value
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := start(ctx, nil, environment)
		cancel()
		if err == nil || !strings.Contains(err.Error(), c.named) {
			t.Errorf("%s: %v, want an error with %s", c.change, err, c.named)
		}
	}
}
