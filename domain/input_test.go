package domain

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const nul = "a\x00b"

// Every argument of every command, wrong in one place: the path of that is named,
// and nothing is locked.
func TestWrongArgumentsAreNamed(t *testing.T) {
	long := strings.Repeat("x", 500)
	lot := func(change func(*OccupyInput)) OccupyInput {
		in := occupyLot1("A")
		change(&in)
		return in
	}
	all := func(change func(*OccupyAllInput)) OccupyAllInput {
		in := OccupyAllInput{Items: items("LOT1", "LOT2")}
		change(&in)
		return in
	}
	move := func(change func(*TransferInput)) TransferInput {
		in := TransferInput{ItemType: "LOT", ItemName: "LOT1", ToUserID: "lee"}
		change(&in)
		return in
	}
	ctx := as("kim", AllRoles...)
	s, store := newService(t)
	occupy := func(change func(*OccupyInput)) error { return onlyError(s.Occupy(ctx, lot(change))) }
	occupyAll := func(change func(*OccupyAllInput)) error { return onlyError(s.OccupyAll(ctx, all(change))) }
	transfer := func(change func(*TransferInput)) error { return onlyError(s.Transfer(ctx, move(change))) }
	force := func(in ForceFreeInput) error {
		in.ItemType, in.ItemName = "LOT", "LOT1"
		return onlyError(s.ForceFree(ctx, in))
	}

	wrongAt(t, occupy(func(in *OccupyInput) { in.ItemType = " " }), "input.itemType")
	wrongAt(t, occupy(func(in *OccupyInput) { in.ItemType = long }), "input.itemType")
	wrongAt(t, occupy(func(in *OccupyInput) { in.ItemName = "" }), "input.itemName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.ItemName = nul }), "input.itemName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.TTLSeconds = seconds(0) }), "input.ttlSeconds")
	wrongAt(t, occupy(func(in *OccupyInput) { in.UIName = nul }), "input.uiName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.UIName = long }), "input.uiName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.MenuName = nul }), "input.menuName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.MenuName = long }), "input.menuName")
	wrongAt(t, occupy(func(in *OccupyInput) { in.Session = nul }), "input.session")
	wrongAt(t, occupy(func(in *OccupyInput) { in.Session = long }), "input.session")

	wrongAt(t, onlyError(s.Renew(ctx, RenewInput{ItemType: "LOT"})), "input.itemName")
	wrongAt(t, onlyError(s.Renew(ctx, RenewInput{ItemType: "LOT", ItemName: "LOT1", TTLSeconds: seconds(-1)})), "input.ttlSeconds")
	wrongAt(t, onlyError(s.Renew(ctx, RenewInput{ItemType: "LOT", ItemName: "LOT1", Session: nul})), "input.session")
	wrongAt(t, onlyError(s.Free(ctx, FreeInput{ItemName: "LOT1"})), "input.itemType")
	wrongAt(t, onlyError(s.Free(ctx, FreeInput{ItemType: "LOT", ItemName: "LOT1", Session: nul})), "input.session")
	wrongAt(t, force(ForceFreeInput{}), "input.reason")
	wrongAt(t, force(ForceFreeInput{Reason: "\u200b"}), "input.reason")
	wrongAt(t, force(ForceFreeInput{Reason: long}), "input.reason")

	wrongAt(t, transfer(func(in *TransferInput) { in.ToUserID = " \t" }), "input.toUserId") // L11
	wrongAt(t, transfer(func(in *TransferInput) { in.ToUserID = long }), "input.toUserId")
	wrongAt(t, transfer(func(in *TransferInput) { in.ToSession = nul }), "input.toSession")
	wrongAt(t, transfer(func(in *TransferInput) { in.Session = nul }), "input.session")
	wrongAt(t, transfer(func(in *TransferInput) { in.TTLSeconds = seconds(4000) }), "input.ttlSeconds")

	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.Items = nil }), "input.items")
	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.Items = make([]*ItemInput, MaxItems+1) }), "input.items")
	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.Items[1].ItemName = nul }), "input.items.1.itemName")
	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.Items[0].ItemType = "" }), "input.items.0.itemType")
	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.TTLSeconds = seconds(0) }), "input.ttlSeconds")
	wrongAt(t, occupyAll(func(in *OccupyAllInput) { in.UIName = nul }), "input.uiName")
	wrongAt(t, onlyError(s.FreeAll(ctx, FreeAllInput{Session: nul})), "input.session")
	wrongAt(t, onlyError(s.FreeAll(ctx, FreeAllInput{ItemTypes: []string{"LOT", " "}})), "input.itemTypes.1")
	wrongAt(t, onlyError(s.FreeAll(ctx, FreeAllInput{ItemTypes: make([]string, MaxItems+1)})), "input.itemTypes")

	wrongAt(t, onlyError(s.Occupancy(ctx, "LOT", " ")), "itemName")
	wrongAt(t, onlyError(s.Holder(ctx, "", "LOT1")), "itemType")
	wrongAt(t, onlyError(s.VerifyHolder(ctx, HolderClaim{ItemType: "LOT", ItemName: "LOT1"})), "userId")
	wrongAt(t, onlyError(s.VerifyHolder(ctx, HolderClaim{ItemType: "LOT", ItemName: "LOT1", UserID: "kim", Session: nul})), "session")
	is(t, "locking updates", store.updates, 0)
}

func TestRule18_OneBrokenTextDoesNotReachTheStore(t *testing.T) {
	s, store := newService(t)
	for _, text := range []string{nul, "\xff", "a\u202eb"} {
		in := occupyLot1("A")
		in.MenuName = text
		wrongAt(t, onlyError(s.Occupy(as("kim"), in)), "input.menuName")
	}
	is(t, "reads", store.reads, 0)
}

func TestTheFirstFaultIsTold(t *testing.T) {
	s, _ := newService(t)
	err := onlyError(s.Occupy(as("kim"), OccupyInput{ItemType: "LOT", Session: nul, TTLSeconds: seconds(0)}))
	wrongAt(t, err, "input.itemName")
	is(t, "text", err.Error(), "input.itemName must not be blank")
}

func TestRule07_NoBlankUser(t *testing.T) { // L11
	for _, id := range []string{"", " ", "\t\n", "\u3000", "\u200b", "\u3164", nul, "\xff", strings.Repeat("x", MaxUserID+1)} {
		_, err := NewCaller(id, []string{"OPERATOR"}, "")
		wrongAt(t, err, "userId")
	}
	c := must(NewCaller(" Kim ", []string{"operator", " SERVICE"}, ""))(t)
	is(t, "trimmed, not folded", c.UserID, "Kim")
	is(t, "roles", fmt.Sprint(c.Roles), "[OPERATOR SERVICE]")
	_, err := NewCaller("kim", []string{"KING"}, "")
	wrongAt(t, err, "roles")
	if err := onlyError(s0(t).Occupy(context.Background(), occupyLot1("A"))); err != ErrUnauthenticated {
		t.Errorf("nobody asks: %v", err)
	}
}

func s0(t *testing.T) *Service { s, _ := newService(t); return s }
