package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
	"occupy/persistence/story"
)

// tell writes a made-up past into a database, with the partitions that it needs.
func tell(t testing.TB, url string, p story.Plant) story.Made {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	s := open(t, Config{URL: url})
	if _, err := EnsurePartitions(t.Context(), s.floor.Pool, p.From, minMonthsAhead); err != nil {
		t.Fatal(err)
	}
	made, err := story.Write(t.Context(), conn, p)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// lastMonths is a plant's past up to now.
func lastMonths(n, rows int) story.Plant {
	now := time.Now()
	return story.Plant{Seed: 1, From: now.AddDate(0, -n, 0), To: now, Rows: rows}
}

func TestAStoryIsWhole(t *testing.T) {
	url := newURL(t)
	made := tell(t, url, lastMonths(3, 20_000))
	s := open(t, Config{URL: url})
	all, err := domain.VerifyAll(t.Context(), s, domain.VerifyFrom{}, func(domain.Verification) {})
	if err != nil || all.Next != nil || all.FaultCount > 0 || int(all.Rows) != made.Rows || int(all.Items) != made.Items {
		t.Errorf("%d faults in %d rows and %d items of %+v, %v: %v",
			all.FaultCount, all.Rows, all.Items, made, err, all.Faults[:min(5, len(all.Faults))])
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := story.Write(t.Context(), conn, lastMonths(3, 20_000)); err == nil {
		t.Error("a second story is told over the first")
	}
}
