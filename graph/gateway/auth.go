package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
)

// The headers, or fields of connection_init, that say who asks. They are believed
// as they are, so that the service may listen to its own machine only.
const (
	userHeader     = "X-User-Id"
	rolesHeader    = "X-Roles"
	languageHeader = "Accept-Language"
)

// headerOf names the header that an InputError of domain.NewCaller is about.
var headerOf = map[string]string{"userId": userHeader, "roles": rolesHeader}

// credentials finds one of them by its name. Returns false if it was not sent.
type credentials func(name string) (value string, sent bool)

// identify puts who asks into the request's context, or what is wrong with their
// credentials. A socket says it itself, in connection_init.
func (g *Gateway) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			r = r.WithContext(g.withCaller(r.Context(), ofHeader(r.Header), r.RemoteAddr))
		}
		next.ServeHTTP(w, r)
	})
}

// withCaller notes who is turned away for their credentials, and from where they came.
func (g *Gateway) withCaller(ctx context.Context, c credentials, from string) context.Context {
	caller, err := readCaller(c)
	switch {
	case errors.Is(err, domain.ErrUnauthenticated):
		return ctx // what they ask for is denied if need be
	case err != nil:
		g.metrics.denials.note(ctx, graph.ErrorCodeUnauthenticated, atCredentials, err.Error(), "from", from)
		return context.WithValue(ctx, refusalKey{}, err.Error())
	}
	return domain.WithCaller(ctx, caller)
}

// readCaller makes a caller of credentials. Without roles they have all of them.
// Returns ErrUnauthenticated if nobody is named, another error, which names the
// header, if one is wrong.
func readCaller(c credentials) (domain.Caller, error) {
	user, sent := c(userHeader)
	if !sent {
		return domain.Caller{}, domain.ErrUnauthenticated
	}
	language, _ := c(languageHeader)
	caller, err := domain.NewCaller(user, readRoles(c), language)
	var input *domain.InputError
	if errors.As(err, &input) {
		return caller, &domain.InputError{Argument: headerOf[input.Argument], Problem: input.Problem}
	}
	return caller, err
}

func readRoles(c credentials) []string {
	if roles, sent := c(rolesHeader); sent {
		return strings.Split(roles, ",")
	}
	all := make([]string, len(domain.AllRoles))
	for i, role := range domain.AllRoles {
		all[i] = string(role)
	}
	return all
}

type refusalKey struct{}

// refusal is the error of a request with wrong credentials, nil if there is none.
func refusal(ctx context.Context) *gqlerror.Error {
	message, refused := ctx.Value(refusalKey{}).(string)
	if !refused {
		return nil
	}
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": graph.ErrorCodeUnauthenticated}}
}

func ofHeader(h http.Header) credentials {
	return func(name string) (string, bool) {
		return h.Get(name), len(h.Values(name)) > 0
	}
}

// ofInit reads connection_init's fields, in any case, before the upgrade's headers.
// A field that is no text is as wrong as a blank one.
func ofInit(payload map[string]any, header credentials) credentials {
	return func(name string) (string, bool) {
		for field, value := range payload {
			if strings.EqualFold(field, name) {
				text, _ := value.(string)
				return text, true
			}
		}
		return header(name)
	}
}
