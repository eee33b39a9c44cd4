package domain

import (
	"strings"
	"time"
)

// HistoryEntry is one row of the history: the item as it was from then on, how
// it came to that, and who did it. It is never changed.
type HistoryEntry struct {
	ItemKey
	TimeKey string // 20 digits of UTC to the microsecond, 12 of a sequence
	State   State
	Event   Event
	UserID  string // holder, or who held until then
	Session string

	StartTime  time.Time
	ExpireTime time.Time // planned end; for EXPIRED, when it ended
	UIName     string
	MenuName   string

	FencingToken int64
	Version      int64
	Renewals     int64

	Comment string // a supervisor's reason
	Actor   string // who caused the row
	At      time.Time
}

// timeKeyLayout is the first part of a TimeKey, to the second.
const timeKeyLayout = "20060102150405"

// TimeKeyLength is how many digits a TimeKey has.
const TimeKeyLength = 32

// TimeKeyPrefix is the least key of an instant: its 20 digits, so that a row
// written at or after that instant has a greater key.
func TimeKeyPrefix(at time.Time) string {
	at = at.UTC()
	digits := itoa(1_000_000 + at.Nanosecond()/1000)
	return at.Format(timeKeyLayout) + digits[1:]
}

func validTimeKey(key string) bool {
	return len(key) == TimeKeyLength && strings.Trim(key, "0123456789") == ""
}
