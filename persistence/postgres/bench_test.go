package postgres

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"occupy/domain"
)

// BenchmarkOccupy takes random ones of many items, with and without group
// commit, so that both are measured in one run: read it as a ratio.
func BenchmarkOccupy(b *testing.B) {
	for _, callers := range []int{1, 64, 256} {
		for _, group := range []int{1, DefaultGroupCallers} {
			b.Run(fmt.Sprintf("callers=%d/group=%d", callers, group), func(b *testing.B) {
				s := open(b, Config{URL: newURL(b), GroupCallers: group, Transactions: transactionsFor(group)})
				b.SetParallelism(callers / 2) // of two processors
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						n := rand.IntN(100_000)
						if _, _, err := occupy(s, key(fmt.Sprint("L", n)), by(fmt.Sprint("user", n))); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}

// transactionsFor gives one transaction a caller its best chance.
func transactionsFor(group int) int {
	if group == 1 {
		return DefaultFloorConns
	}
	return DefaultTransactions
}

// BenchmarkDenial asks for what another holds: by the plain read that comes
// first, and under the lock, which it saves.
func BenchmarkDenial(b *testing.B) {
	s := open(b, Config{URL: newURL(b)})
	item := key("LOT1")
	mustOccupy(b, s, item, by("kim"))
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			items, clock, err := s.Read(b.Context(), []domain.ItemKey{item})
			if code, _ := items[0].Occupy(clock, by("lee")); err != nil || code != domain.CodeHeld {
				b.Fatal(code, err)
			}
		}
	})
	b.Run("lock", func(b *testing.B) {
		for b.Loop() {
			if code, _, err := occupy(s, item, by("lee")); err != nil || code != domain.CodeHeld {
				b.Fatal(code, err)
			}
		}
	})
}
