package domain

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/text/language"
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

// What a service does for a user is the user's to hold, and says that the service did it.
func TestActingForAUser(t *testing.T) {
	s, store := newService(t)
	batch := Caller{UserID: "svc-batch", Roles: []Role{RoleService, RoleSupervisor}, Language: language.Korean}
	kim := must(batch.ActingFor(" kim "))(t)
	is(t, "caller", fmt.Sprintln(kim.UserID, kim.Actor(), kim.Roles, kim.Language), "kim svc-batch [OPERATOR] ko\n")
	ctx := WithCaller(context.Background(), kim)

	granted := must(s.Occupy(ctx, occupyLot1("A")))(t)
	is(t, "holder", granted.Occupancy.UserID, "kim")
	is(t, "first occupied by", granted.Occupancy.RegisteredBy, "svc-batch")
	is(t, "renewed by", must(s.Renew(ctx, RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Occupancy.UpdatedBy, "svc-batch")
	other := WithCaller(context.Background(), must(batch.ActingFor("lee"))(t))
	is(t, "for another user", must(s.Free(other, FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Code, CodeNotHolder)
	is(t, "as itself", must(s.Free(as("svc-batch", RoleService), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Code, CodeNotHolder)
	is(t, "by the user", must(s.Free(as("kim"), FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: "A"}))(t).Occupancy.UpdatedBy, "kim")
	must(s.OccupyAll(ctx, OccupyAllInput{Items: items("LOT2"), Session: "A"}))(t)
	must(s.FreeAll(ctx, FreeAllInput{Session: "A"}))(t)
	for i, want := range []string{"OCCUPIED kim svc-batch", "FREED kim kim", "OCCUPIED kim svc-batch", "FREED kim svc-batch"} {
		h := store.history[i]
		is(t, fmt.Sprint("history ", i), fmt.Sprint(h.Event, " ", h.UserID, " ", h.UpdatedBy), want)
	}
}

func TestOnlyServicesActForUsersWhoCanBe(t *testing.T) {
	for _, role := range AllRoles {
		_, err := Caller{UserID: "x", Roles: []Role{role}}.ActingFor("kim")
		is(t, string(role), forbidden(err), role != RoleService)
	}
	for _, id := range []string{"", " ", "a\u200bb", SystemUser} {
		_, err := Caller{UserID: "x", Roles: []Role{RoleService}}.ActingFor(id)
		wrongAt(t, err, "userId")
	}
}

// Else one service could let go, in the name of another, of what that one works under.
func TestWhoActsForAServiceHasNoneOfItsJobs(t *testing.T) {
	s, _ := newService(t)
	job := SlotInput{SlotKey: "job:x", Session: "A"}
	must(s.TryLock(as("svc", RoleService), job))(t)
	ctx := WithCaller(context.Background(), must(Caller{UserID: "other", Roles: []Role{RoleService}}.ActingFor("svc"))(t))
	for name, err := range map[string]error{
		"take": onlyError(s.TryLock(ctx, job)), "renew": onlyError(s.RenewLock(ctx, job)), "release": onlyError(s.ReleaseLock(ctx, job)),
	} {
		if !forbidden(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	is(t, "free all", must(s.FreeAll(ctx, FreeAllInput{Session: "A", ItemTypes: []string{"SLOT"}}))(t).Code, CodeAlreadyFree)
	is(t, "its own", must(s.ReleaseLock(as("svc", RoleService), job))(t).Code, CodeFreed)
}

// Every row that is written for a claim says who wrote it.
func TestEveryRuleKeepsWhoActs(t *testing.T) {
	claim := Claim{UserID: "kim", Session: "A", Service: "svc"}
	occupy := Occupy{Claim: claim, TTL: time.Minute, UIName: "other"}
	for name, done := range map[string][]Transition{
		"occupy":     second(neverSeen().Occupy(noon, occupy)),
		"found over": second(held(func(o *Occupancy) { o.UserID = "lee" }).Occupy(after(61), occupy)),
		"reenter":    second(held().Occupy(after(1), occupy)),
		"renew":      second(held().Renew(after(1), Renew{Claim: claim, TTL: time.Minute})),
		"free":       second(held().Free(after(1), Free{Claim: claim, How: EventFreed})),
		"transfer":   second(held().Transfer(after(1), Transfer{Claim: claim, To: Claim{UserID: "lee"}, TTL: time.Minute})),
		"keep":       second(held().Keep(after(1), Keep{Claim: claim, Renewals: 2, TTL: time.Minute})),
		"lose":       held().LoseConnection(after(1), LoseConnection{Claim: claim, Renewals: 2}),
	} {
		if len(done) == 0 {
			t.Errorf("%s: nothing is written", name)
		}
		for _, row := range done {
			is(t, name, row.UpdatedBy, "svc")
		}
	}
}
