package documents

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"occupy/domain"
)

const (
	// askCost is that of a field that asks the database.
	askCost = 50
	// listSize is what a list that has no `first` counts as.
	listSize = 5
)

// weight is the cost of one operation.
type weight struct {
	fixed int
	// varies is set if a variable says how long a page is.
	varies bool
}

// weighing counts a field as 1, or askCost, with what is within it, which a list
// counts as often as it is long. A fragment's cost is counted once.
type weighing struct {
	variables map[string]any
	fragments map[*ast.FragmentDefinition]int
	varies    bool
}

func weigh(o *ast.OperationDefinition, variables map[string]any) weight {
	w := weighing{variables, map[*ast.FragmentDefinition]int{}, false}
	cost := w.set(o.SelectionSet)
	return weight{cost, w.varies}
}

func (w *weighing) set(selections ast.SelectionSet) (sum int) {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.Field:
			sum = plus(sum, w.field(s))
		case *ast.InlineFragment:
			sum = plus(sum, w.set(s.SelectionSet))
		case *ast.FragmentSpread:
			sum = plus(sum, w.fragment(s.Definition))
		}
	}
	return sum
}

func (w *weighing) fragment(f *ast.FragmentDefinition) int {
	cost, known := w.fragments[f]
	if !known {
		cost = w.set(f.SelectionSet)
		w.fragments[f] = cost
	}
	return cost
}

func (w *weighing) field(f *ast.Field) int {
	inner := w.set(f.SelectionSet)
	switch {
	case isPaged(f.Definition):
		return plus(askCost, min(w.pageSize(f)*inner, huge))
	case isRoot(f.ObjectDefinition):
		return plus(askCost, inner*lengthOf(f))
	}
	return plus(1, inner*lengthOf(f))
}

func isPaged(f *ast.FieldDefinition) bool { return f.Arguments.ForName("first") != nil }

func isRoot(parent *ast.Definition) bool {
	return parent.Name == "Query" || parent.Name == "Mutation" || parent.Name == "Subscription"
}

// lengthOf is that of a list; those of a connection are counted where it is asked for.
func lengthOf(f *ast.Field) int {
	if f.Definition.Type.Elem == nil || strings.HasSuffix(f.ObjectDefinition.Name, "Connection") {
		return 1
	}
	return listSize
}

// pageSize is at most what the domain allows, which refuses more.
func (w *weighing) pageSize(f *ast.Field) int {
	size := domain.DefaultPageSize
	for _, a := range f.Arguments {
		if a.Name != "first" && a.Name != "last" {
			continue
		}
		w.varies = w.varies || a.Value.Kind == ast.Variable
		if value, err := a.Value.Value(w.variables); err == nil {
			size = wholeOr(value, size)
		}
	}
	return max(0, min(size, domain.MaxPageSize))
}

// wholeOr reads a number as gqlparser hands it on.
func wholeOr(v any, other int) int {
	switch v := v.(type) {
	case int64:
		return int(v)
	case int:
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
	}
	return other
}
