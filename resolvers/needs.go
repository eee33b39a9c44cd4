package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
)

// Needs is the schema's directive @needs, the one place where roles are checked: before
// the resolver of a field of Query, Mutation or Subscription is asked.
//
// Returns domain.ErrUnauthenticated, or a domain.ForbiddenError if the caller has none of
// the roles.
func Needs(ctx context.Context, _ any, next graphql.Resolver, anyOf []domain.Role) (any, error) {
	caller, err := domain.CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	if len(anyOf) > 0 && !caller.Has(anyOf...) {
		return nil, &domain.ForbiddenError{Needs: anyOf}
	}
	return next(ctx)
}
