package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"occupy/domain"
)

var _ domain.LotStore = (*Store)(nil)

const lotRuleColumns = `rule_name, format, time_zone, shift_start, back_days, updt_usr_id, updt_dt`

func scanLotRule(row pgx.CollectableRow) (r domain.LotRule, err error) {
	var start pgtype.Time
	err = row.Scan(&r.Name, &r.Format, &r.TimeZone, &start, &r.BackDays, &r.UpdatedBy, instant{&r.UpdatedAt})
	r.ShiftStart = time.Duration(start.Microseconds) * time.Microsecond
	return r, err
}

// LotRules implements domain.LotStore.
func (s *Store) LotRules(ctx context.Context) ([]domain.LotRule, error) {
	return askList(ctx, s.adhoc, scanLotRule, `-- name: ListLotRules
		SELECT `+lotRuleColumns+` FROM ct_lot_rule ORDER BY rule_name`)
}

// SetLotRule implements domain.LotStore.
func (s *Store) SetLotRule(ctx context.Context, r domain.LotRule, by string) (domain.LotRule, error) {
	rows, err := s.floor.Query(ctx, `-- name: SetLotRule
		INSERT INTO ct_lot_rule (rule_name, format, time_zone, shift_start, back_days, updt_usr_id, updt_dt)
		VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
		ON CONFLICT (rule_name) DO UPDATE SET format = excluded.format, time_zone = excluded.time_zone,
			shift_start = excluded.shift_start, back_days = excluded.back_days,
			updt_usr_id = excluded.updt_usr_id, updt_dt = excluded.updt_dt
		RETURNING `+lotRuleColumns,
		r.Name, r.Format, r.TimeZone, pgtype.Time{Microseconds: r.ShiftStart.Microseconds(), Valid: true}, r.BackDays, by)
	if err != nil {
		return r, translate(err)
	}
	r, err = pgx.CollectExactlyOneRow(rows, scanLotRule)
	return r, translate(err)
}

const lotIDColumns = `l.lot_id, l.rule_name, l.target_date, l.seq, l.user_id, l.request_id, l.reg_dt,
	l.void_reason, l.void_usr_id, l.void_dt`

func scanLotID(row pgx.CollectableRow) (e domain.LotEntry, err error) {
	err = row.Scan(&e.LotID, &e.Rule, &e.Day, &e.Seq, &e.UserID, &e.RequestID, instant{&e.IssuedAt},
		&e.VoidReason, &e.VoidedBy, instant{&e.VoidedAt})
	return e, err
}

// VoidLotID implements domain.LotStore.
func (s *Store) VoidLotID(ctx context.Context, id, reason, by string) (*domain.LotEntry, bool, error) {
	entry, err := s.lotEntry(ctx, `-- name: VoidLotID
		UPDATE ct_lot_id l SET void_reason = $2, void_usr_id = $3, void_dt = clock_timestamp()
		WHERE l.lot_id = $1 AND l.void_dt IS NULL RETURNING `+lotIDColumns, id, reason, by)
	if err != nil || entry != nil {
		return entry, entry != nil, err
	}
	entry, err = s.lotEntry(ctx, `-- name: ReadLotID
		SELECT `+lotIDColumns+` FROM ct_lot_id l WHERE l.lot_id = $1`, id)
	return entry, false, err
}

// lotEntry is the one row of a statement, nil if there is none.
func (s *Store) lotEntry(ctx context.Context, sql string, args ...any) (*domain.LotEntry, error) {
	rows, err := s.floor.Query(ctx, sql, args...)
	if err != nil {
		return nil, translate(err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanLotID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &e, translate(err)
}

// LotDays implements domain.LotStore.
func (s *Store) LotDays(ctx context.Context, rule string, from, to time.Time) ([]domain.LotDay, error) {
	return askList(ctx, s.adhoc, scanLotDay, `-- name: ListLotDays
		SELECT c.rule_name, c.target_date, c.current_seq, l.issued, l.voided, g.firsts, g.lasts
		FROM lot_seq c
		CROSS JOIN LATERAL (
			SELECT count(*) AS issued, count(void_dt) AS voided FROM ct_lot_id l
			WHERE l.target_date = c.target_date AND l.rule_name = c.rule_name) l
		CROSS JOIN LATERAL (
			SELECT coalesce(array_agg(g.first ORDER BY g.first), '{}') AS firsts,
			       coalesce(array_agg(g.last ORDER BY g.first), '{}') AS lasts
			FROM (
				SELECT lag(s.seq, 1, 0::bigint) OVER (ORDER BY s.seq) + 1 AS first, s.seq - 1 AS last
				FROM (
					SELECT seq FROM ct_lot_id l WHERE l.target_date = c.target_date AND l.rule_name = c.rule_name
					UNION ALL SELECT c.current_seq + 1) s) g
			WHERE g.first <= g.last) g
		WHERE c.rule_name = $1 AND c.target_date BETWEEN $2 AND $3
		ORDER BY c.target_date DESC`, rule, from, to)
}

func scanLotDay(row pgx.CollectableRow) (d domain.LotDay, err error) {
	var firsts, lasts []int64
	err = row.Scan(&d.Rule, &d.Day, &d.Last, &d.Issued, &d.Voided, &firsts, &lasts)
	d.Gaps = []*domain.LotGap{}
	for i := range firsts {
		d.Gaps = append(d.Gaps, &domain.LotGap{First: firsts[i], Last: lasts[i]})
	}
	return d, err
}

// LotIDs implements domain.LotStore.
func (s *Store) LotIDs(ctx context.Context, q domain.LotQuery) (domain.Page[domain.LotEntry], error) {
	return answer(ctx, s.adhoc, question[domain.LotEntry]{
		list: `-- name: ListLotIDs
		SELECT ` + lotIDColumns + ` FROM ct_lot_id l`,
		count: `-- name: CountLotIDs
		SELECT count(*) FROM ct_lot_id l`,
		where: lotConditions(q.Where),
		order: keyset{columns: []string{"l.target_date", "l.rule_name", "l.seq"}, descending: q.Direction == domain.Descending},
		cut:   q.Cut,
		scan:  func(rows pgx.Rows) (domain.LotEntry, error) { return scanLotID(rows) },
		cursor: func(e *domain.LotEntry) domain.Cursor {
			return domain.Cursor{"LOT", e.Date(), e.Rule, strconv.FormatInt(e.Seq, 10)}
		},
	})
}

func lotConditions(w domain.LotWhere) *conditions {
	c := &conditions{}
	c.text("l.lot_id", w.LotID)
	c.text("l.rule_name", w.Rule)
	c.text("l.user_id", w.UserID)
	c.text("l.request_id", w.RequestID)
	if w.Date != nil && w.Date.Gte != nil {
		c.add("l.target_date >= " + c.value(*w.Date.Gte))
	}
	if w.Date != nil && w.Date.Lte != nil {
		c.add("l.target_date <= " + c.value(*w.Date.Lte))
	}
	if w.Voided != nil {
		c.add("(l.void_dt IS NOT NULL) = " + c.value(*w.Voided))
	}
	return c
}
