package resolvers

import "occupy/domain"

// Resolver is the root of all resolvers.
type Resolver struct{ Service *domain.Service }

// given is a nullable argument as the domain wants it: absent is "".
func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
