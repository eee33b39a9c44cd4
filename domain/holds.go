package domain

import "sync"

// holds are the connections through which this gateway holds items.
type holds struct {
	running sync.WaitGroup

	mu   sync.Mutex
	same map[holder]int // how many of one holder
}

// holder is who holds what, from one window.
type holder struct {
	ItemKey
	userID, session string
}

func (h *Hold) holder() holder { return holder{h.key, h.occupy.UserID, h.occupy.Session} }

// enter counts a connection, before it occupies.
func (a *holds) enter(h holder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.same == nil {
		a.same = map[holder]int{}
	}
	a.same[h]++
}

func (a *holds) leave(h holder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.same[h]--; a.same[h] == 0 {
		delete(a.same, h)
	}
}

// has tells whether there is another connection of the same holder.
func (a *holds) has(h holder) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.same[h] > 0
}

// WaitForHolds waits until every hold has ended and written that down. The Hub
// has to have ended.
func (s *Service) WaitForHolds() { s.holds.running.Wait() }
