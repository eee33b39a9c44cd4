package domain

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Role is what a caller may do. Which role a use case needs is said by the schema,
// and checked there; what depends on the item is judged here, see mayOccupy.
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
	Roles  []Role
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
