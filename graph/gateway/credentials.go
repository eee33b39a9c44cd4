package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"occupy/domain"
	"occupy/identity"
)

// The headers, or fields of connection_init, that say who asks.
const (
	tokenHeader = "Authorization"
	// behalfHeader names whom a service acts for.
	behalfHeader   = "X-On-Behalf-Of"
	languageHeader = "Accept-Language"
	// userHeader and rolesHeader are believed as they are where there are no tokens, which
	// is why only this machine may connect then.
	userHeader  = "X-User-Id"
	rolesHeader = "X-Roles"

	// tokenField is another name for tokenHeader among the fields, without its "Bearer ".
	tokenField = "token"
	bearer     = "Bearer "
)

// credentials finds one of them by its name. Returns false if it was not sent.
type credentials func(name string) (value string, sent bool)

func ofHeader(h http.Header) credentials {
	return func(name string) (string, bool) {
		return h.Get(name), len(h.Values(name)) > 0
	}
}

// ofFields reads those of connection_init, in any case, before what there is otherwise.
// A field that is no text is as wrong as a blank one.
func ofFields(fields map[string]any, otherwise credentials) credentials {
	find := func(name string) (text string, sent bool) {
		for field, value := range fields {
			if strings.EqualFold(field, name) {
				text, _ = value.(string)
				return text, true
			}
		}
		return "", false
	}
	return func(name string) (string, bool) {
		if value, sent := find(name); sent {
			return value, true
		}
		if token, sent := find(tokenField); sent && name == tokenHeader {
			return bearer + token, true
		}
		return otherwise(name)
	}
}

// readCaller makes a caller of credentials that are good until an instant, or for ever
// if that is zero. Returns ErrUnauthenticated if nobody is named.
func (g *Gateway) readCaller(ctx context.Context, c credentials) (caller domain.Caller, until time.Time, err error) {
	if g.tokens != nil {
		caller, until, err = verified(ctx, g.tokens, c)
	} else {
		caller, err = believed(c)
	}
	if named, sent := c(behalfHeader); sent && err == nil {
		caller, err = caller.ActingFor(named)
		err = inHeader(err, behalfHeader)
	}
	return caller, until, err
}

// verified takes the word of a token.
func verified(ctx context.Context, tokens *identity.Verifier, c credentials) (caller domain.Caller, until time.Time, err error) {
	text, sent := c(tokenHeader)
	if !sent {
		return caller, until, domain.ErrUnauthenticated
	}
	if len(text) < len(bearer) || !strings.EqualFold(text[:len(bearer)], bearer) {
		return caller, until, identity.Malformed
	}
	token, err := tokens.Verify(ctx, strings.TrimSpace(text[len(bearer):]))
	if err != nil {
		return caller, until, err
	}
	language, _ := c(languageHeader)
	if caller, err = domain.NewCaller(token.UserID, token.Roles, language); err != nil {
		err = fmt.Errorf("%w: %w", identity.Incomplete, err)
	}
	return caller, token.Until, err
}

// believed takes the headers' word. Without roles they have all of them.
func believed(c credentials) (domain.Caller, error) {
	user, sent := c(userHeader)
	if !sent {
		return domain.Caller{}, domain.ErrUnauthenticated
	}
	language, _ := c(languageHeader)
	caller, err := domain.NewCaller(user, believedRoles(c), language)
	return caller, inHeader(err, userHeader)
}

func believedRoles(c credentials) []string {
	if roles, sent := c(rolesHeader); sent {
		return strings.Split(roles, ",")
	}
	all := make([]string, len(domain.AllRoles))
	for i, role := range domain.AllRoles {
		all[i] = string(role)
	}
	return all
}

// inHeader names the header that an InputError of domain.NewCaller is about.
func inHeader(err error, user string) error {
	var input *domain.InputError
	if !errors.As(err, &input) {
		return err
	}
	header := rolesHeader
	if input.Argument == "userId" {
		header = user
	}
	return &domain.InputError{Argument: header, Problem: input.Problem}
}
