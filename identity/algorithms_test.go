package identity_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"

	"occupy/identity"
)

// keyring has a key for each algorithm, and each as its id.
func keyring(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	all := map[string]crypto.Signer{}
	made := func(k crypto.Signer, err error, names ...string) {
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			all[name] = k
		}
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	made(r, err, "RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
	for name, curve := range map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()} {
		k, err := ecdsa.GenerateKey(curve, rand.Reader)
		made(k, err, name)
	}
	_, e, err := ed25519.GenerateKey(rand.Reader)
	made(e, err, "EdDSA")
	return all
}

// setOf writes the keys to a file, the private ones too if so told.
func setOf(t *testing.T, keys map[string]crypto.Signer, pinned, private bool) (file string) {
	t.Helper()
	store := jwkset.NewMemoryStorage()
	for name, key := range keys {
		options := jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: name}, Marshal: jwkset.JWKMarshalOptions{Private: private}}
		if pinned {
			options.Metadata.ALG = jwkset.ALG(name)
		}
		one, err := jwkset.NewJWKFromKey(key, options)
		if err == nil {
			err = store.KeyWrite(context.Background(), one)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := store.JSONWithOptions(context.Background(), jwkset.JWKMarshalOptions{Private: private}, jwkset.JWKValidateOptions{})
	file = filepath.Join(t.TempDir(), "keys.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func signed(t *testing.T, algorithm, id string, key crypto.Signer) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), jwt.MapClaims{
		"iss": "here", "aud": "another", "sub": "kim", "roles": "OPERATOR", "exp": time.Now().Add(time.Hour).Unix(),
	})
	token.Header["kid"] = id
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestEveryAlgorithm(t *testing.T) {
	keys := keyring(t)
	if names := slices.Sorted(maps.Keys(keys)); !slices.Equal(names, slices.Sorted(slices.Values(identity.Algorithms))) {
		t.Fatalf("keys for %v", names)
	}
	for _, private := range []bool{false, true} {
		v := open(t, config("here", func(c *identity.Config) { c.Keys = setOf(t, keys, true, private) }))
		for name, key := range keys {
			wantUser(t, v, signed(t, name, name, key), "kim", "OPERATOR")
		}
		// One key may do for several, but is for what its set says.
		wantRefused(t, v, signed(t, "RS512", "RS256", keys["RS256"]), identity.UnknownKey)
	}
	v := open(t, config("here", func(c *identity.Config) { c.Keys = setOf(t, keys, false, false) }))
	wantUser(t, v, signed(t, "PS512", "RS256", keys["RS256"]), "kim", "OPERATOR")
	wantRefused(t, v, signed(t, "RS256", "ES256", keys["RS256"]), identity.WrongSignature)
	wantRefused(t, v, signed(t, "EdDSA", "ES256", keys["EdDSA"]), identity.WrongSignature)
}
