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
	// Clock is the database's time just after the snapshot was taken: what was
	// written later is not seen, whatever its transaction's id.
	Clock time.Time
}

// LostIDs is how many transaction ids a crash may take back: far more than a
// server gives out between two flushes of its log.
const LostIDs = 100_000

// Follows tells whether a reader who stood at since can go on to p: it is the
// same history, and at no earlier point of it.
func (p Position) Follows(since Position) bool {
	lost := uint64(0)
	if !p.Started.Equal(since.Started) {
		lost = LostIDs
	}
	return p.System == since.System && p.Timeline == since.Timeline &&
		since.Snapshot.Xmax <= p.Snapshot.Xmax+lost
}

// covers tells whether p is the later of two positions in one history, or the
// same. Snapshots of one server can be put in order.
func (p Position) covers(q Position) bool {
	switch {
	case !p.Started.Equal(q.Started):
		return p.Started.After(q.Started)
	case p.Snapshot.Xmax != q.Snapshot.Xmax:
		return p.Snapshot.Xmax > q.Snapshot.Xmax
	}
	return len(p.Snapshot.Running) <= len(q.Snapshot.Running)
}

// has tells whether a change is part of what a reader at p has been told. It
// was read from a server that started at started: in the life of another one,
// the same id may be another transaction.
func (p Position) has(c *Change, started time.Time) bool {
	if c.TxID == 0 { // read from the item, which does not say who wrote it
		return !c.At.After(p.Clock)
	}
	return p.Snapshot.Sees(c.TxID) && (p.Started.Equal(started) || c.At.Before(p.Clock))
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
