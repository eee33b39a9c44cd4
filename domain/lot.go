package domain

import (
	"context"
	"time"
)

// LotRule says what LOT IDs look like and when their day begins.
type LotRule struct {
	Name   string
	Format string
	// TimeZone and ShiftStart say when a business day begins: at that time of
	// the plant's clock.
	TimeZone   string
	ShiftStart time.Duration
	// BackDays is how many days before the present business day IDs may be
	// asked for.
	BackDays int

	UpdatedBy string
	UpdatedAt time.Time
}

// Day is the business day of an instant, as midnight UTC of its date. It goes
// by the plant's clock on the wall, also where that jumps.
func (r LotRule) Day(at time.Time) (time.Time, error) {
	zone, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	wall := at.In(zone)
	asUTC := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), time.UTC)
	return asUTC.Add(-r.ShiftStart).Truncate(24 * time.Hour), nil
}

// MaxLotIDs is how many IDs one request may ask for.
const MaxLotIDs = 1000

// MaxRequestID is the longest request id, in characters.
const MaxRequestID = 100

// NextLotIDsInput asks for LOT IDs.
type NextLotIDsInput struct {
	Count         int
	Rule          string
	Date          *string // yyyy-MM-dd; absent: the plant's present business day
	RequestID     string  // the same again gives the same IDs again; "" = none
	Line, Product string
}

// LotRequest is a checked NextLotIDsInput.
type LotRequest struct {
	UserID    string
	RequestID string
	// Arguments is what was sent, to tell a retry from another request.
	Arguments     string
	Rule          string
	Date          *time.Time
	Count         int64
	Line, Product string
}

// LotGrant is what a request got.
type LotGrant struct {
	Rule        LotRule
	Day         time.Time
	First, Last int64
	IDs         []string
	// Repeated tells that the request had been answered before.
	Repeated bool
}

// LotStore keeps rules, counters and the ledger.
type LotStore interface {
	// NextLotIDs gives numbers that were never given before, with the ledger,
	// in one transaction; or, for a request id that this user has used, what
	// it got then.
	//
	// Returns an InputError at "rule", "date", "line", "product" or "requestId"
	// if the rule does not allow it, or the request id was used for something
	// else; nothing is used up then. Otherwise as Store.Update.
	NextLotIDs(ctx context.Context, r LotRequest) (LotGrant, error)

	// LotRules lists the rules by name.
	LotRules(ctx context.Context) ([]LotRule, error)
	// SetLotRule makes or changes a rule and returns it.
	SetLotRule(ctx context.Context, r LotRule, by string) (LotRule, error)

	// LotIDs lists the ledger.
	LotIDs(ctx context.Context, q LotQuery) (Page[LotEntry], error)
	// LotDays lists what each day of a rule used, by date, the newest first.
	LotDays(ctx context.Context, rule string, from, to time.Time) ([]LotDay, error)
	// VoidLotID marks an ID as not to be used. Returns the entry as it is now
	// and whether this call did it; nil if there is no such ID.
	VoidLotID(ctx context.Context, id, reason, by string) (*LotEntry, bool, error)
}

// Check says whether a rule allows a request at an instant, and on which day it counts.
// Returns an InputError with the argument's name.
func (r LotRequest) Check(rule LotRule, now time.Time) (LotFormat, time.Time, error) {
	format, err := ParseLotFormat(rule.Format)
	if err != nil {
		return format, now, &InputError{Argument: "rule", Problem: "has a format that " + err.Error()}
	}
	today, err := rule.Day(now)
	if err != nil {
		return format, now, &InputError{Argument: "rule", Problem: "has a time zone that is not known: " + rule.TimeZone}
	}
	for _, part := range []struct{ name, value string }{{"line", r.Line}, {"product", r.Product}} {
		switch needed := format.Needs(part.name); {
		case needed && part.value == "":
			return format, today, &InputError{Argument: part.name, Problem: "is needed by the rule " + rule.Name}
		case !needed && part.value != "":
			return format, today, &InputError{Argument: part.name, Problem: "is not part of the rule " + rule.Name}
		}
	}
	if r.Date == nil {
		return format, today, nil
	}
	switch oldest := today.AddDate(0, 0, -rule.BackDays); {
	case r.Date.After(today):
		return format, today, &InputError{Argument: "date", Problem: "lies after the business day " + today.Format(time.DateOnly)}
	case r.Date.Before(oldest):
		return format, today, &InputError{Argument: "date", Problem: "lies before " + oldest.Format(time.DateOnly) + ", as far back as the rule " + rule.Name + " allows"}
	}
	return format, *r.Date, nil
}
