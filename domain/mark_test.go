package domain

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func somewhere() Position {
	return Position{
		System: "7301234567890123456/16384", Timeline: 3, Started: noon, Clock: after(5),
		Snapshot: Snapshot{Xmin: 900, Xmax: 1000, Running: []uint64{900, 950, 999}},
	}
}

func TestACursorIsThePositionAgain(t *testing.T) {
	for name, p := range map[string]Position{
		"nothing running": {System: "1/2", Timeline: 1, Started: noon, Clock: noon, Snapshot: Snapshot{Xmin: 7, Xmax: 7}},
		"some":            somewhere(),
		"late ids":        {System: "1/2", Started: noon, Clock: noon, Snapshot: Snapshot{Xmin: math.MaxInt64 - 1, Xmax: math.MaxInt64, Running: []uint64{math.MaxInt64 - 1}}},
		"nowhere":         {},
	} {
		got, ok := decodeMark(newMark(p).text())
		if !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

// However many run, a cursor stays short; who goes on from it misses nothing.
func TestACursorOfManyRunningTransactions(t *testing.T) {
	p := somewhere()
	p.System = strings.Repeat("9", maxSystem)
	p.Snapshot = Snapshot{Xmin: 1, Xmax: math.MaxInt64}
	for i := range uint64(5000) {
		p.Snapshot.Running = append(p.Snapshot.Running, 1+i*(math.MaxInt64/5001))
	}
	text := newMark(p).text()
	got, ok := decodeMark(text)
	if len(text) > maxMark || !ok {
		t.Fatalf("%d characters, %v", len(text), ok)
	}
	is(t, "running", len(got.Snapshot.Running), maxRunning)
	for _, tx := range []uint64{1, 2, got.Snapshot.Xmax - 1, got.Snapshot.Xmax, got.Snapshot.Xmax + 1, math.MaxInt64} {
		if got.Snapshot.Sees(tx) && !p.Snapshot.Sees(tx) {
			t.Errorf("the cursor has seen %d and the reader has not", tx)
		}
	}
}

func TestBrokenCursorsAreBadInput(t *testing.T) {
	s, hub, _ := newHub(t)
	good := newMark(somewhere()).text()
	for name, text := range map[string]string{
		"blank": " ", "text": "go on", "cut": good[:len(good)-1], "longer": good + "A", "doubled": good + good,
		"long": strings.Repeat("A", maxMark+1), "empty": signed(), "another form": signed(2, 0),
		"system too long": signed(append([]byte{markForm, maxSystem + 1}, make([]byte, 200)...)...),
		"only a system":   signed(markForm, 1, 'x'), "numbers missing": signed(markForm, 0, 0, 0, 0, 5),
		"running twice":    signed(markForm, 0, 0, 0, 0, 5, 3, 1, 0),
		"running too late": signed(markForm, 0, 0, 0, 0, 5, 3, 4),
		"ids too late":     signed(append([]byte{markForm, 0, 0, 0, 0}, binary.AppendUvarint(nil, math.MaxUint64)...)...),
		"endless number":   signed(append([]byte{markForm, 0}, []byte(strings.Repeat("\xff", 20))...)...),
	} {
		_, err := s.Watch(as("kim"), Watch{After: text})
		if name == "running twice" { // the same position, said oddly
			if !errors.Is(err, ErrFeedBroken) {
				t.Error(name, err)
			}
			continue
		}
		wrongAt(t, err, "after")
	}
	for i := range good { // any one character mistyped
		for _, c := range "Az0-" {
			text := good[:i] + string(c) + good[i+1:]
			if _, ok := decodeMark(text); ok && text != good {
				t.Errorf("%s was taken", text)
			}
		}
	}
	_, err := s.Watch(as("kim"), Watch{After: good, Snapshot: true})
	wrongAt(t, err, "after")
	is(t, "subscribers", hub.Subscribers(), 0)
}

// signed is a cursor of these bytes, with the right sum.
func signed(b ...byte) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func FuzzDecodeMark(f *testing.F) {
	f.Add([]byte(newMark(somewhere()).text()))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := decodeMark(signed(b...))
		if again, same := decodeMark(newMark(p).text()); ok && (!same || !reflect.DeepEqual(again, p)) {
			t.Errorf("%+v became %+v", p, again)
		}
		_, _ = decodeMark(string(b))
	})
}

func TestWhichPositionIsLater(t *testing.T) {
	p := somewhere()
	for name, c := range map[string]struct {
		change func(*Position)
		later  bool
	}{
		"the same":            {func(*Position) {}, true},
		"one has ended":       {func(q *Position) { q.Snapshot.Running = q.Snapshot.Running[1:] }, true},
		"more were given out": {func(q *Position) { q.Snapshot.Xmax++; q.Snapshot.Running = append(q.Snapshot.Running[:3:3], 1000) }, true},
		"one still ran":       {func(q *Position) { q.Snapshot.Running = []uint64{900, 950, 960, 999} }, false},
		"fewer given out":     {func(q *Position) { q.Snapshot.Xmax-- }, false},
		"started since":       {func(q *Position) { q.Started, q.Snapshot.Xmax = after(1), 10 }, true},
		"started before":      {func(q *Position) { q.Started, q.Snapshot.Xmax = after(-1), 5000 }, false},
	} {
		q := p
		c.change(&q)
		is(t, name, q.covers(p), c.later)
	}
}

func TestWhichPositionFollows(t *testing.T) {
	p := somewhere()
	for name, c := range map[string]struct {
		change  func(*Position)
		follows bool
	}{
		"the same":                      {func(*Position) {}, true},
		"later":                         {func(q *Position) { q.Snapshot.Xmax += 10 }, true},
		"ids taken back by a restart":   {func(q *Position) { q.Started, q.Snapshot.Xmax = after(1), 950 }, true},
		"ids taken back by nothing":     {func(q *Position) { q.Snapshot.Xmax = 950 }, false},
		"another system":                {func(q *Position) { q.System = "7/8" }, false},
		"another timeline":              {func(q *Position) { q.Timeline++ }, false},
		"an older copy of the same one": {func(q *Position) { q.Started = after(1) }, true},
	} {
		q := p
		c.change(&q)
		is(t, name, q.Follows(p), c.follows)
	}
	far := p
	far.Snapshot.Xmax = 5 * LostIDs
	older := p
	older.Started, older.Snapshot.Xmax = after(1), 2*LostIDs
	is(t, "far behind, after a restart", older.Follows(far), false)
}

// What a reader has, by transaction, time and life of the server.
func TestWhatAPositionHas(t *testing.T) {
	p := somewhere() // read at 5 s after noon
	for name, c := range map[string]struct {
		tx      uint64
		at      int
		started time.Time
		has     bool
	}{
		"ended before":                     {899, 1, noon, true},
		"running":                          {950, 1, noon, false},
		"not begun":                        {1000, 1, noon, false},
		"ended before, by a clock ahead":   {899, 60, noon, true},
		"read in another life":             {899, 1, after(30), true},
		"of another life, with an old id":  {899, 40, after(30), false},
		"of a life that is over, likewise": {899, 20, after(30), false},
		"a row of before":                  {0, 5, noon, true},
		"a row of since":                   {0, 6, noon, false},
	} {
		is(t, name, p.has(&Change{TxID: c.tx, At: after(c.at)}, c.started), c.has)
	}
}

// goingOn is a client that loses its connection at any event and goes on after
// its last cursor, through any gateway, and drops what it has.
type goingOn struct {
	t      *testing.T
	seed   uint64
	filter *OccupancyFilter
	sub    *Subscription
	cursor string
	seen   map[ItemKey]stamp
	told   map[ItemKey][]int64
}

// take takes some of what it was told; the rest is lost with the connection.
func (c *goingOn) take(r *rand.Rand) {
	events, err := c.sub.take()
	if err != nil {
		c.t.Fatalf("seed %d: %v", c.seed, err)
	}
	lose := len(events)
	if r.IntN(2) == 0 {
		lose = r.IntN(len(events) + 1)
	}
	for _, e := range events[:lose] {
		c.cursor = e.Cursor()
		key, at := e.Occupancy.ItemKey, e.Occupancy.stamp()
		if at.after(c.seen[key]) {
			c.seen[key] = at
			c.told[key] = append(c.told[key], e.Occupancy.Version)
		}
	}
	if lose < len(events) {
		c.sub.Close()
		c.sub = nil
	}
}

func (c *goingOn) goOn(s *Service) {
	sub, err := s.Watch(as("kim"), Watch{Filter: c.filter, After: c.cursor})
	if err != nil {
		c.t.Fatalf("seed %d: %v", c.seed, err)
	}
	c.sub = sub
}

// G2: hundreds of courses of overlapping transactions, two gateways that read at
// any moment, and clients that come back at each point: every version exactly
// once, in order.
func TestRule21_GoingOnAtEachPoint(t *testing.T) {
	for seed := range uint64(600) {
		s, hub, feed := newHub(t)
		otherHub := NewHub(feed, NoBell{})
		other, _ := newService(t, func(c *ServiceConfig) { c.Feed, c.Hub = feed, otherHub })
		w := &world{
			t: t, r: rand.New(rand.NewPCG(seed, 1)), s: s, hub: hub, feed: feed,
			locked: map[ItemKey]uint64{}, committed: map[ItemKey]int64{},
		}
		gateways := []*Service{s, other}
		var clients []*goingOn
		for i := range 4 {
			c := &goingOn{t: t, seed: seed, seen: map[ItemKey]stamp{}, told: map[ItemKey][]int64{}}
			if i%2 == 1 {
				c.filter = &OccupancyFilter{ItemNames: []string{"0", "1"}}
			}
			c.cursor = newMark(feed.position()).text()
			c.goOn(gateways[i/2])
			clients = append(clients, c)
		}
		for range 150 {
			switch w.r.IntN(10) {
			case 0, 1, 2:
				w.write()
			case 3, 4, 5:
				w.commit()
			case 6:
				gateways[w.r.IntN(2)].Hub.runOnce(t.Context())
			case 7:
				if w.r.IntN(4) == 0 { // a restart, after which ids are given out again
					w.restart()
				}
			default:
				c := clients[w.r.IntN(len(clients))]
				if c.sub == nil {
					c.goOn(gateways[w.r.IntN(2)])
				} else {
					c.take(w.r)
				}
			}
		}
		for len(w.locked) > 0 {
			w.commit()
		}
		hub.runOnce(t.Context())
		otherHub.runOnce(t.Context())
		for i, c := range clients {
			c.finish(gateways[0])
			for key, last := range w.committed {
				wanted := c.filter == nil || key.ItemName <= "1"
				if got := c.told[key]; wanted && !countsTo(got, last) || !wanted && len(got) > 0 {
					t.Fatalf("seed %d, client %d: %s has %d versions and was told %v", seed, i, key, last, got)
				}
			}
		}
	}
}

// finish goes on and takes all.
func (c *goingOn) finish(s *Service) {
	if c.sub != nil {
		c.sub.Close()
	}
	c.goOn(s)
	for _, e := range must(c.sub.take())(c.t) {
		if key, at := e.Occupancy.ItemKey, e.Occupancy.stamp(); at.after(c.seen[key]) {
			c.seen[key], c.told[key] = at, append(c.told[key], e.Occupancy.Version)
		}
	}
	c.sub.Close()
}

func countsTo(versions []int64, last int64) bool {
	for i, v := range versions {
		if v != int64(i)+1 {
			return false
		}
	}
	return int64(len(versions)) == last
}

// restart loses what runs, and gives its ids out again.
func (w *world) restart() {
	w.feed.crash()
	clear(w.locked)
}

func TestGoingOnThroughTheFeedItself(t *testing.T) {
	s, hub, feed := newHub(t)
	sub := watch(t, s, nil, true)
	feed.change("kim", lots("LOT1", "LOT2", "LOT3")...)
	hub.runOnce(t.Context())
	events := must(sub.Next(t.Context()))(t)
	is(t, "the earlier ones carry where it was before", events[0].Cursor(), events[1].Cursor())
	if events[2].Cursor() == events[1].Cursor() {
		t.Error("the last one carries nothing new")
	}
	feed.change("lee", lot1)
	for i, want := range [][]string{
		{"CHANGED LOT1 v1 kim", "CHANGED LOT2 v1 kim", "CHANGED LOT3 v1 kim", "CHANGED LOT1 v2 lee"},
		{"CHANGED LOT1 v1 kim", "CHANGED LOT2 v1 kim", "CHANGED LOT3 v1 kim", "CHANGED LOT1 v2 lee"},
		{"CHANGED LOT1 v2 lee"},
	} {
		again := must(s.Watch(as("kim"), Watch{After: events[i].Cursor()}))(t)
		same(t, "after event "+itoa(i), told(t, again), want...)
		again.Close()
	}
	again := must(s.Watch(as("kim"), Watch{Filter: &OccupancyFilter{ItemNames: []string{"LOT3"}}, After: events[0].Cursor()}))(t)
	defer again.Close()
	hub.runOnce(t.Context())
	same(t, "with a filter", told(t, again), "CHANGED LOT3 v1 kim")
}

func TestGoingOnIsRefusedWhereThereWouldBeAHole(t *testing.T) {
	s, hub, feed := newHub(t)
	feed.change("kim", lots("LOT1", "LOT2")...)
	sub := watch(t, s, nil, true)
	events := must(sub.Next(t.Context()))(t)
	if _, err := s.Watch(as("kim"), Watch{After: events[0].Cursor()}); !errors.Is(err, ErrFeedBroken) {
		t.Errorf("in the middle of a snapshot: %v", err)
	}
	whole := events[1].Cursor()
	again := must(s.Watch(as("kim"), Watch{After: whole}))(t)
	same(t, "after all of it", told(t, again))
	again.Close()
	feed.system = "restored"
	if _, err := s.Watch(as("kim"), Watch{After: whole}); !errors.Is(err, ErrFeedBroken) {
		t.Errorf("another database: %v", err)
	}
	is(t, "subscribers", hub.Subscribers(), 1)
}
