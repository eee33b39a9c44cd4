package postgres

import (
	"errors"
	"hash/maphash"
	"sync/atomic"

	"occupy/domain"
)

// made remembers items that have a row, so that it is not looked whether one is to be
// made for each time they are occupied. Rows are never deleted; but a database can be
// replaced by an older copy of itself, so it is only a hint: when it was wrong, all of
// it is forgotten.
type made struct {
	seed  maphash.Seed
	known [1 << 18]atomic.Uint64 // hashes of items; a new one drives out an old one
}

func newMade() *made { return &made{seed: maphash.MakeSeed()} }

// errUnmade marks that an item has no row though it was thought to have one.
var errUnmade = errors.New("an item has no row")

func (m *made) has(key domain.ItemKey) bool {
	hash, place := m.place(key)
	return place.Load() == hash
}

func (m *made) note(key domain.ItemKey) {
	hash, place := m.place(key)
	place.Store(hash)
}

func (m *made) forget() {
	for i := range m.known {
		m.known[i].Store(0)
	}
}

func (m *made) place(key domain.ItemKey) (uint64, *atomic.Uint64) {
	hash := maphash.Comparable(m.seed, key) | 1 // 0 is an empty place
	return hash, &m.known[hash>>46]
}
