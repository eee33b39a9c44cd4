package domain

import (
	"cmp"
	"context"
	"time"
)

// Service is the use cases. Each one finds the caller in its context, checks
// what was sent, and leaves the judging to the rules in rules.go.
//
// Every method returns an InputError if an argument is wrong,
// ErrUnauthenticated or a ForbiddenError if the caller may not ask,
// and otherwise what the Store returns. A refusal by the rules is no error.
type Service struct {
	ServiceConfig
	names  Names
	limits Limits
	holds  holds

	contested contested
}

// ServiceConfig is what a Service needs.
type ServiceConfig struct {
	Store   Store
	Archive Archive
	// Verifier looks at the history.
	Verifier Verifier
	// Refusals takes down who was refused; nil = nothing is.
	Refusals *DenialLog
	Feed     Feed
	Hub      *Hub
	Lots     LotStore
	Board    SlotBoard
	// Counters keeps the sequences.
	Counters SequenceStore
	Names    Names
	Limits   Limits
	// TimeZone is the plant's: that of the times in messages, and of its days.
	TimeZone *time.Location
	Shifts   Shifts
}

// NewService makes the use cases.
func NewService(c ServiceConfig) *Service {
	return &Service{ServiceConfig: c, names: c.Names, limits: c.Limits}
}

// Occupy takes one item.
func (s *Service) Occupy(ctx context.Context, in OccupyInput) (*Answer, error) {
	o, err := s.occupying(ctx, in)
	if err != nil {
		return nil, err
	}
	answer, err := s.denied(ctx, o.caller, o.key, o.judge)
	if answer == nil && err == nil {
		answer, err = s.update(ctx, o.caller, o.key, true, o.judge)
	}
	if err == nil && !answer.OK {
		s.Refusals.note(o.Occupy, answer.Occupancy)
	}
	return answer, err
}

// occupying is a checked wish to occupy one item.
type occupying struct {
	Occupy
	caller Caller
	key    ItemKey
}

func (w *occupying) judge(o Occupancy, clock time.Time) (Code, []Transition) {
	return o.Occupy(clock, w.Occupy)
}

func (s *Service) occupying(ctx context.Context, in OccupyInput) (*occupying, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	key := k.item("", in.ItemType, in.ItemName)
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
	return &occupying{c, caller, key}, mayHold(caller, key)
}

// Renew extends a hold.
func (s *Service) Renew(ctx context.Context, in RenewInput) (*Answer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	key := k.item("", in.ItemType, in.ItemName)
	c := Renew{
		Claim: k.claim(caller, in.Session, in.FencingToken),
		TTL:   k.ttl("ttlSeconds", in.TTLSeconds), MaxHold: s.limits.MaxHold,
	}
	if err := cmp.Or(k.fault(), mayHold(caller, key)); err != nil {
		return nil, err
	}
	return s.update(ctx, caller, key, false, func(o Occupancy, clock time.Time) (Code, []Transition) {
		return o.Renew(clock, c)
	})
}

// Free gives an item back. Once asked, it is done, even if the caller leaves.
func (s *Service) Free(ctx context.Context, in FreeInput) (*Answer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	key := k.item("", in.ItemType, in.ItemName)
	c := Free{Claim: k.claim(caller, in.Session, in.FencingToken), How: in.How.event()}
	if in.GraceSeconds != nil {
		c.Grace = k.ttl("graceSeconds", in.GraceSeconds)
	}
	if err := cmp.Or(k.fault(), mayHold(caller, key)); err != nil {
		return nil, err
	}
	return s.update(context.WithoutCancel(ctx), caller, key, false, func(o Occupancy, clock time.Time) (Code, []Transition) {
		return o.Free(clock, c)
	})
}

// ForceFree ends the hold that a supervisor saw.
func (s *Service) ForceFree(ctx context.Context, in ForceFreeInput) (*Answer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	key := k.item("", in.ItemType, in.ItemName)
	c := ForceFree{
		Supervisor: caller.UserID, FencingToken: in.FencingToken,
		Reason: k.name("reason", in.Reason, MaxReason),
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	return s.update(context.WithoutCancel(ctx), caller, key, false, func(o Occupancy, clock time.Time) (Code, []Transition) {
		return o.ForceFree(clock, c)
	})
}

// Transfer hands an item to another user.
func (s *Service) Transfer(ctx context.Context, in TransferInput) (*Answer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	key := k.item("", in.ItemType, in.ItemName)
	c := Transfer{
		Claim: k.claim(caller, in.Session, in.FencingToken),
		To: Claim{
			UserID:  k.name("toUserId", in.ToUserID, MaxUserID),
			Session: k.text("toSession", in.ToSession, MaxSession),
		},
		TTL: k.ttl("ttlSeconds", in.TTLSeconds), MaxHold: s.limits.MaxHold,
	}
	if err := cmp.Or(k.fault(), mayHold(caller, key)); err != nil {
		return nil, err
	}
	return s.update(ctx, caller, key, false, func(o Occupancy, clock time.Time) (Code, []Transition) {
		return o.Transfer(clock, c)
	})
}

func (k *checker) claim(c Caller, session string, token *int64) Claim {
	return Claim{UserID: c.UserID, Service: c.Service, Session: k.text("session", session, MaxSession), FencingToken: token}
}

// mayHold keeps people at screens, and whoever acts for them, from the locks of jobs.
func mayHold(c Caller, keys ...ItemKey) error {
	for _, key := range keys {
		if key.isJob() && !c.Has(RoleService) {
			return &ForbiddenError{Needs: []Role{RoleService}}
		}
	}
	return nil
}

// rule judges one item.
type rule func(o Occupancy, clock time.Time) (Code, []Transition)

// denied answers a refusal from a plain read, for a locking one writes to the
// log and waits for its turn. Returns nil if the item might be granted, which it
// takes for true of one that nobody was lately refused.
func (s *Service) denied(ctx context.Context, c Caller, key ItemKey, judge rule) (*Answer, error) {
	if !s.contested.has(key) {
		return nil, nil
	}
	items, clock, err := s.Store.Read(ctx, []ItemKey{key})
	if err != nil {
		return nil, err
	}
	if code, _ := judge(items[0], clock); !code.OK() {
		return s.answer(c, code, items[0].Seen(clock)), nil
	}
	s.contested.forget(key)
	return nil, nil
}

// update has a rule judge one item under its lock.
func (s *Service) update(ctx context.Context, c Caller, key ItemKey, mayGrant bool, judge rule) (*Answer, error) {
	var answer *Answer
	err := s.Store.Update(ctx, Update{
		Keys: []ItemKey{key}, MayGrant: mayGrant,
		Decide: func(clock time.Time, items []Occupancy) []Transition {
			code, done := judge(items[0], clock)
			after := items[0]
			if len(done) > 0 {
				after = done[len(done)-1].Occupancy
			}
			answer = s.answer(c, code, after.Seen(clock))
			return done
		},
	})
	if err != nil {
		return nil, err
	}
	if mayGrant && !answer.OK {
		s.contested.note(key)
	}
	return answer, nil
}

func (s *Service) answer(c Caller, code Code, o Occupancy) *Answer {
	a := &Answer{OK: code.OK(), Code: code, Message: s.message(c, code, &o), Occupancy: &o}
	if code == CodeHeld || code == CodeHeldInOtherWindow {
		left := o.RemainingSeconds()
		a.RetryAfterSeconds = &left
	}
	return a
}
