package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/domain"
)

// BenchmarkNextVal has 64 callers draw of one counter: each with a statement of
// its own, then gathered, then from caches of several sizes. All are measured
// in one run: read it as a ratio.
func BenchmarkNextVal(b *testing.B) {
	const callers = 64
	b.Run("plain", func(b *testing.B) {
		config, err := pgxpool.ParseConfig(newURL(b))
		if err != nil {
			b.Fatal(err)
		}
		config.MaxConns = callers
		pool, err := pgxpool.NewWithConfig(b.Context(), config)
		if err != nil {
			b.Fatal(err)
		}
		defer pool.Close()
		if _, err := pool.Exec(b.Context(), `INSERT INTO ct_sequence (seq_name) VALUES ('S')`); err != nil {
			b.Fatal(err)
		}
		manyCallers(b, callers, func() error {
			var v int64
			return pool.QueryRow(context.Background(), `UPDATE ct_sequence SET curr_value = curr_value + 1 WHERE seq_name = 'S' RETURNING curr_value`).Scan(&v)
		})
	})
	for _, size := range []int{0, domain.DefaultCacheSize, 1000} {
		b.Run(fmt.Sprint("cache=", size), func(b *testing.B) {
			s := open(b, Config{URL: newURL(b)})
			setCache(b, s, "S", size)
			manyCallers(b, callers, func() error { _, err := nextVal(s, "S"); return err })
		})
	}
}

func manyCallers(b *testing.B, callers int, call func() error) {
	b.SetParallelism(callers / 2) // of two processors
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := call(); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "values/s")
}
