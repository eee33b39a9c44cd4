package domain

import "sync"

// holds are the connections through which this gateway holds items.
type holds struct {
	running sync.WaitGroup

	mu   sync.Mutex
	open map[holder]*holding
}

// holding is what the connections of one holder have in common.
type holding struct {
	connections int
	// written is what one of them wrote last: the last to part has to know it.
	written stamp
}

// holder is who holds what, from one window.
type holder struct {
	ItemKey
	userID, session string
}

func (h *Hold) holder() holder { return holder{h.key, h.occupy.UserID, h.occupy.Session} }

// enter counts a connection, before it occupies.
func (a *holds) enter(h holder) *holding {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[holder]*holding{}
	}
	if a.open[h] == nil {
		a.open[h] = &holding{}
	}
	a.open[h].connections++
	return a.open[h]
}

func (a *holds) leave(h holder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[h].connections--; a.open[h].connections == 0 {
		delete(a.open, h)
	}
}

// has tells whether there is another connection of the same holder.
func (a *holds) has(h holder) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open[h] != nil
}

// wrote notes what a connection has written.
func (a *holds) wrote(h *holding, s stamp) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.after(h.written) {
		h.written = s
	}
}

func (a *holds) written(h *holding) stamp {
	a.mu.Lock()
	defer a.mu.Unlock()
	return h.written
}

// WaitForHolds waits until every hold has ended and written that down. The Hub
// has to have ended.
func (s *Service) WaitForHolds() { s.holds.running.Wait() }
