package domain

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"
)

// What strangers send and what is kept as text: it is refused, or read as what was written, and never
// anything else. Beside these: FuzzDecodeMark, FuzzLotFormat, FuzzRule18_FoldingIsIdempotent, FuzzHistory.

func FuzzListCursor(f *testing.F) {
	for _, c := range []Cursor{{"item", "LOT", "LOT1"}, {"item", "", ""}, {"item", "가", "\"\\"}, {"other", "a", "b"}, {"item", "a"}} {
		f.Add([]byte(strings.Join(c, "\n")), c.String())
	}
	f.Add([]byte("\x00"), "WyJpdGVtIiwiXHUwMDAwIiwiIl0")
	f.Fuzz(func(t *testing.T, text []byte, sent string) {
		for _, s := range []string{sent, Cursor(strings.Split(string(text), "\n")).String(), base64.RawURLEncoding.EncodeToString(text)} {
			c, ok := parseCursor(s, "item", 2)
			if !ok {
				continue
			}
			again, same := parseCursor(c.String(), "item", 2)
			if !same || !reflect.DeepEqual(again, c) || len(c) != 3 || !storable(strings.Join(c, "")) {
				t.Errorf("%q is read as %q, and that as %q", s, c, again)
			}
		}
	})
}

func FuzzVerifyFrom(f *testing.F) {
	for _, v := range []VerifyFrom{{Day: "20261130"}, {Item: &lot1}, {Item: &ItemKey{}}} {
		f.Add(*(&Verification{Next: &v}).NextText())
	}
	f.Add(base64.RawURLEncoding.EncodeToString([]byte("LOT\nA\nB")))
	f.Fuzz(func(t *testing.T, s string) {
		from, ok := parseVerifyFrom(s)
		if !ok {
			return
		}
		again, same := parseVerifyFrom(*(&Verification{Next: &from}).NextText())
		if !same || !reflect.DeepEqual(again, from) || from.Item != nil && !storable(from.Item.ItemType+from.Item.ItemName) {
			t.Errorf("%q is read as %+v, and that as %+v", s, from, again)
		}
	})
}

// Keys are in the order of time, whatever the instants.
func FuzzTimeKey(f *testing.F) {
	f.Add(int64(0), int64(1))
	f.Add(noon.UnixMicro(), noon.UnixMicro()-1)
	f.Add(int64(253402300799999999), int64(-62135596800000000))
	f.Fuzz(func(t *testing.T, a, b int64) {
		one, two := time.UnixMicro(a), time.UnixMicro(b)
		for _, at := range []time.Time{one, two} {
			if year := at.UTC().Year(); year < 1 || year > 9999 {
				return
			}
		}
		first, second := TimeKeyPrefix(one), TimeKeyPrefix(two)
		if strings.Compare(first, second) != one.Compare(two) {
			t.Errorf("%s is %s, and %s is %s", one.UTC(), first, two.UTC(), second)
		}
		if !validTimeKey(first + "000000000000") {
			t.Errorf("%s is no key of %s", first, one.UTC())
		}
	})
}

// Whoever asks for an item by its name, as they would to occupy it, gets it, whatever the spelling.
func FuzzFilter(f *testing.F) {
	f.Add("LOT", "lot1 ", "lo", "kim")
	f.Add("slot", "ŉ", "\u0345a", " lee")
	f.Add("\x00", "ﬁ\u0301", "\xff", "")
	f.Fuzz(func(t *testing.T, itemType, name, prefix, user string) {
		k := (&Service{}).check("")
		o := Occupancy{ItemKey: k.item("", itemType, name), UserID: k.name("userId", user, MaxUserID)}
		if k.fault() != nil {
			return
		}
		named := OccupancyFilter{ItemTypes: []string{itemType}, ItemNames: []string{name}, UserIDs: []string{user}}
		if c := k.filter(&named); k.fault() != nil || !c.Matches(&o) {
			t.Errorf("%+v does not match %+v: %v", c, o, k.fault())
		}
		whole := k.filter(&OccupancyFilter{ItemNamePrefix: o.ItemName})
		if k.fault() != nil || !whole.Matches(&o) {
			t.Errorf("%+v does not match %+v: %v", whole, o, k.fault())
		}
		_ = k.filter(&OccupancyFilter{ItemNamePrefix: prefix})
	})
}

// What PostgreSQL writes of a snapshot.
func FuzzSnapshot(f *testing.F) {
	for _, s := range []string{"10:20:10,14,15", "1:1:", "::", "1:2:3:4", "18446744073709551616:1:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSnapshot(text)
		if err != nil {
			return
		}
		again, err := ParseSnapshot(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is read as %v, and that as %v, %v", text, s, again, err)
		}
	})
}
