package domain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// threeDays is a history of three days and one batch of items, with a fault a step.
type threeDays struct{ asked []VerifyFrom }

func (v *threeDays) VerifyStep(_ context.Context, from VerifyFrom) (Verification, error) {
	v.asked = append(v.asked, from)
	step := Verification{Rows: 10, FaultCount: 1, Faults: []Fault{{ItemKey: ItemKey{"LOT", "L"}, Version: int64(len(v.asked)), Problem: "is wrong"}}}
	switch from.Day {
	case "":
		step.Next = &VerifyFrom{Day: "20260301"}
	case "20260301":
		step.Next = &VerifyFrom{Day: "20260302"}
	case "20260302":
		step.Next = &VerifyFrom{Item: &ItemKey{"LOT", "A"}}
	}
	if from.Item != nil {
		step.Rows, step.Items, step.Next = 0, 5, nil
	}
	return step, nil
}

func TestVerifyAllGoesStepByStep(t *testing.T) {
	v, steps := &threeDays{}, 0
	all, err := VerifyAll(t.Context(), v, VerifyFrom{}, func(Verification) { steps++ })
	if err != nil || steps != 4 || all.Rows != 30 || all.Items != 5 || all.FaultCount != 4 || len(all.Faults) != 4 || !all.IsDone() {
		t.Errorf("%d steps, %+v, %v", steps, all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	all, err = VerifyAll(ctx, &threeDays{}, VerifyFrom{}, func(Verification) { cancel() })
	if err != nil || all.IsDone() || all.Next.Day != "20260301" {
		t.Errorf("when stopped: %+v, %v", all, err)
	}
}

func TestVerifyGoesOnWhereItStopped(t *testing.T) {
	v := &threeDays{}
	s := NewService(ServiceConfig{Verifier: v})
	boss := WithCaller(t.Context(), Caller{UserID: "boss", Roles: []Role{RoleSupervisor}})
	for _, next := range []VerifyFrom{{Day: "20260302"}, {Item: &ItemKey{"LOT", "한 글"}}} {
		v.asked = nil
		all, err := s.Verify(boss, (&Verification{Next: &next}).NextText())
		if err != nil || !all.IsDone() || all.NextText() != nil || v.asked[0].Day != next.Day ||
			next.Item != nil && *v.asked[0].Item != *next.Item {
			t.Errorf("after %+v: asked %+v, %v", next, v.asked, err)
		}
	}
	for _, wrong := range []string{"", "!", "MjAyNjAzMDE5", "TE9UCkEAQg"} {
		var input *InputError
		if _, err := s.Verify(boss, &wrong); !errors.As(err, &input) || input.Argument != "after" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := s.Verify(t.Context(), nil); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("nobody: %v", err)
	}
}

func TestTheNightlyVerificationWorksAtNight(t *testing.T) {
	v := &threeDays{}
	var at time.Time
	var found Verification
	seoul := time.FixedZone("KST", 9*60*60)
	now := time.Date(2026, 3, 1, 17, 59, 0, 0, time.UTC)
	n := &NightlyVerification{Verifier: v, TimeZone: seoul, Clock: func(context.Context) (time.Time, error) { return now, nil },
		Found: func(t time.Time, all Verification) { at, found = t, all }}
	if err := n.RunOnce(t.Context()); err != nil || len(v.asked) > 0 {
		t.Errorf("at 02:59: %v, %v", v.asked, err)
	}
	now = now.Add(time.Minute)
	err := n.RunOnce(t.Context())
	if err == nil || !strings.Contains(err.Error(), "4 faults") || !strings.Contains(err.Error(), "LOT L version 1: is wrong") {
		t.Errorf("at 03:00: %v", err)
	}
	if !at.Equal(now) || found.FaultCount != 4 {
		t.Errorf("told of %v %+v", at, found)
	}
	// However long after it was due each run begins, every night has one.
	every := n.Job().Every
	for late := range 60 {
		nights, run := map[string]bool{}, now
		for ; run.Before(now.AddDate(0, 0, 90)); run = run.Add(every + time.Duration(late)*time.Second) {
			if local := run.In(seoul); local.Hour() == verifyHour {
				nights[local.Format(time.DateOnly)] = true
			}
		}
		if len(nights) < 90 {
			t.Errorf("%d s late each time, %d of 90 nights have a run", late, len(nights))
		}
	}
}
