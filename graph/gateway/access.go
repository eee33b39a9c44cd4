package gateway

import (
	"context"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
)

// access notes who asks for what they may not have. That an item is held by another is
// something else: an answer.
type access struct{ denied *prometheus.CounterVec }

func newAccess() access {
	return access{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "occupy_access_denied_total",
		Help: "Requests by callers who may not, or who are not known, by code and by the field that they asked for; at=\"credentials\" if the credentials themselves were wrong.",
	}, []string{"code", "at"})}
}

// atCredentials is where whoever sends wrong credentials is stopped.
const atCredentials = "credentials"

// deny counts and logs a denial. Why is for the log only, and never has a credential in it.
func (a access) deny(ctx context.Context, code graph.ErrorCode, at, why string, more ...any) {
	a.denied.WithLabelValues(string(code), at).Inc()
	caller, _ := domain.CallerFrom(ctx)
	slog.WarnContext(ctx, "access denied", append([]any{"code", code, "at", at,
		"user", caller.UserID, "actor", caller.Actor(), "roles", caller.Roles, "why", why}, more...)...)
}

// note denies what a caller is told of a field, if that is a denial.
func (a access) note(ctx context.Context, told *gqlerror.Error) {
	code, _ := told.Extensions["code"].(graph.ErrorCode)
	if code != graph.ErrorCodeUnauthenticated && code != graph.ErrorCodeForbidden {
		return
	}
	at := ""
	if field := graphql.GetFieldContext(ctx); field != nil {
		at = field.Field.Name // not the path, which has the caller's own names
	}
	a.deny(ctx, code, at, told.Message)
}
