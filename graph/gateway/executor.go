package gateway

import (
	"cmp"
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph/documents"
	"occupy/resolvers"
)

// Documents says what documents the gateway carries out. What is zero is as
// DefaultDocuments says.
type Documents struct {
	Limits        documents.Limits
	Introspection bool
	Known         *documents.Known // may be asked for by an id
	OnlyKnown     bool             // no others are carried out
	CacheBytes    int              // of texts that came before, and what they are when read
}

// DefaultDocuments keep some thousand of those that screens send.
var DefaultDocuments = Documents{Limits: documents.DefaultLimits, CacheBytes: 32 << 20}

func (d Documents) config(schema *ast.Schema) documents.Config {
	return documents.Config{
		Schema: schema, Rules: resolvers.ValidationRules(), Limits: d.Limits,
		Introspection: d.Introspection, Known: d.Known, OnlyKnown: d.OnlyKnown, CacheBytes: cmp.Or(d.CacheBytes, DefaultDocuments.CacheBytes),
	}
}

// documentExecutor is gqlgen's executor, which is handed documents that are read and
// found good already: what it would do itself is neither bounded nor linear.
type documentExecutor struct {
	*executor.Executor
	documents *documents.Documents
}

// CreateOperationContext makes an operation of a request.
// Returns errors if that is not to be carried out.
func (x *documentExecutor) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	document, wrong := x.find(ctx, params)
	if wrong != nil {
		return &graphql.OperationContext{}, wrong
	}
	params.Query = document.Text
	operation, wrong := x.Executor.CreateOperationContext(context.WithValue(ctx, documentKey{}, document), params)
	if wrong != nil {
		return operation, wrong
	}
	if dear := x.documents.Afford(document, operation.Operation, operation.Variables); dear != nil {
		return operation, gqlerror.List{dear}
	}
	return operation, nil
}

type documentKey struct{}

// handedOver is a cache that has the document that is in the context.
type handedOver struct{}

// Get gives it.
func (handedOver) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	document, is := ctx.Value(documentKey{}).(*documents.Document)
	if !is {
		return nil, false
	}
	return document.AST, true
}

// Add keeps nothing.
func (handedOver) Add(context.Context, string, *ast.QueryDocument) {}
