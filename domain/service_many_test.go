package domain

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func heldBy(user, session string, names ...string) (rows []Occupancy) {
	for _, key := range lots(names...) {
		rows = append(rows, held(func(o *Occupancy) { o.ItemKey, o.UserID, o.Session = key, user, session }))
	}
	return rows
}

func names(list []*Occupancy) string {
	var n []string
	for _, o := range list {
		n = append(n, o.ItemName)
	}
	return strings.Join(n, " ")
}

func TestRule06_AllAreGranted(t *testing.T) {
	s, store := newService(t)
	a := must(s.OccupyAll(as("kim"), OccupyAllInput{Items: items("LOT2", "LOT1"), Session: "A", TTLSeconds: seconds(60), UIName: "MES"}))(t)
	is(t, "code", a.Code, CodeGranted)
	is(t, "ok", a.OK, true)
	is(t, "in the order sent", names(a.Occupancies), "LOT2 LOT1")
	is(t, "screen", a.Occupancies[0].UIName, "MES")
	is(t, "one transaction", store.updates, 1)
	is(t, "message", a.Message, "Yours: all of the 2 asked for.")
}

func TestRule06_OneInTheWayAndNoneIsGranted(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("lee", "L", "LOT2", "LOT4")...)
	later := heldBy("kim", "other", "LOT3")[0]
	later.ExpireTime = after(90)
	store.put(later)
	a := must(s.OccupyAll(as("kim"), OccupyAllInput{Items: items("LOT1", "LOT2", "LOT3", "LOT4"), Session: "A"}))(t)
	is(t, "code", a.Code, CodeHeld)
	is(t, "ok", a.OK, false)
	is(t, "every one in the way", names(a.Blockers), "LOT2 LOT3 LOT4")
	is(t, "nothing granted", len(a.Occupancies), 0)
	is(t, "until the last is free", *a.RetryAfterSeconds, 90)
	is(t, "locking updates", store.updates, 0)
	if !strings.Contains(a.Message, "lee") || !strings.Contains(a.Message, "2 more") {
		t.Errorf("message %q", a.Message)
	}
}

func TestRule06_NoneIsGrantedUnderTheLockEither(t *testing.T) {
	s, store := newService(t)
	store.before = func() { store.put(heldBy("lee", "L", "LOT2")...) }
	a := must(s.OccupyAll(as("kim"), OccupyAllInput{Items: items("LOT1", "LOT2")}))(t)
	is(t, "code", a.Code, CodeHeld)
	is(t, "in the way", names(a.Blockers), "LOT2")
	is(t, "history rows", len(store.history), 0)
	is(t, "LOT1", store.row(ItemKey{"LOT", "LOT1"}).Version, 0)
}

func TestRule06_OnlyOnesOwnOtherWindowInTheWay(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("kim", "other", "LOT2")...)
	in := OccupyAllInput{Items: items("LOT1", "LOT2"), Session: "A"}
	a := must(s.OccupyAll(as("kim"), in))(t)
	is(t, "code", a.Code, CodeHeldInOtherWindow)
	if !strings.Contains(a.Message, "other window") {
		t.Errorf("message %q", a.Message)
	}
	in.TakeOver = true
	is(t, "taken over, and one new", must(s.OccupyAll(as("kim"), in))(t).Code, CodeGranted)
}

func TestRule06_DuplicatesAfterFoldingCountOnce(t *testing.T) {
	s, store := newService(t)
	in := items("LOT1", "lot1 ", "ＬＯＴ１", "LOT2", "LOT1")
	in = append(in, &ItemInput{ItemType: "lot", ItemName: "lot2"}, &ItemInput{ItemType: "CST", ItemName: "LOT1"})
	a := must(s.OccupyAll(as("kim"), OccupyAllInput{Items: in}))(t)
	is(t, "granted", names(a.Occupancies), "LOT1 LOT2 LOT1")
	is(t, "history rows", len(store.history), 3)
}

func TestRule06_TheCodeOfSeveral(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  Code
	}{
		"re-entered":                    {[]string{"MINE"}, CodeReentered},
		"taken over":                    {[]string{"OTHER"}, CodeTakenOver},
		"granted":                       {[]string{"NEW"}, CodeGranted},
		"re-entered and taken over":     {[]string{"MINE", "OTHER"}, CodeTakenOver},
		"taken over and granted":        {[]string{"OTHER", "NEW"}, CodeGranted},
		"granted and then re-entered":   {[]string{"NEW", "MINE"}, CodeGranted},
		"all three, in any other order": {[]string{"MINE", "NEW", "OTHER"}, CodeGranted},
	} {
		t.Run(name, func(t *testing.T) {
			s, store := newService(t)
			store.put(append(heldBy("kim", "A", "MINE"), heldBy("kim", "B", "OTHER")...)...)
			a := must(s.OccupyAll(as("kim"), OccupyAllInput{Items: items(c.names...), Session: "A", TakeOver: true}))(t)
			is(t, "code", a.Code, c.want)
		})
	}
}

func TestFreeAllGivesBackOneWindows(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("kim", "A", "LOT1", "LOT2")...)
	store.put(heldBy("kim", "B", "LOT3")...)
	store.put(heldBy("kim", "", "LOT4")...)
	store.put(heldBy("lee", "A", "LOT5")...)
	mine := held(slot, func(o *Occupancy) { o.ItemName = "nightly" })
	cst := held(func(o *Occupancy) { o.ItemType = "CST" })
	store.put(mine, cst)

	a := must(s.FreeAll(as("kim"), FreeAllInput{Session: " A ", How: FreeWindowClosed, ItemTypes: []string{"lot"}}))(t)
	is(t, "of one type", names(a.Occupancies), "LOT1 LOT2")
	is(t, "code", a.Code, CodeFreed)
	is(t, "state", a.Occupancies[0].State, StateFree)
	is(t, "how", store.history[0].Event, EventWindowClosed)
	is(t, "of every type but SLOT", names(must(s.FreeAll(as("kim"), FreeAllInput{Session: "A"}))(t).Occupancies), "LOT1")
	is(t, "SLOT if named", names(must(s.FreeAll(as("kim"), FreeAllInput{Session: "A", ItemTypes: []string{"SLOT"}}))(t).Occupancies), "nightly")
	is(t, "without a session", names(must(s.FreeAll(as("kim"), FreeAllInput{}))(t).Occupancies), "LOT4")
	is(t, "other window's", store.row(lots("LOT3")[0]).State, StateOccupied)
	is(t, "another's", store.row(lots("LOT5")[0]).State, StateOccupied)
	nothing := must(s.FreeAll(as("kim"), FreeAllInput{Session: "A"}))(t)
	is(t, "nothing left", nothing.Code, CodeAlreadyFree)
	is(t, "ok", nothing.OK, true)
}

func TestFreeAllGoesInSteps(t *testing.T) {
	s, store := newService(t)
	for i := range 2*MaxItems + 3 {
		store.put(heldBy("kim", "A", fmt.Sprintf("LOT%05d", i))...)
	}
	store.fail = func(u Update) error {
		if len(u.Keys) > MaxItems {
			return fmt.Errorf("%d items at once", len(u.Keys))
		}
		return nil
	}
	a := must(s.FreeAll(as("kim"), FreeAllInput{Session: "A"}))(t)
	is(t, "given back", len(a.Occupancies), 2*MaxItems+3)
	is(t, "steps", store.updates, 3)
}

// What can happen between the listing and the lock.
func TestFreeAllLeavesWhatIsNoLongerTheClaimants(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("kim", "", "LOT1", "LOT2", "LOT3", "LOT4")...)
	store.before = func() {
		store.put(heldBy("lee", "", "LOT1")...)
		store.put(heldBy("kim", "B", "LOT2")...) // took a session since
		gone := heldBy("kim", "", "LOT3")[0]
		free(&gone)
		store.put(gone)
	}
	is(t, "given back", names(must(s.FreeAll(as("kim"), FreeAllInput{}))(t).Occupancies), "LOT4")

	store.put(heldBy("kim", "A", "LOT5")...)
	store.before = func() { store.put(heldBy("kim", "", "LOT5")...) } // given back, and occupied without one
	is(t, "given back", names(must(s.FreeAll(as("kim"), FreeAllInput{Session: "A"}))(t).Occupancies), "")
}

func TestFreeAllThatFails(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("kim", "A", "LOT1")...)
	store.fail = func(Update) error { return ErrUnavailable }
	if _, err := s.FreeAll(as("kim"), FreeAllInput{Session: "A"}); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

func TestKeysAreOrderedByteByByte(t *testing.T) {
	keys := []ItemKey{{"LOT", "a"}, {"LOT", "A1"}, {"LOT", "A-2"}, {"CST", "Z"}, {"LOT", "가"}, {"LOT", ""}}
	slices.SortFunc(keys, ItemKey.Compare)
	want := []ItemKey{{"CST", "Z"}, {"LOT", ""}, {"LOT", "A-2"}, {"LOT", "A1"}, {"LOT", "a"}, {"LOT", "가"}}
	if !slices.Equal(keys, want) {
		t.Errorf("%v", keys)
	}
}

// A step that fails after another was done: "nothing was changed" would be untrue.
func TestFreeAllThatFailsHalfWay(t *testing.T) {
	s, store := newService(t)
	for i := range MaxItems + 1 {
		store.put(heldBy("kim", "A", fmt.Sprintf("L%05d", i))...)
	}
	store.fail = func(u Update) error {
		if len(u.Keys) == 1 {
			return ErrUnavailable
		}
		return nil
	}
	_, err := s.FreeAll(as("kim"), FreeAllInput{Session: "A"})
	if !errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
}

func TestFreeAllOfNoTypesIsRefused(t *testing.T) {
	s, store := newService(t)
	store.put(heldBy("kim", "", "LOT1")...)
	_, err := s.FreeAll(as("kim"), FreeAllInput{ItemTypes: []string{}})
	var in *InputError
	if !errors.As(err, &in) || in.Argument != "input.itemTypes" {
		t.Errorf("error %v", err)
	}
	is(t, "the item", store.row(lot1).State, StateOccupied)
}
