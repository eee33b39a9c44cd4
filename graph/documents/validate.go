package documents

import (
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// maxErrors is how many faults of one document are told. There may be one a token.
const maxErrors = 20

type enough struct{}

// validate tells what is wrong with a document, by the rules. It stops at maxErrors.
func (d *Documents) validate(document *ast.QueryDocument) (wrong gqlerror.List) {
	defer func() {
		if p := recover(); p != nil && p != (enough{}) {
			panic(p)
		}
	}()
	observers := &core.Events{}
	for _, rule := range d.rules {
		rule.RuleFunc(observers, func(options ...core.ErrorOption) {
			if len(wrong) == maxErrors {
				panic(enough{}) // there is no other way to stop the walk
			}
			err := &gqlerror.Error{Rule: rule.Name}
			for _, option := range options {
				option(err)
			}
			err.Message = shortened(err.Message)
			errcode.Set(err, errcode.ValidationFailed)
			wrong = append(wrong, err)
		})
	}
	core.Walk(d.Schema, document, observers)
	return wrong
}

// shortened cuts a message, which may repeat what the caller has sent.
func shortened(message string) string {
	const longest = 500
	if len(message) <= longest {
		return message
	}
	return strings.ToValidUTF8(message[:longest], "") + "…"
}

// subscriptionRule allows a subscription one root field, which is always there.
// gqlparser's own compares the fields' names, so that two aliases of one field pass.
var subscriptionRule = core.Rule{
	Name: "SingleFieldSubscriptions",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnOperation(func(_ *core.Walker, o *ast.OperationDefinition) {
			if o.Operation != ast.Subscription {
				return
			}
			names := map[string]bool{}
			eachRoot(o.SelectionSet, func(f *ast.Field) {
				names[f.Alias] = true
				if len(f.Name) > 1 && f.Name[:2] == "__" {
					addError(core.Message("a subscription can not have the root field %s", f.Name), core.At(f.Position))
				}
			}, func(directives ast.DirectiveList, at *ast.Position) {
				if directives.ForName("skip") != nil || directives.ForName("include") != nil {
					addError(core.Message("the root field of a subscription can not be left out"), core.At(at))
				}
			})
			if len(names) > 1 {
				addError(core.Message("a subscription has one root field, not %d", len(names)), core.At(o.Position))
			}
		})
	},
}

// CountRoots is how many fields an operation has at its root, at most: one that may be
// left out counts.
func CountRoots(o *ast.OperationDefinition) (n int) {
	eachRoot(o.SelectionSet, func(*ast.Field) { n++ }, func(ast.DirectiveList, *ast.Position) {})
	return n
}

// eachRoot visits the root fields of an operation, and the directives on the way.
func eachRoot(set ast.SelectionSet, field func(*ast.Field), directives func(ast.DirectiveList, *ast.Position)) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			directives(s.Directives, s.Position)
			field(s)
		case *ast.InlineFragment:
			directives(s.Directives, s.Position)
			eachRoot(s.SelectionSet, field, directives)
		case *ast.FragmentSpread:
			directives(s.Directives, s.Position)
			if s.Definition != nil {
				eachRoot(s.Definition.SelectionSet, field, directives)
			}
		}
	}
}

// introspectionRule refuses to tell about the schema.
var introspectionRule = core.Rule{
	Name: "NoIntrospection",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnField(func(_ *core.Walker, f *ast.Field) {
			if f.Name == "__schema" || f.Name == "__type" {
				addError(core.Message("introspection is not allowed here: %s", f.Name), core.At(f.Position))
			}
		})
	},
}
