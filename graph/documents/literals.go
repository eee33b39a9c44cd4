package documents

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// literalRule lets no literal pass that can not be read later, where it would be a fault
// of this service: gqlparser's rule says nothing about an object or a list in the place
// of a scalar, or about a number that no machine number holds.
var literalRule = core.Rule{
	Name: "ReadableLiterals",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnValue(func(_ *core.Walker, v *ast.Value) {
			if problem := literalProblem(v); problem != "" {
				addError(core.Message("%s", problem), core.At(v.Position))
			}
		})
	},
}

func literalProblem(v *ast.Value) string {
	var err error
	switch v.Kind {
	case ast.IntValue:
		_, err = strconv.ParseInt(v.Raw, 10, 64)
	case ast.FloatValue:
		_, err = strconv.ParseFloat(v.Raw, 64)
	case ast.ObjectValue:
		if isLeaf(v) {
			return "an object is no " + v.Definition.Name
		}
	case ast.ListValue:
		if isLeaf(v) && v.ExpectedType != nil && v.ExpectedType.Elem == nil {
			return "a list is no " + v.Definition.Name
		}
	}
	if err != nil {
		return "a number has 64 bits at most"
	}
	return ""
}

func isLeaf(v *ast.Value) bool { return v.Definition != nil && v.Definition.IsLeafType() }
