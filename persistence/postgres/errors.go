package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"occupy/domain"
)

// SQLSTATEs by name. Nothing outside this file reads one.
const (
	sqlCheckViolation       = "23514"
	sqlUniqueViolation      = "23505"
	sqlOutOfRange           = "22003"
	sqlReadOnly             = "25006"
	sqlIdleInTransaction    = "25P03"
	sqlSerializationFailure = "40001"
	sqlDeadlockDetected     = "40P01"
	sqlLockNotAvailable     = "55P03"
	sqlQueryCanceled        = "57014"
	sqlNotAllowed           = "42501"
	sqlUndefinedTable       = "42P01"
	sqlNotInState           = "55000"

	classConnection = "08"
	classSyntax     = "42"
	classResources  = "53"
	classOperator   = "57"
)

// translate says in the domain's words what an error means to a caller: that
// nothing was changed and trying again is worth it, or, unchanged, that
// something is wrong. A caller's own cancellation stays as it is.
func translate(err error) error {
	if err == nil || errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrOutcomeUnknown) {
		return err
	}
	if isMissingPartition(err) {
		return fmt.Errorf("%w: the history has no partition for this month; the server makes them ahead, see its log: %w",
			domain.ErrUnavailable, err)
	}
	if isPassing(err) {
		return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
	}
	return err
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// isPassing tells whether trying again later may well succeed.
func isPassing(err error) bool {
	switch code := sqlState(err); code {
	case "":
		return isConnection(err)
	case sqlReadOnly, sqlIdleInTransaction, sqlSerializationFailure, sqlDeadlockDetected, sqlLockNotAvailable:
		return true
	default:
		return hasClass(code, classConnection, classResources, classOperator)
	}
}

// isConnection tells whether the database could not be reached or did not answer in time.
func isConnection(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errLost)
}

// lostIfConnection marks the error of a statement that may be run again when
// its connection broke.
func lostIfConnection(err error) error {
	var connect *pgconn.ConnectError
	if err != nil && isPassing(err) && !errors.As(err, &connect) && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// isRetryable tells whether the same transaction may simply be run again.
func isRetryable(err error) bool {
	code := sqlState(err)
	return code == sqlSerializationFailure || code == sqlDeadlockDetected || errors.Is(err, errLost) || errors.Is(err, errUnmade)
}

// isEverybodys tells whether an error would meet any caller, so that there is
// no use in looking for the one who caused it.
func isEverybodys(err error) bool {
	code := sqlState(err)
	return errors.Is(err, domain.ErrOutcomeUnknown) || code == "" || code == sqlReadOnly || isMissingPartition(err) ||
		code != sqlQueryCanceled && hasClass(code, classConnection, classResources, classOperator)
}

// isMissingPartition: a row that no partition takes violates a check that has no name.
func isMissingPartition(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == sqlCheckViolation &&
		pg.ConstraintName == "" && pg.TableName == historyTable
}

func hasClass(code string, classes ...string) bool {
	for _, class := range classes {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// isReplicas tells whether an error is the replica's own, so that the primary
// may do better: it is away, it had to cancel the question in favour of what the
// primary wrote, or it has yet to see a migration.
func isReplicas(err error) bool {
	return isPassing(err) && !errors.Is(err, domain.ErrBusy) && sqlState(err) != sqlQueryCanceled || hasClass(sqlState(err), classSyntax)
}

// isOverflow tells whether a number became too large for its column.
func isOverflow(err error) bool { return sqlState(err) == sqlOutOfRange }

func isLockTimeout(err error) bool { return sqlState(err) == sqlLockNotAvailable }

// isTimeout tells whether the database gave a statement up, for its time was over.
func isTimeout(err error) bool { return sqlState(err) == sqlQueryCanceled }

// isSameLotID: an ID that is in the ledger already.
func isSameLotID(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == sqlUniqueViolation && pg.ConstraintName == "ct_lot_id_once"
}

// isStale: a partition is not, or no longer, what it was when it was listed.
func isStale(err error) bool {
	code := sqlState(err)
	return code == sqlUndefinedTable || code == sqlNotInState
}
