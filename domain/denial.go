package domain

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Denial says who wanted an item and whose hold was in the way: all attempts of one
// user and session at one hold.
type Denial struct {
	ItemKey
	FencingToken int64 // of the hold that was in the way
	UserID       string
	Session      string
	UIName       string // where they first asked from
	MenuName     string

	BlockerUserID   string
	BlockerSession  string
	BlockerUIName   string
	BlockerMenuName string
	BlockerSince    time.Time

	Attempts        int64
	FirstAt, LastAt time.Time
	// GotItAt is when they were granted the item after FirstAt; zero if they were not
	// within MaxWait. Only set when read, as is ID.
	GotItAt time.Time
	ID      int64
}

// MaxWait is how long somebody who was refused counts as waiting: who comes back a
// day later has come anew.
const MaxWait = 24 * time.Hour

// NewDenial is one attempt, refused at blocker.AsOf.
func NewDenial(asked Occupy, blocker Occupancy) Denial {
	return Denial{
		ItemKey: blocker.ItemKey, FencingToken: blocker.FencingToken,
		UserID: asked.UserID, Session: asked.Session, UIName: asked.UIName, MenuName: asked.MenuName,
		BlockerUserID: blocker.UserID, BlockerSession: blocker.Session,
		BlockerUIName: blocker.UIName, BlockerMenuName: blocker.MenuName, BlockerSince: blocker.StartTime,
		Attempts: 1, FirstAt: blocker.AsOf, LastAt: blocker.AsOf,
	}
}

// WaitedSeconds is how long it took until they got it; nil if they did not.
func (d *Denial) WaitedSeconds() *float64 {
	if d.GotItAt.IsZero() {
		return nil
	}
	seconds := d.GotItAt.Sub(d.FirstAt).Seconds()
	return &seconds
}

// DenialKey is what the attempts of one denial have in common.
type DenialKey struct {
	ItemKey
	FencingToken    int64
	UserID, Session string
}

// Key is what the attempts of one denial have in common.
func (d *Denial) Key() DenialKey { return DenialKey{d.ItemKey, d.FencingToken, d.UserID, d.Session} }

func (k DenialKey) compare(other DenialKey) int {
	if c := k.ItemKey.Compare(other.ItemKey); c != 0 {
		return c
	}
	if k.FencingToken != other.FencingToken {
		return int(min(1, max(-1, k.FencingToken-other.FencingToken)))
	}
	return strings.Compare(k.UserID+"\n"+k.Session, other.UserID+"\n"+other.Session)
}

// Add adds attempts of the same key.
func (d *Denial) Add(more Denial) {
	d.Attempts += more.Attempts
	if more.FirstAt.Before(d.FirstAt) {
		d.FirstAt = more.FirstAt
	}
	if more.LastAt.After(d.LastAt) {
		d.LastAt = more.LastAt
	}
}

const (
	writeDenialsEvery = time.Second
	// maxDenials is how many may wait to be written; a flood of more is counted only.
	maxDenials  = 10_000
	denialBatch = 1000
)

// DenialLog takes down who was refused, off the caller's path: it is gathered here,
// each asker and hold once, and written once a second, a batch at a time. So a flood
// costs the floor one connection at most, and no caller waits.
type DenialLog struct {
	Store DenialStore

	mu      sync.Mutex
	waiting map[DenialKey]*Denial
	dropped atomic.Int64
}

// Dropped is how many attempts were not taken down, because too many waited.
func (l *DenialLog) Dropped() int64 { return l.dropped.Load() }

// note takes down a refusal. It never waits for the database. A nil log takes
// nothing down.
func (l *DenialLog) note(asked Occupy, blockers ...*Occupancy) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, blocker := range blockers {
		l.add(NewDenial(asked, *blocker))
	}
}

func (l *DenialLog) add(d Denial) {
	key := d.Key()
	if known := l.waiting[key]; known != nil {
		known.Add(d)
		return
	}
	if len(l.waiting) >= maxDenials {
		l.dropped.Add(d.Attempts)
		return
	}
	if l.waiting == nil {
		l.waiting = map[DenialKey]*Denial{}
	}
	l.waiting[key] = &d
}

// Run writes until ctx ends, and then what is left.
func (l *DenialLog) Run(ctx context.Context) {
	for pause(ctx, writeDenialsEvery) {
		l.write(ctx)
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), writeDenialsEvery)
	defer done()
	l.write(last)
}

// write writes what waits, in one order for all gateways. What can not be written
// waits on.
func (l *DenialLog) write(ctx context.Context) {
	all := l.take()
	slices.SortFunc(all, func(a, b Denial) int { return a.Key().compare(b.Key()) })
	for batch := range slices.Chunk(all, denialBatch) {
		if err := l.Store.WriteDenials(ctx, batch); err != nil {
			slog.WarnContext(ctx, "denials not written yet", "rows", len(batch), "err", err)
			l.putBack(batch)
		}
	}
}

func (l *DenialLog) take() (all []Denial) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.waiting {
		all = append(all, *d)
	}
	l.waiting = nil
	return all
}

func (l *DenialLog) putBack(batch []Denial) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range batch {
		l.add(d)
	}
}
