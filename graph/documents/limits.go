package documents

import (
	"cmp"
	"fmt"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph"
)

// Limits bound one document. What is zero is as DefaultLimits says.
type Limits struct {
	Tokens     int // names, numbers, texts, punctuation
	Fields     int // and fragments, each counted as often as it is spread, and once for itself
	Depth      int // of fields within fields
	Aliases    int
	Roots      int // fields of an operation's root
	Fragments  int // definitions
	Directives int
	Cost       int // as weigh counts it
}

// DefaultLimits let no document take more than some 50 ms to validate, which takes
// longest if a field comes again and again: that is quadratic. They let pass an occupyAll of a thousand items that is written out, the
// introspection query of the usual tools, and a page of a thousand rows with all
// their fields.
var DefaultLimits = Limits{
	Tokens: 10_000, Fields: 800, Depth: 20, Aliases: 50, Roots: 20, Fragments: 50, Directives: 50, Cost: 50_000,
}

// longestName is more than any name of a schema has. Messages repeat names, and
// comparing costs as much as they are long.
const longestName = 200

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{
		Tokens: cmp.Or(l.Tokens, d.Tokens), Fields: cmp.Or(l.Fields, d.Fields), Depth: cmp.Or(l.Depth, d.Depth),
		Aliases: cmp.Or(l.Aliases, d.Aliases), Roots: cmp.Or(l.Roots, d.Roots), Fragments: cmp.Or(l.Fragments, d.Fragments),
		Directives: cmp.Or(l.Directives, d.Directives), Cost: cmp.Or(l.Cost, d.Cost),
	}
}

// within returns an error that names the limit if there are more than it allows.
func within(limit string, count, most int) *gqlerror.Error {
	if count <= most {
		return nil
	}
	return &gqlerror.Error{
		Message:    fmt.Sprintf("%s: more than the %d that a request may have", limit, most),
		Extensions: map[string]any{"code": graph.ErrorCodeLimitExceeded, "limit": limit, "maximum": most},
	}
}

func failure[C ~string](code C, format string, args ...any) *gqlerror.Error {
	return &gqlerror.Error{Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code}}
}
