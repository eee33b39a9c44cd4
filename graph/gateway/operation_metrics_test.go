package gateway

import (
	"context"
	"reflect"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"occupy/domain"
	"occupy/graph"
)

// A command whose answer has a code and is not counted would be missed only in a fault.
func TestEveryCommandIsCountedByItsCode(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	m := newOperationMetrics(schema)
	commands := reflect.TypeFor[graph.MutationResolver]()
	for command := range commands.Methods() {
		if !command.Type.Out(0).Implements(reflect.TypeFor[answer]()) {
			t.Errorf("%s gives %s, which has no Outcome", command.Name, command.Type.Out(0))
		}
	}
	for _, field := range schema.Mutation.Fields {
		if len(m.fields[ast.Mutation][field.Name].answers) == 0 {
			t.Errorf("%s has no codes", field.Name)
		}
	}
	if m.fields[ast.Subscription]["holdItem"].answers[domain.CodeGranted] == nil {
		t.Error("holdItem has no codes")
	}
}

func BenchmarkCountAnswer(b *testing.B) {
	m := newOperationMetrics(graph.NewExecutableSchema(graph.Config{}).Schema())
	ctx := graphql.WithFieldContext(context.Background(), &graphql.FieldContext{
		Object: "Mutation", Field: graphql.CollectedField{Field: &ast.Field{Name: "occupy"}}})
	for name, v := range map[string]any{"command": &domain.Answer{Code: domain.CodeGranted}, "field": "text"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = m.countAnswer(ctx, func(context.Context) (any, error) { return v, nil })
			}
		})
	}
}

func BenchmarkCountOperation(b *testing.B) {
	m := newOperationMetrics(graph.NewExecutableSchema(graph.Config{}).Schema())
	o := &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Mutation,
		SelectionSet: ast.SelectionSet{&ast.Field{Name: "occupy"}}}}
	o.Stats.OperationStart = graphql.Now()
	ctx, response := graphql.WithOperationContext(context.Background(), o), &graphql.Response{}
	b.ReportAllocs()
	for b.Loop() {
		m.ended(ctx, response)
	}
}
