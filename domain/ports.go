package domain

import (
	"context"
	"time"
)

// Decide is a rule at work: given the database's time and the locked rows, in
// the order of Update.Keys, it says what is to be written, in order, or nothing.
// It does no I/O, and it may be run more than once: only the last run counts.
type Decide func(clock time.Time, items []Occupancy) []Transition

// Update is one locked change, made by Store.Update.
type Update struct {
	// Keys are the items to lock, each once.
	Keys []ItemKey
	// MayGrant is set when Decide may occupy an item never seen. Without it a
	// row is never made.
	MayGrant bool
	Decide   Decide
}

// Store keeps the truth. Its clock is the database's.
type Store interface {
	// Update locks the items, reads the clock, lets Decide judge, and writes
	// what it says together with the history, all or nothing. It returns once
	// that is committed, so that what Decide found may be told.
	//
	// A caller that goes away before its turn changes nothing; one that goes
	// away later is still carried out.
	//
	// Returns ErrUnavailable if nothing was changed, ErrOutcomeUnknown if that
	// can not be told, ctx's error if the caller left before its turn.
	Update(ctx context.Context, u Update) error

	// Read reads the rows as they are stored, in the order of keys, from the
	// primary. An item never seen is FREE with version 0.
	Read(ctx context.Context, keys []ItemKey) (items []Occupancy, clock time.Time, err error)

	// HeldBy lists what a user occupies under one session and its time has not
	// run out, in key order.
	HeldBy(ctx context.Context, q HeldQuery) ([]ItemKey, error)

	// Overdue lists rows that are OCCUPIED though their time has run out, in
	// order of (ExpireTime, key), those after the given one.
	Overdue(ctx context.Context, after OverdueItem, limit int) ([]OverdueItem, error)
}

// OverdueItem is a row whose time has run out and that nobody has looked up.
type OverdueItem struct {
	ItemKey
	ExpireTime time.Time
}

// Archive answers questions about the present and the past, on connections of
// its own, so that no question can starve the floor.
//
// A question that takes longer than the database allows is an InputError at "where".
type Archive interface {
	// Clock is the database's.
	Clock(ctx context.Context) (time.Time, error)
	// Occupancies lists rows as they are seen at the clock they carry.
	Occupancies(ctx context.Context, q OccupancyQuery) (Page[Occupancy], error)
	// History lists history rows.
	History(ctx context.Context, q HistoryQuery) (Page[HistoryEntry], error)
	// HistoryEntry finds one row. Returns nil if there is none.
	HistoryEntry(ctx context.Context, timeKey string, key ItemKey) (*HistoryEntry, error)
	// Holds lists holds.
	Holds(ctx context.Context, q HoldQuery) (Page[HoldEntry], error)
	// HeldAt lists the holds of an instant, of each item at most one. Returns an
	// InputError if that is no longer known.
	HeldAt(ctx context.Context, q HeldAtQuery) (Page[HoldEntry], error)
	// HistoryStats counts and measures holds.
	HistoryStats(ctx context.Context, q StatsQuery) (*HistoryStats, error)
	// HolderAt finds who occupied the item at an instant. Returns nil if nobody did, an
	// InputError if that is no longer known.
	HolderAt(ctx context.Context, key ItemKey, at time.Time) (*Holder, error)
}

// Feed reads what has changed from the history, the only source of changes.
type Feed interface {
	// Position is where a reader stands that wants all from now on.
	Position(ctx context.Context) (Position, error)
	// Changes reads what was committed since a position, each history row
	// once, in order of TimeKey, and where the reader stands then.
	// Returns ErrFeedBroken if the database is not the one of the position, if
	// what has happened since is no longer kept, or is more than a reader could
	// take.
	Changes(ctx context.Context, since Position) ([]*Change, Position, error)
	// Matching reads what matches a filter now, and the position that belongs to it.
	// Returns an InputError if it is more than a subscriber could take.
	Matching(ctx context.Context, f OccupancyFilter) ([]Occupancy, Position, error)
	// Occupied lists what is occupied now and was renewed, in order of (ExpireTime,
	// key), those after the one given. What is renewed meanwhile may come again.
	Occupied(ctx context.Context, after Occupancy, limit int) ([]Occupancy, error)
}

// Bell carries the word between gateways that there is something to read.
type Bell interface {
	// Ring tells every gateway of this database but this one. It never blocks
	// and may be lost: the Hub reads on its own every second.
	Ring()
	// Rung receives once there was a ring since it last received.
	Rung() <-chan struct{}
	// Tell hands renewals to the gateways that listen for them. It never blocks;
	// of one item the last is enough, and any may be lost.
	Tell(renewed []*Change)
	// Listen has others' renewals handed to hear from now on, and that some may
	// have been missed. hear must not block. Nil: no longer.
	Listen(hear func(renewed []*Change, missed bool))
}
