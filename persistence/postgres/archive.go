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
	order, cursor := ordered(q.Terms(), occupancyKeys)
	return answer(ctx, s.adhoc, question[domain.Occupancy]{
		list: `-- name: ListOccupancies
		SELECT ` + occupancyColumns + `, now()
		FROM ct_occupy_item i`,
		count: `-- name: CountOccupancies
		SELECT count(*) FROM ct_occupy_item i`,
		where:  occupancyConditions(q.Where),
		order:  order,
		cut:    q.Cut,
		scan:   scanSeen,
		cursor: cursor,
	})
}

// scanSeen reads occupancyColumns and the clock.
func scanSeen(rows pgx.Rows) (domain.Occupancy, error) {
	var o domain.Occupancy
	var clock time.Time
	err := rows.Scan(append(occupancyDests(&o), instant{&clock})...)
	return o.Seen(clock), err
}

var occupancyKeys = map[string]sortKey[domain.Occupancy]{
	string(domain.ByItem): {[]string{"i.item_type", "i.item_name"},
		func(o *domain.Occupancy) []string { return []string{o.ItemType, o.ItemName} }},
	string(domain.ByUser): {[]string{"i.user_id"},
		func(o *domain.Occupancy) []string { return []string{o.UserID} }},
	string(domain.ByStartTime): {[]string{"i.start_time"},
		func(o *domain.Occupancy) []string { return []string{o.StartTime.Format(time.RFC3339Nano)} }},
	string(domain.ByExpireTime): {[]string{"i.expire_time"},
		func(o *domain.Occupancy) []string { return []string{o.ExpireTime.Format(time.RFC3339Nano)} }},
	string(domain.ByUpdatedAt): {[]string{"i.updt_dt"},
		func(o *domain.Occupancy) []string { return []string{o.UpdatedAt.Format(time.RFC3339Nano)} }},
}
