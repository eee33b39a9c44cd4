package domain

import (
	"cmp"
	"time"
)

// Code says how a command ended.
type Code string

// The codes of the mutations and of verifyHolder.
const (
	CodeGranted           Code = "GRANTED"
	CodeReentered         Code = "REENTERED"
	CodeTakenOver         Code = "TAKEN_OVER"
	CodeHeld              Code = "HELD"
	CodeHeldInOtherWindow Code = "HELD_IN_OTHER_WINDOW"

	CodeRenewed     Code = "RENEWED"
	CodeTransferred Code = "TRANSFERRED"
	CodeVerified    Code = "VERIFIED"
	CodeNotOccupied Code = "NOT_OCCUPIED"
	CodeExpired     Code = "EXPIRED"

	CodeFreed          Code = "FREED"
	CodeLeft           Code = "LEFT"
	CodeAlreadyFree    Code = "ALREADY_FREE"
	CodeAlreadyExpired Code = "ALREADY_EXPIRED"

	CodeNotHolder  Code = "NOT_HOLDER"
	CodeStaleToken Code = "STALE_TOKEN"
)

// OK tells whether the command did, or found done, what was asked.
func (c Code) OK() bool {
	switch c {
	case CodeGranted, CodeReentered, CodeTakenOver, CodeRenewed, CodeTransferred, CodeVerified,
		CodeFreed, CodeLeft, CodeAlreadyFree, CodeAlreadyExpired:
		return true
	}
	return false
}

// Transition is a row to write. With an Event it is also a history row, whose
// actor and time are UpdatedBy and UpdatedAt; without one (a renewal, a plain
// re-entry) only the present row changes.
type Transition struct {
	Occupancy
	Event   Event
	Comment string
}

// Claim is who asks and what they show for it.
type Claim struct {
	UserID  string
	Session string
	// Service asks on the user's behalf; "" if they do themselves.
	Service string
	// FencingToken is the one shown; nil if none was.
	FencingToken *int64
}

// actor is who did what the claim is for.
func (c Claim) actor() string { return cmp.Or(c.Service, c.UserID) }

// Occupy is the command of rules 1 to 5.
type Occupy struct {
	Claim
	TTL      time.Duration
	MaxHold  time.Duration // 0 = no limit
	UIName   string        // "" keeps what a re-entered row has
	MenuName string
	TakeOver bool
}

// Occupy judges a wish to occupy the item (rules 1 to 5 and 7). A refusal
// changes nothing.
func (o Occupancy) Occupy(clock time.Time, c Occupy) (Code, []Transition) {
	now := o.now(clock)
	if o.heldAt(now) {
		return o.occupyHeld(now, c)
	}
	var done []Transition
	if o.State == StateOccupied {
		expired := o.expired(now, c.actor(), c.MaxHold)
		done, o = append(done, expired), expired.Occupancy
	}
	return CodeGranted, append(done, o.granted(now, c, EventOccupied))
}

func (o Occupancy) occupyHeld(now time.Time, c Occupy) (Code, []Transition) {
	switch {
	case o.UserID != c.UserID:
		return CodeHeld, nil
	case o.sameWindow(c.Session):
		return CodeReentered, []Transition{o.reentered(now, c)}
	case o.ItemType == Slot:
		return CodeHeld, nil
	case c.TakeOver:
		return CodeTakenOver, []Transition{o.granted(now, c, EventTakenOver)}
	}
	return CodeHeldInOtherWindow, nil
}

// sameWindow tells whether an occupy from that session is one by the holder.
// A SLOT without a session is a holder of its own, for else two instances of a
// service would share a lock.
func (o Occupancy) sameWindow(session string) bool {
	if o.ItemType != Slot && (o.Session == "" || session == "") {
		return true
	}
	return o.Session == session
}

// Renew is the command of rules 8 to 10.
type Renew struct {
	Claim
	TTL     time.Duration
	MaxHold time.Duration
}

// Renew judges a wish to extend a hold (rules 8 to 10).
func (o Occupancy) Renew(clock time.Time, c Renew) (Code, []Transition) {
	now := o.now(clock)
	if code := o.standing(now, c.Claim); code != CodeVerified {
		return code, nil
	}
	return CodeRenewed, []Transition{{Occupancy: o.extended(now, c.actor(), c.TTL, c.MaxHold)}}
}

// Verify judges whether the claim is that of the present holder, as rule 8 would.
func (o Occupancy) Verify(clock time.Time, c Claim) Code { return o.standing(o.now(clock), c) }

// standing judges what a claim is worth, in the order of rule 8.
func (o Occupancy) standing(now time.Time, c Claim) Code {
	switch {
	case o.State == StateFree:
		return CodeNotOccupied
	case !o.heldAt(now):
		return CodeExpired
	case o.UserID != c.UserID || !o.shows(c):
		return CodeNotHolder
	case c.FencingToken != nil && *c.FencingToken != o.FencingToken:
		return CodeStaleToken
	}
	return CodeVerified
}

// shows tells whether the claim shows the row's session, or its token in the
// session's place. A row without a session asks for neither, unless it is a SLOT.
func (o Occupancy) shows(c Claim) bool {
	switch {
	case c.Session == o.Session:
		return true
	case o.ItemType == Slot:
		return false
	case o.Session == "":
		return true
	case c.FencingToken == nil:
		return false
	}
	// Without a session the token is all there is to judge; if it is an old
	// one, that is what the caller wants to hear.
	return c.Session == "" || *c.FencingToken == o.FencingToken
}

// Free is the command of rules 11 and 13.
type Free struct {
	Claim
	How Event
	// Grace is how long the item is kept for the same session to come back; at once if 0.
	Grace time.Duration
}

// Free judges a wish to give the item back (rules 11 and 13).
func (o Occupancy) Free(clock time.Time, c Free) (Code, []Transition) {
	now := o.now(clock)
	switch code := o.standing(now, c.Claim); code {
	case CodeVerified:
		if c.Grace > 0 {
			return CodeLeft, []Transition{o.left(now, c.actor(), min(c.Grace, o.ExpireTime.Sub(now)), 0)}
		}
		return CodeFreed, []Transition{o.freed(now, c.actor(), c.How, "")}
	case CodeNotOccupied:
		return CodeAlreadyFree, nil
	case CodeExpired:
		return CodeAlreadyExpired, nil
	default:
		return code, nil
	}
}

// ForceFree is a supervisor's command: to end the hold they saw, and no other.
type ForceFree struct {
	Supervisor   string
	FencingToken int64
	Reason       string
}

// ForceFree judges a supervisor's wish to end a hold (rules 11 and 13).
func (o Occupancy) ForceFree(clock time.Time, c ForceFree) (Code, []Transition) {
	now := o.now(clock)
	switch {
	case o.State == StateFree:
		return CodeAlreadyFree, nil
	case !o.heldAt(now):
		return CodeAlreadyExpired, nil
	case o.FencingToken != c.FencingToken:
		return CodeStaleToken, nil
	}
	return CodeFreed, []Transition{o.freed(now, c.Supervisor, EventForced, c.Reason)}
}

// Transfer is the holder's command to hand the item to somebody.
type Transfer struct {
	Claim
	To      Claim
	TTL     time.Duration
	MaxHold time.Duration
}

// Transfer judges a wish to hand the item over. The new holder has a new hold
// with a new fencing token; the screen is theirs to name.
func (o Occupancy) Transfer(clock time.Time, c Transfer) (Code, []Transition) {
	now := o.now(clock)
	if code := o.standing(now, c.Claim); code != CodeVerified {
		return code, nil
	}
	to := o.granted(now, Occupy{Claim: c.To, TTL: c.TTL, MaxHold: c.MaxHold}, EventTransferred)
	to.UpdatedBy = c.actor()
	return CodeTransferred, []Transition{to}
}

// Expire judges, for the sweeper, whether the time of a row has run out
// (rules 5 and 16). One that was renewed meanwhile is left alone.
func (o Occupancy) Expire(clock time.Time, actor string, maxHold time.Duration) []Transition {
	now := o.now(clock)
	if o.State != StateOccupied || o.heldAt(now) {
		return nil
	}
	return []Transition{o.expired(now, actor, maxHold)}
}

// The arrows of the drawing in doc.go.

func (o Occupancy) granted(now time.Time, c Occupy, event Event) Transition {
	if o.Version == 0 {
		o.RegisteredBy, o.RegisteredAt = c.actor(), now
	}
	o.State, o.UserID, o.Session = StateOccupied, c.UserID, c.Session
	o.UIName, o.MenuName = c.UIName, c.MenuName
	o.StartTime = now
	o.ExpireTime = capped(now.Add(c.TTL), now, c.MaxHold)
	o.FencingToken++
	o.Renewals = 0
	return o.changed(now, c.actor(), event, "")
}

func (o Occupancy) reentered(now time.Time, c Occupy) Transition {
	moved := (c.UIName != "" && c.UIName != o.UIName) || (c.MenuName != "" && c.MenuName != o.MenuName)
	o = o.extended(now, c.actor(), c.TTL, c.MaxHold)
	if o.Session == "" {
		o.Session = c.Session
	}
	if !moved {
		return Transition{Occupancy: o}
	}
	if c.UIName != "" {
		o.UIName = c.UIName
	}
	if c.MenuName != "" {
		o.MenuName = c.MenuName
	}
	return o.changed(now, c.actor(), EventReentered, "")
}

// extended never shortens what is left.
func (o Occupancy) extended(now time.Time, by string, ttl, maxHold time.Duration) Occupancy {
	if until := capped(now.Add(ttl), o.StartTime, maxHold); until.After(o.ExpireTime) {
		o.ExpireTime = until
	}
	o.Renewals++
	o.EndEvent = ""
	o.UpdatedBy, o.UpdatedAt = by, now
	return o
}

func (o Occupancy) freed(now time.Time, by string, event Event, comment string) Transition {
	o.State = StateFree
	return o.changed(now, by, event, comment)
}

func (o Occupancy) expired(now time.Time, by string, maxHold time.Duration) Transition {
	event := EventExpired
	switch {
	case o.EndEvent != "":
		event = o.EndEvent
	case maxHold > 0 && !o.ExpireTime.Before(o.StartTime.Add(maxHold)):
		event = EventMaxHold
	}
	o.State = StateExpired
	return o.changed(now, by, event, "")
}

func (o Occupancy) changed(now time.Time, by string, event Event, comment string) Transition {
	o.Version++
	o.EndEvent = ""
	o.UpdatedBy, o.UpdatedAt = by, now
	return Transition{Occupancy: o, Event: event, Comment: comment}
}

func capped(until, start time.Time, maxHold time.Duration) time.Time {
	if longest := start.Add(maxHold); maxHold > 0 && until.After(longest) {
		return longest
	}
	return until
}
