package documents

import (
	"strings"
	"testing"
)

// A literal that can not be read is a mistake of who wrote it, wherever it stands.
func TestLiteralsThatCanNotBeRead(t *testing.T) {
	d := newDocuments()
	digits := strings.Repeat("9", 10_000)
	for text, told := range map[string]string{
		`{ verifyHolder(itemType: "LOT", itemName: "x", userId: "kim", fencingToken: ` + digits + `) { code } }`: "64 bits",
		`{ occupancies(first: ` + digits + `) { totalCount } }`:                                                  "64 bits",
		`query($n: Int = ` + digits + `) { occupancies(first: $n) { totalCount } }`:                              "64 bits",
		`{ verifyHolder(itemType: "LOT", itemName: "x", userId: "kim", fencingToken: 1e400) { code } }`:          "64 bits",
		`{ me { userId @skip(if: {}) } }`:                                                                        "an object is no Boolean",
		`{ me { userId @include(if: [true]) } }`:                                                                 "a list is no Boolean",
		`{ crossedPairs(where: {ownWindow: {}}) { totalCount } }`:                                                "an object is no Boolean",
		`{ node(id: [1]) { id } }`:                                                                               "a list is no ID",
	} {
		_, wrong := d.Find(text)
		if wrong == nil || !strings.Contains(wrong.Error(), told) || len(wrong.Error()) > 1500 {
			t.Errorf("%.80s: %.300v", text, wrong)
		}
	}
	for _, text := range []string{
		`{ verifyHolder(itemType: "LOT", itemName: "x", userId: "kim", fencingToken: 9223372036854775807) { code } }`,
		`{ occupancies(where: {itemType: {in: ["LOT"]}}) { totalCount } }`,
	} {
		if _, wrong := d.Find(text); wrong != nil {
			t.Errorf("%s: %v", text, wrong)
		}
	}
}
