package domain

import "time"

// The rules of an item that is held by a connection. Several connections of one
// session may hold it, of which some may be dead and not know it; so whoever has
// written last decides, as Renewals tells.

// Keep is the wish of a living connection to extend its hold.
type Keep struct {
	Claim
	Renewals int64 // as this connection has written it
	TTL      time.Duration
	MaxHold  time.Duration
}

// Keep judges it as a renewal. If somebody else has renewed since and there is
// enough left, it is theirs to keep, and nothing is written: else a dead
// connection would seem to have written last.
func (o Occupancy) Keep(clock time.Time, c Keep) (Code, []Transition) {
	now := o.now(clock)
	if code := o.standing(now, c.Claim); code != CodeVerified {
		return code, nil
	}
	if o.Renewals != c.Renewals && o.EndEvent == "" && o.ExpireTime.Sub(now) > c.TTL/2 {
		return CodeRenewed, nil
	}
	return CodeRenewed, []Transition{{Occupancy: o.extended(now, c.actor(), c.TTL, c.MaxHold)}}
}

// LoseConnection is the end of a connection that held an item.
type LoseConnection struct {
	Claim
	Renewals int64         // as this connection has written it
	Grace    time.Duration // until somebody has to take it up again
	MaxHold  time.Duration
}

// LoseConnection judges it: what is left is the grace, and an expiry is called by
// its reason; unless somebody else has written since. It counts as a renewal, so
// that (Version, Renewals) orders it too.
func (o Occupancy) LoseConnection(clock time.Time, c LoseConnection) []Transition {
	now := o.now(clock)
	if o.Renewals != c.Renewals || o.standing(now, c.Claim) != CodeVerified {
		return nil
	}
	return []Transition{o.left(now, c.actor(), c.Grace, c.MaxHold)}
}

// left is the item with no more than the grace, for the same session to come back.
func (o Occupancy) left(now time.Time, actor string, grace, maxHold time.Duration) Transition {
	o.ExpireTime = capped(now.Add(grace), o.StartTime, maxHold)
	o.EndEvent = EventConnectionLost
	o.Renewals++
	o.UpdatedBy, o.UpdatedAt = actor, now
	return Transition{Occupancy: o}
}
