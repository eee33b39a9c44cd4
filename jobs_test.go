package main

import "testing"

// TestOldMonthsGoIfThatIsAskedFor, and only then; also behind a pooler, where what can
// not be part of a transaction has to come alone.
func TestOldMonthsGoIfThatIsAskedFor(t *testing.T) {
	newServer(t).keepsTheMonthOf2020(true, "OCCUPY_HISTORY_RETENTION=0s")
	newServer(t).keepsTheMonthOf2020(false, "OCCUPY_HISTORY_RETENTION=17520h")
	_, url, direct := behindPooler(t)
	s := newServerOn(t, url) // migrates it
	s.url = direct
	s.keepsTheMonthOf2020(false, "OCCUPY_HISTORY_RETENTION=17520h", "DATABASE_URL="+url)
	wantNothingLeftOn(t, url)
}

// keepsTheMonthOf2020 stops the server, and starts another one on its database, which
// then has a month of 2020.
func (s *server) keepsTheMonthOf2020(want bool, settings ...string) {
	s.t.Helper()
	if err := s.stop(); err != nil {
		s.t.Fatal(err)
	}
	s.sql(`CREATE TABLE ct_occupy_item_history_202001 PARTITION OF ct_occupy_item_history FOR VALUES FROM ('202001') TO ('202002')`)
	s.sql(`UPDATE ct_job SET next_due_dt = now() WHERE slot_key = 'job:history:retention'`)
	newServerOn(s.t, s.url, append(settings, "OCCUPY_NODE=next")...)
	eventually(s.t, "the job has run", func() bool {
		return s.count(`SELECT count(*) FROM ct_job WHERE slot_key = 'job:history:retention' AND last_run_by = 'next' AND last_error = ''`) == 1
	})
	if kept := s.count(`SELECT count(*) FROM pg_class WHERE relname = 'ct_occupy_item_history_202001'`) == 1; kept != want {
		s.t.Errorf("%v: the month of 2020 stays: %v", settings, kept)
	}
}
