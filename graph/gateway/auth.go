package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
	"occupy/identity"
)

// identify puts who asks into the request's context, or what is wrong with their
// credentials. A socket says it itself, in connection_init.
func (g *Gateway) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			r = r.WithContext(g.withCaller(r.Context(), ofHeader(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// withCaller notes who is turned away for their credentials, and from where they came.
func (g *Gateway) withCaller(ctx context.Context, c credentials) context.Context {
	caller, until, err := g.readCaller(ctx, c)
	if errors.Is(err, domain.ErrUnauthenticated) {
		return ctx // what they ask for is denied if need be
	}
	if err != nil {
		refused := refusalFor(err)
		g.metrics.access.deny(ctx, refused.Extensions["code"].(graph.ErrorCode), atCredentials, err.Error(), "from", addressOf(ctx))
		return context.WithValue(ctx, refusalKey{}, refused)
	}
	if !until.IsZero() {
		ctx = context.WithValue(ctx, untilKey{}, until)
	}
	return domain.WithCaller(ctx, caller)
}

type (
	refusalKey struct{}
	untilKey   struct{}
)

// refusal is the error of a request with wrong credentials, nil if there is none.
func refusal(ctx context.Context) *gqlerror.Error {
	refused, _ := ctx.Value(refusalKey{}).(*gqlerror.Error)
	return refused
}

// untilOf is when the caller's credentials end; zero if they do not.
func untilOf(ctx context.Context) time.Time {
	until, _ := ctx.Value(untilKey{}).(time.Time)
	return until
}

// challenge has a 401 say what credentials are taken, as HTTP wants it.
func (g *Gateway) challenge(h http.Header, status int) {
	if status != http.StatusUnauthorized {
		return
	}
	scheme := "Bearer"
	if g.tokens == nil {
		scheme = userHeader // no scheme of the standard's: the header is believed
	}
	h.Set("WWW-Authenticate", scheme)
}

const tokenExpired = "the token has expired"

// refusalFor says what is wrong with credentials. Of a token that is not believed no more
// than that: to say why would help only who makes them up.
func refusalFor(err error) *gqlerror.Error {
	code, message := graph.ErrorCodeUnauthenticated, err.Error()
	var forbidden *domain.ForbiddenError
	var token identity.Refusal
	switch {
	case errors.As(err, &forbidden):
		code, message = graph.ErrorCodeForbidden, behalfHeader+" "+forbidden.Error()
	case errors.Is(err, identity.Expired):
		message = tokenExpired
	case errors.As(err, &token):
		message = "the token is not valid"
	}
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": code}}
}
