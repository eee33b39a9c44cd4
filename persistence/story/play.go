package story

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"occupy/domain"
)

// play is a story being told.
type play struct {
	plant  Plant
	cast   *cast
	random *rand.Rand
	gap    float64 // hours between visits at the busiest time
	coming agenda
	noted  int // events so far

	items map[domain.ItemKey]*domain.Occupancy
	order []*domain.Occupancy // as they were first occupied
	rows  []domain.Transition // not yet written

	denials map[domain.DenialKey]*domain.Denial
	refused []*domain.Denial // the same, by the first attempt
}

func newPlay(p Plant) (*play, error) {
	if p.Zone == nil {
		p.Zone = time.FixedZone("KST", 9*60*60)
	}
	p.From, p.To = p.From.In(p.Zone), p.To.In(p.Zone)
	if p.Rows < 1 || p.To.Sub(p.From) < time.Hour {
		return nil, errors.New("a story needs at least a row and an hour")
	}
	visits := float64(p.Rows) / rowsAVisit
	random := rand.New(rand.NewPCG(p.Seed, uint64(p.Rows)))
	s := &play{
		plant: p, random: random, items: map[domain.ItemKey]*domain.Occupancy{},
		denials: map[domain.DenialKey]*domain.Denial{},
		cast:    newCast(random, visits/(p.To.Sub(p.From).Hours()/24)),
		gap:     work(p.From, p.To) / visits / busiest,
	}
	s.arrive(p.From)
	return s, nil
}

// next is the next history row. Returns false at the end of the story.
func (s *play) next() (domain.Transition, bool) {
	for len(s.rows) == 0 {
		if len(s.coming) == 0 {
			return domain.Transition{}, false
		}
		e := heap.Pop(&s.coming).(event)
		if at := time.UnixMicro(e.at).In(s.plant.Zone); at.Before(s.plant.To) {
			e.happens(at)
		}
	}
	row := s.rows[0]
	s.rows = s.rows[1:]
	return row, true
}

// arrive has somebody come to a screen, and the next one after them.
func (s *play) arrive(after time.Time) {
	at := after.Add(hours(s.random.ExpFloat64() * s.gap))
	s.at(at, func(now time.Time) {
		if s.random.Float64()*busiest < busy(now) {
			s.visit(now)
		}
		s.arrive(now)
	})
}

func hours(n float64) time.Duration { return time.Duration(n * float64(time.Hour)) }

// item is an item as it is now.
func (s *play) item(key domain.ItemKey) *domain.Occupancy {
	o, known := s.items[key]
	if !known {
		o = &domain.Occupancy{ItemKey: key, State: domain.StateFree}
		s.items[key] = o
	}
	return o
}

// write is what a rule said.
func (s *play) write(done []domain.Transition) {
	for _, t := range done {
		o := s.item(t.ItemKey)
		if o.Version == 0 {
			s.order = append(s.order, o)
		}
		*o = t.Occupancy
		if t.Event != "" {
			s.rows = append(s.rows, t)
		}
	}
}

// refuse takes down who was refused, as the log of a gateway would.
func (s *play) refuse(d domain.Denial) {
	if known := s.denials[d.Key()]; known != nil {
		known.Add(d)
		return
	}
	s.denials[d.Key()] = &d
	s.refused = append(s.refused, &d)
}

// pick is one thing of a type: few are wanted often, most seldom.
func (s *play) pick(itemType string, at time.Time) domain.ItemKey {
	n := s.cast.things[itemType]
	key := domain.ItemKey{ItemType: itemType}
	switch itemType {
	case "LOT":
		day := at.Add(-firstShift).AddDate(0, 0, -s.rarely(6))
		key.ItemName = fmt.Sprintf("LOT-%s-%04d", day.Format("20060102"), 1+s.rarely(n))
	case "PRODUCT":
		key.ItemName = fmt.Sprintf("PRD-%03d", 1+s.rarely(n))
	default:
		key.ItemName = fmt.Sprintf("%s-%04d", itemType, 1+s.rarely(n))
	}
	return key
}

// rarely is a number below n, the greater the rarer.
func (s *play) rarely(n int) int {
	return min(n-1, int(float64(n)*math.Pow(s.random.Float64(), 2.5)))
}

// event is something that is going to happen, at a microsecond.
type event struct {
	at      int64
	number  int // of two at the same time, the one that was thought of first
	happens func(now time.Time)
}

// agenda is a heap of what is going to happen.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].number < a[j].number
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(e any)   { *a = append(*a, e.(event)) }
func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	(*a)[last] = event{}
	*a = (*a)[:last]
	return e
}
