package domain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// counters is a SequenceStore that notes what it was asked.
type counters struct {
	draws  []SequenceDraw
	resets []SequenceReset
	caches []SequenceCache
	asked  []string
	left   bool // whether the caller had gone
	out    []*SequenceBlock
	cut    Cut
}

func (c *counters) NextVal(_ context.Context, d SequenceDraw) (Values, error) {
	c.draws = append(c.draws, d)
	return Values{Epoch: 3, First: 8, Last: 7 + d.Count}, nil
}

func (c *counters) CurrVal(_ context.Context, name string) (int64, error) {
	c.asked = append(c.asked, name)
	return 7, nil
}

func (c *counters) ResetSequence(ctx context.Context, r SequenceReset) (SequenceResetDone, error) {
	c.resets, c.left = append(c.resets, r), ctx.Err() != nil
	if len(c.out) > 0 {
		return SequenceResetDone{Out: c.out}, nil
	}
	return SequenceResetDone{Epoch: 4, Waited: 1500 * time.Millisecond}, nil
}

func (c *counters) SetSequenceCache(ctx context.Context, set SequenceCache) error {
	c.caches, c.left = append(c.caches, set), ctx.Err() != nil
	return nil
}

func (c *counters) Sequences(_ context.Context, q SequenceQuery) (Page[Sequence], error) {
	c.cut = q.Cut
	return Page[Sequence]{}, nil
}

func (c *counters) SequenceGaps(_ context.Context, q SequenceGapQuery) (Page[SequenceGap], error) {
	c.asked, c.cut = append(c.asked, q.Name), q.Cut
	return Page[SequenceGap]{}, nil
}

func newCounters(t *testing.T) (*Service, *counters) {
	c := &counters{}
	s, _ := newService(t, func(config *ServiceConfig) { config.Counters = c })
	return s, c
}

func TestNextVal(t *testing.T) {
	s, c := newCounters(t)
	a := must(s.NextVal(as("kim"), " orders No.1 ", 1))(t)
	is(t, "asked", c.draws[0], SequenceDraw{Name: "orders No.1", UserID: "kim", Count: 1})
	is(t, "values", a.Values, Values{Epoch: 3, First: 8, Last: 8})
	is(t, "code", a.Code, CodeDrawn)
	is(t, "ok", a.OK, true)
	is(t, "message", a.Message, "orders No.1: 8.")
	is(t, "message", must(s.NextVal(as("kim"), "S", 3))(t).Message, "S: 8 to 10.")
	is(t, "message", must(s.NextVal(korean("kim"), "S", 3))(t).Message, "S: 8 ~ 10.")
	is(t, "largest", must(s.NextVal(as("kim"), strings.Repeat("가", MaxSequenceName), MaxValues))(t).Last, 7+MaxValues)
}

// Case Q12: nothing is used up, since the store is not even asked.
func TestSequencesRefuseWhatIsWrong(t *testing.T) {
	s, c := newCounters(t)
	boss := as("boss", RoleSupervisor)
	for _, name := range []string{"", "  ", "a\x00b", "a\u200bb", strings.Repeat("x", MaxSequenceName+1)} {
		_, err := s.NextVal(boss, name, 1)
		wrongAt(t, err, "name")
		_, err = s.CurrVal(boss, name)
		wrongAt(t, err, "name")
		_, err = s.ResetSequence(boss, name, false)
		wrongAt(t, err, "name")
		_, err = s.SetSequenceCache(boss, name, 20)
		wrongAt(t, err, "name")
		_, err = s.SequenceGaps(boss, name, PageArgs{})
		wrongAt(t, err, "name")
	}
	for _, count := range []int{0, -1, MaxValues + 1, -1 << 63, 1<<63 - 1} {
		_, err := s.NextVal(boss, "S", count)
		wrongAt(t, err, "count")
	}
	for _, size := range []int{-1, MaxCacheSize + 1} {
		_, err := s.SetSequenceCache(boss, "S", size)
		wrongAt(t, err, "size")
	}
	other := Cursor{"ITEM", "a"}.String()
	_, err := s.Sequences(boss, PageArgs{After: &other})
	wrongAt(t, err, "after")
	noNumber := Cursor{"VALUE", "1", "x"}.String()
	_, err = s.SequenceGaps(boss, "S", PageArgs{Before: &noNumber})
	wrongAt(t, err, "before")
	if len(c.draws)+len(c.resets)+len(c.caches)+len(c.asked) > 0 {
		t.Errorf("the store was asked: %+v", c)
	}
}

func TestNobodyIsAnsweredAboutSequences(t *testing.T) {
	s, _ := newCounters(t)
	uses := map[string]func(ctx context.Context) error{
		"draw":  func(ctx context.Context) error { _, err := s.NextVal(ctx, "S", 1); return err },
		"reset": func(ctx context.Context) error { _, err := s.ResetSequence(ctx, "S", false); return err },
		"cache": func(ctx context.Context) error { _, err := s.SetSequenceCache(ctx, "S", 20); return err },
		"read":  func(ctx context.Context) error { _, err := s.CurrVal(ctx, "S"); return err },
		"list":  func(ctx context.Context) error { _, err := s.Sequences(ctx, PageArgs{}); return err },
		"gaps":  func(ctx context.Context) error { _, err := s.SequenceGaps(ctx, "S", PageArgs{}); return err },
	}
	for what, use := range uses {
		if err := use(context.Background()); !errors.Is(err, ErrUnauthenticated) {
			t.Errorf("nobody may %s: %v", what, err)
		}
	}
}

func TestResetSequence(t *testing.T) {
	s, c := newCounters(t)
	gone, leave := context.WithCancel(as("boss", RoleSupervisor))
	leave()
	a := must(s.ResetSequence(gone, " S ", true))(t)
	is(t, "asked", c.resets[0], SequenceReset{Name: "S", UserID: "boss", RefuseIfOut: true})
	is(t, "left", c.left, false)
	is(t, "code", a.Code, CodeReset)
	is(t, "ok", a.OK, true)
	is(t, "epoch", a.Epoch, 4)
	is(t, "waited", a.WaitedMs, 1500)
	is(t, "message", a.Message, "S starts again: the next value is 1.")

	c.out = []*SequenceBlock{{Gateway: "b"}}
	a = must(s.ResetSequence(korean("boss"), "S", true))(t)
	is(t, "code", a.Code, CodeBlocksOut)
	is(t, "ok", a.OK, false)
	is(t, "out", a.BlocksOut[0].Gateway, "b")
	is(t, "message", a.Message, "S: 초기화하지 않았습니다. 게이트웨이가 사용 중인 블록이 1개 있습니다.")
}

func TestSetSequenceCache(t *testing.T) {
	s, c := newCounters(t)
	gone, leave := context.WithCancel(as("job", RoleService))
	leave()
	a := must(s.SetSequenceCache(gone, "S", DefaultCacheSize))(t)
	is(t, "asked", c.caches[0], SequenceCache{Name: "S", UserID: "job", Size: 20})
	is(t, "left", c.left, false)
	is(t, "code", a.Code, CodeCacheSet)
	is(t, "size", a.CacheSize, 20)
	is(t, "message", a.Message, "S: gateways draw 20 values ahead of need.")
	is(t, "message", must(s.SetSequenceCache(as("job", RoleService), "S", 0))(t).Message, "S is not cached.")
}

func TestPagesOfSequences(t *testing.T) {
	s, c := newCounters(t)
	ten, cursor := 10, Cursor{"NAME", "가"}.String()
	must(s.Sequences(as("kim"), PageArgs{First: &ten, After: &cursor, Total: true}))(t)
	if c.cut.Limit != 10 || c.cut.After[1] != "가" || !c.cut.Total || c.cut.Backward {
		t.Errorf("%+v", c.cut)
	}
	cursor = Cursor{"VALUE", "2", "41"}.String()
	must(s.SequenceGaps(as("kim"), "S", PageArgs{Last: &ten, Before: &cursor}))(t)
	if c.cut.Limit != 10 || c.cut.Before[2] != "41" || !c.cut.Backward {
		t.Errorf("%+v", c.cut)
	}
}
