package domain

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// LotAnswer is how a request for LOT IDs ended.
type LotAnswer struct {
	OK      bool
	Code    Code
	Message string
	IDs     []string
	Rule    string
	Date    string
	First   int64
	Last    int64
	// Remaining is how many numbers of the day still fit the format's width.
	Remaining int64
	Warning   *LotWarning
}

// LotWarning says that a day's numbers run out of the format's width.
type LotWarning string

// The warnings.
const (
	LotNearOverflow LotWarning = "NEAR_OVERFLOW" // nine tenths are used
	LotOverflown    LotWarning = "OVERFLOWN"     // IDs are longer than the format's width
)

// Codes of LOT IDs.
const (
	CodeIssued      Code = "ISSUED"
	CodeRepeated    Code = "REPEATED"
	CodeVoided      Code = "VOIDED"
	CodeAlreadyVoid Code = "ALREADY_VOID"
)

// NextLotIDs draws LOT IDs.
func (s *Service) NextLotIDs(ctx context.Context, in NextLotIDsInput) (*LotAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	r := LotRequest{
		UserID:    caller.UserID,
		RequestID: k.text("requestId", in.RequestID, MaxRequestID),
		Rule:      k.name("rule", in.Rule, MaxLotPart),
		Date:      k.date("date", in.Date),
		Count:     int64(in.Count),
		Line:      k.text("line", in.Line, MaxLotPart),
		Product:   k.text("product", in.Product, MaxLotPart),
	}
	if in.Count < 1 || in.Count > MaxLotIDs {
		k.fail("count", "must be between 1 and "+itoa(MaxLotIDs))
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	sent, _ := json.Marshal(in) // of plain fields: always possible
	r.Arguments = string(sent)
	grant, err := s.Lots.NextLotIDs(ctx, r)
	if err != nil {
		return nil, under("input.", err)
	}
	return s.lotAnswer(caller, grant), nil
}

func (s *Service) lotAnswer(c Caller, g LotGrant) *LotAnswer {
	a := &LotAnswer{OK: true, Code: CodeIssued, IDs: g.IDs, Rule: g.Rule.Name,
		Date: g.Day.Format(time.DateOnly), First: g.First, Last: g.Last}
	if g.Repeated {
		a.Code = CodeRepeated
	}
	if format, err := ParseLotFormat(g.Rule.Format); err == nil {
		a.Remaining, a.Warning = overflow(format.Largest(), g.Last)
	}
	a.Message = s.messageLots(c, a)
	return a
}

func overflow(largest, last int64) (remaining int64, warning *LotWarning) {
	near, over := LotNearOverflow, LotOverflown
	switch {
	case last > largest:
		return 0, &over
	case last > largest-largest/10:
		return largest - last, &near
	}
	return largest - last, nil
}

// date checks a day, written yyyy-MM-dd.
func (k *checker) date(argument string, s *string) *time.Time {
	if s == nil {
		return nil
	}
	day, err := time.Parse(time.DateOnly, *s)
	if err != nil || day.Year() < 1 {
		k.fail(argument, "is not a date such as 2026-11-30")
		return nil
	}
	return &day
}

// under puts the path of an input before the argument that the store found wrong.
func under(prefix string, err error) error {
	var in *InputError
	if errors.As(err, &in) {
		return &InputError{Argument: prefix + in.Argument, Problem: in.Problem}
	}
	return err
}
