package domain

import (
	"context"
	"sync"
)

// MaxQueue is how many events may wait for one subscriber before it is cut:
// a little more than two of the largest group commits at once, several times over.
const MaxQueue = 16384

// Subscription is one listener of the Hub. Its queue grows as needed and is
// bounded; one that does not keep up is cut and never slows another.
type Subscription struct {
	hub    *Hub
	filter OccupancyFilter
	wake   chan struct{} // there is something to take, or the end

	mu    sync.Mutex
	queue []*OccupancyEvent
	// seen is the snapshot that was sent, while the feed may still bring what
	// it already had.
	seen *Position
	// snapshot is how much of the queue is the snapshot, which is not the
	// subscriber's slowness.
	snapshot int
	err      error
}

// Next waits for events and takes all there are, in the order of the feed.
// Returns the reason, once the queue is empty, if the subscription has ended,
// or ctx's error.
func (s *Subscription) Next(ctx context.Context) ([]*OccupancyEvent, error) {
	for {
		if events, err := s.take(); len(events) > 0 || err != nil {
			return events, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Subscription) take() ([]*OccupancyEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.queue
	s.queue, s.snapshot = nil, 0
	if len(events) > 0 {
		return events, nil
	}
	return nil, s.err
}

// Close stops the collecting.
func (s *Subscription) Close() {
	s.hub.reading.Lock()
	defer s.hub.reading.Unlock()
	delete(s.hub.subs, s)
}

// skipSeen starts the subscription with a snapshot: what it had already is not
// told again.
func (s *Subscription) skipSeen(snapshot []*OccupancyEvent, p Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = &p
	later := s.queue
	s.queue, s.snapshot = snapshot, len(snapshot)
	for _, e := range later {
		s.push(e)
	}
	s.signal()
}

// offer queues what matches. Returns false if the subscription has ended.
func (s *Subscription) offer(events []*OccupancyEvent, p Position) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != nil && !p.Started.Equal(s.seen.Started) {
		s.seen = nil // transaction ids of another life of the server say nothing
	}
	for _, e := range events {
		if s.filter.Wants(e) {
			s.push(e)
		}
	}
	if len(s.queue) > MaxQueue+s.snapshot {
		s.queue, s.err = nil, ErrTooSlow
	}
	if s.seen != nil && p.Snapshot.Xmin >= s.seen.Snapshot.Xmax {
		s.seen = nil
	}
	s.signal()
	return s.err == nil
}

func (s *Subscription) push(e *OccupancyEvent) {
	if s.seen == nil || !s.seen.Snapshot.Sees(e.TxID) {
		s.queue = append(s.queue, e)
	}
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.signal()
}

func (s *Subscription) signal() {
	if len(s.queue) == 0 && s.err == nil {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
