package resolvers

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
)

// plain are the errors that say the same to every caller.
var plain = []struct {
	err     error
	code    graph.ErrorCode
	message string
}{
	{domain.ErrUnauthenticated, graph.ErrorCodeUnauthenticated, "nobody is known to be asking: send your credentials"},
	{domain.ErrOutcomeUnknown, graph.ErrorCodeOutcomeUnknown, "the database went away at the commit: look before you repeat"},
	{domain.ErrBusy, graph.ErrorCodeUnavailable, "too many questions are being asked at once; try again later"},
	{domain.ErrUnavailable, graph.ErrorCodeUnavailable, "nothing was changed; try again"},
	{domain.ErrTooSlow, graph.ErrorCodeResync, "this subscriber fell behind: subscribe again with a snapshot"},
	{domain.ErrFeedBroken, graph.ErrorCodeResync, "this can not be continued without a hole: subscribe again with a snapshot"},
	// The caller has left, the time for the operation is over, or the gateway stops.
	{context.Canceled, graph.ErrorCodeUnavailable, "this gateway stops; try again"},
	{context.DeadlineExceeded, graph.ErrorCodeUnavailable, "it took too long; try again"},
}

// PresentError says what a caller is told of an error: a message, and in the
// extensions a code of graph.ErrorCode, with the `argument` of bad input or the
// `requestId` of an internal fault. An error that is not foreseen is logged once
// under that id, and none of its text is told.
func PresentError(ctx context.Context, err error) *gqlerror.Error {
	told := presentError(ctx, err)
	told.Message = shortened(told.Message)
	if argument, is := told.Extensions[argumentExtension].(string); is {
		told.Extensions[argumentExtension] = shortened(argument)
	}
	return told
}

// longestTold is how much of a text is told: some repeat what the caller has sent.
const longestTold = 500

func shortened(text string) string {
	if len(text) <= longestTold {
		return text
	}
	return strings.ToValidUTF8(text[:longestTold], "") + "…"
}

func presentError(ctx context.Context, err error) *gqlerror.Error {
	var made *gqlerror.Error
	if !errors.As(err, &made) {
		made = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	told := &gqlerror.Error{Path: fieldPath(ctx, made.Path), Locations: made.Locations}
	if _, coded := made.Extensions["code"]; coded {
		told.Message, told.Extensions = made.Message, made.Extensions
		return asBadInput(ctx, told, made)
	}
	if !graphql.HasOperationContext(ctx) {
		// The transport's: its message repeats the whole request.
		return coded(told, errcode.ParseFailed, "the request is not the JSON object of a GraphQL request")
	}
	return present(ctx, told, made)
}

// PresentPlain is PresentError for what is asked for otherwise than by GraphQL.
func PresentPlain(ctx context.Context, err error) *gqlerror.Error {
	return present(ctx, &gqlerror.Error{}, gqlerror.WrapPath(nil, err))
}

func present(ctx context.Context, told, made *gqlerror.Error) *gqlerror.Error {
	var input *domain.InputError
	var forbidden *domain.ForbiddenError
	switch {
	case errors.As(made, &input):
		return badInput(told, *input, argumentPath(ctx, made.Path))
	case errors.As(made, &forbidden):
		return coded(told, graph.ErrorCodeForbidden, forbidden.Error())
	}
	for _, p := range plain {
		if errors.Is(made, p.err) {
			return coded(told, p.code, p.message)
		}
	}
	return internal(ctx, told, "err", made)
}

// Recover makes of a panic an internal error, already presented, and logs it with
// the place where it happened.
func Recover(ctx context.Context, p any) error {
	return internal(ctx, &gqlerror.Error{Path: graphql.GetPath(ctx)}, "panic", p, "stack", string(debug.Stack()))
}

func internal(ctx context.Context, told *gqlerror.Error, what ...any) *gqlerror.Error {
	id := cmp.Or(RequestID(ctx), rand.Text())
	slog.ErrorContext(ctx, "internal error", append([]any{"requestId", id, "path", told.Path.String()}, what...)...)
	told = coded(told, graph.ErrorCodeInternal, "a fault of the service; its log tells more under this request id")
	told.Extensions["requestId"] = id
	return told
}

// badInput names the argument: that of the error, or, for a scalar, which does not
// know it, the one whose value was being read.
func badInput(told *gqlerror.Error, input domain.InputError, argument string) *gqlerror.Error {
	if input.Argument == "" {
		input.Argument = argument
	}
	told = coded(told, graph.ErrorCodeBadUserInput, input.Error())
	told.Extensions["argument"] = input.Argument
	return told
}

func coded[C ~string](told *gqlerror.Error, code C, message string) *gqlerror.Error {
	told.Message, told.Extensions = message, map[string]any{"code": code}
	return told
}

// fieldPath is the part of a path that the response has, too: without what
// follows within the field's arguments, and none if no field was reached.
func fieldPath(ctx context.Context, path ast.Path) ast.Path {
	if len(path) > 0 && path[0] == variableRoot {
		return nil
	}
	if field := graphql.GetFieldContext(ctx); field != nil {
		return path[:min(len(path), len(field.Path()))]
	}
	return path
}
