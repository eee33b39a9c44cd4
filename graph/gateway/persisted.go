package gateway

import (
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph/documents"
)

// How a request names its document, instead of having its text.
const (
	// persistedExtension is that of automatic persisted queries.
	persistedExtension = "persistedQuery"
	// documentIDField is a field of the request, which is kept among its extensions.
	documentIDField = "documentId"
)

// namesDocument tells whether a request without a text says which it wants.
func namesDocument(params *graphql.RawParams) bool {
	return params.Extensions[persistedExtension] != nil || params.Extensions[documentIDField] != nil
}

// documentRequest reads which document is wanted.
func documentRequest(params *graphql.RawParams) (documents.Request, *gqlerror.Error) {
	r := documents.Request{Text: params.Query}
	r.ID, _ = params.Extensions[documentIDField].(string)
	persisted, sent := params.Extensions[persistedExtension]
	if !sent || persisted == nil {
		return r, nil
	}
	fields, _ := persisted.(map[string]any)
	r.Hash, _ = fields["sha256Hash"].(string)
	if len(r.Hash) != 64 || fields["version"] != json.Number("1") {
		return r, invalid("extensions.persistedQuery must have version 1 and sha256Hash, 64 hexadecimal digits")
	}
	return r, nil
}

type ownKey struct{}

// ownDocument marks a request whose document is this program's own, and not a caller's.
func ownDocument(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownKey{}, true)
}

// find finds the document that a request wants.
func (x *documentExecutor) find(ctx context.Context, params *graphql.RawParams) (*documents.Document, gqlerror.List) {
	if ctx.Value(ownKey{}) != nil {
		return x.documents.Find(params.Query)
	}
	if len(params.Extensions) == 0 { // nearly all
		return x.documents.FindFor(documents.Request{Text: params.Query})
	}
	r, wrong := documentRequest(params)
	if wrong != nil {
		return nil, gqlerror.List{wrong}
	}
	return x.documents.FindFor(r)
}
