package resolvers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"occupy/domain"
)

// A value that is not of its argument's type is found in three places: a literal by
// a validation rule, a variable by gqlparser's VariableValues, and what both let
// pass by our scalars. Callers get the same answer from all: BAD_USER_INPUT and the
// argument's path, as the domain writes it: input.items.0.itemName.

// variableRoot starts the path of an error of VariableValues.
const variableRoot = ast.PathName("variable")

const argumentExtension = "argument"

// ValidationRules are gqlparser's, without those that guess what was meant: that tells
// the schema to everybody. The one that judges literals also notes the argument's path
// in the errors' extensions.
func ValidationRules() *rules.Rules {
	all := rules.NewDefaultRules()
	for guessing, silent := range map[string]core.Rule{
		rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
		rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
	} {
		all.ReplaceRule(guessing, silent.RuleFunc)
	}
	judge := rules.ValuesOfCorrectTypeRuleWithoutSuggestions
	all.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, func(observers *core.Events, addError core.AddErrFunc) {
		var document *ast.QueryDocument
		var judged *ast.Value
		observers.OnValue(func(w *core.Walker, v *ast.Value) { document, judged = w.Document, v })
		judge.RuleFunc(observers, func(options ...core.ErrorOption) {
			addError(append(options, func(err *gqlerror.Error) { noteArgument(err, document, judged) })...)
		})
	})
	return all
}

func noteArgument(err *gqlerror.Error, document *ast.QueryDocument, judged *ast.Value) {
	path := findValue(document, func(v *ast.Value) bool { return v == judged })
	if path == nil {
		return // a variable's default, or a directive's argument
	}
	if field := faultyField(err, judged); field != "" {
		path = append(path, ast.PathName(field))
	}
	err.Extensions = map[string]any{argumentExtension: dotted(path)}
}

// faultyField is the field of an object that an error is about: one that its type
// does not have, or one that is missing.
func faultyField(err *gqlerror.Error, object *ast.Value) string {
	for _, child := range object.Children {
		if child.Name != "" && object.Definition.Fields.ForName(child.Name) == nil && isAt(err, child.Position) {
			return child.Name
		}
	}
	if object.Kind != ast.ObjectValue {
		return ""
	}
	for _, field := range object.Definition.Fields {
		missing := field.Type.NonNull && object.Children.ForName(field.Name) == nil
		if missing && strings.Contains(err.Message, strconv.Quote(object.Definition.Name+"."+field.Name)) {
			return field.Name
		}
	}
	return ""
}

func isAt(err *gqlerror.Error, at *ast.Position) bool {
	return len(err.Locations) > 0 && err.Locations[0] == gqlerror.Location{Line: at.Line, Column: at.Column}
}

// asBadInput recognises, among the errors that gqlparser made, the wrong values.
func asBadInput(ctx context.Context, told, made *gqlerror.Error) *gqlerror.Error {
	argument, _ := made.Extensions[argumentExtension].(string)
	if len(made.Path) > 0 && made.Path[0] == variableRoot {
		argument = dotted(variablePath(ctx, made.Path[1:]))
	}
	if argument == "" {
		return told
	}
	return badInput(told, domain.InputError{Argument: argument, Problem: made.Message}, argument)
}

// variablePath is a path within a variable as one within the argument that the
// variable is used for.
func variablePath(ctx context.Context, path ast.Path) ast.Path {
	name := string(path[0].(ast.PathName))
	used := findValue(graphql.GetOperationContext(ctx).Doc, func(v *ast.Value) bool {
		return v.Kind == ast.Variable && v.Raw == name
	})
	if used == nil {
		return path // of a directive
	}
	return append(used, path[1:]...)
}

// argumentPath is the part of a path that lies within the arguments of a field.
func argumentPath(ctx context.Context, path ast.Path) string {
	return dotted(path[len(fieldPath(ctx, path)):])
}

// findValue finds the argument value that is wanted, anywhere in a document.
// Returns nil if there is none.
func findValue(document *ast.QueryDocument, wanted func(*ast.Value) bool) ast.Path {
	for _, operation := range document.Operations {
		if path := findInSelections(operation.SelectionSet, wanted); path != nil {
			return path
		}
	}
	for _, fragment := range document.Fragments {
		if path := findInSelections(fragment.SelectionSet, wanted); path != nil {
			return path
		}
	}
	return nil
}

func findInSelections(selections ast.SelectionSet, wanted func(*ast.Value) bool) ast.Path {
	for _, selection := range selections {
		var path ast.Path
		switch s := selection.(type) {
		case *ast.Field:
			for _, argument := range s.Arguments {
				if path := findInValue(ast.Path{ast.PathName(argument.Name)}, argument.Value, wanted); path != nil {
					return path
				}
			}
			path = findInSelections(s.SelectionSet, wanted)
		case *ast.InlineFragment:
			path = findInSelections(s.SelectionSet, wanted)
		}
		if path != nil {
			return path
		}
	}
	return nil
}

func findInValue(at ast.Path, v *ast.Value, wanted func(*ast.Value) bool) ast.Path {
	if wanted(v) {
		return at
	}
	for i, child := range v.Children {
		var step ast.PathElement = ast.PathIndex(i)
		if child.Name != "" {
			step = ast.PathName(child.Name)
		}
		if path := findInValue(append(at[:len(at):len(at)], step), child.Value, wanted); path != nil {
			return path
		}
	}
	return nil
}

func dotted(path ast.Path) string {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = fmt.Sprint(step)
	}
	return strings.Join(steps, ".")
}
