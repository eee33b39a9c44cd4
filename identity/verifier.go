package identity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// Algorithms are all that a token may be signed by: those with a private key.
var Algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// Config says which tokens are believed, and what their claims mean.
type Config struct {
	// Issuer has to be a token's iss. Without Keys its keys are discovered there.
	Issuer string
	// Audience: a token's aud has to have one of these.
	Audience []string
	// Keys is the address of a JWKS, or a file: a JWKS, or public keys as PEM.
	Keys string
	// Algorithms are some of the package's.
	Algorithms []string
	// Leeway is how far the issuer's clock and this one may be apart.
	Leeway time.Duration
	// UserClaim names the user. A dot leads into an object: realm_access.roles.
	UserClaim string
	// RolesClaim is a list, or a text with spaces or commas between the roles.
	RolesClaim string
	// RoleMap says what the issuer's roles are here. Those that it does not name count for
	// nothing.
	RoleMap map[string]string
	// RefreshAfter is how soon the keys may be read again for a token whose key is unknown;
	// 5 s if zero.
	RefreshAfter time.Duration
}

// Token is what a token says that is believed.
type Token struct {
	UserID string
	Roles  []string
	// Until is when it ends, with the leeway.
	Until time.Time
}

// Refusal is why a token is not believed, for the log. Who sent it is told Expired at most.
type Refusal string

// The refusals.
const (
	Expired        Refusal = "the token has expired"
	NotYetValid    Refusal = "the token is not valid yet"
	WrongIssuer    Refusal = "the token is of another issuer"
	WrongAudience  Refusal = "the token is for another audience"
	WrongAlgorithm Refusal = "the token is signed by an algorithm that is not taken"
	WrongSignature Refusal = "the token's signature is wrong"
	UnknownKey     Refusal = "the token is signed with a key that is not known"
	Malformed      Refusal = "the token can not be read"
	Incomplete     Refusal = "the token has not all claims that it needs"
)

func (r Refusal) Error() string { return string(r) }

// maxToken is far more than an issuer makes.
const maxToken = 16 << 10

// Verifier believes some tokens. Make one with Open, and have it Run.
type Verifier struct {
	config Config
	parser *jwt.Parser
	keys   *keyring
	memory memory
}

// Open reads the keys for the first time.
// Returns an error if they can not be read: then there is nobody to be let in.
func Open(ctx context.Context, c Config) (*Verifier, error) {
	v := &Verifier{config: c, keys: newKeyring(c), memory: newMemory(), parser: jwt.NewParser(
		jwt.WithValidMethods(c.Algorithms), jwt.WithIssuer(c.Issuer), jwt.WithAudience(c.Audience...),
		jwt.WithLeeway(c.Leeway), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
	)}
	return v, v.keys.read(ctx)
}

// Run reads the keys again and again until ctx ends, so that new ones are known early and
// those that were withdrawn are not taken for long. Without a Verifier it has nothing to do.
func (v *Verifier) Run(ctx context.Context) {
	if v != nil {
		v.keys.run(ctx)
	}
}

// Collectors are the metrics of the keys; without a Verifier there are none.
func (v *Verifier) Collectors() []prometheus.Collector {
	if v == nil {
		return nil
	}
	return v.keys.collectors()
}

// Verify tells who sent a token. If its key is not known, the keys are read again first,
// for as long as ctx lasts. Returns a Refusal if it is not to be believed.
func (v *Verifier) Verify(ctx context.Context, text string) (Token, error) {
	if len(text) > maxToken {
		return Token{}, Malformed
	}
	keys := v.keys.version() // before they are used: they may change meanwhile
	if known, is := v.memory.find(text, keys, time.Now()); is {
		return known, nil
	}
	token, err := v.check(ctx, text)
	if err == nil {
		v.memory.keep(text, token, keys)
	}
	return token, err
}

func (v *Verifier) check(ctx context.Context, text string) (Token, error) {
	claims := jwt.MapClaims{}
	token, err := v.parser.ParseWithClaims(text, claims, func(t *jwt.Token) (any, error) { return v.keysFor(ctx, t) })
	if err != nil {
		return Token{}, v.refusal(token, err)
	}
	until, err := claims.GetExpirationTime()
	user, _ := find(claims, v.config.UserClaim).(string)
	if err != nil || user == "" {
		return Token{}, Incomplete
	}
	return Token{
		UserID: user, Until: until.Add(v.config.Leeway),
		Roles: mapped(names(find(claims, v.config.RolesClaim)), v.config.RoleMap),
	}, nil
}

// keysFor are the keys that may have signed a token.
func (v *Verifier) keysFor(ctx context.Context, t *jwt.Token) (any, error) {
	if t.Header["crit"] != nil {
		return nil, Malformed // it asks for what is not understood here
	}
	id, _ := t.Header["kid"].(string)
	found := v.keys.find(ctx, id, t.Method.Alg())
	if len(found) == 0 {
		return nil, UnknownKey
	}
	return jwt.VerificationKeySet{Keys: found}, nil
}

// refusal finds the reason of an error, whose own text has parts of the token. What
// everybody has who holds an old token comes last.
func (v *Verifier) refusal(t *jwt.Token, err error) error {
	var already Refusal
	switch {
	case errors.As(err, &already):
		return already
	case errors.Is(err, jwt.ErrTokenMalformed):
		return Malformed
	case t != nil && (t.Method == nil || !slices.Contains(v.config.Algorithms, t.Method.Alg())):
		return WrongAlgorithm
	}
	for _, is := range []struct {
		err     error
		refusal Refusal
	}{
		{jwt.ErrTokenSignatureInvalid, WrongSignature},
		{jwt.ErrTokenRequiredClaimMissing, Incomplete},
		{jwt.ErrTokenInvalidAudience, WrongAudience},
		{jwt.ErrTokenInvalidIssuer, WrongIssuer},
		{jwt.ErrTokenNotValidYet, NotYetValid},
		{jwt.ErrTokenExpired, Expired},
	} {
		if errors.Is(err, is.err) {
			return is.refusal
		}
	}
	return Malformed
}
