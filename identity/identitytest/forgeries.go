package identitytest

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Forgeries are tokens that nobody may believe, each for one reason, by its name.
func (i *Issuer) Forgeries(user string) map[string]string {
	i.t.Helper()
	now := time.Now()
	der, err := x509.MarshalPKIXPublicKey(i.Public())
	if err != nil {
		i.t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	good := i.claims(user, nil)
	return map[string]string{
		"tampered":      tampered(i.Token(user, nil)),
		"cut":           strings.TrimRight(i.Token(user, nil), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
		"expired":       i.Token(user, Claims{"exp": now.Add(-time.Hour).Unix()}),
		"endless":       i.Token(user, Claims{"exp": nil}),
		"not yet valid": i.Token(user, Claims{"nbf": now.Add(time.Hour).Unix()}),
		"other issuer":  i.Token(user, Claims{"iss": "https://elsewhere.example.com"}),
		"no issuer":     i.Token(user, Claims{"iss": nil}),
		"other aud":     i.Token(user, Claims{"aud": []string{"payroll"}}),
		"no aud":        i.Token(user, Claims{"aud": nil}),
		"of nobody":     i.Token(user, Claims{"sub": nil}),
		"none":          i.sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "first", good),
		"HS256, PEM":    i.sign(jwt.SigningMethodHS256, public, "first", good),
		"HS256, DER":    i.sign(jwt.SigningMethodHS256, der, "first", good),
		"HS256, no kid": i.sign(jwt.SigningMethodHS256, public, "", good),
		"unknown key":   i.sign(jwt.SigningMethodES256, newKey(i.t), "another", good),
		"stolen kid":    i.sign(jwt.SigningMethodES256, newKey(i.t), "first", good),
		"no kid":        i.sign(jwt.SigningMethodES256, newKey(i.t), "", good),
		"no token":      "let me in",
		"empty":         "",
		"too long":      i.Token(user, Claims{"padding": strings.Repeat("x", 20<<10)}),
	}
}

// tampered has another user than was signed.
func tampered(token string) string {
	parts := strings.Split(token, ".")
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(claims), `"OPERATOR"`, `"SUPERVISOR"`, 1)))
	return strings.Join(parts, ".")
}
