package resolvers

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"occupy/domain"
)

// stream feeds a subscription field with what a domain subscription brings, until
// that ends or the client leaves. Why it ended is told by Ends.
func stream(ctx context.Context) func(*domain.Subscription, error) (<-chan *domain.OccupancyEvent, error) {
	return func(sub *domain.Subscription, err error) (<-chan *domain.OccupancyEvent, error) {
		if err != nil {
			return nil, err
		}
		events := make(chan *domain.OccupancyEvent)
		next := sub.Next
		if b, is := ctx.Value(beginningKey{}).(*Beginning); is {
			next = b.take(sub)
		}
		go func() {
			defer close(events)
			defer sub.Close()
			noteEnd(ctx, pump(ctx, next, events))
		}()
		return events, nil
	}
}

// pump returns why it ended. A panic is this subscription's only: gqlgen does not
// catch those of goroutines that it has not started.
func pump(ctx context.Context, next func(context.Context) ([]*domain.OccupancyEvent, error), out chan<- *domain.OccupancyEvent) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recover(ctx, p)
		}
	}()
	for {
		events, err := next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			trace(ctx, e.Change)
			select {
			case out <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// Ends is the extension that tells a client why its subscription ended, in one last
// response with the error, over any transport. gqlgen's own way, by
// transport.AddSubscriptionError, ends the process if the transport is not WebSocket.
type Ends struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
	graphql.ResponseInterceptor
} = Ends{}

type endKey struct{}

// ExtensionName names it.
func (Ends) ExtensionName() string { return "Ends" }

// Validate finds nothing wrong.
func (Ends) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation makes a place for the error of a subscription.
func (Ends) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		ctx = context.WithValue(ctx, endKey{}, &atomic.Pointer[error]{})
	}
	return next(ctx)
}

// InterceptResponse adds the error, once, where there would be no more responses.
func (Ends) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	end, _ := ctx.Value(endKey{}).(*atomic.Pointer[error])
	if response != nil || end == nil {
		return response
	}
	if err := end.Swap(nil); err != nil {
		graphql.AddError(ctx, *err)
		return &graphql.Response{Errors: graphql.GetErrors(ctx)}
	}
	return nil
}

// noteEnd keeps the error for InterceptResponse; nobody waits for that of a client
// who has left.
func noteEnd(ctx context.Context, err error) {
	if errors.Is(err, errBegun) {
		return
	}
	if end, ok := ctx.Value(endKey{}).(*atomic.Pointer[error]); ok && ctx.Err() == nil {
		end.Store(&err)
	}
}
