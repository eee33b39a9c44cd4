package domain

import "time"

// A subscription may tell only what it begins with, and leave what comes then to
// another one with the same filter that has listened since before.

// First takes what it begins with: a snapshot, or what was missed since a cursor.
// It does not wait.
func (s *Subscription) First() []*OccupancyEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.queue[:s.first:s.first]
	s.queue, s.first = s.queue[s.first:], 0
	return first
}

// Began tells whether it began with what came of a change, so that whoever goes on
// is not to tell it again. The life of the server that a change was read from is
// not known here, only when it was written.
func (s *Subscription) Began(c *Change) bool { return s.begun.has(c, time.Time{}) }
