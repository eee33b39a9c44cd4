package story

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"occupy/domain"
)

// spring begins on a Monday.
var spring = Plant{Seed: 7, From: time.Date(2026, 3, 1, 21, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 31, 21, 0, 0, 0, time.UTC), Rows: 40_000}

// told is a whole story.
func told(t *testing.T, p Plant) (*play, []domain.Transition) {
	t.Helper()
	s, err := newPlay(p)
	if err != nil {
		t.Fatal(err)
	}
	var rows []domain.Transition
	for row, more := s.next(); more; row, more = s.next() {
		rows = append(rows, row)
	}
	return s, rows
}

func TestAStoryHasTheSizeAndTheTimeAskedFor(t *testing.T) {
	for _, rows := range []int{2000, 40_000, 100_000} {
		p := spring
		p.Rows = rows
		_, got := told(t, p)
		if n := len(got); n < rows*93/100 || n > rows*107/100 {
			t.Errorf("%d rows, want about %d", n, rows)
		}
		at := p.From
		for _, row := range got {
			if row.UpdatedAt.Before(at) || !row.UpdatedAt.Before(p.To) {
				t.Fatalf("a row of %v after one of %v", row.UpdatedAt, at)
			}
			at = row.UpdatedAt
		}
	}
}

func TestTheSamePlantIsTheSameStory(t *testing.T) {
	print := func(p Plant) uint64 {
		hash := fnv.New64()
		_, rows := told(t, p)
		for _, row := range rows {
			fmt.Fprintln(hash, row)
		}
		return hash.Sum64()
	}
	other := spring
	other.Seed++
	one := print(spring)
	if print(spring) != one {
		t.Error("the same plant, and another story")
	}
	if print(other) == one {
		t.Error("another seed, and the same story")
	}
}

func TestAStoryHasAllThatAnAnalystLooksFor(t *testing.T) {
	s, rows := told(t, spring)
	events, byShift, byDay, items := map[domain.Event]int{}, [shifts]int{}, [7]int{}, map[domain.ItemKey]int{}
	for _, row := range rows {
		events[row.Event]++
		at := row.UpdatedAt.In(s.plant.Zone)
		byShift[sinceFirstShift(at)/shiftHours]++
		byDay[at.Add(-firstShift).Weekday()]++
		items[row.ItemKey]++
	}
	t.Log(len(rows), "rows", len(items), "items", len(s.refused), "denials", events, byShift, byDay)
	for _, event := range []domain.Event{domain.EventOccupied, domain.EventReentered, domain.EventTakenOver, domain.EventTransferred,
		domain.EventFreed, domain.EventWindowClosed, domain.EventConnectionLost, domain.EventForced, domain.EventExpired} {
		if events[event] == 0 {
			t.Errorf("nothing was ever %s", event)
		}
	}
	if byShift[0] <= byShift[1] || byShift[1] <= byShift[2] {
		t.Errorf("shifts are not each busier than the next: %v", byShift)
	}
	if byDay[time.Sunday]*2 > byDay[time.Monday] || byDay[time.Saturday]*2 > byDay[time.Friday] {
		t.Errorf("weekends are not quiet: %v", byDay)
	}
	if len(s.refused) < len(rows)/100 || len(s.refused) > len(rows)/2 {
		t.Errorf("%d denials", len(s.refused))
	}
	most := 0
	for _, n := range items {
		most = max(most, n)
	}
	if most < 20*len(rows)/len(items) {
		t.Errorf("nothing is hot: at most %d rows an item", most)
	}
}

func TestAPlantThatMakesNoSenseIsRefused(t *testing.T) {
	for _, p := range []Plant{{From: spring.From, To: spring.To}, {From: spring.To, To: spring.From, Rows: 1000}} {
		if _, err := newPlay(p); err == nil {
			t.Errorf("%+v is told", p)
		}
	}
}
