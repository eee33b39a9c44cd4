package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"occupy/domain"
	"occupy/resolvers"
)

// sharedField is the subscription that is the same for all who ask the same.
const sharedField = "occupancyChanged"

// ofBeginning are the arguments of what is told first, to each their own.
var ofBeginning = []string{"snapshot", "after"}

// feedKey says which subscriptions are equal.
type feedKey [sha256.Size]byte

// sharing is the part of an operation that is equal for all with its key: those of
// the same text and variables by callers of the same roles and language.
type sharing struct {
	key     feedKey
	request *graphql.OperationContext
	// begins is set if there is something of its own to be told first.
	begins bool
}

// sharingOf returns nil if an operation is not to be shared.
func sharingOf(ctx context.Context, request *graphql.OperationContext) *sharing {
	field := rootField(request, sharedField)
	caller, err := domain.CallerFrom(ctx)
	if field == nil || err != nil || len(caller.Roles) == 0 {
		return nil // who has no role is denied by themselves, and noted
	}
	arguments := field.ArgumentMap(request.Variables)
	k := &sharing{begins: arguments["snapshot"] == true || arguments["after"] != nil, request: withoutBeginning(request, field)}
	roles := slices.Sorted(slices.Values(caller.Roles))
	text, err := json.Marshal([]any{request.RawQuery, request.OperationName, k.request.Variables, roles, caller.Language})
	if err != nil {
		return nil
	}
	k.key = sha256.Sum256(text)
	return k
}

// rootField is the only field of a subscription if it has that name, else nil.
func rootField(request *graphql.OperationContext, name string) *ast.Field {
	operation := request.Operation
	if operation.Operation != ast.Subscription || len(operation.SelectionSet) != 1 {
		return nil
	}
	field, _ := operation.SelectionSet[0].(*ast.Field)
	if field == nil || field.Name != name {
		return nil
	}
	return field
}

// withoutBeginning is a request for what comes from now on. The parsed document is
// shared with other requests, so what changes is copied.
func withoutBeginning(request *graphql.OperationContext, field *ast.Field) *graphql.OperationContext {
	f, o := *field, *request.Operation
	f.Arguments = nil
	variables := maps.Clone(request.Variables)
	for _, argument := range field.Arguments {
		if !slices.Contains(ofBeginning, argument.Name) {
			f.Arguments = append(f.Arguments, argument)
		} else if v := argument.Value; v.Kind == ast.Variable && isUsedOnce(request.RawQuery, v.Raw) {
			delete(variables, v.Raw)
		}
	}
	o.SelectionSet = ast.SelectionSet{&f}
	return &graphql.OperationContext{
		RawQuery: request.RawQuery, Variables: variables, OperationName: request.OperationName, Doc: request.Doc, Operation: &o,
		DisableIntrospection: request.DisableIntrospection, RecoverFunc: request.RecoverFunc,
		ResolverMiddleware: request.ResolverMiddleware, RootResolverMiddleware: request.RootResolverMiddleware, Stats: request.Stats,
	}
}

// isUsedOnce tells whether a variable is declared and used once; a longer name that
// begins with its name counts as a use.
func isUsedOnce(query, variable string) bool { return strings.Count(query, "$"+variable) == 2 }

// beginning keeps what a feed tells until its operation has told what it begins with.
// Then it hands on what was not in that.
type beginning struct {
	mu      sync.Mutex
	told    *resolvers.Beginning // nil until then
	waiting []result
}

// pass gives those results that are to be told now.
func (b *beginning) pass(o *operation, results []result) []result {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.told != nil:
		return b.later(results)
	case len(b.waiting) >= maxQueue:
		o.to.spill()
	default:
		b.waiting = append(b.waiting, results...)
	}
	return nil
}

// later are those of results that were not in the beginning. Soon that is all.
func (b *beginning) later(results []result) []result {
	has := func(r result) bool { return b.told.Has(r.of) }
	if slices.ContainsFunc(results, has) {
		return slices.DeleteFunc(slices.Clone(results), has)
	}
	return results
}

// end hands on what has waited.
func (b *beginning) end(o *operation, told *resolvers.Beginning) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = told
	for _, r := range b.later(b.waiting) {
		o.next(r.payload)
	}
	b.waiting = nil
}

// performShared has an operation join its feed; first, one that begins with something
// of its own is told that. It is a member by then, so that there is no gap.
func (g *Gateway) performShared(k *sharing, exec graphql.GraphExecutor, o *operation, request *graphql.OperationContext) {
	if !k.begins {
		g.feeds.join(k, o, exec)
		return
	}
	o.beginning = &beginning{}
	f := g.feeds.join(k, o, exec)
	select {
	case <-f.ready:
	case <-o.ctx.Done():
		return
	}
	ctx, told := resolvers.OnlyBeginning(admitted(o.ctx))
	if g.tellAll(ctx, exec, o, request) {
		o.beginning.end(o, told)
		f.begun(o)
	}
}
