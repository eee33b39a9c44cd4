package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
)

// operationMetrics count operations by their root field. What a field needs is looked
// up once, when the gateway is made, so that nothing that callers write can make more
// of it, and counting costs next to nothing.
type operationMetrics struct {
	operations *prometheus.CounterVec
	answers    *prometheus.CounterVec
	duration   *prometheus.HistogramVec

	fields map[ast.Operation]map[string]*fieldMetrics
}

// fieldMetrics are those of operations with one root field, or with others.
type fieldMetrics struct {
	kind, name string
	well       prometheus.Counter
	duration   prometheus.Observer
	answers    map[domain.Code]prometheus.Counter
}

// several is the name of an operation with more than one root field, or with none of
// this service's own.
const several = "several"

func newOperationMetrics(schema *ast.Schema) *operationMetrics {
	m := &operationMetrics{
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_operations_total",
			Help: "GraphQL operations by type, root field and the code of their first error, OK if there is none. Subscriptions are counted when they begin.",
		}, []string{"type", "operation", "code"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_answers_total",
			Help: "Answers of commands, refusals by the rules among them, by root field and code.",
		}, []string{"operation", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "occupy_operation_duration_seconds",
			Help:    "Time from a query or mutation's being read to its answer's being made, by root field.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 40},
		}, []string{"type", "operation"}),
		fields: map[ast.Operation]map[string]*fieldMetrics{},
	}
	for operation, root := range map[ast.Operation]*ast.Definition{
		ast.Query: schema.Query, ast.Mutation: schema.Mutation, ast.Subscription: schema.Subscription,
	} {
		all := map[string]*fieldMetrics{several: m.of(operation, several)}
		for _, field := range root.Fields {
			if !strings.HasPrefix(field.Name, "__") {
				all[field.Name] = m.of(operation, field.Name)
				m.addAnswers(schema, all[field.Name], field)
			}
		}
		m.fields[operation] = all
	}
	return m
}

func (m *operationMetrics) of(operation ast.Operation, name string) *fieldMetrics {
	f := &fieldMetrics{kind: string(operation), name: name, well: m.operations.WithLabelValues(string(operation), name, "OK")}
	if operation != ast.Subscription {
		f.duration = m.duration.WithLabelValues(string(operation), name)
	}
	return f
}

// addAnswers has a field's answers counted, if they have a code. That of a hold is in
// its first event.
func (m *operationMetrics) addAnswers(schema *ast.Schema, f *fieldMetrics, field *ast.FieldDefinition) {
	answer := schema.Types[field.Type.Name()]
	if payload := answer.Fields.ForName("payload"); payload != nil {
		answer = schema.Types[payload.Type.Name()]
	}
	code := answer.Fields.ForName("code")
	if code == nil {
		return
	}
	f.answers = map[domain.Code]prometheus.Counter{}
	for _, value := range schema.Types[code.Type.Name()].EnumValues {
		f.answers[domain.Code(value.Name)] = m.answers.WithLabelValues(f.name, value.Name)
	}
}

func (m *operationMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.operations, m.answers, m.duration}
}

// find gives the metrics of an operation.
func (m *operationMetrics) find(o *ast.OperationDefinition) *fieldMetrics {
	all := m.fields[o.Operation]
	if len(o.SelectionSet) == 1 {
		if field, is := o.SelectionSet[0].(*ast.Field); is && all[field.Name] != nil {
			return all[field.Name]
		}
	}
	return all[several]
}

// begun counts a subscription.
func (m *operationMetrics) begun(ctx context.Context) {
	m.find(graphql.GetOperationContext(ctx).Operation).well.Inc()
}

// turnedAway counts an operation that may not begin.
func (m *operationMetrics) turnedAway(ctx context.Context, refused *gqlerror.Error) {
	m.failed(m.find(graphql.GetOperationContext(ctx).Operation), codeOf(refused))
}

func (m *operationMetrics) failed(f *fieldMetrics, code string) {
	m.operations.WithLabelValues(f.kind, f.name, code).Inc()
}

func codeOf(err *gqlerror.Error) string { return fmt.Sprint(err.Extensions["code"]) }

// ended counts a query or mutation that has been carried out.
func (m *operationMetrics) ended(ctx context.Context, r *graphql.Response) {
	request := graphql.GetOperationContext(ctx)
	f, took := m.find(request.Operation), time.Since(request.Stats.OperationStart)
	code := "OK"
	if r != nil && len(r.Errors) > 0 {
		code = codeOf(r.Errors[0])
		m.failed(f, code)
	} else {
		f.well.Inc()
	}
	f.duration.Observe(took.Seconds())
	if log := slog.Default(); log.Enabled(ctx, slog.LevelDebug) {
		caller, _ := domain.CallerFrom(ctx)
		log.DebugContext(ctx, "operation", "type", f.kind, "field", f.name, "user", caller.UserID, "code", code, "took", took)
	}
}

// countAnswer counts what a command answered. It is around every field.
func (m *operationMetrics) countAnswer(ctx context.Context, next graphql.Resolver) (any, error) {
	v, err := next(ctx)
	if a, is := v.(answer); is && err == nil {
		field := graphql.GetFieldContext(ctx)
		if c := m.fieldOf(field).answers[a.Outcome()]; c != nil {
			c.Inc()
		}
	}
	return v, err
}

// answer is what commands give.
type answer interface{ Outcome() domain.Code }

// fieldOf is the root field of an answer.
func (m *operationMetrics) fieldOf(field *graphql.FieldContext) *fieldMetrics {
	switch field.Object {
	case "Mutation":
		return m.fields[ast.Mutation][field.Field.Name]
	case "Query":
		return m.fields[ast.Query][field.Field.Name]
	}
	return m.fields[ast.Subscription]["holdItem"]
}
