package domain

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/text/language"
)

// noon is the database's time in tests of rules.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func after(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

var lot1 = ItemKey{ItemType: "LOT", ItemName: "LOT1"}

// held is LOT1 as kim holds it from noon for a minute, in session A.
func held(change ...func(*Occupancy)) Occupancy {
	o := Occupancy{
		ItemKey: lot1, State: StateOccupied, UserID: "kim", Session: "A",
		StartTime: noon, ExpireTime: after(60), UIName: "MES", MenuName: "Lookup",
		FencingToken: 7, Version: 11, Renewals: 2,
		RegisteredBy: "park", RegisteredAt: after(-3600), UpdatedBy: "kim", UpdatedAt: noon,
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

func free(o *Occupancy)      { o.State = StateFree }
func expired(o *Occupancy)   { o.State = StateExpired }
func noSession(o *Occupancy) { o.Session = "" }
func slot(o *Occupancy)      { o.ItemType = Slot }

// neverSeen is what the Store reads of an item that nobody ever occupied.
func neverSeen() Occupancy { return Occupancy{ItemKey: lot1, State: StateFree} }

// by is the wish of a user to occupy for 30 seconds.
func by(user, session string) Occupy {
	return Occupy{Claim: Claim{UserID: user, Session: session}, TTL: 30 * time.Second}
}

func token(n int64) *int64  { return &n }
func seconds(n int) *int    { return &n }
func text(s string) *string { return &s }
func is[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refused fails the test if a refusal has anything to write.
func refused(t *testing.T, got, want Code, done []Transition) {
	t.Helper()
	is(t, "code", got, want)
	if len(done) != 0 {
		t.Errorf("%s writes %+v", got, done)
	}
}

// one is the only transition of a command that was to end with the code.
func one(t *testing.T, got, want Code, done []Transition) Transition {
	t.Helper()
	is(t, "code", got, want)
	if len(done) != 1 {
		t.Fatalf("%s: %d transitions, want 1: %+v", got, len(done), done)
	}
	return done[0]
}

// as is the context of a caller who reads English.
func as(user string, roles ...Role) context.Context {
	if len(roles) == 0 {
		roles = []Role{RoleOperator}
	}
	return WithCaller(context.Background(), Caller{UserID: user, Roles: roles, Language: language.English})
}

func korean(user string) context.Context {
	return WithCaller(context.Background(), Caller{UserID: user, Roles: AllRoles, Language: language.Korean})
}

// wrongAt fails the test unless the error is about that argument.
func wrongAt(t *testing.T, err error, argument string) {
	t.Helper()
	var wrong *InputError
	if !errors.As(err, &wrong) {
		t.Errorf("got %v, want an input error at %s", err, argument)
		return
	}
	is(t, "argument", wrong.Argument, argument)
	if wrong.Problem == "" {
		t.Errorf("%s: no problem is named", argument)
	}
}
