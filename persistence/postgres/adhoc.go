package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/domain"
)

// adhoc answers people's questions: on the replica as long as there is one that
// keeps up, else on the primary. It has connections of its own to either, so that
// whoever asks much, or slowly, only keeps others who ask waiting.
type adhoc struct {
	primary *pool
	replica *replica      // nil if there is none
	wait    time.Duration // for a connection
	within  time.Duration // the database has to answer
}

func openAdhoc(ctx context.Context, c Config, floor *pool) (a *adhoc, err error) {
	of := poolOptions{name: "DATABASE_URL", url: c.URL, conns: c.AdhocConns, settings: adhocSettings(c.AdhocTimeout),
		tracer: c.statements(), asksBack: true}
	a = &adhoc{wait: c.AdhocWait, within: c.AdhocTimeout}
	if a.primary, err = openPool(ctx, of); err != nil {
		return nil, err
	}
	if c.ReadURL == "" {
		return a, nil
	}
	r := &replica{primary: floor, maxLag: c.MaxLag}
	of.name, of.url = "DATABASE_READ_URL", c.ReadURL
	if r.pool, err = openPool(ctx, of); err == nil {
		of.conns, of.asksBack = 1, false // it is not to wait for a replica that does not answer
		r.look, err = openPool(ctx, of)
	}
	if err != nil {
		a.primary.Close()
		return nil, err
	}
	a.replica = watchReplica(r)
	return a, nil
}

// ask carries out a batch of questions. If the replica fails them for a reason
// that is its own they are asked again: what their functions keep of the first
// time they must overwrite.
// Returns domain.ErrBusy if no connection became free in time.
func (a *adhoc) ask(ctx context.Context, b *pgx.Batch) error {
	if a.replica.keepsUp() {
		asking, done := a.replica.during(ctx)
		err := a.askOn(asking, a.replica.pool, b)
		done()
		left := errors.Is(err, context.Canceled) // for it does not answer, unless the caller has left
		if err == nil || ctx.Err() != nil || !left && !isReplicas(err) {
			return translate(err)
		}
		a.replica.failed(err)
	}
	return a.askPrimary(ctx, b)
}

// tooMuch says of a question that the database gave up, for its time was over, that
// it is the question that has to change: it will not do better a second time.
func (a *adhoc) tooMuch(err error) error {
	if isTimeout(err) {
		return &domain.InputError{Argument: "where", Problem: "asks for more than can be read in " + a.within.String() +
			": take a shorter period, or fewer items or users"}
	}
	return err
}

// askPrimary is ask of the primary alone: for what is to be proved.
func (a *adhoc) askPrimary(ctx context.Context, b *pgx.Batch) error {
	return translate(a.askOn(ctx, a.primary, b))
}

func (a *adhoc) askOn(ctx context.Context, p *pool, b *pgx.Batch) error {
	conn, err := a.acquire(ctx, p)
	if err != nil {
		return err
	}
	defer conn.Release()
	err = conn.SendBatch(ctx, p.underSettings(b)).Close()
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // the server only says that it was cancelled
	}
	return err
}

func (a *adhoc) acquire(ctx context.Context, p *pool) (*pgxpool.Conn, error) {
	waiting, done := context.WithTimeout(ctx, a.wait)
	defer done()
	conn, err := p.Acquire(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(waiting.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w: none of %d connections was free within %v", domain.ErrBusy, p.Config().MaxConns, a.wait)
	}
	return conn, err
}

// QueryRow asks for one row.
func (a *adhoc) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return queriedRow(func(scan func(pgx.Row) error) error {
		b := &pgx.Batch{}
		b.Queue(sql, args...).QueryRow(scan)
		return a.ask(ctx, b)
	})
}

// askList asks for rows. Returns an empty list, not nil, if there are none.
func askList[T any](ctx context.Context, a *adhoc, scan pgx.RowToFunc[T], sql string, args ...any) (all []T, err error) {
	b := &pgx.Batch{}
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		all, err = pgx.AppendRows([]T{}, rows, scan)
		return err
	})
	err = a.ask(ctx, b)
	return all, err
}

func (a *adhoc) close() {
	if a.replica != nil {
		a.replica.close()
	}
	a.primary.Close()
}
