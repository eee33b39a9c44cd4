package postgres

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

const (
	// reviewEvery is how often it is written down what was given out. What a
	// crash leaves uncertain is what was given in the last two of these.
	reviewEvery = 100 * time.Millisecond
	// reclaimAfter is how long a lease has to be over before its block counts
	// as abandoned: a gateway whose link was cut comes back sooner, and knows
	// better what it gave out.
	reclaimAfter = 30 * time.Second
	reclaimBatch = 1000
	// stopWithin bounds the last review, which a stopping gateway waits for.
	stopWithin = 3 * time.Second
)

// debt is what this gateway owes the database about one block.
type debt struct {
	name   string
	block  *domain.Block
	usedTo int64
}

func (q *sequences) debts(now time.Time) (record, giveBack []debt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name, st := range q.stocks {
		for _, b := range st.Blocks {
			switch duty, usedTo := b.Review(now); duty {
			case domain.Record:
				record = append(record, debt{name, b, usedTo})
			case domain.GiveBack:
				giveBack = append(giveBack, debt{name, b, usedTo})
			}
		}
	}
	return record, giveBack
}

// debtColumns makes columns of debts, in lock order.
func debtColumns(debts []debt) (names []string, epochs, firsts, usedTo []int64) {
	slices.SortFunc(debts, func(a, b debt) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.block.Epoch, b.block.Epoch), cmp.Compare(a.block.First, b.block.First))
	})
	return column(debts, func(d *debt) string { return d.name }),
		column(debts, func(d *debt) int64 { return d.block.Epoch }),
		column(debts, func(d *debt) int64 { return d.block.First }),
		column(debts, func(d *debt) int64 { return d.usedTo })
}

func (s *Store) keepReviewing(ctx context.Context) {
	tick := time.NewTicker(reviewEvery)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.review(ctx)
		if err != nil && !away && ctx.Err() == nil {
			slog.Warn("sequences: what was given out can not be written down", "err", err)
		}
		away = err != nil
	}
}

// review writes down what was given out, extends leases, and gives back what
// is done, in two transactions: each takes its locks in order.
func (s *Store) review(ctx context.Context) error {
	q := s.sequences
	q.reviewing.Lock()
	defer q.reviewing.Unlock()
	ctx, done := context.WithTimeout(ctx, stepWithin)
	defer done()
	record, giveBack := q.debts(time.Now())
	if len(record) > 0 {
		closed, err := s.record(ctx, record)
		if err != nil {
			return err
		}
		giveBack = append(giveBack, closed...)
	}
	if len(giveBack) == 0 {
		return nil
	}
	if err := s.giveBack(ctx, giveBack); err != nil {
		return err
	}
	q.drop(giveBack)
	return nil
}

// record writes down up to where blocks are used, and extends their leases.
// Returns those that were closed, or reclaimed, with what is left of them.
func (s *Store) record(ctx context.Context, debts []debt) (closed []debt, err error) {
	sent := time.Now()
	names, epochs, firsts, usedTo := debtColumns(debts)
	rows, err := s.floor.Query(ctx, `-- name: RecordUse
		UPDATE ct_sequence_block b
		SET used_to = k.used_to, lease_until = clock_timestamp() + $5::bigint * interval '1 ms'
		FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k (seq_name, epoch, first_value, used_to)
		WHERE b.seq_name = k.seq_name AND b.epoch = k.epoch AND b.first_value = k.first_value AND b.closed = ''
		RETURNING b.seq_name, b.epoch, b.first_value`,
		names, epochs, firsts, usedTo, domain.SequenceLease.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type key struct {
		name         string
		epoch, first int64
	}
	extended := map[key]bool{}
	for rows.Next() {
		var k key
		if err := rows.Scan(&k.name, &k.epoch, &k.first); err != nil {
			return nil, err
		}
		extended[k] = true
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	s.sequences.mu.Lock()
	defer s.sequences.mu.Unlock()
	for _, d := range debts {
		if extended[key{d.name, d.block.Epoch, d.block.First}] {
			d.block.Recorded(d.usedTo, sent)
			continue
		}
		d.block.Close()
		d.usedTo = d.block.Given
		closed = append(closed, d)
	}
	return closed, nil
}

// giveBack removes blocks that are done, and writes down what is left of them
// as gaps. To do it again, after an answer that was lost, changes nothing.
func (s *Store) giveBack(ctx context.Context, debts []debt) error {
	names, epochs, firsts, usedTo := debtColumns(debts)
	rows, err := s.floor.Query(ctx, `-- name: GiveBackBlocks
		WITH returned AS (
			DELETE FROM ct_sequence_block b
			USING unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k (seq_name, epoch, first_value, used_to)
			WHERE b.seq_name = k.seq_name AND b.epoch = k.epoch AND b.first_value = k.first_value
			RETURNING b.seq_name, b.epoch, k.used_to, b.last_value, b.closed, b.gateway
		)
		INSERT INTO ct_sequence_gap (seq_name, epoch, first_value, last_value, reason, gateway)
		SELECT seq_name, epoch, used_to + 1, last_value, CASE closed WHEN '' THEN $5 ELSE closed END, gateway
		FROM returned WHERE used_to < last_value
		RETURNING reason, last_value - first_value + 1`,
		names, epochs, firsts, usedTo, string(domain.GapStopped))
	if err != nil {
		return err
	}
	var reason domain.GapReason
	var values int64
	_, err = pgx.ForEachRow(rows, []any{&reason, &values}, func() error {
		s.metrics.lost(reason, values)
		return nil
	})
	return err
}

// drop forgets blocks that were given back, and sequences of which nothing is left.
func (q *sequences) drop(debts []debt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range debts {
		q.stocks[d.name].Drop(d.block)
		q.tidy(d.name)
	}
}

// ReclaimBlocks writes down as gaps what is left of blocks that nobody came
// back for: of a gateway that crashed, or that never learned what it had drawn.
// Any number of gateways may do it at once. Returns how many blocks it found.
func (s *Store) ReclaimBlocks(ctx context.Context) (int, error) {
	for total := 0; ; {
		n, err := s.reclaimSome(ctx)
		total += n
		if err != nil || n < reclaimBatch {
			return total, translate(err)
		}
	}
}

func (s *Store) reclaimSome(ctx context.Context) (n int, err error) {
	ctx, done := context.WithTimeout(ctx, stepWithin)
	defer done()
	var lost int64
	err = s.floor.QueryRow(ctx, `-- name: ReclaimBlocks
		WITH abandoned AS (
			SELECT seq_name, epoch, first_value FROM ct_sequence_block
			WHERE COALESCE(lease_until, reg_dt) < clock_timestamp() - $1::bigint * interval '1 ms'
			ORDER BY seq_name, epoch, first_value LIMIT $2
			FOR UPDATE SKIP LOCKED
		), reclaimed AS (
			DELETE FROM ct_sequence_block b USING abandoned a
			WHERE b.seq_name = a.seq_name AND b.epoch = a.epoch AND b.first_value = a.first_value
			RETURNING b.*
		), lost AS (
			INSERT INTO ct_sequence_gap (seq_name, epoch, first_value, last_value, reason, gateway)
			SELECT seq_name, epoch, used_to + 1, last_value, $3, gateway FROM reclaimed WHERE used_to < last_value
		)
		SELECT count(*), COALESCE(sum(last_value - used_to), 0)::bigint FROM reclaimed`,
		reclaimAfter.Milliseconds(), reclaimBatch, string(domain.GapLost)).Scan(&n, &lost)
	s.metrics.lost(domain.GapLost, lost)
	return n, err
}

// closeSequences gives back what this gateway has ahead of need. Nothing may be
// under way. What can not be written down now becomes a gap by ReclaimBlocks.
func (s *Store) closeSequences() {
	q := s.sequences
	q.stop()
	q.background.Wait()
	q.closeAll()
	ctx, done := context.WithTimeout(context.Background(), stopWithin)
	defer done()
	if err := s.review(ctx); err != nil {
		slog.Warn("sequences: give back what is left", "err", err)
	}
}
