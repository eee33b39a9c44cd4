package gateway

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/resolvers"
)

type streamKey struct{}

// streamContext is that of operations whose client can be told more than one result.
func streamContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, true)
}

// aroundOperation refuses an operation that may not begin.
func (g *Gateway) aroundOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if isAdmitted(ctx) {
		return next(ctx) // whoever it is for was asked
	}
	if isShort(ctx) {
		g.running.add(1)
		// Every transport ends the context when the last word is said.
		context.AfterFunc(ctx, func() { g.running.add(-1) })
	}
	if refused := g.refusalOf(ctx); refused != nil {
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{refused}})
	}
	return next(ctx)
}

// refusalOf says why an operation may not begin, nil if it may: wrong credentials, a
// gateway that drains, a subscription whose client could hear its first result only,
// or too many of them.
func (g *Gateway) refusalOf(ctx context.Context) *gqlerror.Error {
	refused := refusal(ctx)
	switch {
	case refused != nil:
	case g.draining.Load():
		refused = resolvers.PresentError(ctx, domain.ErrUnavailable)
	case !isShort(ctx) && ctx.Value(streamKey{}) == nil:
		refused = invalid("a subscription needs a WebSocket, or Accept: text/event-stream")
	default:
		if refused = g.presentRate(g.budgets.spend(ctx, graphql.GetOperationContext(ctx).Operation)); refused != nil {
			break
		}
		if !isShort(ctx) {
			g.metrics.begun(ctx)
		}
		return nil
	}
	g.metrics.turnedAway(ctx, refused)
	return g.metrics.countError(refused)
}

func invalid(message string) *gqlerror.Error {
	return &gqlerror.Error{Message: message, Extensions: map[string]any{"code": errcode.ValidationFailed}}
}

// aroundResponse bounds the time of a query or mutation. The database's own limits,
// which tell more, are shorter for all but an analyst's question.
func (g *Gateway) aroundResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !isShort(ctx) {
		return next(ctx)
	}
	within, cancel := context.WithTimeout(ctx, g.limits.Request)
	defer cancel()
	response := next(within)
	g.metrics.ended(ctx, response)
	return response
}

// isShort tells whether a response is that of a query or mutation.
func isShort(ctx context.Context) bool {
	if !graphql.HasOperationContext(ctx) {
		return false
	}
	o := graphql.GetOperationContext(ctx).Operation
	return o != nil && o.Operation != ast.Subscription
}

// counter counts operations, and can be waited for.
type counter struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // nil unless somebody waits
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	if c.n == 0 && c.zero != nil {
		close(c.zero)
		c.zero = nil
	}
}

func (c *counter) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// wait returns when there are none, or with ctx's error.
func (c *counter) wait(ctx context.Context) error {
	c.mu.Lock()
	if c.n > 0 && c.zero == nil {
		c.zero = make(chan struct{})
	}
	zero := c.zero
	c.mu.Unlock()
	if zero == nil {
		return nil
	}
	select {
	case <-zero:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
