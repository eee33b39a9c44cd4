package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/resolvers"
)

// operationTime bounds a query or mutation. The database's own limits, which
// tell more, are shorter for all but an analyst's question.
const operationTime = 40 * time.Second

// aroundOperation refuses an operation of a caller whose credentials are wrong,
// and any while the gateway drains.
func (g *Gateway) aroundOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	g.metrics.countOperation(ctx)
	g.running.add(1)
	// Every transport ends the context when the last word is sent.
	context.AfterFunc(ctx, func() { g.running.add(-1) })
	refused := refusal(ctx)
	if refused == nil && g.draining.Load() {
		refused = resolvers.PresentError(ctx, domain.ErrUnavailable)
	}
	if refused != nil {
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{g.metrics.countError(refused)}})
	}
	return next(ctx)
}

// aroundResponse bounds the time of a query or mutation.
func (g *Gateway) aroundResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !isShort(ctx) {
		return next(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, operationTime)
	defer cancel()
	return next(ctx)
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
