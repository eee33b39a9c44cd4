package identity

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/MicahParks/jwkset"
)

// source gives the keys as they are now.
type source func(context.Context) ([]key, error)

// sourceOf is where the keys of a Config come from.
func sourceOf(c Config) source {
	switch {
	case c.Keys == "":
		return func(ctx context.Context) ([]key, error) { return discover(ctx, c.Issuer) }
	case IsAddress(c.Keys):
		return func(ctx context.Context) ([]key, error) { return download(ctx, c.Keys) }
	}
	return func(context.Context) ([]key, error) {
		text, err := os.ReadFile(c.Keys)
		if err != nil {
			return nil, err
		}
		return parse(text)
	}
}

// IsAddress tells whether a text is the address of something on the web.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// CheckAddress finds what is wrong with an address that keys are to come from. Who could
// change them on their way could be anybody; so they come over TLS, or from this machine.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || !IsAddress(address):
		return errors.New("is no address such as https://login.example.com")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return errors.New("must begin with https://, for keys are read there")
	}
	return nil
}

// discover asks an issuer where its keys are, as OpenID Connect Discovery says.
func discover(ctx context.Context, issuer string) ([]key, error) {
	address := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
	text, err := get(ctx, address)
	if err != nil {
		return nil, err
	}
	var found struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if found.Issuer != issuer {
		return nil, fmt.Errorf("%s is about the issuer %q, not %q", address, found.Issuer, issuer)
	}
	if err := CheckAddress(found.JWKSURI); err != nil {
		return nil, fmt.Errorf("%s: jwks_uri %w", address, err)
	}
	return download(ctx, found.JWKSURI)
}

func download(ctx context.Context, address string) ([]key, error) {
	text, err := get(ctx, address)
	if err != nil {
		return nil, err
	}
	keys, err := parseSet(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return keys, nil
}

// client follows to no address that would not have been taken in the settings.
var client = &http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return errors.New("too many redirections")
	}
	return CheckAddress(r.URL.String())
}}

// maxAnswer is far more than any set of keys.
const maxAnswer = 1 << 20

func get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxAnswer))
}

// parse reads a file: a JWKS, or PEM.
func parse(text []byte) ([]key, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return parseSet(text)
	}
	var keys []key
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		public, err := parseBlock(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", block.Type, err)
		}
		keys = append(keys, key{public: public})
	}
	return keys, nil
}

// parseBlock takes a public key, or that of a certificate. A private one is not needed
// here, and ought not to be here.
func parseBlock(block *pem.Block) (crypto.PublicKey, error) {
	if strings.Contains(block.Type, "PRIVATE") {
		return nil, errors.New("is a private key; give the public one")
	}
	if block.Type == "CERTIFICATE" {
		certificate, err := jwkset.LoadCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return usable(certificate.PublicKey)
	}
	public, err := jwkset.LoadX509KeyInfer(block)
	if err != nil {
		return nil, err
	}
	return usable(public)
}

// parseSet reads a JWKS. What it has beside keys for signatures is left out.
func parseSet(text []byte) ([]key, error) {
	var set jwkset.JWKSMarshal
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	var keys []key
	for _, one := range set.Keys {
		if one.USE == jwkset.UseEnc {
			continue
		}
		parsed, err := jwkset.NewJWKFromMarshal(one, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err != nil {
			continue // of a kind that is not known here, or a secret
		}
		if public, err := usable(parsed.Key()); err == nil {
			keys = append(keys, key{one.KID, one.ALG.String(), public})
		}
	}
	return keys, nil
}

// minRSA is what a modulus has at least, in bits.
const minRSA = 2048

// usable lets keys through that tokens are signed with.
func usable(public any) (crypto.PublicKey, error) {
	switch k := public.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSA {
			return nil, fmt.Errorf("is shorter than %d bits", minRSA)
		}
		return k, nil
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return k, nil
	}
	return nil, fmt.Errorf("is no key for signatures: %T", public)
}
