package postgres

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// update applies a rule to an item, which has to write something.
func update(t testing.TB, s *Store, k domain.ItemKey, rule func(o domain.Occupancy, clock time.Time) (domain.Code, []domain.Transition)) {
	t.Helper()
	var code domain.Code
	err := s.Update(t.Context(), domain.Update{Keys: []domain.ItemKey{k}, Decide: func(clock time.Time, items []domain.Occupancy) (done []domain.Transition) {
		code, done = rule(items[0], clock)
		return done
	}})
	if err != nil || !code.OK() {
		t.Fatalf("%v: %s %v", k, code, err)
	}
}

// live leads an item through all that can happen to it: versions 1 OCCUPIED by
// kim, 2 REENTERED, 3 TAKEN_OVER, 4 TRANSFERRED to lee, 5 FREED, 6 OCCUPIED by
// kim, 7 EXPIRED, 8 OCCUPIED by lee, and that one renewed.
func live(t testing.TB, s *Store, k domain.ItemKey) {
	t.Helper()
	kim := by("kim")
	mustOccupy(t, s, k, kim)
	kim.UIName, kim.Session = "ui", "tab"
	mustOccupy(t, s, k, kim)
	kim.Session, kim.TakeOver = "other", true
	mustOccupy(t, s, k, kim)
	lee := domain.Claim{UserID: "lee"}
	update(t, s, k, func(o domain.Occupancy, clock time.Time) (domain.Code, []domain.Transition) {
		return o.Transfer(clock, domain.Transfer{Claim: kim.Claim, To: lee, TTL: time.Minute})
	})
	update(t, s, k, func(o domain.Occupancy, clock time.Time) (domain.Code, []domain.Transition) {
		return o.Free(clock, domain.Free{Claim: lee, How: domain.EventFreed})
	})
	mustOccupy(t, s, k, domain.Occupy{Claim: domain.Claim{UserID: "kim"}, TTL: time.Microsecond})
	waitUntil(t, "it has expired", func() bool {
		code, _, _ := occupy(s, k, domain.Occupy{Claim: lee, TTL: time.Minute})
		return code == domain.CodeGranted
	})
	update(t, s, k, func(o domain.Occupancy, clock time.Time) (domain.Code, []domain.Transition) {
		return o.Renew(clock, domain.Renew{Claim: lee, TTL: time.Hour})
	})
}

// verify lists what is wrong, as "item version problem".
func verify(t testing.TB, s *Store) []string {
	t.Helper()
	all, err := domain.VerifyAll(t.Context(), s, domain.VerifyFrom{}, func(domain.Verification) {})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(all.Faults))
	for i, f := range all.Faults {
		list[i] = fmt.Sprintf("%s %d %s", f.ItemName, f.Version, f.Problem)
	}
	return list
}

// tamper changes what nothing of ours would.
func tamper(t testing.TB, s *Store, sql string) {
	t.Helper()
	if err := pgx.BeginFunc(t.Context(), s.floor, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica; "+sql)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

const (
	badScreen = "8 the item has another state, holder, token, start or screen"
	badExpiry = "8 the item has another expiry or number of renewals"
)

func transition(version int, now, before string) string {
	return fmt.Sprintf("%d %s does not follow %s", version, now, before)
}

// tamperings are ways to break an item or its history, each with all that is
// to be found then.
var tamperings = []struct {
	table, set, where string
	faults            []string
}{
	{"_history", "version = 9", "version = 8", []string{"9 follows version 7", "9 the item has version 8"}},
	{"_history", "version = 3", "version = 4", []string{"3 follows version 3", "5 follows version 3"}},
	{"_history a", "time_key = (SELECT left(time_key, 20) || '000000000000' FROM ct_occupy_item_history WHERE item_name = a.item_name AND version = 3)",
		"version = 4", []string{"4 has no later time key than the version before it"}},
	{"_history", "user_id = ' '", "version = 5", []string{"5 has no holder or no time"}},
	{"_history", "expire_time = NULL", "version = 7", []string{"7 has no holder or no time"}},
	{"_history", "event = 'FREED'", "version = 6", []string{"6 FREED does not lead to OCCUPIED"}},
	{"_history", "event = 'SOLD'", "version = 6", []string{"6 SOLD does not lead to OCCUPIED"}},
	{"_history", "event = 'CONNECTION_LOST'", "version IN (5, 7)", nil},
	{"_history", "event = 'OCCUPIED'", "version = 2", []string{transition(2, "OCCUPIED, user kim, token 1", "OCCUPIED, user kim, token 1")}},
	{"_history", "event = 'OCCUPIED'", "version = 3", []string{transition(3, "OCCUPIED, user kim, token 2", "OCCUPIED, user kim, token 1")}},
	{"_history", "event = 'TAKEN_OVER'", "version = 4", []string{transition(4, "TAKEN_OVER, user lee, token 3", "OCCUPIED, user kim, token 2")}},
	{"_history", "event = 'REENTERED'", "version = 1", []string{transition(1, "REENTERED, user kim, token 1", "FREE, token 0")}},
	{"_history", "event = 'TRANSFERRED'", "version = 8", []string{transition(8, "TRANSFERRED, user lee, token 5", "EXPIRED, user kim, token 4")}},
	{"_history", "state = 'FREE', event = 'FREED'", "version = 2", []string{transition(3, "TAKEN_OVER, user kim, token 2", "FREE, user kim, token 1")}},
	{"_history", "fencing_token = 2", "version = 1", []string{
		transition(1, "OCCUPIED, user kim, token 2", "FREE, token 0"),
		transition(2, "REENTERED, user kim, token 1", "OCCUPIED, user kim, token 2")}},
	{"_history", "fencing_token = 4", "version = 5", []string{
		transition(5, "FREED, user lee, token 4", "OCCUPIED, user lee, token 3"),
		transition(6, "OCCUPIED, user kim, token 4", "FREE, user lee, token 4")}},
	{"_history", "user_id = 'eve'", "version = 5", []string{transition(5, "FREED, user eve, token 3", "OCCUPIED, user lee, token 3")}},
	{"_history", "session_id = 'adopted'", "version = 7", nil},
	{"_history", "session_id = 'x' || version", "version IN (6, 7)", []string{transition(7, "EXPIRED, user kim, token 4", "OCCUPIED, user kim, token 4")}},
	{"_history", "start_time = start_time - interval '1 us'", "version = 7", []string{transition(7, "EXPIRED, user kim, token 4", "OCCUPIED, user kim, token 4")}},
	{"_history", "renewals = 1", "version = 6", []string{
		transition(6, "OCCUPIED, user kim, token 4", "FREE, user lee, token 3"),
		transition(7, "EXPIRED, user kim, token 4", "OCCUPIED, user kim, token 4")}},
	{"", "version = 7", "true", []string{"8 the item has version 7"}},
	{"", "state = 'FREE'", "true", []string{badScreen}},
	{"", "user_id = 'eve'", "true", []string{badScreen}},
	{"", "fencing_token = 6", "true", []string{badScreen}},
	{"", "start_time = start_time + interval '1 us'", "true", []string{badScreen}},
	{"", "ui_name = 'x'", "true", []string{badScreen}},
	{"", "menu_name = 'x'", "true", []string{badScreen}},
	{"", "session_id = 'adopted'", "true", nil},
	{"", "expire_time = expire_time + interval '1 day', renewals = 9", "true", nil},
	{"", "expire_time = expire_time - interval '1 day'", "true", []string{badExpiry}},
	{"", "renewals = -1", "true", []string{badExpiry}},
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	together(len(tamperings), func(i int) { live(t, s, key(fmt.Sprintf("T%02d", i))) })
	for _, name := range []string{"gone", "lost", "cut", "torn"} {
		live(t, s, key(name))
	}
	exec(t, s, `INSERT INTO ct_occupy_item (item_type, item_name) VALUES ('LOT', 'place-holder')`)
	if faults := verify(t, s); len(faults) > 0 {
		t.Fatalf("of nothing: %q", faults)
	}
	want := []string{
		"cut 3 the versions before it are missing", "gone 8 the item is missing", "lost 8 has no history", "torn 6 follows version 4",
	}
	tamper(t, s, `DELETE FROM ct_occupy_item WHERE item_name = 'gone'; DELETE FROM ct_occupy_item_history WHERE item_name = 'lost'
		OR item_name = 'cut' AND version < 3 OR item_name = 'torn' AND version = 5`)
	for i, c := range tamperings {
		name := fmt.Sprintf("T%02d", i)
		tamper(t, s, fmt.Sprintf("UPDATE ct_occupy_item%s SET %s WHERE item_name = '%s' AND %s", c.table, c.set, name, c.where))
		for _, f := range c.faults {
			want = append(want, name+" "+f)
		}
	}
	got := verify(t, s)
	for _, f := range got {
		if !slices.Contains(want, f) {
			t.Errorf("found %q", f)
		}
	}
	for _, f := range want {
		if !slices.Contains(got, f) {
			t.Errorf("did not find %q", f)
		}
	}
}

// TestVerifyWhereOldMonthsAreGone: retention is no fault, whatever it cut off.
func TestVerifyWhereOldMonthsAreGone(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	live(t, s, key("whole"))
	live(t, s, key("cut"))
	live(t, s, key("asleep"))
	live(t, s, key("held"))
	old := monthOf(time.Now(), -1)
	before := old.Format("2006-01-02") + "'"
	tamper(t, s, `
		UPDATE ct_occupy_item_history SET time_key = '`+monthKey(old)+`01' || substr(time_key, 9), reg_dt = '`+before+`
			WHERE item_name = 'cut' AND version < 5 OR item_name IN ('asleep', 'held');
		UPDATE ct_occupy_item SET reg_dt = '`+before+` WHERE item_name <> 'whole';
		UPDATE ct_occupy_item SET updt_dt = '`+before+` WHERE item_name = 'asleep';
		UPDATE ct_occupy_item SET start_time = '`+before+` WHERE item_name IN ('asleep', 'held');
		UPDATE ct_occupy_item_history SET start_time = '`+before+` WHERE item_name IN ('asleep', 'held') AND version = 8`)
	if faults := verify(t, s); len(faults) > 0 {
		t.Fatalf("with all months: %q", faults)
	}
	exec(t, s, `ALTER TABLE ct_occupy_item_history DETACH PARTITION `+partitionName(old)+`; DROP TABLE `+partitionName(old))
	if faults := verify(t, s); len(faults) > 0 {
		t.Errorf("without the oldest: %q", faults)
	}
}

// TestVerifyWhileAMonthIsGoing: one that is being detached is out of sight already, so
// that what it had is not missing.
func TestVerifyWhileAMonthIsGoing(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	old := monthOf(time.Now(), -6)
	if _, err := makePartition(t.Context(), s.floor.Pool, old); err != nil {
		t.Fatal(err)
	}
	live(t, s, key("cut"))
	before := old.Format("2006-01-02") + "'"
	tamper(t, s, `UPDATE ct_occupy_item_history SET time_key = '`+monthKey(old)+`01' || substr(time_key, 9), reg_dt = '`+before+` WHERE version < 5;
		UPDATE ct_occupy_item SET reg_dt = '`+before)
	reader := begin(t, s.floor.Pool)
	if _, err := reader.Exec(t.Context(), `SELECT count(*) FROM ct_occupy_item_history`); err != nil {
		t.Fatal(err)
	}
	within, done := context.WithTimeout(t.Context(), time.Second)
	defer done()
	if _, err := s.DropHistory(within, testKeep); err == nil {
		t.Fatal("it is not waited for its reader")
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item_history`); n != 4 {
		t.Fatalf("%d rows are in sight, want 4", n)
	}
	if faults := verify(t, s); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

func TestVerifyBesideWriters(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		together(8, func(i int) {
			for n := range 5 {
				live(t, s, key(fmt.Sprint("V", i, n)))
			}
		})
	}()
	for busy := true; busy; {
		select {
		case <-stopped:
			busy = false
		default:
		}
		if faults := verify(t, s); len(faults) > 0 {
			t.Fatalf("%q", faults)
		}
	}
}

// TestFaultsAreCountedAllAndToldInPart: of a day with more faults than an answer has
// room for.
func TestFaultsAreCountedAllAndToldInPart(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	exec(t, s, `INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, event, user_id, start_time, expire_time, version, fencing_token, reg_dt)
		SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(n::text, 12, '0'), 'LOT', 'L' || n, 'FREE', 'OCCUPIED', 'kim', now(), now(), 1, 1, now()
		FROM generate_series(1, 1500) n`)
	all, err := domain.VerifyAll(t.Context(), s, domain.VerifyFrom{}, func(domain.Verification) {})
	if err != nil || all.Rows != 1500 || all.FaultCount != 1500 || len(all.Faults) != domain.MaxFaults {
		t.Errorf("%d rows, %d faults, %d told, %v", all.Rows, all.FaultCount, len(all.Faults), err)
	}
}
