package documents

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Case H9: bounded in bytes, whatever comes.
func TestWhatIsKeptIsBoundedInBytes(t *testing.T) {
	const most = 1 << 16
	d := newDocuments(func(c *Config) { c.CacheBytes = most })
	for i := range 500 {
		if _, wrong := d.Find(fmt.Sprintf("query q%d { me { userId } } #%s", i, strings.Repeat("x", i*8))); wrong != nil {
			t.Fatal(wrong)
		}
		sum := 0
		for _, key := range d.kept.kept.Keys() {
			kept, _ := d.kept.kept.Peek(key)
			sum += sizeOf(key, kept)
		}
		if sum != d.kept.bytes || sum > most {
			t.Fatalf("%d bytes are kept, %d are counted", sum, d.kept.bytes)
		}
	}
	if n := d.kept.kept.Len(); n < 3 {
		t.Errorf("%d are kept", n)
	}
	large := "query large { me { userId } } #" + strings.Repeat("x", most)
	before := d.kept.kept.Len()
	if _, wrong := d.Find(large); wrong != nil || d.kept.get(large) != nil || d.kept.kept.Len() != before {
		t.Error("one that is larger than all may be")
	}
}

func TestTheLeastUsedGoesFirst(t *testing.T) {
	d := newDocuments(func(c *Config) { c.CacheBytes = 20 << 10 })
	used, _ := d.Find("{ me { userId } }")
	for i := range 100 {
		if _, wrong := d.Find(fmt.Sprintf("query q%d { me { userId } }", i)); wrong != nil {
			t.Fatal(wrong)
		}
		if again, _ := d.Find("{ me { userId } }"); again != used {
			t.Fatal("one in use is read again")
		}
	}
	if d.kept.get("query q0 { me { userId } }") != nil {
		t.Error("an old one is still there")
	}
}

// What a document counts as is not less than what it takes, by much.
func TestSizesAreThoseOfMemory(t *testing.T) {
	for _, pattern := range []string{
		"query q%d { me { userId roles language } occupancies { nodes { version itemType itemName state } } }",
		`query q%d { ` + strings.Repeat("me { userId } ", 19) + `}`,
		`mutation q%d { occupyAll(input: {items: [` + strings.Repeat(`{itemType: "LOT", itemName: "LOT-1"} `, 500) + `]}) { ok } }`,
		`query q%d { me {` + strings.Repeat("userId ", 300) + `} }`,
	} {
		d := newDocuments(func(c *Config) { c.CacheBytes = 1 << 30 })
		before := heap()
		const n = 20
		for i := range n {
			if _, wrong := d.Find(strings.Clone(fmt.Sprintf(pattern, i))); wrong != nil {
				t.Fatal(wrong)
			}
		}
		took := heap() - before
		t.Logf("%.40s: %d bytes taken, %d counted", pattern, took/n, d.kept.bytes/n)
		if took > d.kept.bytes*5/4 {
			t.Errorf("%.40s: %d bytes taken, %d counted", pattern, took, d.kept.bytes)
		}
		runtime.KeepAlive(d)
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
