package domain

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Role is what a caller may do. Which role a use case needs is said by the schema,
// and checked there; what depends on the item is judged here, see mayHold.
type Role string

// The roles. OPERATOR works at a screen, SUPERVISOR may end another's hold,
// ANALYST reads, SERVICE is a program and may occupy slot keys that start
// with "job:".
const (
	RoleOperator   Role = "OPERATOR"
	RoleSupervisor Role = "SUPERVISOR"
	RoleAnalyst    Role = "ANALYST"
	RoleService    Role = "SERVICE"
)

// AllRoles lists the roles in order of the schema.
var AllRoles = []Role{RoleOperator, RoleSupervisor, RoleAnalyst, RoleService}

// Caller is who asks, as their credentials say. Make one with NewCaller.
type Caller struct {
	UserID string
	// Service is who asks on the user's behalf; "" if they do themselves.
	Service string
	Roles   []Role
	// Language is that of the messages: Korean or English.
	Language language.Tag
}

// NewCaller checks what credentials say. A user id is trimmed, not folded.
// Returns an InputError at "userId" or "roles" if the id is blank, too long or has
// invisible characters, or a role is not known.
func NewCaller(userID string, roles []string, languages string) (Caller, error) {
	id := strings.TrimSpace(userID)
	if problem := nameProblem(id, MaxUserID); problem != "" {
		return Caller{}, &InputError{Argument: "userId", Problem: problem}
	}
	if id == SystemUser {
		return Caller{}, &InputError{Argument: "userId", Problem: "is the service's own name"}
	}
	c := Caller{UserID: id, Language: matchLanguage(languages)}
	for _, name := range roles {
		role := Role(strings.ToUpper(strings.TrimSpace(name)))
		if !slices.Contains(AllRoles, role) {
			return Caller{}, &InputError{Argument: "roles", Problem: "is not a role: " + string(role)}
		}
		c.Roles = append(c.Roles, role)
	}
	return c, nil
}

// ActingFor is a service that asks on a user's behalf: what it occupies is the user's, and
// it may do what an operator may, and not what is a service's own.
// Returns a ForbiddenError unless the caller is a SERVICE, an InputError at "userId" if no
// user can have that id.
func (c Caller) ActingFor(userID string) (Caller, error) {
	if !c.Has(RoleService) {
		return Caller{}, &ForbiddenError{Needs: []Role{RoleService}}
	}
	named, err := NewCaller(userID, []string{string(RoleOperator)}, "")
	named.Service, named.Language = c.UserID, c.Language
	return named, err
}

// Actor is who did what was done: the service, if one asks on the user's behalf.
func (c Caller) Actor() string { return cmp.Or(c.Service, c.UserID) }

// Has tells whether the caller has any of the roles.
func (c Caller) Has(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(c.Roles, r) })
}

type callerKey struct{}

// WithCaller returns a context in which the use cases find who asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom finds who asks. Returns ErrUnauthenticated if nobody is known.
func CallerFrom(ctx context.Context) (Caller, error) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		return Caller{}, ErrUnauthenticated
	}
	return c, nil
}
