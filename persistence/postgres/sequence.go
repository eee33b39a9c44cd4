package postgres

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"occupy/domain"
)

// sequences is what this gateway has of the sequences; the rules of giving are
// domain.Stock's.
type sequences struct {
	node, session string
	draws         *queue[*drawRequest]

	mu     sync.Mutex
	stocks map[string]*stock

	reviewing  sync.Mutex // one review at a time
	background sync.WaitGroup
	stop       context.CancelFunc
}

type stock struct {
	domain.Stock
	refilling bool
}

// drawRequest is a caller's wish on its way; Count 0 only asks for a block ahead of need.
type drawRequest struct {
	domain.SequenceDraw
	got domain.Values
}

type drawCall = call[*drawRequest]

// openSequences begins to look after what this gateway draws.
func (s *Store) openSequences(c Config) {
	ctx, stop := context.WithCancel(context.Background())
	q := &sequences{node: nodeName(c.Node), session: rand.Text(), stocks: map[string]*stock{}, stop: stop}
	c.Transactions = 1 // two would wait for each other's row: one serves more callers, and in order of arrival
	q.draws = newQueue(c, draws, s.metrics, func(*drawRequest) int { return 1 }, s.dealOut)
	s.sequences = q
	q.background.Go(func() { s.keepReviewing(ctx) })
}

// NextVal implements domain.SequenceStore.
func (s *Store) NextVal(ctx context.Context, d domain.SequenceDraw) (domain.Values, error) {
	if err := ctx.Err(); err != nil {
		return domain.Values{}, err
	}
	if v, ok := s.fromStock(d); ok {
		return v, nil
	}
	ctx, done := context.WithTimeout(ctx, s.patience)
	defer done()
	wish := &drawRequest{SequenceDraw: d}
	if err := s.sequences.draws.do(ctx, wish); err != nil {
		return domain.Values{}, translate(err)
	}
	return wish.got, nil
}

// fromStock gives what was drawn ahead of need, and sees to it that the next
// block is there before this one is used up.
func (s *Store) fromStock(d domain.SequenceDraw) (domain.Values, bool) {
	q := s.sequences
	q.mu.Lock()
	defer q.mu.Unlock()
	st := q.stocks[d.Name]
	if st == nil {
		return domain.Values{}, false
	}
	v, ok := st.Give(time.Now(), d.Count)
	if ok && st.Low() && !st.refilling {
		st.refilling = true
		q.background.Go(func() { s.refill(d.Name) })
	}
	return v, ok
}

func (s *Store) refill(name string) {
	q := s.sequences
	ctx, done := context.WithTimeout(context.Background(), s.patience)
	defer done()
	// If it fails, callers go on with what is left, and then find out themselves.
	_ = q.draws.do(ctx, &drawRequest{SequenceDraw: domain.SequenceDraw{Name: name, UserID: domain.SystemUser}})
	q.mu.Lock()
	defer q.mu.Unlock()
	if st := q.stocks[name]; st != nil {
		st.refilling = false
		q.tidy(name)
	}
}

// tidy forgets a sequence of which nothing is left.
func (q *sequences) tidy(name string) {
	if st := q.stocks[name]; len(st.Blocks) == 0 && !st.refilling {
		delete(q.stocks, name)
	}
}

// dealOut serves callers in order of arrival: from the stock, if a block came
// in while they waited, or else from the database.
func (s *Store) dealOut(ctx context.Context, calls []*drawCall) {
	if calls = s.serve(calls); len(calls) > 0 {
		settle(ctx, s.patience, calls, s.drawAndDeal)
	}
}

// serve answers those for whom there is something in stock. Returns the others.
func (s *Store) serve(calls []*drawCall) (others []*drawCall) {
	q := s.sequences
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	for _, c := range calls {
		served := false
		if st := q.stocks[c.request.Name]; st != nil {
			if c.request.Count == 0 {
				served = !st.Low()
			} else {
				c.request.got, served = st.Give(now, c.request.Count)
			}
		}
		if served {
			c.done <- nil
			continue
		}
		others = append(others, c)
	}
	return others
}

// CurrVal implements domain.SequenceStore. The counter's value is the end of
// the highest block out, or of what was drawn past it since.
func (s *Store) CurrVal(ctx context.Context, name string) (int64, error) {
	q := s.sequences
	if last, ok := q.lastSurely(name); ok {
		return last, nil
	}
	c, err := s.readCounter(ctx, name)
	if err != nil || c.cacheSize == 0 {
		return c.value, translate(err)
	}
	if last, ok := q.last(name, c.epoch); ok {
		return last, nil
	}
	return c.value, nil
}

func (q *sequences) lastSurely(name string) (int64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if st := q.stocks[name]; st != nil {
		return st.LastSurely(time.Now())
	}
	return 0, false
}

func (q *sequences) last(name string, epoch int64) (int64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if st := q.stocks[name]; st != nil {
		return st.Last(epoch)
	}
	return 0, false
}

// closeStock stops giving out of what this gateway has of a sequence.
func (q *sequences) closeStock(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if st := q.stocks[name]; st != nil {
		st.Close()
	}
}

// closeAll stops giving altogether.
func (q *sequences) closeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, st := range q.stocks {
		st.Close()
	}
}
