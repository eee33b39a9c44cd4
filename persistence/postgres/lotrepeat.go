package postgres

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// queueRepeats reads what was given for request ids used before. It is a
// statement of its own, after the claim, so that it sees what the claim waited for.
func (t *lotTransaction) queueRepeats(b *pgx.Batch) {
	b.Queue(`-- name: ReadAnsweredLotRequests
		SELECT r.user_id, r.request_id, r.arguments, l.rule_name, l.target_date, l.seq, l.lot_id
		FROM unnest($1::text[], $2::text[]) AS k (user_id, request_id)
		JOIN ct_lot_request r ON r.user_id = k.user_id AND r.request_id = k.request_id
		JOIN ct_lot_id l ON l.user_id = k.user_id AND l.request_id = k.request_id AND l.request_id <> ''
		ORDER BY l.seq`,
		column(t.repeats, func(c **call[*lotDraw]) string { return (*c).request.UserID }),
		column(t.repeats, func(c **call[*lotDraw]) string { return (*c).request.RequestID })).
		Query(t.scanRepeats)
}

func (t *lotTransaction) scanRepeats(rows pgx.Rows) error {
	type answered struct {
		arguments string
		grant     domain.LotGrant
	}
	found := map[requestKey]*answered{}
	var k requestKey
	var arguments, rule, id string
	var day time.Time
	var seq int64
	_, err := pgx.ForEachRow(rows, []any{&k.UserID, &k.RequestID, &arguments, &rule, &day, &seq, &id}, func() error {
		a := found[k]
		if a == nil {
			a = &answered{arguments, domain.LotGrant{Rule: domain.LotRule{Name: rule}, Day: day, First: seq, Repeated: true}}
			found[k] = a
		}
		if a.grant.Last != seq { // a request that stands twice in the group is read twice
			a.grant.Last = seq
			a.grant.IDs = append(a.grant.IDs, id)
		}
		return nil
	})
	for _, c := range t.repeats {
		a := found[c.request.claim()]
		switch {
		case a == nil: // whoever had it was refused in this very moment
			c.err = fmt.Errorf("%w: the same request is under way", domain.ErrUnavailable)
		case a.arguments != c.request.Arguments:
			c.err = errOtherRequest
		default:
			c.request.grant = a.grant
			c.request.grant.Rule = t.rules[a.grant.Rule.Name]
			c.request.grant.Rule.Name = a.grant.Rule.Name
		}
	}
	return err
}
