package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// wish is what the callers of a group want of one sequence together.
type wish struct {
	name, user string
	count      int64
	ahead      bool // a block ahead of need, too, if the sequence is cached
	calls      []*drawCall

	got  domain.Values
	sent time.Time
}

// drawAndDeal draws what all the callers want in one statement and deals it out.
func (s *Store) drawAndDeal(ctx context.Context, calls []*drawCall, lockWait time.Duration) error {
	wishes := s.sequences.wishes(calls)
	err := s.draw(ctx, wishes, lockWait)
	if isOverflow(err) { // of the block ahead, perhaps
		for _, w := range wishes {
			w.ahead = false
		}
		err = s.draw(ctx, wishes, lockWait)
	}
	if isOverflow(err) && len(calls) == 1 {
		return &domain.InputError{Argument: "count", Problem: "is more than the sequence has left"}
	}
	if err != nil {
		return err
	}
	s.sequences.deal(wishes)
	return nil
}

// wishes sums the calls up by name, in lock order.
func (q *sequences) wishes(calls []*drawCall) []*wish {
	q.mu.Lock()
	defer q.mu.Unlock()
	byName := map[string]*wish{}
	var all []*wish
	for _, c := range calls {
		w := byName[c.request.Name]
		if w == nil {
			st := q.stocks[c.request.Name]
			w = &wish{name: c.request.Name, ahead: st == nil || st.Low()}
			byName[w.name], all = w, append(all, w)
		}
		w.user = c.request.UserID
		w.count += c.request.Count
		w.calls = append(w.calls, c)
	}
	slices.SortFunc(all, func(a, b *wish) int { return strings.Compare(a.name, b.name) })
	return all
}

// draw raises the counters, and writes down what was drawn in the same
// statement, so that nothing is ever drawn and forgotten.
// Returns errLost if the connection broke: what was drawn then, if anything,
// is found by ReclaimBlocks, and drawing again gives other values.
func (s *Store) draw(ctx context.Context, wishes []*wish, lockWait time.Duration) error {
	conn, err := s.floor.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, done := context.WithTimeout(ctx, stepWithin)
	defer done()
	sent := time.Now()
	b := &pgx.Batch{}
	queueSettings(b, conn.Conn())
	b.Queue(`-- name: SetLockTimeout
		SELECT set_config('lock_timeout', $1, true)`, milliseconds(lockWait))
	b.Queue(`-- name: LockAndDrawValues
		WITH wish AS (
			SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::text[])
			  AS w (seq_name, count, ahead, user_id)
		), drawn AS (
			INSERT INTO ct_sequence AS s (seq_name, curr_value, reg_usr_id, updt_usr_id)
			SELECT seq_name, count, user_id, user_id FROM wish ORDER BY seq_name COLLATE "C"
			ON CONFLICT (seq_name) DO UPDATE
			SET curr_value = s.curr_value + excluded.curr_value
			               + CASE WHEN (SELECT ahead FROM wish w WHERE w.seq_name = s.seq_name) THEN s.cache_size ELSE 0 END,
			    updt_usr_id = excluded.updt_usr_id, updt_dt = excluded.updt_dt
			RETURNING s.seq_name, s.epoch, s.curr_value AS last,
				CASE WHEN (SELECT ahead FROM wish w WHERE w.seq_name = s.seq_name) THEN s.cache_size ELSE 0 END AS extra
		)
		INSERT INTO ct_sequence_block (seq_name, epoch, first_value, last_value, used_to, lease_until, gateway, gateway_session)
		SELECT d.seq_name, d.epoch, d.last - d.extra - w.count + 1, d.last, d.last - d.extra - w.count,
		       CASE WHEN d.extra > 0 THEN clock_timestamp() + $5::bigint * interval '1 ms' END, $6, $7
		FROM drawn d JOIN wish w ON w.seq_name = d.seq_name
		WHERE d.extra + w.count > 0
		RETURNING seq_name, epoch, first_value, last_value`,
		column(wishes, func(w **wish) string { return (*w).name }),
		column(wishes, func(w **wish) int64 { return (*w).count }),
		column(wishes, func(w **wish) bool { return (*w).ahead }),
		column(wishes, func(w **wish) string { return (*w).user }),
		domain.SequenceLease.Milliseconds(), s.sequences.node, s.sequences.session).
		Query(func(rows pgx.Rows) error { return scanDrawn(rows, wishes, sent) })
	err = conn.SendBatch(ctx, b).Close()
	if err != nil && conn.Conn().IsClosed() {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

func scanDrawn(rows pgx.Rows, wishes []*wish, sent time.Time) error {
	for rows.Next() {
		var name string
		var v domain.Values
		if err := rows.Scan(&name, &v.Epoch, &v.First, &v.Last); err != nil {
			return err
		}
		i, ok := slices.BinarySearchFunc(wishes, name, func(w *wish, name string) int { return strings.Compare(w.name, name) })
		if !ok {
			return errors.New("values of a sequence that nobody asked for: " + name)
		}
		wishes[i].got, wishes[i].sent = v, sent
	}
	return rows.Err()
}

// deal gives each caller its part, in order of arrival, and keeps the rest.
func (q *sequences) deal(wishes []*wish) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range wishes {
		st := q.stocks[w.name]
		if st == nil {
			st = &stock{}
			q.stocks[w.name] = st
		}
		if w.got == (domain.Values{}) { // a block ahead of need, though the sequence is cached no more
			st.SetSize(0)
			continue
		}
		extra := w.got.Last - w.got.First + 1 - w.count
		b := domain.NewBlock(w.got, time.Time{})
		if extra > 0 {
			b.Leased = w.sent
		}
		for _, c := range w.calls {
			if c.request.Count > 0 {
				c.request.got = b.Take(c.request.Count)
				st.Gave(c.request.got)
			}
		}
		st.Add(b)
		if w.ahead {
			st.SetSize(extra)
		}
	}
}

// counter is a sequence as its rows have it.
type counter struct {
	epoch, value int64
	cacheSize    int
}

// readCounter reads a sequence. One that was never used is all zeros.
func (s *Store) readCounter(ctx context.Context, name string) (c counter, err error) {
	ctx, done := context.WithTimeout(ctx, readWithin)
	defer done()
	err = s.floor.QueryRow(ctx, `-- name: ReadSequence
		SELECT epoch, curr_value, cache_size FROM ct_sequence WHERE seq_name = $1`, name).Scan(&c.epoch, &c.value, &c.cacheSize)
	if errors.Is(err, pgx.ErrNoRows) {
		return counter{}, nil
	}
	return c, err
}

// nodeName is the name by which a gateway is told from others.
func nodeName(configured string) string {
	if configured == "" {
		host, _ := os.Hostname()
		configured = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	runes := []rune(strings.ToValidUTF8(configured, "?"))
	return string(runes[:min(len(runes), maxNodeName)])
}

// maxNodeName is as wide as the column.
const maxNodeName = 100
