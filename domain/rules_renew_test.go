package domain

import (
	"testing"
	"time"
)

var kimA = Claim{UserID: "kim", Session: "A"}

func renewal(seconds int) Renew {
	return Renew{Claim: kimA, TTL: time.Duration(seconds) * time.Second}
}

// R1: A expired, B occupied and gave back, A's renewal revives nothing.
func TestRule08_NothingIsRevived(t *testing.T) {
	byLee := held(func(o *Occupancy) { o.UserID, o.Session, o.FencingToken = "lee", "B", 8 })
	freedByLee := byLee
	free(&freedByLee)
	expiredByLee := byLee
	expired(&expiredByLee)

	code, done := freedByLee.Renew(after(10), renewal(60))
	refused(t, code, CodeNotOccupied, done)
	code, done = byLee.Renew(after(10), renewal(60))
	refused(t, code, CodeNotHolder, done)
	code, done = expiredByLee.Renew(after(10), renewal(60))
	refused(t, code, CodeExpired, done)
	code, done = held().Renew(after(60), renewal(60))
	refused(t, code, CodeExpired, done)
}

// R6: the renewal that was on its way when the holder gave the item back.
func TestRule08_RenewalAfterFreeLeavesItFree(t *testing.T) {
	code, done := held().Free(after(10), Free{Claim: kimA, How: EventFreed})
	freed := one(t, code, CodeFreed, done)
	code, done = freed.Renew(after(10), renewal(60))
	refused(t, code, CodeNotOccupied, done)
}

func TestRule09_RenewalKeepsAllButTheExpiry(t *testing.T) {
	code, done := held().Renew(after(25), renewal(60))
	got := one(t, code, CodeRenewed, done)
	want := held()
	want.ExpireTime, want.Renewals, want.UpdatedAt = after(85), held().Renewals+1, after(25)
	is(t, "row, without a history row", got, Transition{Occupancy: want})
}

func TestRule09_RenewalNeverShortens(t *testing.T) {
	code, done := held().Renew(after(10), renewal(1))
	is(t, "expiry", one(t, code, CodeRenewed, done).ExpireTime, after(60))
}

// R4: 30 seconds, renewed after 25: held after 50, and not after 55.
func TestRule09_RenewalCountsFromNow(t *testing.T) {
	_, done := neverSeen().Occupy(noon, by("kim", "A"))
	code, done := done[0].Renew(after(25), renewal(30))
	renewed := one(t, code, CodeRenewed, done)
	is(t, "after 50 s", renewed.Seen(after(50)).State, StateOccupied)
	is(t, "left", renewed.Seen(after(50)).RemainingSeconds(), 5)
	is(t, "after 55 s", renewed.Seen(after(55)).State, StateExpired)
}

func TestRule09_RenewalGivesARowNoSession(t *testing.T) {
	code, done := held(noSession).Renew(after(10), renewal(60))
	is(t, "session", one(t, code, CodeRenewed, done).Session, "")
}

func TestRule10_TTLIsBounded(t *testing.T) { // L4
	s, _ := newService(t)
	for name, c := range map[string]struct {
		seconds *int
		ok      bool
	}{
		"none: the default": {nil, true},
		"least":             {seconds(1), true},
		"most":              {seconds(3600), true},
		"zero":              {seconds(0), false},
		"negative":          {seconds(-1), false},
		"above the maximum": {seconds(3601), false},
		"huge":              {seconds(2147483647), false},
		"overflowing":       {seconds(1 << 62), false},
	} {
		t.Run(name, func(t *testing.T) {
			k := s.check("input.")
			ttl := k.ttl("ttlSeconds", c.seconds)
			switch {
			case !c.ok:
				wrongAt(t, k.fault(), "input.ttlSeconds")
			case k.fault() != nil:
				t.Error(k.fault())
			case c.seconds == nil:
				is(t, "default", ttl, 5*time.Minute)
			default:
				is(t, "ttl", ttl, time.Duration(*c.seconds)*time.Second)
			}
		})
	}
}

// R7: a client renews for ever.
func TestRule10_MaximumHold(t *testing.T) {
	const maxHold = 100 * time.Second
	wish := by("kim", "A")
	wish.MaxHold = maxHold
	_, done := neverSeen().Occupy(noon, wish)
	row, clock := done[0].Occupancy, noon
	for range 100 {
		if !row.heldAt(clock) {
			break
		}
		code, done := row.Renew(clock, Renew{Claim: kimA, TTL: 30 * time.Second, MaxHold: maxHold})
		row = one(t, code, CodeRenewed, done).Occupancy
		clock = clock.Add(7 * time.Second)
	}
	is(t, "expiry", row.ExpireTime, noon.Add(maxHold))

	ended := row.Expire(clock, SystemUser, maxHold)
	is(t, "how it ended, by the sweeper", ended[0].Event, EventMaxHold)
	_, done = row.Occupy(clock, Occupy{Claim: Claim{UserID: "lee"}, TTL: time.Second, MaxHold: maxHold})
	is(t, "how it ended, by the next one", done[0].Event, EventMaxHold)
}

func TestRule10_MaximumHoldBoundsEveryWayToHold(t *testing.T) {
	const maxHold = 70 * time.Second
	hour := by("kim", "A")
	hour.TTL, hour.MaxHold = time.Hour, maxHold
	otherWindow := hour
	otherWindow.Session, otherWindow.TakeOver = "B", true
	for name, c := range map[string]struct {
		done []Transition
		want time.Time
	}{
		"grant":     {second(neverSeen().Occupy(after(50), hour)), after(120)},
		"re-entry":  {second(held().Occupy(after(50), hour)), after(70)},
		"take-over": {second(held().Occupy(after(50), otherWindow)), after(120)},
		"renewal":   {second(held().Renew(after(50), Renew{kimA, time.Hour, maxHold})), after(70)},
		"transfer":  {second(held().Transfer(after(50), Transfer{kimA, Claim{UserID: "lee"}, time.Hour, maxHold})), after(120)},
	} {
		is(t, name, c.done[0].ExpireTime, c.want)
	}
}

// A bound that was set lower than a hold already is takes nothing away.
func TestRule10_MaximumHoldNeverShortens(t *testing.T) {
	_, done := held().Renew(after(30), Renew{kimA, time.Hour, 10 * time.Second})
	is(t, "expiry", done[0].ExpireTime, after(60))
}

func TestRule10_AnOrdinaryExpiryIsNotAMaximumHold(t *testing.T) {
	for _, maxHold := range []time.Duration{0, 61 * time.Second, time.Hour} {
		is(t, "event", held().Expire(after(60), SystemUser, maxHold)[0].Event, EventExpired)
	}
	is(t, "event", held().Expire(after(60), SystemUser, time.Minute)[0].Event, EventMaxHold)
}

func second(_ Code, done []Transition) []Transition { return done }
