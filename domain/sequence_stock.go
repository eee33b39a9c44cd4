package domain

import (
	"slices"
	"time"
)

const (
	// SequenceLease is how long a gateway may give out of a block without
	// asking again. The database counts it from when it grants it.
	SequenceLease = 3 * time.Second
	// leaseMargin is how much sooner the gateway takes the lease for over, for
	// two clocks never run alike.
	leaseMargin = SequenceLease / 10
	// extendAfter is the age at which a lease is extended.
	extendAfter = SequenceLease / 3
)

// Values are one or more successive values of a sequence, and their epoch.
type Values struct{ Epoch, First, Last int64 }

// Block is what one gateway drew at once: the part for the callers who waited
// for it, and, with caching, some ahead of need under a lease. It has no clock,
// does no I/O and is not safe for concurrent use.
type Block struct {
	Values
	// Given is the last value given out; First-1 = none yet.
	Given int64
	// Leased is when the statement was sent that got the lease or extended it,
	// so that the lease lasts longer by the database's clock than by ours.
	// Zero = there is none, because all of it is for callers who wait.
	Leased time.Time

	settled  int64 // Given at the last review
	recorded int64 // Given as the database knows it
	closed   bool  // nothing is given out of it any more
}

// NewBlock makes a block of which nothing was given out yet.
func NewBlock(v Values, leased time.Time) *Block {
	return &Block{Values: v, Given: v.First - 1, Leased: leased, settled: v.First - 1, recorded: v.First - 1}
}

// Left is how many values can still be given out.
func (b *Block) Left() int64 {
	if b.closed {
		return 0
	}
	return b.Last - b.Given
}

// Take gives the next count values, which must not be more than are left.
func (b *Block) Take(count int64) Values {
	v := Values{Epoch: b.Epoch, First: b.Given + 1, Last: b.Given + count}
	b.Given = v.Last
	return v
}

// Close stops all giving. What is left is to be given back.
func (b *Block) Close() { b.closed = true }

// live tells whether the lease surely lasts. A process that was stopped finds
// it over by the monotonic clock, which time.Sub prefers; a machine that slept,
// by the other one.
func (b *Block) live(now time.Time) bool {
	if b.Leased.IsZero() || b.closed {
		return false
	}
	age := max(now.Sub(b.Leased), now.Round(0).Sub(b.Leased.Round(0)))
	return age < SequenceLease-leaseMargin
}

// Duty is what a gateway owes the database about a block.
type Duty int

// The duties.
const (
	Nothing  Duty = iota
	Record        // write down what was given, and extend the lease
	GiveBack      // the block is done: remove it, and write down a gap if anything is left
)

// Review says what is to be done about the block now, and up to which value it
// is to be written down as given. That is what was given by the last review,
// not by now: an answer that left this moment may still die with the process.
func (b *Block) Review(now time.Time) (Duty, int64) {
	usedTo := b.settled
	b.settled = b.Given
	switch {
	case b.closed:
		return GiveBack, b.Given
	case usedTo == b.Last:
		b.Close()
		return GiveBack, usedTo
	case !b.Leased.IsZero() && (usedTo > b.recorded || now.Sub(b.Leased) >= extendAfter):
		return Record, usedTo
	}
	return Nothing, usedTo
}

// Recorded notes that the database has written usedTo down and extended the
// lease by a statement sent then.
func (b *Block) Recorded(usedTo int64, sent time.Time) {
	b.recorded = max(b.recorded, usedTo)
	if sent.After(b.Leased) {
		b.Leased = sent
	}
}

// Stock is what one gateway has of one sequence.
type Stock struct {
	// Blocks in order of drawing.
	Blocks []*Block

	epoch int64 // the newest known
	size  int64 // of the cache, as the last draw found it
	last  Values
}

// Add puts a block in.
func (s *Stock) Add(b *Block) {
	s.Blocks = append(s.Blocks, b)
	s.Renew(b.Epoch)
}

// SetSize notes how many values a draw gets ahead of need; 0 = not cached.
func (s *Stock) SetSize(size int64) { s.size = size }

// Renew takes note of an epoch: nothing is given of earlier ones any more.
func (s *Stock) Renew(epoch int64) {
	s.epoch = max(s.epoch, epoch)
	for _, b := range s.Blocks {
		if b.Epoch < s.epoch {
			b.Close()
		}
	}
}

// Close stops all giving.
func (s *Stock) Close() {
	for _, b := range s.Blocks {
		b.Close()
	}
}

// Give gives count successive values if a block with a lease has as many left.
func (s *Stock) Give(now time.Time, count int64) (Values, bool) {
	for _, b := range s.Blocks {
		if b.Left() >= count && b.live(now) {
			v := b.Take(count)
			s.Gave(v)
			return v, true
		}
	}
	return Values{}, false
}

// Gave notes what was given out, by whatever way.
func (s *Stock) Gave(v Values) {
	if v.Epoch >= s.last.Epoch {
		s.last = v
	}
}

// Low tells whether the next block is to be drawn: half of the cache's size is
// used, or there is none.
func (s *Stock) Low() bool {
	left := int64(0)
	for _, b := range s.Blocks {
		if !b.Leased.IsZero() {
			left += b.Left()
		}
	}
	return 2*left <= s.size
}

// Last is the last value given out of an epoch. Returns false if this gateway
// does not know of any.
func (s *Stock) Last(epoch int64) (int64, bool) { return s.last.Last, s.last.Epoch == epoch }

// LastSurely is the last value given out, if a lease shows that no reset can
// have been answered since.
func (s *Stock) LastSurely(now time.Time) (int64, bool) {
	for _, b := range s.Blocks {
		if b.live(now) {
			return s.Last(b.Epoch)
		}
	}
	return 0, false
}

// Drop takes a block out.
func (s *Stock) Drop(b *Block) {
	s.Blocks = slices.DeleteFunc(s.Blocks, func(each *Block) bool { return each == b })
}
