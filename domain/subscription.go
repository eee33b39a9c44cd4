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
	hub      *Hub
	filter   OccupancyFilter
	renewals bool
	wake     chan struct{} // there is something to take, or the end

	mu    sync.Mutex
	queue []*OccupancyEvent
	// first is how much of the queue it began with, which is not the
	// subscriber's slowness.
	first int
	// begun is where it began: what was there by then is not told again.
	begun *Mark
	// at is up to where it had been told everything, once the queue is taken, when
	// something was last put there.
	at  *Mark
	err error
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
	s.queue, s.first = nil, 0
	if len(events) > 0 {
		return events, nil
	}
	return nil, s.err
}

// Close stops the collecting. It may be called again.
func (s *Subscription) Close() {
	s.hub.reading.Lock()
	defer s.hub.reading.Unlock()
	s.hub.remove(s)
}

// start puts what was there by a position before what came since. Only the last
// of it carries that position: who has not got so far is to go on from before.
func (s *Subscription) start(first []*Change, before, at *Mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := s.queue
	s.queue, s.first, s.begun = nil, len(first), at
	for _, c := range first {
		s.queue = append(s.queue, &OccupancyEvent{c, before})
	}
	if len(first) > 0 {
		s.queue[len(first)-1].at = at
	}
	for _, e := range since {
		if !at.has(e.Change, s.at.Started) {
			s.queue = append(s.queue, &OccupancyEvent{e.Change, later(at, e.at)})
		}
	}
	s.at = later(at, s.at)
	s.signal()
}

// offer queues what matches of the changes from one position up to another. Only the
// last event carries that, so that whoever goes on from another one is told the
// rest again. Returns false if the subscription has ended.
func (s *Subscription) offer(changes []*Change, before, at *Mark) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = later(s.at, before)
	s.at = later(before, at)
	var last *OccupancyEvent
	for _, c := range changes {
		if s.filter.Wants(c) && !s.begun.has(c, at.Started) {
			last = &OccupancyEvent{c, before}
			s.queue = append(s.queue, last)
		}
	}
	if last != nil {
		last.at = s.at
	}
	if len(s.queue) > MaxQueue+s.first {
		s.queue, s.err = nil, ErrTooSlow
	}
	s.signal()
	return s.err == nil
}

// offerRenewed queues the renewals that match, the first to be left out if the
// subscriber is slow. Returns whether some were.
func (s *Subscription) offerRenewed(renewed []*Change, at *Mark) (leftOut bool) {
	if !s.renewals {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range renewed {
		switch {
		case !s.filter.Matches(&c.Occupancy) || s.begun.has(c, at.Started):
		case len(s.queue) >= s.first+MaxQueue/2:
			leftOut = true
		default:
			s.queue = append(s.queue, &OccupancyEvent{c, later(s.at, at)})
		}
	}
	s.signal()
	return leftOut
}

// isIdle tells whether nothing waits for it.
func (s *Subscription) isIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) == 0
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.signal()
}

func (s *Subscription) signal() {
	if len(s.queue) > 0 || s.err != nil {
		signal(s.wake)
	}
}

// signal sets the flag that a channel of one place is.
func signal(flag chan<- struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}
