package story

import (
	"container/heap"
	"fmt"
	"math"
	"time"

	"occupy/domain"
)

// visit is one person at one screen, from the first try to the end.
type visit struct {
	*play
	who     person
	session string
	screen  *screen
	key     domain.ItemKey
	tries   int    // how often they will still ask
	every   hurry  // how soon they ask again
	holding *visit // in the middle of which they need this too
	way     ending // how they end
	token   int64  // of their hold
}

// hurry is a shortest and a longest wait.
type hurry struct{ least, most time.Duration }

var (
	patient  = hurry{20 * time.Second, 3 * time.Minute}
	clicking = hurry{time.Second, 3 * time.Second}
)

// ending is how a visit ends.
type ending string

const (
	given     = ending(domain.EventFreed)
	closed    = ending(domain.EventWindowClosed)
	lost      = ending(domain.EventConnectionLost)
	handed    = ending(domain.EventTransferred)
	forced    = ending(domain.EventForced)
	forgotten = ending(domain.EventExpired)
)

var reasons = []string{"shift change, holder has left", "urgent lot", "screen hangs", "equipment down", "교대 후 미반납"}

// at notes what is going to happen.
func (s *play) at(when time.Time, happens func(now time.Time)) {
	s.noted++
	heap.Push(&s.coming, event{when.UnixMicro(), s.noted, happens})
}

// visit has somebody of those who are on take something.
func (s *play) visit(now time.Time) {
	people := s.cast.teams[team(now)]
	if isOffice(now) && s.random.Float64() < 0.2 {
		people = s.cast.office
	}
	v := &visit{play: s, who: people[s.rarely(len(people))], screen: s.chooseScreen()}
	v.key = s.pick(v.screen.itemType, now)
	v.session = s.session(v.who, now)
	v.ask(now)
}

func (s *play) chooseScreen() *screen {
	n := s.random.Float64()
	for i := range screens {
		if n -= screens[i].share; n < 0 {
			return &screens[i]
		}
	}
	return &screens[0]
}

// session is somebody's window of the day; now and then they have a second one.
func (s *play) session(p person, now time.Time) string {
	if !p.windows {
		return ""
	}
	window := 'a'
	if s.random.Float64() < 0.1 {
		window = 'b'
	}
	return fmt.Sprintf("%s-%s-%c", p.id, now.Add(-firstShift).Format("0102"), window)
}

// ask tries to occupy.
func (v *visit) ask(now time.Time) {
	c := domain.Occupy{
		Claim: v.claim(), TTL: v.screen.ttl,
		UIName: v.screen.ui, MenuName: v.screen.menu,
	}
	o := v.item(v.key)
	code, done := o.Occupy(now, c)
	if code == domain.CodeHeldInOtherWindow && v.random.Float64() < 0.7 {
		c.TakeOver = true
		code, done = o.Occupy(now, c)
	}
	switch code {
	case domain.CodeGranted, domain.CodeTakenOver:
		v.write(done)
		v.begin(now)
	case domain.CodeReentered:
		v.write(done) // they look at what they have already
	default:
		v.refuse(domain.NewDenial(c, o.Seen(now)))
		v.denied(now, *o)
	}
}

func (v *visit) claim() domain.Claim { return domain.Claim{UserID: v.who.id, Session: v.session} }

// denied may ask again.
func (v *visit) denied(now time.Time, o domain.Occupancy) {
	if v.every.most == 0 {
		v.every, v.tries = patient, v.random.IntN(6)
		if v.random.Float64() < 0.05 {
			v.every, v.tries = clicking, 5+v.random.IntN(15)
		}
	}
	if v.holding != nil && v.tries > 0 && v.random.Float64() < 0.05 {
		v.crossed(now, o)
	}
	if v.tries--; v.tries >= 0 {
		v.play.at(v.soon(now, v.every), v.ask)
	}
}

// crossed has the one who is in the way want what this one holds.
func (v *visit) crossed(now time.Time, o domain.Occupancy) {
	other := &visit{
		play: v.play, who: person{id: o.UserID, slow: 1, forgets: 0.03}, session: o.Session,
		screen: v.holding.screen, key: v.holding.key, tries: 3, every: patient,
	}
	v.play.at(v.soon(now, patient), other.ask)
}

func (s *play) soon(now time.Time, h hurry) time.Time {
	return now.Add(h.least + time.Duration(s.random.Int64N(int64(h.most-h.least))))
}

// begin works with what was granted.
func (v *visit) begin(now time.Time) {
	v.token = v.item(v.key).FencingToken
	median := float64(v.screen.work) * v.who.slow
	takes := min(8*time.Hour, time.Duration(median*math.Exp(v.random.NormFloat64()*0.8)))
	v.way = v.chooseEnding(takes)
	v.play.at(now.Add(takes), v.end)
	v.renewAfter(now, now.Add(takes))
	if v.random.Float64() < 0.04 {
		v.play.at(now.Add(takes/3), v.move)
	}
	if v.screen.also != "" && v.random.Float64() < 0.15 {
		v.play.at(now.Add(takes/4), v.needs)
	}
}

func (v *visit) chooseEnding(takes time.Duration) ending {
	n := v.random.Float64()
	switch {
	case n < v.who.forgets:
		return forgotten
	case n < v.who.forgets+0.02:
		return lost
	case n < v.who.forgets+0.14:
		return closed
	case n < v.who.forgets+0.145:
		return handed
	case takes > 30*time.Minute && n > 0.9:
		return forced
	}
	return given
}

// renewAfter extends the hold from time to time, as long as the work lasts.
func (v *visit) renewAfter(now, until time.Time) {
	next := now.Add(v.screen.ttl / 2)
	if !next.Before(until) {
		return
	}
	v.play.at(next, func(now time.Time) {
		code, done := v.item(v.key).Renew(now, domain.Renew{Claim: v.claim(), TTL: v.screen.ttl})
		if !code.OK() {
			return
		}
		v.write(done)
		v.renewAfter(now, until)
	})
}

// holds tells whether this visit's hold is still there.
func (v *visit) holds(now time.Time) bool {
	claim := v.claim()
	claim.FencingToken = &v.token
	return v.item(v.key).Verify(now, claim).OK()
}

// move goes to another menu with the same item.
func (v *visit) move(now time.Time) {
	if !v.holds(now) {
		return
	}
	_, done := v.item(v.key).Occupy(now, domain.Occupy{Claim: v.claim(), TTL: v.screen.ttl,
		UIName: v.screen.ui, MenuName: v.screen.menu + " Detail"})
	v.write(done)
}

// needs asks for something else in the middle of the work.
func (v *visit) needs(now time.Time) {
	if !v.holds(now) {
		return
	}
	also := &visit{play: v.play, who: v.who, session: v.session, screen: v.screen, holding: v,
		key: v.pick(v.screen.also, now)}
	also.ask(now)
}

// end ends the hold, unless it has gone meanwhile.
func (v *visit) end(now time.Time) {
	if !v.holds(now) {
		return
	}
	o := v.item(v.key)
	var done []domain.Transition
	switch v.way {
	case forgotten:
		v.play.at(v.soon(o.ExpireTime, hurry{0, 600 * time.Millisecond}), v.sweep)
	case forced:
		_, done = o.ForceFree(now, domain.ForceFree{Supervisor: pickOne(v.play, v.cast.supervisor),
			FencingToken: v.token, Reason: pickOne(v.play, reasons)})
	case handed:
		v.handOver(now)
	default:
		_, done = o.Free(now, domain.Free{Claim: v.claim(), How: domain.Event(v.way)})
	}
	v.write(done)
}

func pickOne[T any](s *play, all []T) T { return all[s.random.IntN(len(all))] }

// handOver gives the item to a colleague, who goes on.
func (v *visit) handOver(now time.Time) {
	to := &visit{play: v.play, who: pickOne(v.play, v.cast.teams[team(now)]), screen: v.screen, key: v.key}
	to.session = v.play.session(to.who, now)
	_, done := v.item(v.key).Transfer(now, domain.Transfer{Claim: v.claim(), To: to.claim(), TTL: v.screen.ttl})
	v.write(done)
	to.begin(now)
}

// sweep finds a hold whose time has run out.
func (v *visit) sweep(now time.Time) {
	v.write(v.item(v.key).Expire(now, domain.SystemUser, 0))
}
