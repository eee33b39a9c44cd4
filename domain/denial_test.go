package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slips keeps denials as they are written, a batch a list.
type slips struct {
	DenialStore
	mu      sync.Mutex
	batches [][]Denial
	err     error
	asked   []BlockerQuery
}

func (s *slips) WriteDenials(_ context.Context, all []Denial) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.batches = append(s.batches, slices.Clone(all))
	return nil
}

func (s *slips) TopBlockers(_ context.Context, q BlockerQuery) ([]Blocker, error) {
	s.asked = append(s.asked, q)
	return nil, nil
}

// all is all that was written.
func (s *slips) all() []Denial { return slices.Concat(s.batches...) }

func withSlips(t *testing.T) (*Service, *memory, *slips) {
	written := &slips{}
	s, store := newService(t, func(c *ServiceConfig) { c.Refusals = &DenialLog{Store: written} })
	return s, store, written
}

// Case H6: who wanted what, from which screen, and who stood in the way.
func TestARefusalIsTakenDown(t *testing.T) {
	s, store, written := withSlips(t)
	store.put(held())
	ask := func(user string) {
		in := OccupyInput{ItemType: "LOT", ItemName: "LOT1", Session: "L", UIName: "Track In", MenuName: "Lot"}
		if a := must(s.Occupy(as(user), in))(t); a.OK && user != "kim" {
			t.Errorf("%s: %s", user, a.Code)
		}
	}
	ask("lee")
	store.at(7)
	ask("lee")
	must(s.OccupyAll(as("lee"), OccupyAllInput{Session: "L", Items: []*ItemInput{{"LOT", "LOT1"}, {"LOT", "free"}}}))(t)
	ask("kim") // from a window of their own
	must(s.Occupy(as("oh"), OccupyInput{ItemType: "LOT", ItemName: "other"}))(t)
	s.Refusals.write(t.Context())
	got := written.all()
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	want := Denial{
		ItemKey: lot1, FencingToken: 7, UserID: "lee", Session: "L", UIName: "Track In", MenuName: "Lot",
		BlockerUserID: "kim", BlockerSession: "A", BlockerUIName: "MES", BlockerMenuName: "Lookup", BlockerSince: noon,
		Attempts: 3, FirstAt: noon, LastAt: after(7),
	}
	is(t, "lee's", got[1], want)
	is(t, "kim's other window", got[0].UserID+got[0].BlockerUserID, "kimkim")
	s.Refusals.write(t.Context())
	is(t, "batches", len(written.batches), 1)
}

// Case H5: a flood is bounded, and costs one row an asker and hold.
func TestAFloodOfRefusalsIsBounded(t *testing.T) {
	log := &DenialLog{Store: &slips{}}
	asker := by("lee", "L")
	for range 100_000 {
		log.note(asker, &Occupancy{ItemKey: lot1, FencingToken: 1})
	}
	is(t, "waiting", len(log.waiting), 1)
	for i := range maxDenials + 50 {
		log.note(by(fmt.Sprint("user", i), ""), &Occupancy{ItemKey: lot1, FencingToken: 1})
	}
	is(t, "waiting", len(log.waiting), maxDenials)
	is(t, "dropped", log.Dropped(), 51)
	log.note(asker, &Occupancy{ItemKey: lot1, FencingToken: 1})
	is(t, "dropped, of one that is there already", log.Dropped(), 51)
}

func TestRefusalsAreWrittenInBatchesInOneOrder(t *testing.T) {
	written := &slips{}
	log := &DenialLog{Store: written}
	for i := range 2*denialBatch + 5 {
		log.note(by(fmt.Sprintf("user%05d", (i*7919)%(2*denialBatch+5)), ""), &Occupancy{ItemKey: lot1, FencingToken: int64(i % 3)})
	}
	log.write(t.Context())
	is(t, "batches", len(written.batches), 3)
	if !slices.IsSortedFunc(written.all(), func(a, b Denial) int { return a.Key().compare(b.Key()) }) {
		t.Error("not in the order of their keys")
	}
}

func TestWhatCanNotBeWrittenWaits(t *testing.T) {
	written := &slips{err: ErrUnavailable}
	log := &DenialLog{Store: written}
	blocker := &Occupancy{ItemKey: lot1, FencingToken: 1}
	log.note(by("lee", "L"), blocker)
	log.write(t.Context())
	log.note(by("lee", "L"), blocker)
	written.err = nil
	log.write(t.Context())
	if got := written.all(); len(got) != 1 || got[0].Attempts != 2 {
		t.Errorf("%+v", got)
	}
}

func TestRefusalsAreWrittenEverySecondAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := &slips{}
		log := &DenialLog{Store: written}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); log.Run(ctx) }()
		log.note(by("lee", ""), &Occupancy{ItemKey: lot1})
		time.Sleep(writeDenialsEvery + time.Millisecond)
		synctest.Wait()
		is(t, "after a second", len(written.all()), 1)
		log.note(by("oh", ""), &Occupancy{ItemKey: lot1})
		stop()
		<-ended
		is(t, "at the end", len(written.all()), 2)
	})
}

func TestBlockersAreAskedForAPeriod(t *testing.T) {
	s, _, written := withSlips(t)
	from, to, late := after(0), after(31*86400), after(31*86400+1)
	for name, at := range map[string]*TimeFilter{
		"no period": nil, "no end": {Gte: &from}, "no beginning": {Lt: &to}, "too long": {Gte: &from, Lt: &late}, "backwards": {Gte: &to, Lt: &from},
	} {
		_, err := s.TopBlockers(as("ana"), DenialWhere{At: at}, ByBlockerUser, nil)
		t.Run(name, func(t *testing.T) { wrongAt(t, err, "where.at") })
		_, err = s.CrossedPairs(as("ana"), DenialWhere{At: at}, nil)
		t.Run(name, func(t *testing.T) { wrongAt(t, err, "where.at") })
	}
	_, err := s.TopBlockers(as("ana"), DenialWhere{At: &TimeFilter{Gte: &from, Lt: &to}, UserID: &TextFilter{Eq: text(" lee ")}}, ByBlockedItem, seconds(7))
	if err != nil || len(written.asked) != 1 {
		t.Fatal(err, written.asked)
	}
	q := written.asked[0]
	if q.By != ByBlockedItem || q.Limit != 7 || !slices.Equal(q.Where.UserID.In, []string{"lee"}) {
		t.Errorf("%+v", q)
	}
	if _, err := s.TopBlockers(context.Background(), DenialWhere{}, ByBlockerUser, nil); !errors.Is(err, ErrUnauthenticated) {
		t.Error(err)
	}
}
