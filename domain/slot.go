package domain

import (
	"context"
	"errors"
	"time"
)

// A slot lock is an occupancy of the item type SLOT: it has a holder, a fencing
// token, a history and live events like any other. Here are only its names.

// SlotInput asks for, or is about, a slot lock.
type SlotInput struct {
	SlotKey    string
	TTLSeconds *int
	Session    string // this instance; another one of the same user is another holder
}

// TryLock takes a slot lock, or, for its holder, extends it.
func (s *Service) TryLock(ctx context.Context, in SlotInput) (*Answer, error) {
	a, err := s.Occupy(ctx, OccupyInput{ItemType: Slot, ItemName: in.SlotKey, TTLSeconds: in.TTLSeconds, Session: in.Session})
	return a, atSlotKey(err)
}

// RenewLock extends a slot lock. Never revives one that has ended.
func (s *Service) RenewLock(ctx context.Context, in SlotInput) (*Answer, error) {
	a, err := s.Renew(ctx, RenewInput{ItemType: Slot, ItemName: in.SlotKey, TTLSeconds: in.TTLSeconds, Session: in.Session})
	return a, atSlotKey(err)
}

// ReleaseLock gives a slot lock back. Once asked, it is done, even if the caller leaves.
func (s *Service) ReleaseLock(ctx context.Context, in SlotInput) (*Answer, error) {
	a, err := s.Free(ctx, FreeInput{ItemType: Slot, ItemName: in.SlotKey, Session: in.Session})
	return a, atSlotKey(err)
}

// SlotLock is a slot lock as it is now.
func (s *Service) SlotLock(ctx context.Context, slotKey string) (*Occupancy, error) {
	o, err := s.Occupancy(ctx, Slot, slotKey)
	return o, atSlotKey(err)
}

// atSlotKey calls a wrong key by the name it has here.
func atSlotKey(err error) error {
	var in *InputError
	if errors.As(err, &in) {
		switch in.Argument {
		case "itemName":
			return &InputError{Argument: "slotKey", Problem: in.Problem}
		case "input.itemName":
			return &InputError{Argument: "input.slotKey", Problem: in.Problem}
		}
	}
	return err
}

// SlotState is a slot lock on the board: who has it, and, if it is that of a
// job, how the job goes.
type SlotState struct {
	Lock Occupancy
	Job  *JobState // nil if it is no job of this service
}

// SlotKey is the lock's key.
func (s SlotState) SlotKey() string { return s.Lock.ItemName }

// JobState is how a job goes.
type JobState struct {
	PeriodSeconds int
	LastRunAt     time.Time
	LastRunBy     string // the gateway
	LastSeconds   float64
	LastError     string // "" = it went well
	NextDueAt     time.Time
	// Overdue tells that nobody ran it though it was due, for longer than
	// another gateway needs to take over.
	Overdue bool
}

// SlotLocks is the board: all slot locks that were ever taken and begin with a
// prefix, by key, at most limit of them.
func (s *Service) SlotLocks(ctx context.Context, prefix string, limit *int) ([]*SlotState, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	prefix = foldKeepingCase(prefix)
	if problem := textProblem(prefix, MaxItemName); problem != "" {
		k.fail("prefix", problem)
	}
	n := DefaultPageSize
	if limit != nil {
		n = k.pageSize("first", *limit)
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	board, err := s.Board.SlotLocks(ctx, prefix, n)
	return pointers(board), err
}
