package domain

import (
	"context"
	"time"
)

const (
	// MaxSequenceName is the longest name of a sequence, in characters.
	MaxSequenceName = 100
	// MaxValues is how many values one call may draw.
	MaxValues = 10_000
	// DefaultCacheSize is how many values a gateway draws ahead of need where
	// caching is switched on and nobody says how many.
	DefaultCacheSize = 20
	// MaxCacheSize is the most that a gateway may draw ahead of need.
	MaxCacheSize = 10_000
)

// Sequence is a named counter. One that was never used is at value 0 of epoch 1.
type Sequence struct {
	Name  string
	Value int64 // the last value drawn in this epoch; 0 = none yet
	Epoch int64
	// CacheSize is how many values a gateway draws ahead of need; 0 = none.
	CacheSize int
	// Blocks are what gateways have ahead of need, in order of value.
	Blocks []*SequenceBlock
	// Lost counts the values of all epochs that nobody will get.
	Lost int64

	UpdatedBy string
	UpdatedAt time.Time
}

// SequenceBlock is what one gateway has of a sequence.
type SequenceBlock struct {
	Values
	// UsedTo is the last value known to have been given out; First-1 = none.
	// It may lag behind by a second.
	UsedTo  int64
	Gateway string
	// LeaseUntil is until when the gateway may go on without asking again.
	LeaseUntil time.Time
}

// GapReason is why nobody will get some values.
type GapReason string

// The reasons. All but LOST are exact; LOST names everything that may be
// missing, and with it what was given out in the last second before.
const (
	GapStopped  GapReason = "STOPPED"   // the gateway shut down
	GapReset    GapReason = "RESET"     // the sequence was reset
	GapCacheOff GapReason = "CACHE_OFF" // its cache was switched off
	GapLost     GapReason = "LOST"      // the gateway crashed, or lost its connection while it drew
)

// AllGapReasons lists the reasons in that order.
var AllGapReasons = []GapReason{GapStopped, GapReset, GapCacheOff, GapLost}

// SequenceGap is values that were drawn and that nobody will get.
type SequenceGap struct {
	Values
	Reason  GapReason
	Gateway string
	At      time.Time
}

// SequenceDraw asks for Count successive values.
type SequenceDraw struct {
	Name, UserID string
	Count        int64
}

// SequenceReset begins a new epoch at 0. RefuseIfOut refuses it while another
// gateway has a block out, instead of waiting for that.
type SequenceReset struct {
	Name, UserID string
	RefuseIfOut  bool
}

// SequenceResetDone is how a reset went.
type SequenceResetDone struct {
	Epoch int64
	// Waited is how long it took until no gateway could give out values of
	// the epochs before, at most about SequenceLease.
	Waited time.Duration
	// Out are the blocks for which it was refused; nothing was changed then.
	Out []*SequenceBlock
}

// SequenceCache sets how many values a gateway draws ahead of need; 0 = none.
type SequenceCache struct {
	Name, UserID string
	Size         int
}

// SequenceQuery is a checked question for sequences, in order of name.
// A cursor is ("NAME", name).
type SequenceQuery struct{ Cut Cut }

// SequenceGapQuery is a checked question for the gaps of one sequence, in
// order of epoch and value. A cursor is ("VALUE", epoch, first value).
type SequenceGapQuery struct {
	Name string
	Cut  Cut
}

// SequenceStore keeps the counters. Within an epoch no value is given twice,
// whatever gateways, crashes, retries and caches do.
type SequenceStore interface {
	// NextVal gives values that were never given before in their epoch. A
	// caller that goes away before its turn draws nothing.
	//
	// Returns an InputError at "count" if the sequence has fewer values left,
	// ErrUnavailable if none can be had now. Values that were drawn though
	// the call failed are never given to anybody else.
	NextVal(ctx context.Context, d SequenceDraw) (Values, error)

	// CurrVal is the last value given; if the sequence is cached, by this
	// gateway, or, if that has given none, the last that any gateway drew.
	// 0 if there is none. It never writes.
	CurrVal(ctx context.Context, name string) (int64, error)

	// ResetSequence begins a new epoch. It returns when no value of an earlier
	// one can be given out any more, by whatever gateway.
	ResetSequence(ctx context.Context, r SequenceReset) (SequenceResetDone, error)

	// SetSequenceCache switches caching on or off, or to another size. When it
	// is off, it returns once no gateway gives out cached values any more.
	SetSequenceCache(ctx context.Context, c SequenceCache) error

	// Sequences lists the sequences that were ever used.
	Sequences(ctx context.Context, q SequenceQuery) (Page[Sequence], error)
	// SequenceGaps lists the values of a sequence that nobody will get.
	SequenceGaps(ctx context.Context, q SequenceGapQuery) (Page[SequenceGap], error)
}
