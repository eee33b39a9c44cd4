package postgres

import "testing"

// TestThePlannerKnowsTheHistoryAsAWhole: without that every grouping of all months is planned for 200 groups.
func TestThePlannerKnowsTheHistoryAsAWhole(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	exec(t, s, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, user_id, start_time, expire_time, version, fencing_token, reg_dt)
		SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(n::text, 12, '0'), 'LOT', 'L' || n, 'FREE', 'OCCUPIED', 'user' || n % 1500, now(), now(), 1, 1, now()
		FROM generate_series(1, 6000) n`)
	groups := func() (rows float64) {
		var plan []struct {
			Plan struct {
				PlanRows float64 `json:"Plan Rows"`
			}
		}
		if err := s.floor.Pool.QueryRow(t.Context(), `EXPLAIN (FORMAT JSON) SELECT user_id, count(*) FROM ct_occupy_item_history GROUP BY user_id`).Scan(&plan); err != nil {
			t.Fatal(err)
		}
		return plan[0].Plan.PlanRows
	}
	before := groups()
	if err := s.AnalyzeHistory(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := groups(); before > 500 || after < 1400 || after > 1600 {
		t.Errorf("planned for %v users before and %v after, of 1500", before, after)
	}
}
