package domain

import (
	"errors"
	"testing"
	"time"
)

func TestLotFormatRender(t *testing.T) {
	day := time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC) // a leap day
	for format, want := range map[string]string{
		"LOT-{date:yyyyMMdd}-{seq:4}":            "LOT-20280229-0042",
		"{date:yy}{date:DDD}.{seq:3}":            "28060.042",
		"{seq:1}{date:yyyy/MM/dd}":               "422028/02/29",
		"{line}-{product}/{date:yyMMdd}{seq:5}X": "L1-P9/28022900042X",
	} {
		f, err := ParseLotFormat(format)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if got := f.Render(day, 42, "L1", "P9"); got != want {
			t.Errorf("%s makes %s, want %s", format, got, want)
		}
	}
}

// What could make one ID twice, or can not be read, is refused.
func TestLotFormatsThatAreRefused(t *testing.T) {
	for _, format := range []string{
		"", "LOT", "LOT-{date:yyyyMMdd}", "{seq:4}", "{date:yyyyMM}-{seq:4}", "{date:MMdd}-{seq:4}",
		"{date:yyyyMMdd}-{seq:0}", "{date:yyyyMMdd}-{seq:19}", "{date:yyyyMMdd}-{seq:x}", "{date:yyyyMMdd}-{seq}",
		"{date:yyyyMMdd}-{seq:4}-{seq:4}", "{date:yyyyMMdd}-{seq:4}{line}", "{line}{seq:4}-{date:yyyyMMdd}",
		"{date:yyyyMMdd}-{seq:4}7", "{date:yyyyMMdd}-{seq:4}-{shift}", "{date:yyyyMMdd}-{seq:4", "{date:yyyyMMdd}-seq:4}",
		"{date:yyyyMMdd}\x00{seq:4}",
	} {
		if _, err := ParseLotFormat(format); err == nil {
			t.Errorf("%q was taken", format)
		}
	}
}

func FuzzLotFormat(f *testing.F) {
	for _, seed := range []string{"LOT-{date:yyyyMMdd}-{seq:4}", "{line}{", "}{", "{date:yyyyDDD}{seq:1}", "{seq:18}-{date:yy-MM-dd}{product}"} {
		f.Add(seed)
	}
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		format, err := ParseLotFormat(s)
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, d := range []time.Time{day, day.AddDate(0, 0, 1), day.AddDate(0, 1, 0)} {
			for _, seq := range []int64{1, 9, 10, 11, 99, 100, 101, 110, 1000, 1101} {
				id := format.Render(d, seq, "1", "1")
				if ids[id] {
					t.Errorf("%q makes %s twice", s, id)
				}
				ids[id] = true
			}
		}
	})
}

func TestLotDay(t *testing.T) {
	for name, c := range map[string]struct {
		zone  string
		shift time.Duration
		at    string
		want  string
	}{
		"before the shift":             {"Asia/Seoul", 6 * time.Hour, "2026-11-30T20:59:59Z", "2026-11-30"},
		"at the shift":                 {"Asia/Seoul", 6 * time.Hour, "2026-11-30T21:00:00Z", "2026-12-01"},
		"midnight without a shift":     {"Asia/Seoul", 0, "2026-11-30T15:00:00Z", "2026-12-01"},
		"a leap day":                   {"Asia/Seoul", 6 * time.Hour, "2028-02-29T20:59:59Z", "2028-02-29"},
		"after a leap day":             {"Asia/Seoul", 6 * time.Hour, "2028-02-29T21:00:00Z", "2028-03-01"},
		"clocks go forward, before":    {"America/New_York", 6 * time.Hour, "2026-03-08T09:59:59Z", "2026-03-07"},
		"clocks go forward, at":        {"America/New_York", 6 * time.Hour, "2026-03-08T10:00:00Z", "2026-03-08"},
		"clocks go back, before":       {"America/New_York", 6 * time.Hour, "2026-11-01T10:59:59Z", "2026-10-31"},
		"clocks go back, at":           {"America/New_York", 6 * time.Hour, "2026-11-01T11:00:00Z", "2026-11-01"},
		"a shift within the lost hour": {"America/New_York", 2*time.Hour + 30*time.Minute, "2026-03-08T07:00:00Z", "2026-03-08"},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			day, err := LotRule{TimeZone: c.zone, ShiftStart: c.shift}.Day(at)
			if got := day.Format(time.DateOnly); got != c.want || err != nil {
				t.Errorf("%s %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestLotRequestCheck(t *testing.T) {
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	rule := LotRule{Name: "LOT", Format: "LOT-{date:yyyyMMdd}-{seq:4}", TimeZone: "Asia/Seoul", BackDays: 7}
	day := func(s string) *time.Time { d, _ := time.Parse(time.DateOnly, s); return &d }
	for name, c := range map[string]struct {
		request  LotRequest
		argument string
		want     string
	}{
		"today":           {LotRequest{}, "", "2026-11-30"},
		"today by name":   {LotRequest{Date: day("2026-11-30")}, "", "2026-11-30"},
		"the oldest":      {LotRequest{Date: day("2026-11-23")}, "", "2026-11-23"},
		"too old":         {LotRequest{Date: day("2026-11-22")}, "date", ""},
		"not yet":         {LotRequest{Date: day("2026-12-01")}, "date", ""},
		"a line for none": {LotRequest{Line: "L1"}, "line", ""},
	} {
		_, got, err := c.request.Check(rule, now)
		var in *InputError
		switch {
		case c.argument == "" && (err != nil || got.Format(time.DateOnly) != c.want):
			t.Errorf("%s: %v %v", name, got, err)
		case c.argument != "" && (!errors.As(err, &in) || in.Argument != c.argument):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLotOverflowWarning(t *testing.T) {
	for last, want := range map[int64]LotWarning{1: "", 9000: "", 9001: LotNearOverflow, 9999: LotNearOverflow, 10000: LotOverflown} {
		var got LotWarning
		if _, w := overflow(9999, last); w != nil {
			got = *w
		}
		if got != want {
			t.Errorf("%d: %q, want %q", last, got, want)
		}
	}
}
