package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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
	if _, err := EnsurePartitions(t.Context(), s.floor, p.From, minMonthsAhead); err != nil {
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
	if faults := verify(t, s); len(faults) > 0 {
		t.Errorf("%d faults: %q", len(faults), faults[:min(5, len(faults))])
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item_history`); int(n) != made.Rows {
		t.Errorf("%d rows, want %d", n, made.Rows)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item`); int(n) != made.Items {
		t.Errorf("%d items, want %d", n, made.Items)
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
