package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// lotDraw is one caller's request for LOT IDs and what it got.
type lotDraw struct {
	domain.LotRequest
	grant domain.LotGrant
}

func (d *lotDraw) claim() requestKey { return requestKey{d.UserID, d.RequestID} }

// requestKey names a request; an empty RequestID names none.
type requestKey struct{ UserID, RequestID string }

func (k requestKey) compare(other requestKey) int {
	return cmp.Or(cmp.Compare(k.UserID, other.UserID), cmp.Compare(k.RequestID, other.RequestID))
}

// counterKey names a counter.
type counterKey struct {
	rule string
	day  time.Time
}

func (k counterKey) compare(other counterKey) int {
	return cmp.Or(cmp.Compare(k.rule, other.rule), k.day.Compare(other.day))
}

// NextLotIDs implements domain.LotStore.
func (s *Store) NextLotIDs(ctx context.Context, r domain.LotRequest) (domain.LotGrant, error) {
	ctx, done := context.WithTimeout(ctx, s.patience)
	defer done()
	d := &lotDraw{LotRequest: r}
	err := s.lots.do(ctx, d)
	if isSameLotID(err) {
		err = &domain.InputError{Argument: "rule", Problem: "makes LOT IDs that were given out already, by another rule or format"}
	}
	if err != nil {
		return domain.LotGrant{}, translate(err)
	}
	return d.grant, nil
}

func rowsOfDraw(d *lotDraw) int { return int(d.Count) }

// drawLots runs one transaction for the callers.
func (s *Store) drawLots(ctx context.Context, calls []*call[*lotDraw], lockWait time.Duration) error {
	conn, err := s.floor.Acquire(ctx)
	if err != nil {
		return err
	}
	t := &lotTransaction{session: session{conn: conn.Conn()}, calls: calls}
	err = t.run(ctx, lockWait)
	conn.Release() // before asking for the outcome, which needs one too
	if errors.Is(err, errLostAtCommit) {
		err = s.outcome(ctx, t.session, imprint{})
	}
	return err
}

// lotTransaction gives numbers to some callers: three round trips. Requests are
// claimed in key order, then counters in key order; a counter's row is locked
// from the second trip to the commit.
type lotTransaction struct {
	session
	calls []*call[*lotDraw]

	rules     map[string]domain.LotRule
	arguments map[requestKey]string // of the first call with that request id
	claimed   map[requestKey]bool   // by this transaction; true once it draws

	drawing  []*call[*lotDraw] // those that get new numbers
	repeats  []*call[*lotDraw] // those that get what they got
	counters map[counterKey]int64
}

func (t *lotTransaction) run(ctx context.Context, lockWait time.Duration) error {
	if err := t.claim(ctx, lockWait); err != nil {
		return t.abandon(ctx, err, errLost)
	}
	t.sort()
	if len(t.drawing) > 0 {
		if err := t.count(ctx); err != nil {
			return t.abandon(ctx, err, errLost)
		}
	}
	if err := t.write(ctx); err != nil {
		return t.abandon(ctx, err, errLostAtCommit)
	}
	return nil
}

// claim begins, takes the request ids that nobody took before, and reads the
// rules and the time. Another gateway's claim of the same is waited for.
func (t *lotTransaction) claim(ctx context.Context, lockWait time.Duration) error {
	t.rules, t.arguments, t.claimed = map[string]domain.LotRule{}, map[requestKey]string{}, map[requestKey]bool{}
	var keys []requestKey
	var names []string
	for _, c := range t.calls {
		d := c.request
		names = append(names, d.Rule)
		if _, twice := t.arguments[d.claim()]; d.RequestID != "" && !twice {
			t.arguments[d.claim()] = d.Arguments
			keys = append(keys, d.claim())
		}
	}
	slices.SortFunc(keys, requestKey.compare)
	b := &pgx.Batch{}
	t.queueBegin(b, lockWait)
	if len(keys) > 0 {
		b.Queue(`-- name: LockLotRequests
			INSERT INTO ct_lot_request (user_id, request_id, arguments)
			SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
			ON CONFLICT DO NOTHING RETURNING user_id, request_id`,
			column(keys, func(k *requestKey) string { return k.UserID }),
			column(keys, func(k *requestKey) string { return k.RequestID }),
			column(keys, func(k *requestKey) string { return t.arguments[*k] })).Query(t.scanClaims)
	}
	b.Queue(`-- name: ReadLotRules
		SELECT `+lotRuleColumns+` FROM ct_lot_rule WHERE rule_name = ANY ($1) ORDER BY rule_name`, names).
		Query(func(rows pgx.Rows) error {
			rules, err := pgx.CollectRows(rows, scanLotRule)
			for _, r := range rules {
				t.rules[r.Name] = r
			}
			return err
		})
	t.queueClock(b)
	return t.send(ctx, b)
}

func (t *lotTransaction) scanClaims(rows pgx.Rows) error {
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[requestKey])
	for _, k := range keys {
		t.claimed[k] = false
	}
	return err
}

// sort says who draws, who repeats and who is refused, in order of arrival. Of
// two equal requests in one group the first draws.
func (t *lotTransaction) sort() {
	t.counters = map[counterKey]int64{}
	for _, c := range t.calls {
		d := c.request
		drawn, claimed := t.claimed[d.claim()]
		c.err = nil
		switch {
		case d.RequestID == "":
			t.draw(c)
		case !claimed || drawn:
			t.repeats = append(t.repeats, c)
		case d.Arguments != t.arguments[d.claim()]:
			c.err = errOtherRequest
		default:
			t.claimed[d.claim()] = t.draw(c)
		}
	}
}

var errOtherRequest = &domain.InputError{Argument: "requestId", Problem: "was used for another request"}

// draw has the call draw if its rule allows it.
func (t *lotTransaction) draw(c *call[*lotDraw]) bool {
	d := c.request
	if c.err = t.check(d); c.err != nil {
		return false
	}
	t.drawing = append(t.drawing, c)
	t.counters[d.counter()] += d.Count
	return true
}

func (d *lotDraw) counter() counterKey { return counterKey{d.grant.Rule.Name, d.grant.Day} }

func (t *lotTransaction) check(d *lotDraw) (err error) {
	rule, ok := t.rules[d.Rule]
	if !ok {
		return &domain.InputError{Argument: "rule", Problem: "is not a rule: " + d.Rule}
	}
	d.grant = domain.LotGrant{Rule: rule}
	_, d.grant.Day, err = d.Check(rule, t.clock)
	return err
}

// count raises the counters, and deals the numbers out in order of arrival. The
// database does the adding; a day's first row is made by the same statement.
func (t *lotTransaction) count(ctx context.Context) error {
	keys := make([]counterKey, 0, len(t.counters))
	for k := range t.counters {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, counterKey.compare)
	b := &pgx.Batch{}
	b.Queue(`-- name: LockAndRaiseLotCounters
		INSERT INTO lot_seq (rule_name, target_date, current_seq)
		SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[])
		ON CONFLICT (rule_name, target_date) DO UPDATE SET current_seq = lot_seq.current_seq + excluded.current_seq
		RETURNING rule_name, target_date, current_seq`,
		column(keys, func(k *counterKey) string { return k.rule }),
		column(keys, func(k *counterKey) time.Time { return k.day }),
		column(keys, func(k *counterKey) int64 { return t.counters[*k] })).
		Query(func(rows pgx.Rows) error {
			var k counterKey
			var last int64
			_, err := pgx.ForEachRow(rows, []any{&k.rule, &k.day, &last}, func() error {
				t.counters[k] = last - t.counters[k] // where dealing starts
				return nil
			})
			return err
		})
	if err := t.send(ctx, b); err != nil {
		return err
	}
	for _, c := range t.drawing {
		d := c.request
		d.deal(t.counters[d.counter()] + 1)
		t.counters[d.counter()] = d.grant.Last
	}
	return nil
}

func (d *lotDraw) deal(first int64) {
	g := &d.grant
	g.First, g.Last, g.IDs = first, first+d.Count-1, make([]string, 0, d.Count)
	format, _ := domain.ParseLotFormat(g.Rule.Format) // checked when it was sorted
	for seq := g.First; seq <= g.Last; seq++ {
		g.IDs = append(g.IDs, format.Render(g.Day, seq, d.Line, d.Product))
	}
}

// write enters the new numbers in the ledger, reads what repeated requests got,
// and commits.
func (t *lotTransaction) write(ctx context.Context) error {
	b := &pgx.Batch{}
	if len(t.drawing) > 0 {
		t.queueLedger(b)
	}
	if refused := t.refused(); len(refused) > 0 {
		b.Queue(`-- name: UnclaimLotRequests
			DELETE FROM ct_lot_request r USING unnest($1::text[], $2::text[]) AS k (user_id, request_id)
			WHERE r.user_id = k.user_id AND r.request_id = k.request_id`,
			column(refused, func(k *requestKey) string { return k.UserID }),
			column(refused, func(k *requestKey) string { return k.RequestID }))
	}
	if len(t.repeats) > 0 {
		t.queueRepeats(b)
	}
	return t.commit(ctx, b)
}

// refused lists the request ids that were claimed and got nothing: they may be
// used again.
func (t *lotTransaction) refused() []requestKey {
	var keys []requestKey
	for k, drawn := range t.claimed {
		if !drawn {
			keys = append(keys, k)
		}
	}
	return keys
}

// ledgerRow is one ID to enter.
type ledgerRow struct {
	*lotDraw
	id  string
	seq int64
}

func (t *lotTransaction) queueLedger(b *pgx.Batch) {
	var rows []ledgerRow
	for _, c := range t.drawing {
		for i, id := range c.request.grant.IDs {
			rows = append(rows, ledgerRow{c.request, id, c.request.grant.First + int64(i)})
		}
	}
	b.Queue(`-- name: AppendLotIDs
		INSERT INTO ct_lot_id (lot_id, rule_name, target_date, seq, user_id, request_id, reg_dt)
		SELECT *, $7 FROM unnest($1::text[], $2::text[], $3::date[], $4::bigint[], $5::text[], $6::text[])`,
		column(rows, func(r *ledgerRow) string { return r.id }),
		column(rows, func(r *ledgerRow) string { return r.grant.Rule.Name }),
		column(rows, func(r *ledgerRow) time.Time { return r.grant.Day }),
		column(rows, func(r *ledgerRow) int64 { return r.seq }),
		column(rows, func(r *ledgerRow) string { return r.UserID }),
		column(rows, func(r *ledgerRow) string { return r.RequestID }),
		t.clock)
}
