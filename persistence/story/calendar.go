package story

import "time"

// shifts are from 6 to 14, to 22, and to 6 of the next day, in the plant's zone.
const (
	shifts     = 3
	firstShift = 6 * time.Hour
	shiftHours = 8 * time.Hour
)

// busiest is the most that busy says.
const busiest = 1.5

// busy is how much is done at a time, with 1 for an ordinary hour of a day shift.
func busy(at time.Time) float64 {
	into := sinceFirstShift(at)
	b := [shifts]float64{1, 0.75, 0.5}[into/shiftHours]
	switch {
	case into%shiftHours < 30*time.Minute:
		b *= busiest // who comes takes over what is there
	case at.Hour() == 12:
		b *= 0.6
	}
	if isWeekend(at.Add(-firstShift)) {
		b *= 0.35
	}
	return b
}

// sinceFirstShift is how long the plant's day has lasted.
func sinceFirstShift(at time.Time) time.Duration {
	clock := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	return (clock + 24*time.Hour - firstShift) % (24 * time.Hour)
}

func isWeekend(at time.Time) bool {
	return at.Weekday() == time.Saturday || at.Weekday() == time.Sunday
}

// team is which of the teams works at a time: they take turns by the week.
func team(at time.Time) int {
	_, week := at.Add(-firstShift).ISOWeek()
	return (int(sinceFirstShift(at)/shiftHours) + week) % shifts
}

// isOffice tells whether those are there who come from Monday to Friday.
func isOffice(at time.Time) bool { return !isWeekend(at) && at.Hour() >= 8 && at.Hour() < 18 }

// work is how much there is to do from one time to another, in ordinary hours.
func work(from, to time.Time) (hours float64) {
	const step = 10 * time.Minute
	for at := from; at.Before(to); at = at.Add(step) {
		hours += busy(at) * min(step, to.Sub(at)).Hours()
	}
	return hours
}
