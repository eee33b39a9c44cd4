package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// transaction is one try to carry out the updates of some callers: two round
// trips, all or nothing.
type transaction struct {
	session
	calls []*updateCall
	keys  []domain.ItemKey // all of them, in lock order
	grant []domain.ItemKey // those for which a row may be made, and may have to be
	made  *made

	items   map[domain.ItemKey]domain.Occupancy // as they are after the calls decided so far
	dirty   map[domain.ItemKey]bool
	history []domain.Transition
	renewed map[domain.ItemKey]bool // those whose last change writes no history
}

func newTransaction(conn *pgx.Conn, calls []*updateCall, made *made) *transaction {
	t := &transaction{session: session{conn: conn}, calls: calls, made: made,
		items: map[domain.ItemKey]domain.Occupancy{}, dirty: map[domain.ItemKey]bool{}, renewed: map[domain.ItemKey]bool{}}
	for _, c := range calls {
		t.keys = append(t.keys, c.request.Keys...)
		for _, key := range c.request.Keys {
			if c.request.MayGrant && !made.has(key) {
				t.grant = append(t.grant, key)
			}
		}
	}
	t.keys, t.grant = inLockOrder(t.keys), inLockOrder(t.grant)
	return t
}

func inLockOrder(keys []domain.ItemKey) []domain.ItemKey {
	slices.SortFunc(keys, domain.ItemKey.Compare)
	return slices.Compact(keys)
}

// run locks, decides and writes. Whatever fails, the connection is left without
// a transaction, or closed.
// Returns errLost if the connection broke before the commit was sent,
// errLostAtCommit if it broke after.
func (t *transaction) run(ctx context.Context, lockWait time.Duration) error {
	err := t.lockItems(ctx, lockWait)
	if err == nil {
		err = t.checkMade()
	}
	if err != nil {
		return t.abandon(ctx, err, errLost)
	}
	for _, c := range t.calls {
		c.err = t.decide(c)
	}
	if len(t.dirty) == 0 {
		return t.abandon(ctx, nil, errLost)
	}
	if err := t.write(ctx); err != nil {
		return t.abandon(ctx, err, errLostAtCommit)
	}
	for _, key := range t.keys {
		if _, has := t.items[key]; has {
			t.made.note(key)
		}
	}
	return nil
}

// checkMade makes sure that whatever may be granted has a row, which is locked.
// Returns errUnmade if something was thought to have one.
func (t *transaction) checkMade() error {
	for _, c := range t.calls {
		for _, key := range c.request.Keys {
			if _, has := t.items[key]; c.request.MayGrant && !has {
				t.made.forget()
				return errUnmade
			}
		}
	}
	return nil
}

// lockItems is the first round trip: begin, make the rows that are missing,
// lock in key order, and only then ask for the time.
func (t *transaction) lockItems(ctx context.Context, lockWait time.Duration) error {
	b := &pgx.Batch{}
	t.queueBegin(b, lockWait)
	if len(t.grant) > 0 {
		types, names := columnsOf(t.grant)
		b.Queue(`-- name: LockOrMakeItems
			INSERT INTO ct_occupy_item (item_type, item_name)
			SELECT item_type, item_name FROM unnest($1::text[], $2::text[]) AS k (item_type, item_name)
			WHERE NOT EXISTS (SELECT FROM ct_occupy_item i WHERE i.item_type = k.item_type AND i.item_name = k.item_name)
			ON CONFLICT DO NOTHING`, types, names)
	}
	types, names := columnsOf(t.keys)
	b.Queue(`-- name: LockItems
		SELECT `+occupancyColumns+`
		FROM unnest($1::text[], $2::text[]) AS k (item_type, item_name)
		JOIN ct_occupy_item i ON i.item_type = k.item_type AND i.item_name = k.item_name
		ORDER BY i.item_type, i.item_name
		FOR UPDATE OF i`, types, names).Query(t.scanItems)
	t.queueClock(b)
	return t.send(ctx, b)
}

func (t *transaction) scanItems(rows pgx.Rows) error {
	for rows.Next() {
		var o domain.Occupancy
		if err := rows.Scan(occupancyDests(&o)...); err != nil {
			return err
		}
		t.items[o.ItemKey] = o
	}
	return rows.Err()
}

// decide lets one caller judge the items as those before it left them. Its
// panic is its own.
func (t *transaction) decide(c *updateCall) (err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("decide panicked", "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("decide panicked: %v", r)
		}
	}()
	items := make([]domain.Occupancy, len(c.request.Keys))
	for i, key := range c.request.Keys {
		items[i] = t.item(key)
	}
	for _, done := range c.request.Decide(t.clock, items) {
		t.items[done.ItemKey] = done.Occupancy
		t.dirty[done.ItemKey] = true
		if done.Event == "" {
			t.renewed[done.ItemKey] = true
			continue
		}
		t.history = append(t.history, done)
		delete(t.renewed, done.ItemKey)
	}
	return nil
}

func (t *transaction) item(key domain.ItemKey) domain.Occupancy {
	if o, ok := t.items[key]; ok {
		return o
	}
	return unseen(key)
}

func unseen(key domain.ItemKey) domain.Occupancy {
	return domain.Occupancy{ItemKey: key, State: domain.StateFree}
}

// write is the second round trip: the rows as they are now, what happened to
// them, and the commit.
func (t *transaction) write(ctx context.Context) error {
	b := &pgx.Batch{}
	queueItems(b, t.changed())
	if len(t.history) > 0 {
		queueHistory(b, t.history)
	}
	return t.commit(ctx, b)
}

// changed lists the rows to write, in lock order.
func (t *transaction) changed() []domain.Occupancy {
	var rows []domain.Occupancy
	for _, key := range t.keys {
		if t.dirty[key] {
			rows = append(rows, t.items[key])
		}
	}
	return rows
}

// renewals are the changes that no history tells.
func (t *transaction) renewals() (renewed []*domain.Change) {
	id, _ := strconv.ParseUint(t.id, 10, 64) // the server's own
	for key := range t.renewed {
		o := t.items[key]
		o.AsOf = t.clock
		renewed = append(renewed, &domain.Change{Kind: domain.KindRenewed, Occupancy: o, At: o.UpdatedAt, TxID: id})
	}
	return renewed
}
