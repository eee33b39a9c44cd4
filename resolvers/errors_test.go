package resolvers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
	"occupy/graph"
)

// logged catches the log of a test.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

func inOperation(ctx context.Context) context.Context {
	return graphql.WithOperationContext(ctx, &graphql.OperationContext{})
}

func TestPresentError(t *testing.T) {
	secret := errors.New("secret")
	for _, c := range []struct {
		err    error
		code   graph.ErrorCode
		logged bool
	}{
		{&domain.InputError{Argument: "input.x", Problem: "is wrong"}, graph.ErrorCodeBadUserInput, false},
		{domain.ErrUnauthenticated, graph.ErrorCodeUnauthenticated, false},
		{&domain.ForbiddenError{Needs: []domain.Role{domain.RoleService}}, graph.ErrorCodeForbidden, false},
		{domain.ErrUnavailable, graph.ErrorCodeUnavailable, false},
		{domain.ErrOutcomeUnknown, graph.ErrorCodeOutcomeUnknown, false},
		{domain.ErrTooSlow, graph.ErrorCodeResync, false},
		{domain.ErrFeedBroken, graph.ErrorCodeResync, false},
		{context.Canceled, graph.ErrorCodeUnavailable, false},
		{context.DeadlineExceeded, graph.ErrorCodeUnavailable, false},
		{errors.New("unforeseen"), graph.ErrorCodeInternal, true},
		// The outcome is unknown because the database is not available.
		{errors.Join(domain.ErrUnavailable, domain.ErrOutcomeUnknown), graph.ErrorCodeOutcomeUnknown, false},
	} {
		log := logged(t)
		got := PresentError(inOperation(t.Context()), fmt.Errorf("try: %w: %w", c.err, secret))
		if got.Extensions["code"] != c.code || strings.Contains(got.Message, "secret") {
			t.Errorf("%v: %s %v, want %s", c.err, got.Message, got.Extensions, c.code)
		}
		if id, _ := got.Extensions["requestId"].(string); c.logged != (strings.Count(log.String(), "internal error") == 1 && strings.Contains(log.String(), id)) {
			t.Errorf("%v: logged %q", c.err, log)
		}
	}
}

func TestPumpMakesOfAPanicAnErrorOfItsOwn(t *testing.T) {
	log := logged(t)
	ctx := inOperation(t.Context())
	err := pump(ctx, func(context.Context) ([]*domain.OccupancyEvent, error) { panic("no such luck") }, nil)
	got := PresentError(ctx, err)
	if got.Extensions["code"] != graph.ErrorCodeInternal || !strings.Contains(log.String(), "no such luck") {
		t.Errorf("%v, logged %q", got, log)
	}
}

func TestPumpEndsWithItsClient(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	one := func(context.Context) ([]*domain.OccupancyEvent, error) { return []*domain.OccupancyEvent{{}}, nil }
	if err := pump(ctx, one, make(chan *domain.OccupancyEvent)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
