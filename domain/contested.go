package domain

import "sync"

// contested remembers which items somebody was lately refused, of the many that the
// next one who asks will most likely have. It only says how to ask: for these by a
// plain read first, which costs a denial next to nothing; for all others under the
// lock at once, which saves a grant that read. Either way the rules judge.
//
// The zero value is ready.
type contested struct {
	mu sync.Mutex
	// When one generation is full it becomes the former one, whose own is forgotten.
	present, former map[ItemKey]struct{}
}

// maxContested bounds a generation: far more items than a floor quarrels about.
const maxContested = 4096

func (c *contested) has(key ItemKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, present := c.present[key]
	_, former := c.former[key]
	return present || former
}

func (c *contested) note(key ItemKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.present == nil || len(c.present) == maxContested {
		c.former, c.present = c.present, map[ItemKey]struct{}{}
	}
	c.present[key] = struct{}{}
}

func (c *contested) forget(key ItemKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.present, key)
	delete(c.former, key)
}
