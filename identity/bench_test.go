package identity_test

import (
	"testing"

	"occupy/identity"
	"occupy/identity/identitytest"
)

func BenchmarkVerify(b *testing.B) {
	issuer := identitytest.New(b)
	v, err := identity.Open(b.Context(), config(issuer.URL))
	if err != nil {
		b.Fatal(err)
	}
	token := issuer.For("kim", "OPERATOR")
	for b.Loop() {
		if _, err := v.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
