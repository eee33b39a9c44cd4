package resolvers

import "context"

type requestIDKey struct{}

// WithRequestID names the request that a context is of, for the log and for whoever
// asks about a fault.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is that name, "" if there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
