package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// gibberish makes requests of a schema, good and bad ones.
type gibberish struct {
	*rand.Rand
	schema *ast.Schema

	declared  []string // variables of the operation that is being made
	variables map[string]any
}

// enum is a value without quotes; other values are as JSON knows them.
type enum string

var (
	longNumber = json.Number(strings.Repeat("9", 10_000))
	oddTexts   = []string{"", " ", "LOT", "A", "lot1 ", "job:x", "a'b\"c\\d", "x'; DROP TABLE y; --", "%s%n%_", "\x00", "a\x00b", "\u200b", "\u202eabc", "가나다", "𝄞",
		"null", "true", "-1", "1e400", "2026-11-30T09:00:00Z", "2026-02-30T99:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
		"99999999999999999999", "eyJhIjoxfQ", "T2NjdXBhbmN5OkxPVDpB", "////", strings.Repeat("x", 201), strings.Repeat("가", 5000)}
	oddValues = []any{nil, true, 0, 1, -1, 1 << 31, int64(1) << 62, 1.5, json.Number("1e400"), json.Number("-0"), longNumber,
		enum("FREE"), enum("nobody"), []any{}, []any{nil, []any{1}}, map[string]any{}, map[string]any{"eq": 1, "in": []any{nil}}}
)

func pick[T any](g *gibberish, all []T) T { return all[g.IntN(len(all))] }

func (g *gibberish) once(in int) bool { return g.IntN(in) == 0 }

// document makes an operation with its variables.
func (g *gibberish) document() (text string, variables map[string]any) {
	g.declared, g.variables = nil, map[string]any{}
	kind, root := "query", g.schema.Query
	switch {
	case g.once(3):
		kind, root = "mutation", g.schema.Mutation
	case g.once(8):
		kind, root = "subscription", g.schema.Subscription
	}
	set := g.selection(root, 0)
	declared := ""
	if len(g.declared) > 0 {
		declared = "(" + strings.Join(g.declared, ", ") + ")"
	}
	return kind + " Q" + declared + set, g.variables
}

func (g *gibberish) selection(of *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString(" {")
	for range 1 + g.IntN(2+2*min(depth, 2)) {
		field := pick(g, of.Fields)
		if strings.HasPrefix(field.Name, "__") && !g.once(5) {
			continue
		}
		if g.once(20) {
			fmt.Fprintf(&b, " a%d:", g.IntN(3))
		}
		b.WriteString(" " + field.Name + g.arguments(field))
		if g.once(20) {
			fmt.Fprintf(&b, " @%s(if: %s)", pick(g, []string{"skip", "include", "needs", "x"}), g.literal(g.value(ast.NamedType("Boolean", nil), 0)))
		}
		inner := g.schema.Types[field.Type.Name()]
		if inner.IsCompositeType() && depth < 5 {
			if len(inner.Fields) > 0 {
				b.WriteString(g.selection(inner, depth+1))
			} else {
				b.WriteString(" { __typename }")
			}
		}
	}
	if g.once(15) {
		b.WriteString(" ... on " + of.Name + " { __typename }")
	}
	b.WriteString(" __typename }")
	return b.String()
}

func (g *gibberish) arguments(field *ast.FieldDefinition) string {
	var all []string
	for _, a := range field.Arguments {
		if !a.Type.NonNull && g.once(2) || g.once(25) {
			continue
		}
		value := g.value(a.Type, 0)
		if g.once(2) {
			name := fmt.Sprint("v", len(g.declared))
			g.declared = append(g.declared, "$"+name+": "+a.Type.String())
			g.variables[name] = value
			all = append(all, a.Name+": $"+name)
			continue
		}
		all = append(all, a.Name+": "+g.literal(value))
	}
	if len(all) == 0 {
		return ""
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// value makes one of a type, mostly.
func (g *gibberish) value(t *ast.Type, depth int) any {
	if g.once(12) {
		return pick(g, oddValues)
	}
	if t.Elem != nil {
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(t.Elem, depth+1))
		}
		return list
	}
	definition := g.schema.Types[t.Name()]
	switch {
	case definition.Kind == ast.Enum:
		return enum(pick(g, definition.EnumValues).Name)
	case definition.Kind == ast.InputObject:
		object := map[string]any{}
		for _, f := range definition.Fields {
			if f.Type.NonNull && !g.once(20) || depth < 4 && g.once(3) {
				object[f.Name] = g.value(f.Type, depth+1)
			}
		}
		return object
	}
	switch t.Name() {
	case "Int":
		return pick(g, []any{0, 1, 2, 5, 100, 1000, 1001, -5, 1<<31 - 1, json.Number("3000000000")})
	case "Long":
		return pick(g, []any{"1", "0", "-1", 7, "9223372036854775807", "9223372036854775808", longNumber})
	case "Boolean":
		return g.once(2)
	case "Time":
		return pick(g, []any{"2026-11-30T09:00:00Z", "2026-11-30T09:00:00.123456789+09:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday"})
	}
	if g.once(2) {
		return pick(g, []string{"LOT", "MASK", "SLOT", "A", "B", "kim"})
	}
	return pick(g, oddTexts)
}

// literal writes a value as GraphQL does.
func (g *gibberish) literal(value any) string {
	switch v := value.(type) {
	case enum:
		return string(v)
	case []any:
		all := make([]string, len(v))
		for i, e := range v {
			all[i] = g.literal(e)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case map[string]any:
		var all []string
		for name, e := range v {
			all = append(all, name+": "+g.literal(e))
		}
		slices.Sort(all)
		return "{" + strings.Join(all, ", ") + "}"
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// body makes the JSON of a request, which may be spoilt.
func (g *gibberish) body() string {
	text, variables := g.document()
	if g.once(4) {
		text = g.spoil(text)
	}
	request := map[string]any{"query": text, "variables": variables}
	for name, value := range map[string]any{"operationName": pick(g, oddTexts), "documentId": pick(g, oddTexts), "extensions": map[string]any{"persistedQuery": pick(g, oddValues)},
		"variables": pick(g, oddValues), "query": pick(g, oddValues)} {
		if g.once(40) {
			request[name] = value
		}
	}
	body, _ := json.Marshal(request)
	if g.once(8) {
		return g.spoil(string(body))
	}
	return string(body)
}

// spoil changes a few bytes.
func (g *gibberish) spoil(text string) string {
	b := []byte(text)
	for range 1 + g.IntN(4) {
		if len(b) < 2 {
			break
		}
		i := g.IntN(len(b) - 1)
		j := i + g.IntN(min(20, len(b)-i))
		switch g.IntN(5) {
		case 0:
			b[i] = byte(g.IntN(256))
		case 1:
			b = slices.Delete(b, i, j)
		case 2:
			b = slices.Insert(b, i, b[i:j]...)
		case 3:
			b = slices.Insert(b, i, []byte(pick(g, []string{"{", "}", "$", "...", `"""`, `\u`, "[", "@", "#", "\xff", strconv.Itoa(g.IntN(1000)), "null"}))...)
		case 4:
			b = b[:j]
		}
	}
	return string(b)
}
