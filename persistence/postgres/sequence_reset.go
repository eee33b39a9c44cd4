package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// askBlocksEvery is how often it is asked whether blocks were given back.
const askBlocksEvery = 20 * time.Millisecond

// closing is a change after which no block of a sequence is to be used any more.
type closing struct {
	name   string
	reason domain.GapReason
	// change alters the counter, under whose lock nobody can draw a block.
	change func(*pgx.Batch)
	// refuse judges the blocks that are out: true = change nothing.
	refuse func([]outBlock) bool
}

// outBlock is a block that a lease still covers.
type outBlock struct {
	domain.SequenceBlock
	session string
	left    time.Duration // of the lease
}

// ResetSequence implements domain.SequenceStore. If the answer to a commit was
// lost it is done again, and an epoch is passed over.
func (s *Store) ResetSequence(ctx context.Context, r domain.SequenceReset) (domain.SequenceResetDone, error) {
	var done domain.SequenceResetDone
	c := closing{name: r.Name, reason: domain.GapReset, refuse: func(out []outBlock) bool {
		done.Out = nil
		for _, b := range out {
			// Our own are ours to close.
			if r.RefuseIfOut && b.session != s.sequences.session {
				done.Out = append(done.Out, &b.SequenceBlock)
			}
		}
		return len(done.Out) > 0
	}}
	c.change = func(b *pgx.Batch) {
		b.Queue(`-- name: LockAndRaiseEpoch
			INSERT INTO ct_sequence AS s (seq_name, epoch, reg_usr_id, updt_usr_id) VALUES ($1, 2, $2, $2)
			ON CONFLICT (seq_name) DO UPDATE
			SET epoch = s.epoch + 1, curr_value = 0, updt_usr_id = excluded.updt_usr_id, updt_dt = excluded.updt_dt
			RETURNING epoch`, r.Name, r.UserID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&done.Epoch) })
	}
	var err error
	done.Waited, err = s.closeBlocks(ctx, c)
	if len(done.Out) > 0 {
		done.Epoch = 0
	}
	return done, err
}

// SetSequenceCache implements domain.SequenceStore.
func (s *Store) SetSequenceCache(ctx context.Context, c domain.SequenceCache) error {
	change := func(b *pgx.Batch) {
		b.Queue(`-- name: LockAndSetCacheSize
			INSERT INTO ct_sequence AS s (seq_name, cache_size, reg_usr_id, updt_usr_id) VALUES ($1, $2, $3, $3)
			ON CONFLICT (seq_name) DO UPDATE
			SET cache_size = excluded.cache_size, updt_usr_id = excluded.updt_usr_id, updt_dt = excluded.updt_dt`,
			c.Name, c.Size, c.UserID)
	}
	if c.Size > 0 { // blocks of the old size may be used up
		b := &pgx.Batch{}
		change(b)
		ctx, done := context.WithTimeout(ctx, stepWithin)
		defer done()
		return translate(s.floor.SendBatch(ctx, b).Close())
	}
	_, err := s.closeBlocks(ctx, closing{name: c.Name, reason: domain.GapCacheOff, change: change,
		refuse: func([]outBlock) bool { return false }})
	return err
}

// closeBlocks makes the change and sees to it that no block drawn before is
// used any more. Returns how long it took until that was sure.
func (s *Store) closeBlocks(ctx context.Context, c closing) (time.Duration, error) {
	ctx, done := context.WithTimeout(ctx, s.patience)
	defer done()
	var out []outBlock
	var refused bool
	err := retried(ctx, func() (err error) {
		out, refused, err = s.changeAndClose(ctx, c)
		return err
	})
	if err != nil || refused {
		return 0, translate(err)
	}
	began := time.Now()
	s.sequences.closeStock(c.name)
	if len(out) > 0 {
		longest := slices.MaxFunc(out, func(a, b outBlock) int { return int(a.left - b.left) }).left
		s.awaitBlocks(ctx, c.name, began.Add(longest))
	}
	return time.Since(began), nil
}

// changeAndClose is the transaction. From its commit on, no block that was
// drawn before can have its lease extended, and none of them is unknown: who
// draws holds the counter's lock until the block's row is there to be seen.
func (s *Store) changeAndClose(ctx context.Context, c closing) (out []outBlock, refused bool, err error) {
	conn, err := s.floor.Acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer conn.Release()
	tx := session{conn: conn.Conn()}
	b := &pgx.Batch{}
	tx.queueBegin(b, lockWait)
	c.change(b)
	b.Queue(`-- name: LockBlocks
		SELECT FROM ct_sequence_block WHERE seq_name = $1 AND lease_until IS NOT NULL
		ORDER BY epoch, first_value FOR UPDATE`, c.name)
	// In a statement of its own: the time must be read after the locks are taken.
	b.Queue(`-- name: CloseLockedBlocks
		UPDATE ct_sequence_block SET closed = CASE closed WHEN '' THEN $2 ELSE closed END
		WHERE seq_name = $1 AND lease_until IS NOT NULL
		RETURNING epoch, first_value, last_value, used_to, gateway, gateway_session, lease_until,
			(extract(epoch FROM lease_until - clock_timestamp()) * 1000000)::bigint`, c.name, string(c.reason)).
		Query(func(rows pgx.Rows) (err error) { out, err = pgx.AppendRows(out[:0], rows, scanOutBlock); return err })
	if err := tx.send(ctx, b); err != nil {
		return nil, false, tx.abandon(ctx, err, errLost)
	}
	out = slices.DeleteFunc(out, func(b outBlock) bool { return b.left <= 0 })
	if c.refuse(out) {
		return out, true, tx.abandon(ctx, nil, errLost)
	}
	if err := tx.commit(ctx, &pgx.Batch{}); err != nil {
		return nil, false, tx.abandon(ctx, err, errLost)
	}
	return out, false, nil
}

func scanOutBlock(row pgx.CollectableRow) (b outBlock, err error) {
	var left int64
	err = row.Scan(&b.Epoch, &b.First, &b.Last, &b.UsedTo, &b.Gateway, &b.session, instant{&b.LeaseUntil}, &left)
	b.left = time.Duration(left) * time.Microsecond
	return b, err
}

// awaitBlocks waits until every closed block was given back, or its lease is
// over by both clocks' account: ours, or the database's.
func (s *Store) awaitBlocks(ctx context.Context, name string, end time.Time) {
	ctx, done := context.WithDeadline(ctx, end)
	defer done()
	_ = s.review(ctx) // gives back our own; if that fails, their leases run out
	for {
		var out bool
		err := s.floor.QueryRow(ctx, `-- name: AreClosedBlocksOut
			SELECT EXISTS (SELECT FROM ct_sequence_block
				WHERE seq_name = $1 AND closed <> '' AND lease_until > clock_timestamp())`, name).Scan(&out)
		if err == nil && !out {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(askBlocksEvery):
		}
	}
}
