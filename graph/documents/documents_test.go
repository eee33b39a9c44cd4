package documents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"occupy/graph"
)

func newDocuments(set ...func(*Config)) *Documents {
	c := Config{
		Schema: graph.NewExecutableSchema(graph.Config{}).Schema(), Rules: rules.NewDefaultRules(),
		Introspection: true, CacheBytes: 1 << 20,
	}
	for _, f := range set {
		f(&c)
	}
	return New(c)
}

// wantLimit fails unless that limit is named.
func wantLimit(t *testing.T, wrong gqlerror.List, limit string, most int) {
	t.Helper()
	if len(wrong) != 1 || wrong[0].Extensions["code"] != graph.ErrorCodeLimitExceeded ||
		wrong[0].Extensions["limit"] != limit || wrong[0].Extensions["maximum"] != most || !strings.HasPrefix(wrong[0].Message, limit) {
		t.Errorf("%v, want the limit %s of %d", wrong, limit, most)
	}
}

func wantCode(t *testing.T, wrong gqlerror.List, code string) {
	t.Helper()
	if len(wrong) == 0 || fmt.Sprint(wrong[0].Extensions["code"]) != code {
		t.Errorf("%v, want %s", wrong, code)
	}
}

// fragments are that many, each of which spreads the next so many times.
func fragments(n, times int) string {
	var b strings.Builder
	b.WriteString("{ occupancy(itemType: \"LOT\", itemName: \"x\") { ...f0 } }\n")
	for i := range n {
		fmt.Fprintf(&b, "fragment f%d on Occupancy { version %s }\n", i, strings.Repeat(fmt.Sprintf("...f%d ", i+1), times))
	}
	fmt.Fprintf(&b, "fragment f%d on Occupancy { version }", n)
	return b.String()
}

func nested(depth int) string {
	return `{ __type(name: "Query") ` + strings.Repeat("{ ofType ", depth-1) + "{ name }" + strings.Repeat(" }", depth-1) + " }"
}

func numbered(n int, pattern string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, pattern, i)
	}
	return b.String()
}

// hostile are texts that cost much more than they are long if they are believed.
var hostile = map[string]struct{ text, limit string }{
	"H1, fragments that spread the next twice":  {fragments(24, 2), "fields"},
	"fragments that spread the next many times": {fragments(45, 40), "fields"},
	"H2, one field many times":                  {"{" + strings.Repeat(" me", 9000) + " }", "fields"},
	"H2, one field more often than tokens":      {"{" + strings.Repeat(" me", 20_000) + " }", "tokens"},
	"H3, the schema by many aliases":            {"{" + numbered(1400, " a%d: __schema { description }") + " }", "fields"},
	"H3, the schema by some aliases":            {"{" + numbered(60, " a%d: __typename") + " }", "root fields"},
	"aliases within":                            {`{ __type(name: "x") {` + numbered(51, " a%d: name") + " } }", "aliases"},
	"H4, unknown directives":                    {"{ me { userId" + strings.Repeat(" @x", 4000) + " } }", "directives"},
	"directives on variables":                   {"query(" + numbered(60, "$a%d: Int @x") + ") { me { userId } }", "directives"},
	"many fragments":                            {fragments(1000, 1), "fragments"},
	"many operations with one large fragment":   {numbered(300, "query q%d { ...f } ") + "fragment f on Query { me { " + strings.Repeat("userId ", 300) + "} }", "fields"},
	"deep":                        {nested(21), "depth"},
	"deeper than the parser goes": {"{" + strings.Repeat(" me {", 4000), ""},
	"a long name":                 {"{ " + strings.Repeat("m", 1_000_000) + " }", "letters of a name"},
	"comments":                    {"{ me { userId } }\n" + strings.Repeat("#\n", 20_000), "tokens"},
	"root fields by a fragment":   {"{ ...f } fragment f on Query {" + strings.Repeat(" me { userId }", 21) + " }", "root fields"},
}

// Cases H1 to H4: refused, and no caller waits for it. A walk that is not linear would
// not end.
func TestHostileDocumentsAreRefused(t *testing.T) {
	limits := map[string]int{"fields": 800, "tokens": 10_000, "aliases": 50, "root fields": 20, "directives": 50, "fragments": 50, "depth": 20, "letters of a name": 200}
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			_, wrong := newDocuments().Find(c.text)
			if c.limit == "" {
				wantCode(t, wrong, "GRAPHQL_PARSE_FAILED")
			} else {
				wantLimit(t, wrong, c.limit, limits[c.limit])
			}
		})
	}
}

func TestEachLimitIsASetting(t *testing.T) {
	for limit, set := range map[string]struct {
		text string
		l    Limits
	}{
		"tokens":      {"{ me { userId roles } }", Limits{Tokens: 6}},
		"fields":      {"{ me { userId roles } }", Limits{Fields: 2}},
		"depth":       {"{ me { userId } }", Limits{Depth: 1}},
		"aliases":     {"{ a: me { b: userId } }", Limits{Aliases: 1}},
		"root fields": {"{ me { userId } __typename }", Limits{Roots: 1}},
		"fragments":   {"{ ...a ...b } fragment a on Query { me { userId } } fragment b on Query { me { userId } }", Limits{Fragments: 1}},
		"directives":  {"{ me { userId @skip(if: true) roles @skip(if: true) } }", Limits{Directives: 1}},
	} {
		most := set.l.Tokens + set.l.Fields + set.l.Depth + set.l.Aliases + set.l.Roots + set.l.Fragments + set.l.Directives
		_, wrong := newDocuments(func(c *Config) { c.Limits = set.l }).Find(set.text)
		wantLimit(t, wrong, limit, most)
		if _, wrong := newDocuments().Find(set.text); wrong != nil {
			t.Errorf("%s: %v", limit, wrong)
		}
	}
}

func TestLargeRequestsOfOurOwnPass(t *testing.T) {
	written := `mutation { occupyAll(input: {items: [` + numbered(900, `{itemType: "LOT", itemName: "LOT-%d"} `) + `]}) { ok } }`
	for _, text := range []string{written, fragments(20, 1), introspection} {
		found, wrong := newDocuments().Find(text)
		if wrong != nil {
			t.Errorf("%.60s: %v", text, wrong)
		} else if dear := newDocuments().Afford(found, found.AST.Operations[0], nil); dear != nil {
			t.Errorf("%.60s: %v", text, dear)
		}
	}
}

func TestFaultsOfDocuments(t *testing.T) {
	for text, code := range map[string]string{
		"":                      "GRAPHQL_VALIDATION_FAILED",
		"# nothing":             "GRAPHQL_VALIDATION_FAILED",
		"{ me { userId }":       "GRAPHQL_PARSE_FAILED",
		"{ me { userId(\"a } }": "GRAPHQL_PARSE_FAILED",
		"{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }":                   "GRAPHQL_VALIDATION_FAILED",
		"{ ...a } fragment a on Query { me { userId } } fragment a on Query { me { userId } }": "GRAPHQL_VALIDATION_FAILED",
		"{ ...nowhere }": "GRAPHQL_VALIDATION_FAILED",
		"subscription { a: occupancyChanged { at } b: occupancyChanged { at } }":                                "GRAPHQL_VALIDATION_FAILED",
		"subscription { occupancyChanged { at } holdItem(input: {itemType: \"LOT\", itemName: \"x\"}) { at } }": "GRAPHQL_VALIDATION_FAILED",
		"subscription { occupancyChanged @skip(if: true) { at } }":                                              "GRAPHQL_VALIDATION_FAILED",
		"subscription { ... @include(if: false) { occupancyChanged { at } } }":                                  "GRAPHQL_VALIDATION_FAILED",
		"subscription { ...f @skip(if: false) } fragment f on Subscription { occupancyChanged { at } }":         "GRAPHQL_VALIDATION_FAILED",
		"subscription { __typename }": "GRAPHQL_VALIDATION_FAILED",
	} {
		_, wrong := newDocuments().Find(text)
		wantCode(t, wrong, code)
	}
	if _, wrong := newDocuments().Find("subscription { ... { occupancyChanged { at } } occupancyChanged { kind } }"); wrong != nil {
		t.Errorf("one field, merged: %v", wrong)
	}
}

func TestFaultsAreToldWithAPlaceAndNotAllOfThem(t *testing.T) {
	_, wrong := newDocuments().Find("{\n  me { nobody }\n}")
	if len(wrong) != 1 || wrong[0].Locations[0] != (gqlerror.Location{Line: 2, Column: 8}) {
		t.Errorf("%+v", wrong)
	}
	_, wrong = newDocuments().Find("{ me {" + numbered(500, " x%d") + " } }")
	if len(wrong) != maxErrors {
		t.Errorf("%d errors", len(wrong))
	}
}

// Case 19: what a query calls itself does not matter.
func TestIntrospectionByAnyName(t *testing.T) {
	closed := newDocuments(func(c *Config) { c.Introspection = false })
	for _, text := range []string{introspection, `query IntrospectionQuery { __type(name: "Query") { name } }`, `{ ...f } fragment f on Query { __schema { description } }`} {
		_, wrong := closed.Find(text)
		wantCode(t, wrong, "GRAPHQL_VALIDATION_FAILED")
	}
	if _, wrong := closed.Find("{ __typename me { __typename } }"); wrong != nil {
		t.Error(wrong)
	}
	found, wrong := newDocuments().Find(`query IntrospectionQuery { occupancies(first: 1000) { nodes { history(first: 1000) { nodes { version } } } } }`)
	if wrong != nil {
		t.Fatal(wrong)
	}
	dear := newDocuments().Afford(found, found.AST.Operations[0], nil)
	wantLimit(t, gqlerror.List{dear}, "cost", 50_000)
}

// What the usual tools ask with.
const introspection = `query IntrospectionQuery { __schema { description queryType { name } mutationType { name } subscriptionType { name }
	types { ...FullType } directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } }
	fragment FullType on __Type { kind name description specifiedByURL
		fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
		inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef }
		enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
	fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
	fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
		ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`
