package domain

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Fault is something that a verification found wrong with an item's history.
type Fault struct {
	ItemKey
	Version int64
	Problem string
}

// MaxFaults is how many faults one answer tells of. All are counted.
const MaxFaults = 1000

// VerifyFrom is where the next step of a verification begins: after a day of the
// history, the first eight digits of its rows' keys, or, once all days are done,
// after an item. The zero value is the beginning.
type VerifyFrom struct {
	Day  string
	Item *ItemKey
}

// Verification is what a verification found, or a part of one.
type Verification struct {
	Rows, Items int64 // that were looked at
	FaultCount  int64
	Faults      []Fault // at most MaxFaults of them
	// Next is where to go on; nil if all was looked at.
	Next *VerifyFrom
}

func (v *Verification) add(step Verification) {
	v.Rows, v.Items, v.FaultCount = v.Rows+step.Rows, v.Items+step.Items, v.FaultCount+step.FaultCount
	v.Faults = append(v.Faults, step.Faults[:min(len(step.Faults), MaxFaults-len(v.Faults))]...)
	v.Next = step.Next
}

// Verifier looks at the history, a small step after the other, so that none is a
// burden to the floor.
type Verifier interface {
	// VerifyStep holds a day's rows, each against the one before it, or, after the
	// last day, a few items against their last rows (rule 20). Every step reads one
	// snapshot, so that changes made meanwhile are no faults. Months that are no
	// longer kept are none either: an item that is older than what is kept may
	// start with any version, and one that has not changed since may have no
	// history.
	VerifyStep(ctx context.Context, from VerifyFrom) (Verification, error)
}

// VerifyAll looks at everything, and tells each step, until ctx ends.
// Returns what was found in all; Next is not nil if ctx ended before the end.
func VerifyAll(ctx context.Context, v Verifier, from VerifyFrom, tell func(step Verification)) (Verification, error) {
	all := Verification{Faults: []Fault{}, Next: &from}
	for all.Next != nil && ctx.Err() == nil {
		step, err := v.VerifyStep(ctx, *all.Next)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return all, err
		}
		all.add(step)
		tell(step)
	}
	return all, nil
}

// verifyTime is how long one request for a verification looks.
const verifyTime = 20 * time.Second

// Verify looks at the history, from the beginning or from where another call
// stopped, for as long as a request may take.
func (s *Service) Verify(ctx context.Context, after *string) (*Verification, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	var from VerifyFrom
	if after != nil {
		var ok bool
		if from, ok = parseVerifyFrom(*after); !ok {
			return nil, &InputError{Argument: "after", Problem: "is not the next of a verification"}
		}
	}
	within, done := context.WithTimeout(ctx, verifyTime)
	defer done()
	all, err := VerifyAll(within, s.Verifier, from, func(Verification) {})
	if err == nil {
		err = ctx.Err()
	}
	return &all, err
}

// IsDone tells whether all was looked at.
func (v *Verification) IsDone() bool { return v.Next == nil }

// NextText is Next as it is sent; nil if there is none.
func (v *Verification) NextText() *string {
	if v.Next == nil {
		return nil
	}
	text := v.Next.Day
	if v.Next.Item != nil {
		text = v.Next.Item.ItemType + "\n" + v.Next.Item.ItemName // no name has that character
	}
	text = base64.RawURLEncoding.EncodeToString([]byte(text))
	return &text
}

func parseVerifyFrom(text string) (VerifyFrom, bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	itemType, itemName, isItem := strings.Cut(string(decoded), "\n")
	if isItem {
		return VerifyFrom{Item: &ItemKey{itemType, itemName}}, err == nil && textProblem(itemType+itemName, MaxItemType+MaxItemName) == ""
	}
	return VerifyFrom{Day: itemType}, err == nil && len(itemType) == 8 && strings.Trim(itemType, "0123456789") == ""
}

// verifyHour is the hour of the plant's night at which the history is verified.
const verifyHour = 3

// NightlyVerification verifies the history once a night, on one gateway.
type NightlyVerification struct {
	Verifier Verifier
	// Clock is the database's.
	Clock    func(ctx context.Context) (time.Time, error)
	TimeZone *time.Location
	// Found is told what was found.
	Found func(at time.Time, v Verification)
}

// Job is due a little more often than every hour, and works in the hour of the night: so
// none passes without it, however late a run begins. Rarely it works twice in a night.
// The time from one run to the next is the database's, whoever leads.
func (n *NightlyVerification) Job() Job {
	return Job{Key: JobKey("history:verify"), Every: 59 * time.Minute, TTL: time.Minute, Work: n.RunOnce}
}

// RunOnce verifies the history if it is time to.
// Returns an error that tells of the first fault if there is one.
func (n *NightlyVerification) RunOnce(ctx context.Context) error {
	now, err := n.Clock(ctx)
	if err != nil || now.In(n.TimeZone).Hour() != verifyHour {
		return err
	}
	all, err := VerifyAll(ctx, n.Verifier, VerifyFrom{}, func(step Verification) {
		for _, f := range step.Faults {
			slog.Error("fault in the history", "item", f.ItemKey, "version", f.Version, "problem", f.Problem)
		}
	})
	if err != nil || all.Next != nil {
		return err
	}
	n.Found(now, all)
	if all.FaultCount > 0 {
		first := all.Faults[0]
		return fmt.Errorf("%d faults in the history, the first: %s version %d: %s", all.FaultCount, first.ItemKey, first.Version, first.Problem)
	}
	slog.Info("the history is whole", "rows", all.Rows, "items", all.Items)
	return nil
}
