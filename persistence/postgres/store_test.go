package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"occupy/domain"
)

// open opens a Store, one gateway's, on a database.
func open(t testing.TB, c Config) *Store {
	t.Helper()
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func key(name string) domain.ItemKey { return domain.ItemKey{ItemType: "LOT", ItemName: name} }

func by(user string) domain.Occupy {
	return domain.Occupy{Claim: domain.Claim{UserID: user}, TTL: time.Minute}
}

// occupy has a user occupy an item under its lock, and returns the code and the
// row that was judged.
func occupy(s *Store, k domain.ItemKey, c domain.Occupy) (code domain.Code, seen domain.Occupancy, err error) {
	err = s.Update(context.Background(), domain.Update{Keys: []domain.ItemKey{k}, MayGrant: true,
		Decide: func(clock time.Time, items []domain.Occupancy) []domain.Transition {
			var done []domain.Transition
			seen = items[0]
			code, done = items[0].Occupy(clock, c)
			if len(done) > 0 {
				seen = done[len(done)-1].Occupancy
			}
			return done
		}})
	return code, seen, err
}

func mustOccupy(t testing.TB, s *Store, k domain.ItemKey, c domain.Occupy) domain.Occupancy {
	t.Helper()
	code, o, err := occupy(s, k, c)
	if err != nil || !code.OK() {
		t.Fatalf("occupy %v by %s: %s %v", k, c.UserID, code, err)
	}
	return o
}

// events lists an item's history as "version EVENT user", in order of writing.
func events(t testing.TB, s *Store, k domain.ItemKey) []string {
	t.Helper()
	rows, err := s.floor.Query(t.Context(), `SELECT format('%s %s %s', version, event, user_id)
		FROM ct_occupy_item_history WHERE item_type = $1 AND item_name = $2 ORDER BY time_key`, k.ItemType, k.ItemName)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var e string
		if err := rows.Scan(&e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func wantEvents(t testing.TB, s *Store, k domain.ItemKey, want ...string) {
	t.Helper()
	if got := events(t, s, k); !slices.Equal(got, want) {
		t.Errorf("history of %v:\n got %q\nwant %q", k, got, want)
	}
}

func number(t testing.TB, s *Store, sql string, args ...any) (n int64) {
	t.Helper()
	if err := s.floor.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// together runs n functions at once and waits for all.
func together(n int, f func(i int)) {
	var start, end sync.WaitGroup
	start.Add(1)
	for i := range n {
		end.Go(func() { start.Wait(); f(i) })
	}
	start.Done()
	end.Wait()
}

// held keeps an item locked from outside, so that updates of it wait and those
// that come after gather. Returns the function that lets go.
func held(t *testing.T, s *Store, k domain.ItemKey) (release func()) {
	t.Helper()
	tx, err := s.adhoc.primary.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `SET TRANSACTION READ WRITE`)
	if err == nil {
		_, err = tx.Exec(t.Context(), `SELECT FROM ct_occupy_item WHERE item_type = $1 AND item_name = $2 FOR UPDATE`, k.ItemType, k.ItemName)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() { _ = tx.Rollback(context.Background()) })
}

// waitUntil polls a condition that another goroutine or process brings about.
func waitUntil(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		<-time.After(2 * time.Millisecond)
	}
}

func (q *queue[R]) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Case L7, for many never-seen items at once.
func TestOneWinnerOfFiftyThroughTwoGateways(t *testing.T) {
	url := newURL(t)
	gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url})}
	for round := range 20 {
		item := key(fmt.Sprint("LOT-", round))
		var mu sync.Mutex
		winners, told := []string{}, map[string]int{}
		together(50, func(i int) {
			user := fmt.Sprint("user", i)
			code, seen, err := occupy(gateways[i%2], item, by(user))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			told[seen.UserID]++
			if code == domain.CodeGranted {
				winners = append(winners, user)
			} else if code != domain.CodeHeld {
				t.Errorf("code %s", code)
			}
		})
		if len(winners) != 1 || told[winners[0]] != 50 {
			t.Fatalf("winners %v, told %v", winners, told)
		}
		wantEvents(t, gateways[0], item, "1 OCCUPIED "+winners[0])
	}
}

// A gateway outlives a database that is replaced by an older copy of itself.
func TestAnItemThatWasThoughtToHaveARowIsGivenOne(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	item, other := key("LOT1"), key("LOT2")
	mustOccupy(t, s, other, by("kim"))
	s.made.note(item)
	mustOccupy(t, s, item, by("kim"))
	wantEvents(t, s, item, "1 OCCUPIED kim")
	if s.made.has(other) || !s.made.has(item) {
		t.Error("after it was wrong, it does not begin anew")
	}
}

// Rule 14: what the clock said before the lock wait would shorten the hold by the wait.
func TestClockIsReadAfterTheLock(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	item := key("LOT1")
	mustOccupy(t, s, item, domain.Occupy{Claim: domain.Claim{UserID: "kim"}, TTL: time.Second})
	release := held(t, s, item)
	done := make(chan domain.Occupancy)
	go func() { _, o, _ := occupy(s, item, by("lee")); done <- o }()
	// Locked and asked for since before the expiry; let go only after it.
	waitUntil(t, "the hold is over", func() bool {
		return number(t, s, `SELECT count(*) FROM ct_occupy_item WHERE expire_time < clock_timestamp()`) == 1
	})
	var letGo time.Time
	if err := s.floor.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&letGo); err != nil {
		t.Fatal(err)
	}
	release()
	if o := <-done; o.UserID != "lee" || o.StartTime.Before(letGo) {
		t.Errorf("held by %s since %v, lock let go at %v", o.UserID, o.StartTime, letGo)
	}
	wantEvents(t, s, item, "1 OCCUPIED kim", "2 EXPIRED kim", "3 OCCUPIED lee")
}

func TestCallersGatherWhileATransactionIsInFlight(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	blocker := key("BLOCKER")
	mustOccupy(t, s, blocker, by("kim"))
	release := held(t, s, blocker)
	var first sync.WaitGroup
	first.Go(func() { _, _, _ = occupy(s, blocker, by("kim")) })
	waitUntil(t, "the first is under way", func() bool { return s.floor.Stat().AcquiredConns() == 1 && s.queue.length() == 0 })
	before := number(t, s, `SELECT count(DISTINCT tx_id) FROM ct_occupy_item_history`)
	var rest sync.WaitGroup
	for i := range 100 {
		rest.Go(func() { mustOccupy(t, s, key(fmt.Sprint("L", i)), by("lee")) })
	}
	waitUntil(t, "all others wait", func() bool { return s.queue.length() == 100 })
	release()
	rest.Wait()
	first.Wait()
	if n := number(t, s, `SELECT count(DISTINCT tx_id) FROM ct_occupy_item_history`) - before; n != 1 {
		t.Errorf("100 callers that waited made %d transactions, want 1", n)
	}
}

func TestGroupSizeOneIsOneTransactionACaller(t *testing.T) {
	s := open(t, Config{URL: newURL(t), GroupCallers: 1, Transactions: 4})
	together(20, func(i int) { mustOccupy(t, s, key(fmt.Sprint("L", i)), by("lee")) })
	if n := number(t, s, `SELECT count(DISTINCT tx_id) FROM ct_occupy_item_history`); n != 20 {
		t.Errorf("%d transactions, want 20", n)
	}
}

// gathered runs n updates that are sure to be one group, and returns their errors.
func gathered(t *testing.T, s *Store, n int, update func(i int) error) []error {
	t.Helper()
	blocker := key("BLOCKER")
	mustOccupy(t, s, blocker, by("kim"))
	release := held(t, s, blocker)
	defer release()
	var all sync.WaitGroup
	all.Go(func() { _, _, _ = occupy(s, blocker, by("kim")) })
	waitUntil(t, "the first is under way", func() bool { return s.floor.Stat().AcquiredConns() == 1 && s.queue.length() == 0 })
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = update(i) })
		waitUntil(t, "it waits", func() bool { return s.queue.length() == i+1 })
	}
	release()
	all.Wait()
	return errs
}

func TestOnePoisonRowAmongFifty(t *testing.T) {
	poisons := map[string]func() error{
		"a row that the database refuses": nil,
		"a panic":                         nil,
	}
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	poisons["a row that the database refuses"] = func() error {
		_, _, err := occupy(s, key("POISON"), by(strings.Repeat("x", domain.MaxUserID+1)))
		return err
	}
	poisons["a panic"] = func() error {
		return s.Update(context.Background(), domain.Update{Keys: []domain.ItemKey{key("POISON")},
			Decide: func(time.Time, []domain.Occupancy) []domain.Transition { panic("a rule's fault") }})
	}
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			errs := gathered(t, s, 50, func(i int) error {
				if i == 17 {
					return poison()
				}
				code, _, err := occupy(s, key(fmt.Sprint(name, i)), by("lee"))
				if err == nil && code != domain.CodeGranted {
					err = fmt.Errorf("code %s", code)
				}
				return err
			})
			for i, err := range errs {
				if (err != nil) != (i == 17) {
					t.Errorf("caller %d: %v", i, err)
				}
			}
			wantEvents(t, s, key("POISON"))
		})
	}
}

// Callers on one item in one group: each sees what those before it did, and
// every answer agrees with the history.
func TestCallersOfOneGroupAreJudgedInTurn(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	item := key("LOT1")
	codes := make([]domain.Code, 10)
	errs := gathered(t, s, 10, func(i int) (err error) {
		codes[i], _, err = occupy(s, item, by(fmt.Sprint("user", i)))
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, code := range codes {
		if want := map[bool]domain.Code{true: domain.CodeGranted, false: domain.CodeHeld}[i == 0]; code != want {
			t.Errorf("caller %d: %s, want %s", i, code, want)
		}
	}
	wantEvents(t, s, item, "1 OCCUPIED user0")
}

// Rule 12 and its other side.
func TestACallerThatLeaves(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	t.Run("before its turn changes nothing", func(t *testing.T) {
		errs := gathered(t, s, 2, func(i int) error {
			ctx, leave := context.WithCancel(context.Background())
			if i == 0 {
				leave()
			}
			defer leave()
			return s.Update(ctx, domain.Update{Keys: []domain.ItemKey{key(fmt.Sprint("GONE", i))}, MayGrant: true,
				Decide: func(clock time.Time, items []domain.Occupancy) []domain.Transition {
					_, done := items[0].Occupy(clock, by("lee"))
					return done
				}})
		})
		if !errors.Is(errs[0], context.Canceled) || errs[1] != nil {
			t.Error(errs)
		}
		wantEvents(t, s, key("GONE0"))
		wantEvents(t, s, key("GONE1"), "1 OCCUPIED lee")
	})
	t.Run("after that it is carried out", func(t *testing.T) {
		ctx, leave := context.WithCancel(context.Background())
		err := s.Update(ctx, domain.Update{Keys: []domain.ItemKey{key("LATE")}, MayGrant: true,
			Decide: func(clock time.Time, items []domain.Occupancy) []domain.Transition {
				leave()
				_, done := items[0].Occupy(clock, by("lee"))
				return done
			}})
		if err != nil {
			t.Error(err)
		}
		wantEvents(t, s, key("LATE"), "1 OCCUPIED lee")
	})
}

// A gateway that is stopped between its two round trips holds row locks. It is
// cut off in about a second; when it goes on, it finds that out and judges anew.
func TestAStoppedGatewayDoesNotStopTheOthers(t *testing.T) {
	url := newURL(t)
	stopped, other := open(t, Config{URL: url}), open(t, Config{URL: url})
	item := key("LOT1")
	inside, goOn := make(chan bool, 10), make(chan bool)
	answer := make(chan domain.Code, 1)
	go func() {
		var code domain.Code
		err := stopped.Update(context.Background(), domain.Update{Keys: []domain.ItemKey{item}, MayGrant: true,
			Decide: func(clock time.Time, items []domain.Occupancy) []domain.Transition {
				inside <- true
				<-goOn
				var done []domain.Transition
				code, done = items[0].Occupy(clock, by("stopped"))
				return done
			}})
		if err != nil {
			t.Error(err)
		}
		answer <- code
	}()
	<-inside
	began := time.Now()
	mustOccupy(t, other, item, by("other"))
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the other gateway waited %v", took)
	}
	close(goOn)
	if code := <-answer; code != domain.CodeHeld {
		t.Errorf("the stopped gateway answered %s", code)
	}
	wantEvents(t, other, item, "1 OCCUPIED other")
}

// A lock held for long by somebody outside keeps only who wants that item.
func TestALongLockHarmsOnlyWhoWantsTheItem(t *testing.T) {
	s := open(t, Config{URL: newURL(t), Transactions: 1})
	stuck := key("STUCK")
	mustOccupy(t, s, stuck, by("kim"))
	release := held(t, s, stuck)
	defer release()
	errs := gathered(t, s, 16, func(i int) error {
		k := key(fmt.Sprint("L", i))
		if i == 5 {
			k = stuck
		}
		_, _, err := occupy(s, k, by("kim"))
		return err
	})
	for i, err := range errs {
		if (i == 5) != errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("caller %d: %v", i, err)
		}
	}
}

func TestManyItemsInAnyOrderDoNotDeadlock(t *testing.T) {
	url := newURL(t)
	gateways := []*Store{open(t, Config{URL: url}), open(t, Config{URL: url})}
	const items, callers = 40, 60
	together(callers, func(i int) {
		keys := make([]domain.ItemKey, 0, items)
		for n := range items { // every caller in another order, half of the items
			if k := key(fmt.Sprint("L", (n*7+i*13)%items)); n%2 == 0 && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
		err := gateways[i%2].Update(context.Background(), domain.Update{Keys: keys, MayGrant: true,
			Decide: func(clock time.Time, rows []domain.Occupancy) (all []domain.Transition) {
				for n, o := range rows {
					if o.ItemKey != keys[n] {
						t.Errorf("row %d is %v, want %v", n, o.ItemKey, keys[n])
					}
					_, done := o.Occupy(clock, by(fmt.Sprint("user", i)))
					all = append(all, done...)
				}
				return all
			}})
		if err != nil {
			t.Error(err)
		}
	})
	if n := number(t, gateways[0], `SELECT count(*) FROM ct_occupy_item_history`); n != items {
		t.Errorf("%d grants of %d items", n, items)
	}
	if n := number(t, gateways[0], `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("%d deadlocks", n)
	}
}

func TestAMissingPartitionLosesNothing(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	now := time.Now()
	for _, month := range []time.Time{monthOf(now, 0), monthOf(now, 1)} {
		if _, err := s.floor.Exec(t.Context(), `DROP TABLE `+partitionName(month)); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := occupy(s, key("LOT1"), by("kim"))
	if !errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), "partition") {
		t.Fatalf("error %v", err)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item WHERE version > 0`); n != 0 {
		t.Error("the item was occupied without a history row")
	}
	if made, err := s.EnsurePartitions(t.Context()); made != 2 || err != nil {
		t.Fatalf("made %d: %v", made, err)
	}
	mustOccupy(t, s, key("LOT1"), by("kim"))
}

// A renewal, and a refusal, write no history and make no rows.
func TestNothingIsMadeByCommandsThatCannotGrant(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	err := s.Update(t.Context(), domain.Update{Keys: []domain.ItemKey{key("LOT1")},
		Decide: func(clock time.Time, items []domain.Occupancy) []domain.Transition {
			code, done := items[0].Renew(clock, domain.Renew{Claim: domain.Claim{UserID: "kim"}, TTL: time.Minute})
			if code != domain.CodeNotOccupied {
				t.Errorf("code %s", code)
			}
			return done
		}})
	if err != nil {
		t.Fatal(err)
	}
	if n := number(t, s, `SELECT count(*) FROM ct_occupy_item`); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// Case L3: the session's time zone plays no part.
func TestAnyTimeZone(t *testing.T) {
	url := newURL(t)
	for _, zone := range []string{"Asia/Seoul", "UTC", "America/New_York"} {
		s := open(t, Config{URL: url + "&timezone=" + zone})
		mustOccupy(t, s, key(zone), by("kim"))
		items, clock, err := s.Read(t.Context(), []domain.ItemKey{key(zone)})
		if err != nil {
			t.Fatal(err)
		}
		if left := items[0].Seen(clock).RemainingSeconds(); left < 58 || left > 60 {
			t.Errorf("%s: %d seconds left of 60", zone, left)
		}
	}
}
