package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/resolvers"
)

// operation is one that a socket or a stream carries, from its subscribe to its
// complete.
type operation struct {
	id  []byte // as JSON; nil on a stream, which has one operation
	to  *outbox
	ctx context.Context
	// cancel ends ctx. The cause is domain.ErrCompleted if the client said that it
	// has done with it.
	cancel context.CancelCauseFunc
	// safe lets nothing be changed.
	safe bool
	// by makes the id free again, if it is still this one's.
	by interface{ forget(*operation) bool }
	// beginning is nil if what it tells is what equal ones tell.
	beginning *beginning

	// These are guarded by its feed.
	part, place int  // among the members
	counted     bool // as a listener

	lasts atomic.Bool // it is a subscription
	ended atomic.Bool // its last message is queued
	left  atomic.Bool // the client wants nothing more of it
}

// begin makes an operation that ends with ctx.
func begin(ctx context.Context, id []byte, to *outbox, by interface{ forget(*operation) bool }) *operation {
	o := &operation{id: id, to: to, by: by}
	o.ctx, o.cancel = context.WithCancelCause(ctx)
	return o
}

// abandon ends it without a word.
func (o *operation) abandon(cause error) {
	o.left.Store(true)
	o.cancel(cause)
}

// next tells a result.
func (o *operation) next(payload []byte) {
	o.to.put(message{o, next, payload})
}

// complete tells that there is no more.
func (o *operation) complete() { o.end(complete, nil) }

// fail tells why there is no more.
func (o *operation) fail(errors gqlerror.List) {
	payload, _ := json.Marshal(errors)
	o.end(failed, payload)
}

func (o *operation) end(k kind, payload []byte) {
	if o.ended.Swap(true) {
		return
	}
	o.by.forget(o) // before it is told: the client may use the id again at once
	o.to.put(message{o, k, payload})
	o.cancel(nil)
}

// perform carries an operation out and tells its client, or has it join the equal
// ones that are being carried out.
func (g *Gateway) perform(exec graphql.GraphExecutor, o *operation, params *graphql.RawParams) {
	defer g.recover(o.ctx, o.fail)
	request, errs := exec.CreateOperationContext(graphql.StartOperationTrace(o.ctx), params)
	if errs != nil {
		o.fail(exec.DispatchError(graphql.WithOperationContext(o.ctx, request), errs).Errors)
		return
	}
	o.lasts.Store(request.Operation.Operation == ast.Subscription)
	if o.safe && !changesNothing(request) {
		o.fail(gqlerror.List{g.metrics.countError(invalid("GET is for what changes nothing"))})
		return
	}
	if k := sharingOf(o.ctx, request); k != nil {
		if refused := g.refusalOf(graphql.WithOperationContext(o.ctx, request)); refused != nil {
			o.fail(gqlerror.List{refused})
			return
		}
		g.performShared(k, exec, o, request)
		return
	}
	if request.Operation.Operation == ast.Subscription {
		g.listeners.Add(1)
		defer g.listeners.Add(-1)
	}
	if g.tellAll(o.ctx, exec, o, request) {
		o.complete()
	}
}

// tellAll carries an operation out and tells its results, no faster than its client
// reads. Returns false if it has failed or its client has left.
func (g *Gateway) tellAll(ctx context.Context, exec graphql.GraphExecutor, o *operation, request *graphql.OperationContext) bool {
	responses, ctx := exec.DispatchOperation(ctx, request)
	for o.to.waitForRoom(ctx) == nil {
		response := responses(ctx)
		if response == nil {
			break
		}
		if errors := fatal(request, response); errors != nil {
			o.fail(errors)
			return false
		}
		o.next(encode(response))
	}
	return ctx.Err() == nil
}

// recover makes of a panic the end of what panicked.
func (g *Gateway) recover(ctx context.Context, fail func(gqlerror.List)) {
	if p := recover(); p != nil {
		fail(gqlerror.List{g.metrics.countError(resolvers.PresentError(ctx, resolvers.Recover(ctx, p)))})
	}
}

// fatal are the errors of a response that ends its subscription, nil if it does not:
// an event that can not be told is a hole, and nobody may go on over a hole.
func fatal(request *graphql.OperationContext, r *graphql.Response) gqlerror.List {
	told := r.Data != nil && !bytes.HasSuffix(r.Data, []byte(`:null}`)) // null, for the only field
	if request.Operation.Operation != ast.Subscription || told {
		return nil
	}
	return r.Errors
}

// encode writes a response. Data is JSON already, and most have nothing else.
func encode(r *graphql.Response) []byte {
	if len(r.Errors) > 0 || len(r.Extensions) > 0 || r.Data == nil {
		text, _ := json.Marshal(struct {
			Errors     gqlerror.List   `json:"errors,omitempty"`
			Data       json.RawMessage `json:"data,omitempty"` // absent if nothing was carried out
			Extensions map[string]any  `json:"extensions,omitempty"`
		}{r.Errors, r.Data, r.Extensions})
		return text
	}
	text := make([]byte, 0, len(r.Data)+len(`{"data":}`))
	return append(append(append(text, `{"data":`...), r.Data...), '}')
}

// changesNothing tells whether an operation may be sent by a link.
func changesNothing(request *graphql.OperationContext) bool {
	return request.Operation.Operation == ast.Query || rootField(request, sharedField) != nil
}
