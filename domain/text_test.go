package domain

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestRule18_OneSpelling(t *testing.T) { // L12
	var n Names
	for sent, want := range map[string]string{
		"LOT1": "LOT1", "lot1 ": "LOT1", " Lot1": "LOT1", "\tlot1\n": "LOT1", "　ｌｏｔ１": "LOT1",
		"lot\u00a01": "LOT 1", "ﬁn": "FIN", "ŉ": "ʼN", "ά": "Ά", "각": "각",
		"가": "가", "²": "2", "Ⅷ": "VIII", "ⅷ": "VIII", "ǆ": "DŽ", "K": "K", "  ": "",
	} {
		is(t, sent, n.foldName("LOT", sent), want)
		is(t, sent, n.foldType(sent), want)
	}
}

func TestRule18_TypesKeepItemsApart(t *testing.T) {
	s, _ := newService(t)
	k := s.check("")
	if lot, cst := k.item("", "lot", "x"), k.item("", "CST", "X"); lot == cst || lot.ItemName != cst.ItemName {
		t.Errorf("%v and %v", lot, cst)
	}
}

func TestRule18_WhoKeepsCase(t *testing.T) {
	for name, c := range map[string]struct {
		names          Names
		itemType, want string
	}{
		"usually":               {Names{}, "LOT", "NIGHTLY-JOB 1"},
		"slot keys keep theirs": {Names{}, Slot, "Nightly-Job 1"},
		"switched":              {Names{KeepCase: true}, "LOT", "Nightly-Job 1"},
	} {
		is(t, name, c.names.foldName(c.itemType, " Ｎightly-Job 1 "), c.want)
	}
	is(t, "types never do", Names{KeepCase: true}.foldType("slot"), "SLOT")
}

// Every character that has an upper case or another form, between any two of
// a kind that can combine with it.
func TestRule18_FoldingIsIdempotentForEveryCharacter(t *testing.T) {
	neighbours := []string{"", "a", "İ", "ß", " ", "\u0301", "\u0345", "\u0308", "\u1161", "\u11a8", "\u3099", "\u0338", "\u200d"}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !unicode.IsGraphic(r) || (unicode.In(r, unicode.Hangul, unicode.Han) && r%53 != 0) {
			continue // refused, or many of a kind
		}
		if s := string(r); norm.NFKD.String(s) == s && unicode.SimpleFold(r) == r && !unicode.IsMark(r) && !unicode.IsSpace(r) {
			continue
		}
		for _, n := range neighbours {
			foldsOnce(t, n+string(r)+n)
		}
	}
}

func foldsOnce(t *testing.T, s string) {
	t.Helper()
	if once := fold(s); fold(once) != once {
		t.Errorf("%+q is %+q, then %+q", s, once, fold(once))
	}
	if once := foldKeepingCase(s); foldKeepingCase(once) != once {
		t.Errorf("keeping case, %+q is %+q, then %+q", s, once, foldKeepingCase(once))
	}
}

func TestRule18_FoldingIsIdempotentForAnyText(t *testing.T) {
	idempotent := func(s string) bool {
		return fold(fold(s)) == fold(s) && foldKeepingCase(foldKeepingCase(s)) == foldKeepingCase(s)
	}
	if err := quick.Check(idempotent, &quick.Config{MaxCount: 2_000}); err != nil {
		t.Error(err)
	}
	tricky := []rune("aAßİıſKµŉǰΐΰᾳᾼͅ\u0301\u0308\u0327\u0338ᄀ각\u1161\u11a8가がﬁﬀ²½Ⅷⅷ㎏ﾞｶ\u00a0\u3000 \t")
	for range 20_000 {
		s := make([]rune, 1+rand.IntN(6))
		for i := range s {
			s[i] = tricky[rand.IntN(len(tricky))]
		}
		foldsOnce(t, string(s))
	}
}

func FuzzRule18_FoldingIsIdempotent(f *testing.F) {
	for _, s := range []string{"lot1 ", "ŉ", "ΐ", "\u00b4x", "ᾳͅ", "\xff", "ﬁ\u0301", "\u0345a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { foldsOnce(t, s) })
}

func TestRule18_CharactersThatAreRefused(t *testing.T) {
	for name, s := range map[string]string{
		"zero width space": "LOT\u200b1", "zero width joiner": "LOT\u200d1", "zero width non-joiner": "LOT\u200c1",
		"word joiner": "LOT\u20601", "byte order mark": "\ufeffLOT1", "soft hyphen": "LOT\u00ad1",
		"right to left": "LOT\u202e1", "isolate": "LOT\u20661", "tag": "LOT1\U000e0041",
		"NUL": "LOT\x001", "bell": "LOT\a1", "line break": "LOT\n1", "tab": "LOT\t1", "delete": "LOT\x7f1", "C1": "LOT\u00801",
		"line separator": "LOT\u20281", "paragraph separator": "LOT\u20291",
		"private": "LOT\ue0001", "private, plane 16": "LOT\U001000001", "unassigned": "LOT\u03781", "not a character": "LOT\uffff1",
		"replacement": "LOT\ufffd1", "broken UTF-8": "LOT\xff1", "half a character": "LOT\xe3\x81", "surrogate": "LOT\xed\xa0\x801",
		"Hangul filler": "LOT\u31641", "halfwidth Hangul filler": "LOT\uffa01", "choseong filler": "LOT\u115f1", "jungseong filler": "LOT\u11601",
		"variation selector": "LOT1\ufe0f", "variation selector 17": "LOT1\U000e0100", "Mongolian selector": "LOT1\u180b",
		"grapheme joiner": "LOT\u034f1", "Mongolian vowel separator": "LOT\u180e1", "empty Braille cell": "LOT\u28001",
	} {
		if nameProblem(s, MaxItemName) == "" || textProblem(s, MaxItemName) == "" {
			t.Errorf("%s: %+q is taken", name, s)
		}
		if fold(s) != "" && nameProblem(fold(s), MaxItemName) == "" {
			t.Errorf("%s: %+q is taken once folded", name, s)
		}
	}
}

func TestRule18_CharactersThatAreTaken(t *testing.T) {
	for _, s := range []string{"LOT1", "LOT-1/2_3.4", "로트 1", "生産", "LOT№1", "Ж", "é", "e\u0301", "100%", "😀", "'; --", "\"\\"} {
		is(t, s, nameProblem(s, MaxItemName), "")
	}
}

func TestRule18_LengthIsInCharacters(t *testing.T) {
	for _, s := range []string{"x", "가", "𝒳", "😀"} {
		is(t, s, textProblem(strings.Repeat(s, 40), 40), "")
		if textProblem(strings.Repeat(s, 41), 40) == "" {
			t.Errorf("41 times %s are taken for 40", s)
		}
	}
	s, _ := newService(t)
	k := s.check("input.")
	k.item("", "LOT", strings.Repeat("ﬃ", 67)) // three characters each once folded: 201
	wrongAt(t, k.fault(), "input.itemName")
}

func TestRule18_ABlankNameIsNone(t *testing.T) {
	for _, blank := range []string{"", " ", "\u3000", "\t\n"} {
		s, _ := newService(t)
		k := s.check("")
		k.item("", "LOT", blank)
		wrongAt(t, k.fault(), "itemName")
		is(t, "optional text", s.check("").text("uiName", blank, 40), "")
	}
}
