package identitytest

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

// Audience is whom an Issuer's tokens are for.
const Audience = "occupy"

// Claims are what a token says.
type Claims map[string]any

// Issuer serves its public keys, and signs.
type Issuer struct {
	t testing.TB
	// URL is its name, where its keys can be discovered.
	URL string
	// Reads counts how often its keys were asked for.
	Reads atomic.Int64
	// Away makes it answer with an error.
	Away atomic.Bool

	mu   sync.Mutex
	id   string
	keys map[string]*ecdsa.PrivateKey
}

// New starts one with one key, until the test ends.
func New(t testing.TB) *Issuer {
	i := &Issuer{t: t, keys: map[string]*ecdsa.PrivateKey{}}
	i.Rotate("first")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.configuration)
	mux.HandleFunc("/keys", i.set)
	mux.HandleFunc("/token", i.token)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

func (i *Issuer) configuration(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]string{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
}

func (i *Issuer) set(w http.ResponseWriter, _ *http.Request) {
	i.Reads.Add(1)
	if i.Away.Load() {
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(i.JWKS())
}

// token gives an operator a token that ends after some seconds.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	seconds, _ := strconv.Atoi(r.FormValue("seconds"))
	_, _ = io.WriteString(w, i.Until(r.FormValue("user"), time.Now().Add(time.Duration(seconds)*time.Second)))
}

// JWKS is the set of its public keys.
func (i *Issuer) JWKS() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	store := jwkset.NewMemoryStorage()
	for id, key := range i.keys {
		one, err := jwkset.NewJWKFromKey(key.Public(), jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: id, USE: jwkset.UseSig}})
		if err == nil {
			err = store.KeyWrite(context.Background(), one)
		}
		if err != nil {
			i.t.Error(err)
		}
	}
	text, err := store.JSONPublic(context.Background())
	if err != nil {
		i.t.Error(err)
	}
	return text
}

// Rotate signs with a new key from now on, and forgets those that it had but for keep.
func (i *Issuer) Rotate(id string, keep ...string) {
	key := newKey(i.t)
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := map[string]*ecdsa.PrivateKey{id: key}
	for _, old := range keep {
		kept[old] = i.keys[old]
	}
	i.id, i.keys = id, kept
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Public is the present key.
func (i *Issuer) Public() crypto.PublicKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[i.id].Public()
}

// Token is a good one, with these claims beside or instead of the usual; nil leaves one out.
func (i *Issuer) Token(user string, more Claims) string {
	i.t.Helper()
	i.mu.Lock()
	id, key := i.id, i.keys[i.id]
	i.mu.Unlock()
	return i.sign(jwt.SigningMethodES256, key, id, i.claims(user, more))
}

// For is a token of a user with roles.
func (i *Issuer) For(user string, roles ...string) string {
	i.t.Helper()
	return i.Token(user, Claims{"roles": roles})
}

// Until is a token of an operator that ends at an instant.
func (i *Issuer) Until(user string, end time.Time) string {
	i.t.Helper()
	return i.Token(user, Claims{"exp": end.Unix()})
}

func (i *Issuer) claims(user string, more Claims) jwt.MapClaims {
	now := time.Now()
	all := jwt.MapClaims{
		"iss": i.URL, "aud": Audience, "sub": user, "roles": []string{"OPERATOR"},
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(all, more)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

func (i *Issuer) sign(method jwt.SigningMethod, key any, id string, claims jwt.MapClaims) string {
	i.t.Helper()
	token := jwt.NewWithClaims(method, claims)
	if id != "" {
		token.Header["kid"] = id
	}
	text, err := token.SignedString(key)
	if err != nil {
		i.t.Fatal(fmt.Errorf("%s: %w", method.Alg(), err))
	}
	return text
}
