package domain

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// OccupyAll takes several items, all or none. Items named twice count once.
func (s *Service) OccupyAll(ctx context.Context, in OccupyAllInput) (*OccupyAllAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	keys := k.items("items", in.Items)
	c := Occupy{
		Claim: k.claim(caller, in.Session, nil),
		TTL:   k.ttl("ttlSeconds", in.TTLSeconds), MaxHold: s.limits.MaxHold,
		UIName:   k.text("uiName", in.UIName, MaxUIName),
		MenuName: k.text("menuName", in.MenuName, MaxMenuName),
		TakeOver: in.TakeOver,
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	if err := mayHold(caller, keys...); err != nil {
		return nil, err
	}
	items, clock, err := s.Store.Read(ctx, keys)
	if err != nil {
		return nil, err
	}
	answer, _ := s.occupyAll(caller, c, items, clock)
	if !answer.OK {
		s.Refusals.note(c, answer.Blockers...)
		return answer, nil
	}
	err = s.Store.Update(ctx, Update{Keys: keys, MayGrant: true, Decide: func(clock time.Time, items []Occupancy) (done []Transition) {
		answer, done = s.occupyAll(caller, c, items, clock)
		return done
	}})
	if err != nil {
		return nil, err
	}
	s.Refusals.note(c, answer.Blockers...)
	return answer, nil
}

// occupyAll judges rule 6: each item by itself, then all or none.
func (s *Service) occupyAll(caller Caller, c Occupy, items []Occupancy, clock time.Time) (*OccupyAllAnswer, []Transition) {
	a := &OccupyAllAnswer{Code: CodeReentered, Occupancies: []*Occupancy{}, Blockers: []*Occupancy{}}
	var all []Transition
	refusal := CodeHeldInOtherWindow
	for _, o := range items {
		code, done := o.Occupy(clock, c)
		if !code.OK() {
			seen := o.Seen(clock)
			a.Blockers = append(a.Blockers, &seen)
			if code == CodeHeld {
				refusal = code
			}
			continue
		}
		a.Code = strongest(a.Code, code)
		seen := done[len(done)-1].Occupancy.Seen(clock)
		a.Occupancies = append(a.Occupancies, &seen)
		all = append(all, done...)
	}
	if len(a.Blockers) > 0 {
		a.Code, a.Occupancies, all = refusal, []*Occupancy{}, nil
		a.RetryAfterSeconds = longestLeft(a.Blockers)
	}
	a.OK = a.Code.OK()
	a.Message = s.messageAll(caller, a)
	return a, all
}

// strongest is the code of several grants: GRANTED if any is new, else
// TAKEN_OVER if any moved, else REENTERED.
func strongest(a, b Code) Code {
	for _, code := range []Code{CodeGranted, CodeTakenOver} {
		if a == code || b == code {
			return code
		}
	}
	return CodeReentered
}

func longestLeft(blockers []*Occupancy) *int {
	longest := 0
	for _, o := range blockers {
		longest = max(longest, o.RemainingSeconds())
	}
	return &longest
}

// items folds and checks the items of one command, each once, in the order sent.
func (k *checker) items(argument string, in []*ItemInput) []ItemKey {
	if len(in) == 0 || len(in) > MaxItems {
		k.fail(argument, "must name between 1 and "+itoa(MaxItems)+" items")
		return nil
	}
	keys := make([]ItemKey, 0, len(in))
	named := map[ItemKey]bool{}
	for i, item := range in {
		key := k.item(argument+"."+itoa(i)+".", item.ItemType, item.ItemName)
		if !named[key] {
			named[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// HeldQuery asks for what a user occupies under one session.
type HeldQuery struct {
	UserID, Session string
	ItemTypes       []string // nil = every type but SLOT
	After           ItemKey
	Limit           int
}

// FreeAll gives back all that the caller occupies under one session; without a
// session, what they occupy without one. What another window occupies stays.
// It goes in steps of MaxItems, each all or nothing.
// Returns ErrOutcomeUnknown if a step failed after another was done.
func (s *Service) FreeAll(ctx context.Context, in FreeAllInput) (*FreeAllAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	q := HeldQuery{UserID: caller.UserID, Session: k.text("session", in.Session, MaxSession), Limit: MaxItems}
	if in.ItemTypes != nil && (len(in.ItemTypes) == 0 || len(in.ItemTypes) > MaxItems) {
		k.fail("itemTypes", "must be absent or have 1 to "+itoa(MaxItems)+" values")
	}
	for i, t := range in.ItemTypes {
		q.ItemTypes = append(q.ItemTypes, k.itemType("itemTypes."+itoa(i), t))
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	a := &FreeAllAnswer{OK: true, Code: CodeAlreadyFree, Occupancies: []*Occupancy{}}
	for {
		keys, err := s.Store.HeldBy(ctx, q)
		var freed []*Occupancy
		if err == nil {
			theirs := slices.DeleteFunc(slices.Clone(keys), func(key ItemKey) bool { return mayHold(caller, key) != nil })
			freed, err = s.freeThese(ctx, theirs, Free{Claim: Claim{UserID: q.UserID, Service: caller.Service, Session: q.Session}, How: in.How.event()})
		}
		if err != nil && len(a.Occupancies) > 0 {
			return nil, fmt.Errorf("%w: %d items were given back before: %w", ErrOutcomeUnknown, len(a.Occupancies), err)
		}
		if err != nil {
			return nil, err
		}
		a.Occupancies = append(a.Occupancies, freed...)
		if len(keys) < q.Limit {
			break
		}
		q.After = keys[len(keys)-1]
	}
	if len(a.Occupancies) > 0 {
		a.Code = CodeFreed
	}
	a.Message = s.messageFreedAll(caller, len(a.Occupancies))
	return a, nil
}

// freeThese gives back those of the items that are still the claimant's.
func (s *Service) freeThese(ctx context.Context, keys []ItemKey, c Free) ([]*Occupancy, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var freed []*Occupancy
	err := s.Store.Update(ctx, Update{Keys: keys, Decide: func(clock time.Time, items []Occupancy) (all []Transition) {
		freed = nil
		for _, o := range items {
			// One occupied anew without a session would take any for its own.
			if o.Session != c.Session {
				continue
			}
			_, done := o.Free(clock, c)
			for _, t := range done {
				seen := t.Seen(clock)
				freed = append(freed, &seen)
			}
			all = append(all, done...)
		}
		return all
	}})
	return slices.Clip(freed), err
}
