package domain

import (
	"context"
	"strings"
	"time"
)

// LotRules lists the rules.
func (s *Service) LotRules(ctx context.Context) ([]*LotRule, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	rules, err := s.Lots.LotRules(ctx)
	return pointers(rules), err
}

func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// LotRuleInput makes or changes a rule.
type LotRuleInput struct {
	Name       string
	Format     string
	TimeZone   string
	ShiftStart string // HH:mm
	BackDays   int
}

// CodeRuleSet is the code of setLotRule.
const CodeRuleSet Code = "RULE_SET"

// LotRuleAnswer is how setLotRule ended.
type LotRuleAnswer struct {
	OK      bool
	Code    Code
	Message string
	Rule    *LotRule
}

// SetLotRule makes or changes a rule. Numbers go on where they are.
func (s *Service) SetLotRule(ctx context.Context, in LotRuleInput) (*LotRuleAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("input.")
	r := LotRule{Name: k.name("name", in.Name, MaxLotPart), Format: strings.TrimSpace(in.Format), BackDays: in.BackDays}
	if _, err := ParseLotFormat(r.Format); err != nil {
		k.fail("format", err.Error())
	}
	r.TimeZone = in.TimeZone
	if _, err := time.LoadLocation(in.TimeZone); err != nil || in.TimeZone == "" || in.TimeZone == "Local" {
		k.fail("timeZone", "is not a time zone such as Asia/Seoul")
	}
	start, err := time.Parse("15:04", in.ShiftStart)
	if err != nil {
		k.fail("shiftStart", "is not a time such as 06:00")
	}
	r.ShiftStart = time.Duration(start.Hour())*time.Hour + time.Duration(start.Minute())*time.Minute
	if in.BackDays < 0 || in.BackDays > 3660 {
		k.fail("backDays", "must be between 0 and 3660")
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	done, err := s.Lots.SetLotRule(ctx, r, caller.UserID)
	if err != nil {
		return nil, err
	}
	return &LotRuleAnswer{OK: true, Code: CodeRuleSet, Rule: &done,
		Message: pick(caller, phrase{"The rule %s makes %s.", "규칙 %s의 형식: %s"}, done.Name, done.Format)}, nil
}

// Start is the shift's start, HH:mm.
func (r LotRule) Start() string {
	return time.Time{}.Add(r.ShiftStart).Format("15:04")
}
