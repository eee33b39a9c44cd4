package resolvers

import (
	"context"
	"errors"

	"occupy/domain"
)

// Beginning is what a subscription begins with, a snapshot or what was missed, told
// apart from what comes then.
type Beginning struct{ sub *domain.Subscription }

type beginningKey struct{}

// OnlyBeginning has the subscription of a context end after what it begins with.
func OnlyBeginning(ctx context.Context) (context.Context, *Beginning) {
	b := &Beginning{}
	return context.WithValue(ctx, beginningKey{}, b), b
}

// Has tells whether a change is in it, once it has been told.
func (b *Beginning) Has(c *domain.Change) bool { return b.sub.Began(c) }

var errBegun = errors.New("the beginning is told")

func (b *Beginning) take(sub *domain.Subscription) func(context.Context) ([]*domain.OccupancyEvent, error) {
	b.sub = sub
	first := sub.First()
	sub.Close() // others listen
	return func(context.Context) (events []*domain.OccupancyEvent, err error) {
		if events, first = first, nil; len(events) == 0 {
			err = errBegun
		}
		return events, err
	}
}

type traceKey struct{}

// Traced has it known of which change each response of a subscription is.
func Traced(ctx context.Context) context.Context {
	return context.WithValue(ctx, traceKey{}, make(chan *domain.Change, 1))
}

// TraceOf takes the change of a response that a subscription of ctx has just given.
// Returns nil if ctx has ended.
func TraceOf(ctx context.Context) *domain.Change {
	trace, _ := ctx.Value(traceKey{}).(chan *domain.Change)
	select {
	case c := <-trace:
		return c
	case <-ctx.Done():
		return nil
	}
}

// trace notes the change that is told next. There is room again when the response
// of the last one has been taken.
func trace(ctx context.Context, c *domain.Change) {
	if trace, is := ctx.Value(traceKey{}).(chan *domain.Change); is {
		select {
		case trace <- c:
		case <-ctx.Done():
		}
	}
}
