package documents

import (
	"strings"
	"testing"

	"occupy/graph"
)

// BenchmarkHostile is what each refusal costs; BenchmarkWorst what passes the limits and costs most.
func BenchmarkHostile(b *testing.B) {
	for name, c := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			d := newDocuments()
			for b.Loop() {
				_, _ = d.Find(c.text)
			}
		})
	}
}

func BenchmarkWorst(b *testing.B) {
	for name, text := range map[string]string{
		"one field":            "{ me {" + strings.Repeat(" userId", 790) + "} }",
		"one field, arguments": "{" + strings.Repeat(` me { userId @skip(if: true) }`, 20) + "}",
		"two levels":           "{ occupancies {" + strings.Repeat(" nodes { "+strings.Repeat("version ", 30)+"}", 25) + "} }",
		"fields in fragments":  strings.Replace(fragments(17, 1), "{", "query p {", 1) + " query q { me {" + strings.Repeat("userId ", 100) + "} }",
		"many arguments":       "{" + strings.Repeat(" me("+numbered(160, "a%d: 1 ")+") { userId }", 20) + "}",
		"occupyAll":            `mutation { occupyAll(input: {items: [` + numbered(900, `{itemType: "LOT", itemName: "LOT-%d"} `) + `]}) { ok } }`,
		"wrong values":         `mutation { occupyAll(input: {items: [` + numbered(1200, `{itemType: 5, x: %d} `) + `]}) { ok } }`,
		"introspection":        introspection,
		"spreads of one":       "{ me {" + strings.Repeat(" ...f", 390) + "} } fragment f on Caller { userId }",
		"a long text":          `{ occupancy(itemType: "LOT", itemName: "` + strings.Repeat("x", 1_000_000) + `") { version } }`,
		"long texts":           "{" + strings.Repeat(` occupancy(itemType: "LOT", itemName: "`+strings.Repeat("x", 50_000)+`") { version }`, 20) + "}",
		"variables":            "query(" + numbered(1200, "$a%d: Int ") + ") { occupancies { nodes { version } } }",
		"variables in a list":  "query(" + numbered(800, "$a%d: String! ") + ") { occupancies(where: {itemName: {in: [" + numbered(800, "$a%d ") + "]}}) { nodes { version } } }",
		"nested values":        `{ occupancies(where: ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `) { nodes { version } } }`,
	} {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			d := newDocuments(func(c *Config) { c.CacheBytes = 1 })
			_, wrong := d.Find(text)
			if len(wrong) > 0 && wrong[0].Extensions["code"] == graph.ErrorCodeLimitExceeded {
				b.Fatal(wrong)
			}
			for b.Loop() {
				_, _ = d.Find(text)
			}
		})
	}
}

// BenchmarkKept is what a document costs that came before.
func BenchmarkKept(b *testing.B) {
	d := newDocuments()
	text := `mutation($input: OccupyInput!) { occupy(input: $input) { ok code message occupancy { fencingToken expireTime version } } }`
	for b.Loop() {
		found, wrong := d.Find(text)
		if wrong != nil || d.Afford(found, found.AST.Operations[0], nil) != nil {
			b.Fatal(wrong)
		}
	}
}
