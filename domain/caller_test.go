package domain

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// The schema says which role a use case needs; whom nobody knows is let in by none.
func TestNobodyIsAnswered(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	nobody := context.Background()
	for name, err := range map[string]error{
		"occupy":       onlyError(s.Occupy(nobody, occupyLot1("A"))),
		"occupyAll":    onlyError(s.OccupyAll(nobody, OccupyAllInput{Items: items("LOT9")})),
		"renew":        onlyError(s.Renew(nobody, RenewInput{ItemType: "LOT", ItemName: "L"})),
		"free":         onlyError(s.Free(nobody, FreeInput{ItemType: "LOT", ItemName: "L"})),
		"freeAll":      onlyError(s.FreeAll(nobody, FreeAllInput{})),
		"transfer":     onlyError(s.Transfer(nobody, TransferInput{ItemType: "LOT", ItemName: "L", ToUserID: "lee"})),
		"forceFree":    onlyError(s.ForceFree(nobody, ForceFreeInput{ItemType: "LOT", ItemName: "L", Reason: "why"})),
		"occupancy":    onlyError(s.Occupancy(nobody, "LOT", "L")),
		"holder":       onlyError(s.Holder(nobody, "LOT", "L")),
		"verifyHolder": onlyError(s.VerifyHolder(nobody, HolderClaim{"LOT", "L", "kim", "", nil})),
		"occupancies":  failure(s.Occupancies(nobody, nil, nil, PageArgs{})),
		"history":      failure(s.History(nobody, nil, nil, PageArgs{})),
		"holderAt":     onlyError(s.HolderAt(nobody, "LOT", "L", noon)),
		"node":         failure(s.Node(nobody, held().ID())),
	} {
		if !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The locks of jobs are judged here, for what is locked is an argument.
func TestOnlyServicesTakeTheLocksOfJobs(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	for name, do := range map[string]func(context.Context) error{
		"alone": func(ctx context.Context) error {
			return onlyError(s.Occupy(ctx, OccupyInput{ItemType: "slot", ItemName: "job:cleanup", Session: "A"}))
		},
		"among others": func(ctx context.Context) error {
			return onlyError(s.OccupyAll(ctx, OccupyAllInput{Items: append(items("LOT9"), &ItemInput{"SLOT", "JOB:x"})}))
		},
		"handed over": func(ctx context.Context) error {
			return onlyError(s.Transfer(ctx, TransferInput{ItemType: "SLOT", ItemName: "Job:x", ToUserID: "lee"}))
		},
	} {
		for _, role := range AllRoles {
			if err := do(as("kim", role)); forbidden(err) == (role == RoleService) {
				t.Errorf("%s by %s: %v", name, role, err)
			}
		}
	}
}

// failure is the error of what is answered by a value.
func failure[T any](_ T, err error) error { return err }

func forbidden(err error) bool {
	var f *ForbiddenError
	return errors.As(err, &f)
}

func TestOnlySlotKeysAreJobs(t *testing.T) {
	for key, job := range map[ItemKey]bool{
		{Slot, "job:x"}: true, {Slot, "JOB:x"}: true, {Slot, "job"}: false, {Slot, "my job:x"}: false, {"LOT", "JOB:X"}: false,
		CleanupLock: true,
	} {
		is(t, key.String(), key.isJob(), job)
	}
}

func TestForbiddenNamesTheRoles(t *testing.T) {
	is(t, "one", (&ForbiddenError{[]Role{RoleSupervisor}}).Error(), "needs the role SUPERVISOR")
	is(t, "two", (&ForbiddenError{[]Role{RoleSupervisor, RoleService}}).Error(), "needs the role SUPERVISOR or SERVICE")
}

func TestMe(t *testing.T) {
	c := must(s0(t).Me(as("kim", RoleService, RoleOperator)))(t)
	is(t, "user", c.UserID, "kim")
	is(t, "roles in order", fmt.Sprint(c.RoleNames()), "[OPERATOR SERVICE]")
	if _, err := s0(t).Me(context.Background()); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("nobody: %v", err)
	}
}
