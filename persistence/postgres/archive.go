package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

var _ domain.Archive = (*Store)(nil)

// Occupancies implements domain.Archive.
func (s *Store) Occupancies(ctx context.Context, q domain.OccupancyQuery) (domain.Page[domain.Occupancy], error) {
	return answer(ctx, s.adhoc, question[domain.Occupancy]{
		list: `-- name: ListOccupancies
		SELECT ` + occupancyColumns + `, now()
		FROM ct_occupy_item i`,
		count: `-- name: CountOccupancies
		SELECT count(*) FROM ct_occupy_item i`,
		where: occupancyConditions(q.Where),
		order: occupancyOrder(q.Order),
		cut:   q.Cut,
		scan:  scanSeen,
		cursor: func(o *domain.Occupancy) domain.Cursor {
			return occupancyCursor(q.Order.Field, o)
		},
	})
}

// scanSeen reads occupancyColumns and the clock.
func scanSeen(rows pgx.Rows) (domain.Occupancy, error) {
	var o domain.Occupancy
	var clock time.Time
	err := rows.Scan(append(occupancyDests(&o), instant{&clock})...)
	return o.Seen(clock), err
}

var timeColumns = map[domain.OccupancyField]string{
	domain.ByStartTime:  "i.start_time",
	domain.ByExpireTime: "i.expire_time",
	domain.ByUpdatedAt:  "i.updt_dt",
}

func occupancyOrder(o domain.OccupancyOrder) keyset {
	k := keyset{columns: []string{"i.item_type", "i.item_name"}, descending: o.Direction == domain.Descending}
	if column, ok := timeColumns[o.Field]; ok {
		k.columns = append([]string{column}, k.columns...)
		k.timed = true
	}
	return k
}

func occupancyCursor(field domain.OccupancyField, o *domain.Occupancy) domain.Cursor {
	c := domain.Cursor{string(field)}
	switch field {
	case domain.ByStartTime:
		c = append(c, o.StartTime.Format(time.RFC3339Nano))
	case domain.ByExpireTime:
		c = append(c, o.ExpireTime.Format(time.RFC3339Nano))
	case domain.ByUpdatedAt:
		c = append(c, o.UpdatedAt.Format(time.RFC3339Nano))
	}
	return append(c, o.ItemType, o.ItemName)
}
