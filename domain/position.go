package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Position is where a reader of changes stands: in which life of which
// database, and which transactions it has seen.
type Position struct {
	// System and Timeline name the database. Another name: another history.
	System   string
	Timeline int64
	// Started is when the server started. After a crash, ids of lost
	// transactions are given out again, so that Snapshot alone would miss them.
	Started  time.Time
	Snapshot Snapshot
}

// Snapshot says which transactions had ended at an instant: all below Xmax but
// the Running ones.
type Snapshot struct {
	Xmin, Xmax uint64
	Running    []uint64 // rising
}

// Sees tells whether a transaction had ended by then.
func (s Snapshot) Sees(tx uint64) bool {
	if tx >= s.Xmax {
		return false
	}
	_, running := slices.BinarySearch(s.Running, tx)
	return !running
}

// String is PostgreSQL's form of a pg_snapshot: xmin:xmax:running,….
func (s Snapshot) String() string {
	running := make([]string, len(s.Running))
	for i, tx := range s.Running {
		running[i] = strconv.FormatUint(tx, 10)
	}
	return fmt.Sprintf("%d:%d:%s", s.Xmin, s.Xmax, strings.Join(running, ","))
}

// ParseSnapshot reads the form that String writes.
func ParseSnapshot(text string) (Snapshot, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Snapshot{}, fmt.Errorf("snapshot %q: want three parts", text)
	}
	numbers := parts[:2]
	if parts[2] != "" {
		numbers = append(numbers, strings.Split(parts[2], ",")...)
	}
	values := make([]uint64, len(numbers))
	for i, n := range numbers {
		v, err := strconv.ParseUint(n, 10, 64)
		if err != nil {
			return Snapshot{}, fmt.Errorf("snapshot %q: %w", text, err)
		}
		values[i] = v
	}
	return Snapshot{Xmin: values[0], Xmax: values[1], Running: values[2:]}, nil
}
