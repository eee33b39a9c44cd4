package identity_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"occupy/identity"
	"occupy/identity/identitytest"
)

// config is that of a verifier of an issuer's tokens.
func config(issuer string, change ...func(*identity.Config)) identity.Config {
	c := identity.Config{
		Issuer: issuer, Audience: []string{"another", identitytest.Audience}, Algorithms: identity.Algorithms, Leeway: 30 * time.Second,
		UserClaim: "sub", RolesClaim: "roles", RoleMap: map[string]string{"OPERATOR": "OPERATOR", "SUPERVISOR": "SUPERVISOR", "ANALYST": "ANALYST"},
	}
	for _, set := range change {
		set(&c)
	}
	return c
}

func open(t *testing.T, c identity.Config) *identity.Verifier {
	t.Helper()
	v, err := identity.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// wantRefused fails unless a token is refused for that reason.
func wantRefused(t *testing.T, v *identity.Verifier, token string, reason identity.Refusal) {
	t.Helper()
	if got, err := v.Verify(t.Context(), token); err != reason {
		t.Errorf("%+v, %v, want: %s", got, err, reason)
	}
}

func wantUser(t *testing.T, v *identity.Verifier, token, user, roles string) {
	t.Helper()
	got, err := v.Verify(t.Context(), token)
	if err != nil || got.UserID != user || strings.Join(got.Roles, " ") != roles {
		t.Errorf("%+v, %v, want %s with %s", got, err, user, roles)
	}
}

func TestForgeriesAreRefused(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL))
	reasons := map[string]identity.Refusal{
		"tampered": identity.WrongSignature, "cut": identity.WrongSignature, "stolen kid": identity.WrongSignature, "no kid": identity.WrongSignature,
		"expired": identity.Expired, "endless": identity.Incomplete, "not yet valid": identity.NotYetValid,
		"other issuer": identity.WrongIssuer, "no issuer": identity.Incomplete,
		"other aud": identity.WrongAudience, "no aud": identity.Incomplete, "of nobody": identity.Incomplete,
		"none": identity.WrongAlgorithm, "HS256, PEM": identity.WrongAlgorithm, "HS256, DER": identity.WrongAlgorithm, "HS256, no kid": identity.WrongAlgorithm,
		"unknown key": identity.UnknownKey, "no token": identity.Malformed, "empty": identity.Malformed, "too long": identity.Malformed,
	}
	for name, token := range issuer.Forgeries("kim") {
		t.Run(name, func(t *testing.T) { wantRefused(t, v, token, reasons[name]) })
	}
	wantUser(t, v, issuer.For("kim", "OPERATOR"), "kim", "OPERATOR")
}

func TestLeewayIsForBothEnds(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL))
	now := time.Now()
	past, future := now.Add(-20*time.Second).Unix(), now.Add(20*time.Second).Unix()
	token, err := v.Verify(t.Context(), issuer.Token("kim", identitytest.Claims{"exp": past, "nbf": future}))
	if err != nil || token.Until.Unix() != past+30 {
		t.Errorf("%+v, %v", token, err)
	}
	strict := open(t, config(issuer.URL, func(c *identity.Config) { c.Leeway = 0 }))
	wantRefused(t, strict, issuer.Token("kim", identitytest.Claims{"exp": past}), identity.Expired)
	wantRefused(t, strict, issuer.Token("kim", identitytest.Claims{"nbf": future}), identity.NotYetValid)
}

// Who asks often for what it does not have is not asked often itself.
func TestKeysRotateWithoutARestart(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL, func(c *identity.Config) { c.RefreshAfter = time.Nanosecond }))
	old := issuer.For("kim", "OPERATOR")
	issuer.Rotate("second", "first")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { wantUser(t, v, issuer.For("lee", "OPERATOR"), "lee", "OPERATOR") })
	}
	all.Wait()
	wantUser(t, v, old, "kim", "OPERATOR")

	issuer.Rotate("third")
	wantUser(t, v, issuer.For("lee", "OPERATOR"), "lee", "OPERATOR")
	wantRefused(t, v, old, identity.UnknownKey) // withdrawn
}

func TestUnknownKeysAskTheIssuerSeldom(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL, func(c *identity.Config) { c.RefreshAfter = time.Hour }))
	forged := issuer.Forgeries("kim")["unknown key"]
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { wantRefused(t, v, forged, identity.UnknownKey) })
	}
	all.Wait()
	if n := issuer.Reads.Load(); n != 1 {
		t.Errorf("it was asked %d times, want only the first", n)
	}
}

func TestKeysStayWhileTheIssuerIsAway(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL, func(c *identity.Config) { c.RefreshAfter = time.Nanosecond }))
	issuer.Away.Store(true)
	wantRefused(t, v, issuer.Forgeries("kim")["unknown key"], identity.UnknownKey)
	if n := issuer.Reads.Load(); n < 2 {
		t.Errorf("it was asked %d times", n)
	}
	wantUser(t, v, issuer.For("kim", "OPERATOR"), "kim", "OPERATOR")
	if _, err := identity.Open(t.Context(), config(issuer.URL)); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("opened without keys: %v", err)
	}
}

func TestDiscoveryIsOfTheIssuerItself(t *testing.T) {
	issuer := identitytest.New(t)
	var answer string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(answer, "//") || r.URL.Path != "/keys" {
			fmt.Fprint(w, answer)
		}
	}))
	t.Cleanup(other.Close)
	for text, part := range map[string]string{
		fmt.Sprintf(`{"issuer": %q, "jwks_uri": %q}`, issuer.URL, issuer.URL+"/keys"):         "is about the issuer",
		fmt.Sprintf(`{"issuer": %q, "jwks_uri": "http://keys.example.com/"}`, other.URL):      "must begin with https://",
		fmt.Sprintf(`{"issuer": %q, "jwks_uri": "file:///etc/passwd"}`, other.URL):            "is no address",
		fmt.Sprintf(`{"issuer": %q, "jwks_uri": %q, "keys": []}`, other.URL, other.URL+"/no"): "there is no key",
		`{`: "unexpected end",
	} {
		answer = text
		if _, err := identity.Open(t.Context(), config(other.URL)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want an error with %s", text, err, part)
		}
	}
}

func TestKeysFromAFileOrAnAddress(t *testing.T) {
	issuer := identitytest.New(t)
	der, _ := x509.MarshalPKIXPublicKey(issuer.Public())
	dir := t.TempDir()
	files := map[string][]byte{"keys.json": issuer.JWKS(), "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
	sources := []string{issuer.URL + "/keys"}
	for name, text := range files {
		sources = append(sources, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, keys := range sources {
		v := open(t, config(issuer.URL, func(c *identity.Config) { c.Keys = keys }))
		wantUser(t, v, issuer.For("kim", "OPERATOR"), "kim", "OPERATOR")
		wantRefused(t, v, issuer.Forgeries("kim")["stolen kid"], identity.WrongSignature)
		wantRefused(t, v, issuer.Forgeries("kim")["HS256, PEM"], identity.WrongAlgorithm)
	}
}

// What is no public key for signatures is no key.
func TestKeysThatAreNone(t *testing.T) {
	short, _ := rsa.GenerateKey(rand.Reader, 1024)
	shortDER, _ := x509.MarshalPKIXPublicKey(short.Public())
	private := x509.MarshalPKCS1PrivateKey(short)
	for text, part := range map[string]string{
		"": "there is no key", "hello": "there is no key", "{": "unexpected end", `{"keys": []}`: "there is no key",
		`{"keys": [{"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "alg": "HS256"}]}`:             "there is no key",
		string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: private})):                   "private key",
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: shortDER})):                       "2048",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("none")})):                "CERTIFICATE",
		`{"keys": [{"kty": "EC", "use": "enc", "crv": "P-256", "x": "` + ecX + `", "y": "` + ecY + `"}]}`: "there is no key",
	} {
		file := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := identity.Open(t.Context(), config("x", func(c *identity.Config) { c.Keys = file }))
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%.60q: %v, want an error with %s", text, err, part)
		}
	}
	_, err := identity.Open(t.Context(), config("x", func(c *identity.Config) { c.Keys = "/nowhere/keys" }))
	if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

const ecX, ecY = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"

func TestOnlyPinnedAlgorithmsAreTaken(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL, func(c *identity.Config) { c.Algorithms = []string{"RS256"} }))
	wantRefused(t, v, issuer.For("kim"), identity.WrongAlgorithm)
	for _, name := range identity.Algorithms {
		if strings.HasPrefix(name, "HS") || name == "none" || jwt.GetSigningMethod(name) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestClaims(t *testing.T) {
	issuer := identitytest.New(t)
	type claims = identitytest.Claims
	for _, c := range []struct {
		user, roles string // the settings
		roleMap     map[string]string
		claims      claims
		want        string
	}{
		{"sub", "roles", nil, claims{"roles": []string{"ANALYST", "offline_access", "operator"}}, "kim: ANALYST OPERATOR"},
		{"sub", "roles", nil, claims{"roles": "ANALYST, OPERATOR"}, "kim: ANALYST OPERATOR"},
		{"sub", "scope", nil, claims{"scope": "openid SUPERVISOR"}, "kim: SUPERVISOR"},
		{"sub", "roles", nil, claims{"roles": nil}, "kim: "},
		{"sub", "roles", nil, claims{"roles": 7}, "kim: "},
		{"sub", "roles", nil, claims{"roles": []any{7, "ANALYST"}}, "kim: ANALYST"},
		{"sub", "realm_access.roles", nil, claims{"realm_access": claims{"roles": []string{"ANALYST"}}}, "kim: ANALYST"},
		{"sub", "access.mes.api.roles", nil, claims{"access": claims{"mes.api": claims{"roles": []string{"ANALYST"}}}}, "kim: ANALYST"},
		{"sub", "https://example.com/roles", nil, claims{"https://example.com/roles": "ANALYST"}, "kim: ANALYST"},
		{"preferred_username", "roles", nil, claims{"preferred_username": "lee"}, "lee: OPERATOR"},
		{"sub", "roles", map[string]string{"mes-lead": "SUPERVISOR", "mes-boss": "SUPERVISOR"}, claims{"roles": []string{"MES-Lead", "mes-boss", "OPERATOR"}}, "kim: SUPERVISOR"},
		{"missing", "roles", nil, nil, "refused"},
		{"sub", "roles", nil, claims{"sub": 7}, "refused"},
		{"sub", "roles", nil, claims{"exp": "tomorrow"}, "refused"},
		{"sub", "roles", nil, claims{"exp": 1e300}, "refused"},
	} {
		v := open(t, config(issuer.URL, func(to *identity.Config) {
			to.UserClaim, to.RolesClaim = c.user, c.roles
			if c.roleMap != nil {
				to.RoleMap = c.roleMap
			}
		}))
		got := "refused"
		if token, err := v.Verify(context.Background(), issuer.Token("kim", c.claims)); err == nil {
			got = token.UserID + ": " + strings.Join(token.Roles, " ")
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// A token that was believed is believed without checking its signature again; but not past
// its end, and not once its key was withdrawn.
func TestTokensThatWereBelieved(t *testing.T) {
	issuer := identitytest.New(t)
	v := open(t, config(issuer.URL, func(c *identity.Config) { c.Leeway, c.RefreshAfter = 0, time.Nanosecond }))
	long, short := issuer.For("kim", "OPERATOR"), issuer.Until("lee", time.Now().Add(2*time.Second))
	for range 2 {
		wantUser(t, v, long, "kim", "OPERATOR")
		wantUser(t, v, short, "lee", "OPERATOR")
	}
	deadline := time.After(10 * time.Second)
	for {
		if _, err := v.Verify(t.Context(), short); err == identity.Expired {
			break
		}
		select {
		case <-deadline:
			t.Fatal("it does not end")
		case <-time.After(20 * time.Millisecond):
		}
	}
	issuer.Rotate("second")
	wantUser(t, v, long, "kim", "OPERATOR") // nobody knows yet
	wantUser(t, v, issuer.For("kim", "OPERATOR"), "kim", "OPERATOR")
	wantRefused(t, v, long, identity.UnknownKey)
}
