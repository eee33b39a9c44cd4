package domain

import (
	"context"
	"strings"
	"time"
)

// DenialStore keeps who was refused.
type DenialStore interface {
	// WriteDenials writes attempts, added to those of the same key that are there.
	WriteDenials(ctx context.Context, all []Denial) error
	// PurgeDenials removes what began longer ago than an age, in small steps, until
	// ctx ends. Returns how many.
	PurgeDenials(ctx context.Context, age time.Duration) (int, error)
	// Denials lists them by the time they began.
	Denials(ctx context.Context, q DenialQuery) (Page[Denial], error)
	// TopBlockers lists who or what was in the way most often.
	TopBlockers(ctx context.Context, q BlockerQuery) ([]Blocker, error)
	// CrossedPairs lists who wanted what another held that wanted what they held.
	CrossedPairs(ctx context.Context, q BlockerQuery) ([]CrossedPair, error)
}

// DenialWhere narrows denials. All that is given must hold.
type DenialWhere struct {
	ItemType, ItemName *TextFilter
	UserID, UIName     *TextFilter
	BlockerUserID      *TextFilter
	BlockerUIName      *TextFilter
	At                 *TimeFilter // of the first attempt
	MinAttempts        *int
	OwnWindow          *bool // whether the blocker is the asker's own other window
}

// DenialQuery is a checked question for denials. A cursor is ("DENIAL", time, id).
type DenialQuery struct {
	Where     DenialWhere
	Direction Direction
	Cut       Cut
}

// BlockerGroup is what blockers are counted by.
type BlockerGroup string

// The groups of blockers.
const (
	ByBlockerUser   BlockerGroup = "USER"
	ByBlockerScreen BlockerGroup = "SCREEN"
	ByBlockedItem   BlockerGroup = "ITEM"
)

// BlockerQuery is a checked question for blockers or crossed pairs of a period.
type BlockerQuery struct {
	Where DenialWhere
	By    BlockerGroup
	Limit int
}

// Blocker is who or what was in the way. Of the first four only those that are
// grouped by are set.
type Blocker struct {
	UserID, UIName     string
	ItemType, ItemName string

	Denials, Attempts int64
	Askers, Items     int64
	// WaitedSeconds is what those who got it in the end waited, together; GaveUp is
	// how many did not get it within MaxWait.
	WaitedSeconds float64
	GaveUp        int64
}

// CrossedPair is two users, each of whom wanted what the other held: each denial's
// blocker is the other one's asker.
type CrossedPair struct {
	Since      time.Time // from when on both wanted
	One, Other *Denial
}

// maxBlockerDays bounds the period of a question that reads all of it.
const maxBlockerDays = 31

// DenialOrder names the order of denials in their cursors.
const DenialOrder = "DENIAL"

// Denials lists who was refused, by the first attempt.
func (s *Service) Denials(ctx context.Context, where *DenialWhere, direction Direction, page PageArgs) (Page[Denial], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[Denial]{}, err
	}
	k := s.check("")
	q := DenialQuery{Where: k.denialWhere(where), Direction: direction}
	q.Cut = k.cut(page, DenialOrder, validDenialCursor, 2)
	if err := k.fault(); err != nil {
		return Page[Denial]{}, err
	}
	return s.Refusals.Store.Denials(ctx, q)
}

func validDenialCursor(c Cursor) bool {
	_, err := time.Parse(time.RFC3339Nano, c[1])
	return err == nil && c[2] != "" && len(c[2]) <= 18 && strings.Trim(c[2], "0123456789") == ""
}

// TopBlockers lists who or what was in the way most often in a period.
func (s *Service) TopBlockers(ctx context.Context, where DenialWhere, by BlockerGroup, first *int) ([]*Blocker, error) {
	q, err := s.blockerQuery(ctx, where, first)
	if err != nil {
		return nil, err
	}
	q.By = by
	all, err := s.Refusals.Store.TopBlockers(ctx, q)
	return pointers(all), err
}

// CrossedPairs lists who wanted what another held that wanted what they held, in a
// period.
func (s *Service) CrossedPairs(ctx context.Context, where DenialWhere, first *int) ([]*CrossedPair, error) {
	q, err := s.blockerQuery(ctx, where, first)
	if err != nil {
		return nil, err
	}
	all, err := s.Refusals.Store.CrossedPairs(ctx, q)
	return pointers(all), err
}

// blockerQuery checks a question that has to read its whole period.
func (s *Service) blockerQuery(ctx context.Context, where DenialWhere, first *int) (BlockerQuery, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return BlockerQuery{}, err
	}
	k := s.check("")
	q := BlockerQuery{Where: k.denialWhere(&where), Limit: DefaultPageSize}
	if at := q.Where.At; at == nil || at.Gte == nil || at.longer(maxBlockerDays*24*time.Hour) {
		k.fail("where.at", "must say from when to when (gte and lt, or between), at most "+itoa(maxBlockerDays)+" days")
	}
	if first != nil {
		q.Limit = k.pageSize("first", *first)
	}
	return q, k.fault()
}

func (k *checker) denialWhere(where *DenialWhere) DenialWhere {
	if where == nil {
		return DenialWhere{}
	}
	w := *where
	w.ItemType, w.ItemName = k.itemFilters("where", w.ItemType, w.ItemName)
	w.UserID = k.textFilter("where.userId", w.UserID, trimmed)
	w.UIName = k.textFilter("where.uiName", w.UIName, trimmed)
	w.BlockerUserID = k.textFilter("where.blockerUserId", w.BlockerUserID, trimmed)
	w.BlockerUIName = k.textFilter("where.blockerUiName", w.BlockerUIName, trimmed)
	w.At = k.timeFilter("where.at", w.At)
	return w
}
