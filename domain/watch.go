package domain

import "context"

// Watch is what a subscriber asks for.
type Watch struct {
	// Filter says of which items; nil is all.
	Filter *OccupancyFilter
	// Snapshot is set to be told first what is there now.
	Snapshot bool
	// Renewals is set to be told of renewals too, as far as they are known.
	Renewals bool
	// After is the cursor of the last event that was got; "" begins anew.
	After string
}

// Watch subscribes to changes: every one that matches, in order within an item,
// none missing and none twice; with Snapshot after what is there now, each item
// once; with After those that were missed before those to come.
//
// What follows a cursor may have been told before, if that was not the last of
// the changes that were read together: (item, version) tells.
// Returns ErrFeedBroken if it can not be gone on after the cursor without a hole.
func (s *Service) Watch(ctx context.Context, w Watch) (*Subscription, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	f := k.filter(w.Filter)
	after := k.mark("after", w.After)
	if w.Snapshot && after != nil {
		k.fail("after", "must not be given together with a snapshot, which begins anew")
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	sub, err := s.Hub.Subscribe(ctx, f, w.Renewals)
	if err != nil {
		return nil, err
	}
	switch {
	case w.Snapshot:
		err = s.Hub.startWithSnapshot(ctx, sub)
	case after != nil:
		err = s.Hub.startAfter(ctx, sub, after)
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// startWithSnapshot begins with what matches now.
func (h *Hub) startWithSnapshot(ctx context.Context, sub *Subscription) error {
	leave, err := h.catchUp(ctx)
	if err != nil {
		return err
	}
	defer leave()
	items, position, err := h.feed.Matching(ctx, sub.filter)
	if err != nil {
		return err
	}
	sub.start(asChanges(KindSnapshot, items), nowhere, newMark(position))
	return nil
}

// startAfter begins with what was missed since a cursor.
func (h *Hub) startAfter(ctx context.Context, sub *Subscription, after *Mark) error {
	leave, err := h.catchUp(ctx)
	if err != nil {
		return err
	}
	defer leave()
	changes, position, err := h.feed.Changes(ctx, after.Position)
	if err != nil {
		return err
	}
	var missed []*Change
	for _, c := range changes {
		if sub.filter.Wants(c) {
			missed = append(missed, c)
		}
	}
	sub.start(missed, after, newMark(position))
	return nil
}

// catchUps is how many subscribers may read what they missed at once: when a
// gateway has gone, thousands come back together, and the floor needs its
// connections.
const catchUps = 4

// catchUp waits for a turn to read. Returns ctx's error if that ends first.
func (h *Hub) catchUp(ctx context.Context) (leave func(), err error) {
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// asChanges are rows as they are now.
func asChanges(kind EventKind, items []Occupancy) []*Change {
	changes := make([]*Change, len(items))
	for i, o := range items {
		changes[i] = &Change{Kind: kind, Occupancy: o, At: o.AsOf}
	}
	return changes
}
