package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// statsNames are the columns by which holds can be grouped, in the order of scanStats.
var statsNames = []string{"user_id", "item_type", "item_name", "ui_name", "menu_name", "hour", "day", "shift", "event"}

var statsGroups = map[domain.StatsGroup][]string{
	domain.StatsByUser:      {"user_id"},
	domain.StatsByItemType:  {"item_type"},
	domain.StatsByItem:      {"item_type", "item_name"},
	domain.StatsByUI:        {"ui_name"},
	domain.StatsByMenu:      {"menu_name"},
	domain.StatsByHour:      {"hour"},
	domain.StatsByDay:       {"day"},
	domain.StatsByShift:     {"shift"},
	domain.StatsByEndReason: {"event"},
}

type statsMeasure struct {
	order domain.StatsMeasure
	sql   string
}

// statsMeasures are the figures, in the order of scanStats. Of a hold k they know how
// many seconds it lasted, and of its denials d how many they are and the sum of when
// they began.
var statsMeasures = []statsMeasure{
	{domain.StatsHolds, "count(*)"},
	{domain.StatsTotalSeconds, "sum(k.seconds)"},
	{domain.StatsAvgSeconds, "avg(k.seconds)"},
	{domain.StatsP50Seconds, "percentile_cont(0.5) WITHIN GROUP (ORDER BY k.seconds)"},
	{domain.StatsP95Seconds, "percentile_cont(0.95) WITHIN GROUP (ORDER BY k.seconds)"},
	{domain.StatsMaxSeconds, "max(k.seconds)"},
	{domain.StatsExpired, "count(*) FILTER (WHERE k.event IN ('EXPIRED', 'MAX_HOLD'))"},
	{domain.StatsForced, "count(*) FILTER (WHERE k.event = 'FORCED')"},
	{domain.StatsDenials, "coalesce(sum(d.denials), 0)::bigint"},
	{domain.StatsMinutesLost, "coalesce(sum(d.denials * extract(epoch FROM k.end_time)::float8 - d.began) / 60, 0)"},
}

// HistoryStats implements domain.Archive.
func (s *Store) HistoryStats(ctx context.Context, q domain.StatsQuery) (*domain.HistoryStats, error) {
	sql, args := statsQuestion(q)
	stats := &domain.HistoryStats{}
	rows, err := ask(ctx, s, sql, args, func(rows pgx.Rows) (domain.HoldStats, error) { return scanStats(rows, &stats.RowCount) })
	for i := range rows {
		stats.Rows = append(stats.Rows, &rows[i])
	}
	return stats, err
}

// statsQuestion reads every hold once, and joins to it who was refused for it, counted.
func statsQuestion(q domain.StatsQuery) (string, []any) {
	times := timesOf(q)
	holds, args := fromHoldSources(&q.Where, []any{q.Limit, q.Zone.String()}, func(source holdSource, c *conditions) string {
		return "SELECT " + selected(source.columns, []string{"item_type", "item_name", "user_id", "ui_name", "menu_name",
			"fencing_token", "end_time", "event"}) + ", extract(epoch FROM " + source.columns["held"] + ")::float8 AS seconds" +
			" FROM " + source.from + "\n\t\tWHERE " + c.String()
	})
	groups, grouping := groupsOf(q.GroupBy, times)
	columns := make([]string, 0, len(statsNames)+len(statsMeasures)+1)
	for _, name := range statsNames {
		if slices.Contains(groups, name) {
			columns = append(columns, times[name]+" AS "+name)
		} else {
			columns = append(columns, "NULL AS "+name)
		}
	}
	for _, m := range statsMeasures {
		columns = append(columns, m.sql+" AS "+strings.ToLower(string(m.order)))
	}
	return `-- name: HistoryStats
		SELECT ` + strings.Join(columns, ",\n\t\t       ") + `, count(*) OVER () AS groups, $2::text
		FROM (` + holds + `) k
		LEFT JOIN (
			SELECT item_type, item_name, fencing_token, count(*) AS denials, sum(extract(epoch FROM first_dt)::float8) AS began
			FROM ct_occupy_denial WHERE user_id <> blocker_user_id
			GROUP BY item_type, item_name, fencing_token
		) d ON d.item_type = k.item_type AND d.item_name = k.item_name AND d.fencing_token = k.fencing_token
		GROUP BY ` + grouping + ` HAVING count(*) > 0
		ORDER BY ` + statsOrder(q.Order, groups) + ` LIMIT $1`, args
}

// groupsOf are the columns to group by, each once, and what GROUP BY says of them.
func groupsOf(by []domain.StatsGroup, columns map[string]string) (names []string, sql string) {
	var all []string
	for _, g := range by {
		for _, name := range statsGroups[g] {
			if !slices.Contains(names, name) {
				names, all = append(names, name), append(all, columns[name])
			}
		}
	}
	if len(names) == 0 {
		return nil, "()"
	}
	return names, strings.Join(all, ", ")
}

// timesOf are the columns of statsNames: those of the hold, and what its end was by the
// plant's clock, whose zone is $2.
func timesOf(q domain.StatsQuery) map[string]string {
	shifts := q.Shifts.OrOne()
	begins := make([]string, len(shifts))
	for i, s := range shifts {
		begins[i] = strconv.Itoa(int((s - shifts[0]).Seconds()))
	}
	clock := "(k.end_time AT TIME ZONE $2)"
	work := "(" + clock + " - interval '" + strconv.Itoa(int(shifts[0].Seconds())) + " s')" // as if the first shift began at midnight
	columns := map[string]string{
		"hour":  "extract(hour FROM " + clock + ")::int",
		"day":   "to_char(" + work + ", 'YYYY-MM-DD')",
		"shift": "width_bucket(extract(epoch FROM " + work + "::time)::int, ARRAY[" + strings.Join(begins, ", ") + "])",
	}
	for _, name := range statsNames {
		if columns[name] == "" {
			columns[name] = "k." + name
		}
	}
	return columns
}

// statsOrder is by a measure and then by the groups, or by the groups alone.
func statsOrder(o domain.StatsOrder, groups []string) string {
	direction := " ASC"
	if o.Direction == domain.Descending {
		direction = " DESC"
	}
	if o.By != domain.StatsGroupOrder {
		return strings.Join(append([]string{strings.ToLower(string(o.By)) + direction}, groups...), ", ")
	}
	terms := []string{"groups"} // the same of all: of no group there is one row
	for _, name := range groups {
		terms = append(terms, name+direction)
	}
	return strings.Join(terms, ", ")
}

func scanStats(rows pgx.Rows, groups *int) (h domain.HoldStats, err error) {
	var user, itemType, item, ui, menu, day, event *string
	var zone string
	err = rows.Scan(&user, &itemType, &item, &ui, &menu, &h.Hour, &day, &h.Shift, &event,
		&h.Holds, &h.TotalSeconds, &h.AvgSeconds, &h.P50Seconds, &h.P95Seconds, &h.MaxSeconds,
		&h.Expired, &h.Forced, &h.Denials, &h.MinutesLost, groups, &zone)
	for into, from := range map[*string]*string{&h.UserID: user, &h.ItemType: itemType, &h.ItemName: item, &h.UIName: ui,
		&h.MenuName: menu, &h.Day: day, (*string)(&h.EndReason): event} {
		if from != nil {
			*into = *from
		}
	}
	return h, err
}
