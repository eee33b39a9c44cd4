package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Longest texts, in characters. The columns are as wide.
const (
	MaxItemType = 40
	MaxItemName = 200
	MaxUserID   = 40
	MaxSession  = 100
	MaxUIName   = 40
	MaxMenuName = 80
	MaxReason   = 400
)

// Names folds the spelling of items. The zero value folds item names to upper
// case; KeepCase leaves their case alone. Item types are always upper case and
// slot keys always keep theirs.
type Names struct{ KeepCase bool }

// fold is NFKC, upper case, NFKC, trim: one pass is not idempotent, since upper
// case can make text that NFKC would change again.
func fold(s string) string {
	return strings.TrimSpace(norm.NFKC.String(strings.ToUpper(norm.NFKC.String(s))))
}

func foldKeepingCase(s string) string {
	return strings.TrimSpace(norm.NFKC.String(s))
}

// foldType gives the one spelling of an item type.
func (Names) foldType(s string) string { return fold(s) }

// foldName gives the one spelling of an item's name.
func (n Names) foldName(itemType, name string) string {
	if n.KeepCase || itemType == Slot {
		return foldKeepingCase(name)
	}
	return fold(name)
}

// foldsType and spellings say what a text in a filter stands for. Without the
// type nothing says whether a name keeps its case, so it may be either spelling.
func (n Names) foldsType(s string) []string { return []string{n.foldType(s)} }

func (n Names) spellings(name string) []string {
	folded, kept := n.foldName("", name), n.foldName(Slot, name)
	if folded == kept {
		return []string{kept}
	}
	return []string{folded, kept}
}

// invisible are characters that count as visible by their category and yet
// leave no mark, so that two names would look the same.
var invisible = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point, // Hangul fillers, the grapheme joiner, …
	unicode.Variation_Selector,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // the empty Braille cell
}

// storable tells whether a text can be sent to the database at all.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// textProblem says what is wrong with a text, or "".
func textProblem(s string, longest int) string {
	if !utf8.ValidString(s) {
		return "is not valid text"
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.In(r, invisible...) {
			return "has a control, invisible or unassigned character"
		}
	}
	if utf8.RuneCountInString(s) > longest {
		return "is longer than " + itoa(longest) + " characters"
	}
	return ""
}

// nameProblem is textProblem for what must not be blank.
func nameProblem(s string, longest int) string {
	if s == "" {
		return "must not be blank"
	}
	return textProblem(s, longest)
}
