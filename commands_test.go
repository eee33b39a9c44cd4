package main

import (
	"strings"
	"testing"
)

func TestOccupyGranted(t *testing.T) {
	s := newServer(t)
	got := s.as("kim").command("occupy", lot(" lot1", "uiName", "Track In", "menuName", "Lot", "session", "w1", "ttlSeconds", 60))
	want(t, got, "ok", true, "code", "GRANTED", "retryAfterSeconds", nil,
		"occupancy.itemType", "LOT", "occupancy.itemName", "LOT1", "occupancy.state", "OCCUPIED",
		"occupancy.userId", "kim", "occupancy.session", "w1", "occupancy.uiName", "Track In", "occupancy.menuName", "Lot",
		"occupancy.remainingSeconds", 60, "occupancy.fencingToken", "1", "occupancy.version", "1", "occupancy.renewals", "0",
		"occupancy.registeredBy", "kim", "occupancy.holder.userId", "kim")
}

func TestOccupyReentered(t *testing.T) {
	s := newServer(t)
	first := s.as("kim").command("occupy", lot("LOT1", "ttlSeconds", 600))
	got := s.as("kim").command("occupy", lot("lot1 ", "ttlSeconds", 5, "session", "w1"))
	want(t, got, "ok", true, "code", "REENTERED", "occupancy.session", "w1", "occupancy.version", "1", "occupancy.renewals", "1",
		"occupancy.fencingToken", "1", "occupancy.expireTime", first.at("occupancy.expireTime"))
}

func TestOccupyHeld(t *testing.T) {
	s := newServer(t)
	first := s.as("kim").command("occupy", lot("LOT1", "uiName", "Track In"))
	got := s.as("lee").command("occupy", lot("LOT1", "ttlSeconds", 5))
	want(t, got, "ok", false, "code", "HELD", "retryAfterSeconds", got.at("occupancy.remainingSeconds"),
		"occupancy.userId", "kim", "occupancy.expireTime", first.at("occupancy.expireTime"), "occupancy.version", "1")
}

func TestOccupyHeldInOtherWindowAndTakenOver(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1", "session", "w1"))
	got := s.as("kim").command("occupy", lot("LOT1", "session", "w2"))
	want(t, got, "ok", false, "code", "HELD_IN_OTHER_WINDOW", "occupancy.session", "w1")
	got = s.as("kim").command("occupy", lot("LOT1", "session", "w2", "takeOver", true))
	want(t, got, "ok", true, "code", "TAKEN_OVER", "occupancy.session", "w2", "occupancy.fencingToken", "2", "occupancy.version", "2")
	want(t, s.as("kim").command("renew", lot("LOT1", "session", "w1")), "ok", false, "code", "NOT_HOLDER")
}

func TestRenewCodes(t *testing.T) {
	s := newServer(t)
	kim, lee := s.as("kim"), s.as("lee")
	want(t, kim.command("renew", lot("LOT1")), "ok", false, "code", "NOT_OCCUPIED", "occupancy.state", "FREE", "occupancy.version", "0")
	kim.command("occupy", lot("LOT1", "session", "w1", "ttlSeconds", 60))
	want(t, kim.command("renew", lot("LOT1", "session", "w1", "ttlSeconds", 600)), "ok", true, "code", "RENEWED",
		"occupancy.remainingSeconds", 600, "occupancy.renewals", "1", "occupancy.version", "1", "occupancy.fencingToken", "1")
	want(t, lee.command("renew", lot("LOT1")), "ok", false, "code", "NOT_HOLDER", "occupancy.userId", "kim")
	want(t, kim.command("renew", lot("LOT1", "session", "w1", "fencingToken", "7")), "ok", false, "code", "STALE_TOKEN")
	s.runOut("LOT1")
	want(t, kim.command("renew", lot("LOT1", "session", "w1")), "ok", false, "code", "EXPIRED", "occupancy.state", "EXPIRED")
}

func TestFreeCodes(t *testing.T) {
	s := newServer(t)
	kim, lee := s.as("kim"), s.as("lee")
	want(t, kim.command("free", lot("LOT1")), "ok", true, "code", "ALREADY_FREE")
	kim.command("occupy", lot("LOT1"))
	want(t, lee.command("free", lot("LOT1")), "ok", false, "code", "NOT_HOLDER", "occupancy.userId", "kim")
	want(t, kim.command("free", lot("LOT1", "fencingToken", 7)), "ok", false, "code", "STALE_TOKEN")
	want(t, kim.command("free", lot("LOT1", "how", "WINDOW_CLOSED")), "ok", true, "code", "FREED",
		"occupancy.state", "FREE", "occupancy.userId", "kim", "occupancy.holder", nil)
	kim.command("occupy", lot("LOT1"))
	s.runOut("LOT1")
	want(t, kim.command("free", lot("LOT1")), "ok", true, "code", "ALREADY_EXPIRED", "occupancy.state", "EXPIRED")
}

func TestForceFreeCodes(t *testing.T) {
	s := newServer(t)
	kim, boss := s.as("kim"), s.as("boss").with("SUPERVISOR")
	force := lot("LOT1", "reason", "shift change", "fencingToken", "1")
	want(t, boss.command("forceFree", force), "ok", true, "code", "ALREADY_FREE")
	kim.command("occupy", lot("LOT1"))
	want(t, boss.command("forceFree", lot("LOT1", "reason", "x", "fencingToken", "9")), "ok", false, "code", "STALE_TOKEN", "occupancy.userId", "kim")
	want(t, boss.command("forceFree", force), "ok", true, "code", "FREED", "occupancy.updatedBy", "boss")
	kim.command("occupy", lot("LOT1"))
	s.runOut("LOT1")
	want(t, boss.command("forceFree", force), "ok", true, "code", "ALREADY_EXPIRED")
}

func TestTransferCodes(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	toLee := lot("LOT1", "toUserId", "lee")
	want(t, kim.command("transfer", toLee), "ok", false, "code", "NOT_OCCUPIED")
	kim.command("occupy", lot("LOT1"))
	want(t, s.as("park").command("transfer", toLee), "ok", false, "code", "NOT_HOLDER")
	want(t, kim.command("transfer", lot("LOT1", "toUserId", "lee", "fencingToken", "9")), "ok", false, "code", "STALE_TOKEN")
	want(t, kim.command("transfer", toLee), "ok", true, "code", "TRANSFERRED", "occupancy.userId", "lee",
		"occupancy.fencingToken", "2", "occupancy.updatedBy", "kim")
	s.runOut("LOT1")
	want(t, s.as("lee").command("transfer", lot("LOT1", "toUserId", "kim")), "ok", false, "code", "EXPIRED")
}

func TestOccupyAllAndFreeAll(t *testing.T) {
	s := newServer(t)
	kim, lee := s.as("kim"), s.as("lee")
	items := []object{lot("a"), lot("b"), lot(" A")}
	want(t, kim.command("occupyAll", object{"items": items, "session": "w1"}), "ok", true, "code", "GRANTED")
	got := lee.command("occupyAll", object{"items": []object{lot("a"), lot("c")}})
	want(t, got, "ok", false, "code", "HELD", "occupancies", []any{})
	if n := len(got.at("blockers").([]any)); n != 1 {
		t.Errorf("%d blockers, want 1", n)
	}
	want(t, lee.must(`{ holder(itemType: "LOT", itemName: "c") { userId } }`), "holder", nil)
	want(t, kim.command("freeAll", object{}), "ok", true, "code", "ALREADY_FREE")
	got = kim.command("freeAll", object{"session": "w1"})
	want(t, got, "ok", true, "code", "FREED")
	if n := len(got.at("occupancies").([]any)); n != 2 {
		t.Errorf("%d given back, want 2", n)
	}
}

func TestVerifyHolderCodes(t *testing.T) {
	s := newServer(t)
	verify := func(user, token string) string {
		claim := `userId: "` + user + `"`
		if token != "" {
			claim += `, fencingToken: "` + token + `"`
		}
		return s.as("mes").must(`{ verifyHolder(itemType: "LOT", itemName: "LOT1", ` + claim + `) { code ok occupancy { state } } }`).
			at("verifyHolder.code").(string)
	}
	got := []string{verify("kim", "")}
	s.as("kim").command("occupy", lot("LOT1"))
	got = append(got, verify("kim", "1"), verify("lee", ""), verify("kim", "9"))
	s.runOut("LOT1")
	got = append(got, verify("kim", "1"))
	if all := strings.Join(got, " "); all != "NOT_OCCUPIED VERIFIED NOT_HOLDER STALE_TOKEN EXPIRED" {
		t.Error(all)
	}
}

func TestExpiredIsSeenAtOnceAndGrantedToAnother(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	s.runOut("LOT1")
	seen := s.as("lee").must(`{ occupancy(itemType: "LOT", itemName: "LOT1") { state userId remainingSeconds holder { userId } } }`)
	want(t, seen, "occupancy.state", "EXPIRED", "occupancy.userId", "kim", "occupancy.remainingSeconds", 0, "occupancy.holder", nil)
	want(t, s.as("lee").command("occupy", lot("LOT1")), "ok", true, "code", "GRANTED", "occupancy.version", "3", "occupancy.fencingToken", "2")
}

func TestMessagesInKoreanAndEnglish(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1", "uiName", "Track In"))
	for language, part := range map[string]string{
		"": "is in use by kim on Track In", "en-GB": "is in use by kim on Track In", "fr": "is in use by kim",
		"ko": "다른 사용자가 작업 중입니다", "ko-KR,ko;q=0.9,en;q=0.8": "다른 사용자가 작업 중입니다",
	} {
		got := s.as("lee").in(language).command("occupy", lot("LOT1")).at("message").(string)
		if !strings.Contains(got, part) {
			t.Errorf("%q: %s, want %s", language, got, part)
		}
	}
	want(t, s.as("lee").in("ko").must(`{ me { userId roles language } }`), "me.userId", "lee", "me.language", "ko",
		"me.roles", []any{"OPERATOR", "SUPERVISOR", "ANALYST", "SERVICE"})
	want(t, s.as("lee").with("service, analyst").must(`{ me { roles language } }`), "me.language", "en", "me.roles", []any{"ANALYST", "SERVICE"})
}
