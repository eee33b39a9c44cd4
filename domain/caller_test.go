package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Who may do what: for each use case the roles that may.
func TestRoles(t *testing.T) {
	s, _ := newService(t, func(c *ServiceConfig) { c.Archive = noArchive{} })
	job := OccupyInput{ItemType: "slot", ItemName: "job:cleanup", Session: "A"}
	cases := map[string]struct {
		do  func(context.Context) error
		may []Role
	}{
		"occupy": {func(ctx context.Context) error { _, err := s.Occupy(ctx, occupyLot1("A")); return err }, workers},
		"occupyAll": {func(ctx context.Context) error {
			_, err := s.OccupyAll(ctx, OccupyAllInput{Items: items("LOT9")})
			return err
		}, workers},
		"renew": {func(ctx context.Context) error {
			_, err := s.Renew(ctx, RenewInput{ItemType: "LOT", ItemName: "L"})
			return err
		}, workers},
		"free": {func(ctx context.Context) error {
			_, err := s.Free(ctx, FreeInput{ItemType: "LOT", ItemName: "L"})
			return err
		}, workers},
		"freeAll": {func(ctx context.Context) error { _, err := s.FreeAll(ctx, FreeAllInput{}); return err }, workers},
		"transfer": {func(ctx context.Context) error {
			_, err := s.Transfer(ctx, TransferInput{ItemType: "LOT", ItemName: "L", ToUserID: "lee"})
			return err
		}, workers},
		"forceFree": {func(ctx context.Context) error {
			_, err := s.ForceFree(ctx, ForceFreeInput{ItemType: "LOT", ItemName: "L", Reason: "why"})
			return err
		}, []Role{RoleSupervisor}},
		"a job's lock": {func(ctx context.Context) error { _, err := s.Occupy(ctx, job); return err }, []Role{RoleService}},
		"a job's lock among others": {func(ctx context.Context) error {
			_, err := s.OccupyAll(ctx, OccupyAllInput{Items: append(items("LOT9"), &ItemInput{"SLOT", "JOB:x"})})
			return err
		}, []Role{RoleService}},
		"a job's lock, handed over": {func(ctx context.Context) error {
			_, err := s.Transfer(ctx, TransferInput{ItemType: "SLOT", ItemName: "Job:x", ToUserID: "lee"})
			return err
		}, []Role{RoleService}},
		"occupancy": {func(ctx context.Context) error { _, err := s.Occupancy(ctx, "LOT", "L"); return err }, AllRoles},
		"holder":    {func(ctx context.Context) error { _, err := s.Holder(ctx, "LOT", "L"); return err }, AllRoles},
		"verifyHolder": {func(ctx context.Context) error {
			_, err := s.VerifyHolder(ctx, HolderClaim{"LOT", "L", "kim", "", nil})
			return err
		}, AllRoles},
		"occupancies": {func(ctx context.Context) error { _, err := s.Occupancies(ctx, nil, nil, PageArgs{}); return err }, AllRoles},
		"history":     {func(ctx context.Context) error { _, err := s.History(ctx, nil, nil, PageArgs{}); return err }, AllRoles},
		"holderAt":    {func(ctx context.Context) error { _, err := s.HolderAt(ctx, "LOT", "L", noon); return err }, AllRoles},
		"node":        {func(ctx context.Context) error { _, err := s.Node(ctx, held().ID()); return err }, AllRoles},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := c.do(context.Background()); !errors.Is(err, ErrUnauthenticated) {
				t.Errorf("nobody: %v", err)
			}
			if err := c.do(WithCaller(context.Background(), Caller{UserID: "kim"})); !forbidden(err) {
				t.Errorf("no role: %v", err)
			}
			for _, role := range AllRoles {
				if err := c.do(as("kim", role)); forbidden(err) == slices.Contains(c.may, role) {
					t.Errorf("%s: %v", role, err)
				}
			}
		})
	}
}

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
	err := onlyError(s0(t).ForceFree(as("kim"), ForceFreeInput{}))
	is(t, "text", err.Error(), "needs the role SUPERVISOR")
	is(t, "text", (&ForbiddenError{workers}).Error(), "needs the role OPERATOR or SUPERVISOR or SERVICE")
}

func TestMe(t *testing.T) {
	c := must(s0(t).Me(as("kim", RoleService, RoleOperator)))(t)
	is(t, "user", c.UserID, "kim")
	is(t, "roles in order", fmt.Sprint(c.RoleNames()), "[OPERATOR SERVICE]")
	if _, err := s0(t).Me(context.Background()); !errors.Is(err, ErrUnauthenticated) {
		t.Errorf("nobody: %v", err)
	}
}
