package documents

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps documents, up to a size in bytes; the one that was not asked for the
// longest goes first.
type cache struct {
	most int

	mu    sync.Mutex
	kept  *simplelru.LRU[string, *Document]
	bytes int
}

func newCache(most int) *cache {
	c := &cache{most: most}
	// The number of entries is not what bounds it: none is smaller than this.
	c.kept, _ = simplelru.NewLRU(most/entryBytes+1, func(key string, d *Document) { c.bytes -= sizeOf(key, d) })
	return c
}

// get returns nil if there is none.
func (c *cache) get(key string) *Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, _ := c.kept.Get(key)
	return d
}

// add keeps a document, unless it is larger than all may be.
func (c *cache) add(key string, d *Document) {
	size := sizeOf(key, d)
	if size > c.most {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
	c.bytes += size
	c.kept.Add(key, d)
	for c.bytes > c.most {
		c.kept.RemoveOldest()
	}
}

// Sizes in memory. A test holds them against what the parser takes.
const (
	entryBytes = 1024
	tokenBytes = 240
)

func sizeOf(key string, d *Document) int {
	return entryBytes + len(key) + len(d.Text) + d.tokens*tokenBytes
}
