package resolvers

import (
	"context"

	"occupy/domain"
)

// hold feeds a subscription field with what becomes of a hold, until that ends or
// the client leaves. Why it ended is told by Ends.
func hold(ctx context.Context) func(*domain.Hold, error) (<-chan *domain.HoldEvent, error) {
	return func(h *domain.Hold, err error) (<-chan *domain.HoldEvent, error) {
		if err != nil {
			return nil, err
		}
		events := make(chan *domain.HoldEvent)
		go func() {
			defer close(events)
			if err := runHold(ctx, h, events); err != nil {
				noteEnd(ctx, err)
			}
		}()
		return events, nil
	}
}

// runHold returns why it ended. A panic is this hold's only.
func runHold(ctx context.Context, h *domain.Hold, out chan<- *domain.HoldEvent) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recover(ctx, p)
		}
	}()
	return h.Run(ctx, func(e *domain.HoldEvent) {
		select {
		case out <- e:
		case <-ctx.Done():
		}
	})
}
