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

// denials are those who asked for what they may not have. An item that is held by
// another is none: that is an answer.
type denials struct{ counted *prometheus.CounterVec }

func newDenials() denials {
	return denials{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "occupy_access_denied_total",
		Help: "Requests by callers who may not, or who are not known, by code and by the field that they asked for; at=\"credentials\" if the credentials themselves were wrong.",
	}, []string{"code", "at"})}
}

// atCredentials is where whoever sends wrong credentials is stopped.
const atCredentials = "credentials"

// note counts and logs a denial. Why is for the log only, and never has a credential in it.
func (d denials) note(ctx context.Context, code graph.ErrorCode, at, why string, more ...any) {
	d.counted.WithLabelValues(string(code), at).Inc()
	caller, _ := domain.CallerFrom(ctx)
	slog.WarnContext(ctx, "denied", append([]any{"code", code, "at", at, "user", caller.UserID, "roles", caller.Roles, "why", why}, more...)...)
}

// noteError notes what a caller is told of a field, if that is a denial.
func (d denials) noteError(ctx context.Context, told *gqlerror.Error) {
	switch code := told.Extensions["code"]; code {
	case graph.ErrorCodeUnauthenticated, graph.ErrorCodeForbidden:
		at := ""
		if field := graphql.GetFieldContext(ctx); field != nil {
			at = field.Field.Name // not the path, which has the caller's own names
		}
		d.note(ctx, code.(graph.ErrorCode), at, told.Message)
	}
}
