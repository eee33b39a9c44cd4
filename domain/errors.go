package domain

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrUnauthenticated says that nobody is known to be asking.
	ErrUnauthenticated = errors.New("no caller is known")

	// ErrUnavailable says that nothing was changed and that it is worth trying
	// again: the database is away, too slow, or not ready to take the write.
	ErrUnavailable = errors.New("unavailable")

	// ErrBusy is ErrUnavailable, for too many ask at once.
	ErrBusy = fmt.Errorf("%w: too many ask at once", ErrUnavailable)

	// ErrOutcomeUnknown says that the database went away at the commit and
	// could not be asked since: look before repeating.
	ErrOutcomeUnknown = errors.New("outcome unknown")

	// ErrCompleted is the cause of the end of a subscription's context, by
	// context.CancelCause, if its client said that it has done with it. Any other
	// cause means that the connection was lost.
	ErrCompleted = errors.New("completed by the client")

	// ErrTooSlow ends a subscription whose reader did not keep up.
	ErrTooSlow = errors.New("subscriber too slow")

	// ErrFeedBroken ends a subscription that can not be continued without a
	// hole: the database was restored or replaced by another.
	ErrFeedBroken = errors.New("feed broken")
)

// InputError says which argument was wrong, by its path ("input.ttlSeconds"),
// and in what way.
type InputError struct {
	Argument string
	Problem  string
}

func (e *InputError) Error() string { return e.Argument + " " + e.Problem }

// ForbiddenError says which roles would have been needed, any one of them.
type ForbiddenError struct{ Needs []Role }

func (e *ForbiddenError) Error() string {
	names := make([]string, len(e.Needs))
	for i, r := range e.Needs {
		names[i] = string(r)
	}
	return fmt.Sprintf("needs the role %s", strings.Join(names, " or "))
}
