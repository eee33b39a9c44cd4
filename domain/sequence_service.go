package domain

import (
	"context"
	"strconv"
	"time"
)

// The codes of the mutations of sequences.
const (
	CodeDrawn     Code = "DRAWN"
	CodeReset     Code = "RESET"
	CodeBlocksOut Code = "BLOCKS_OUT" // refused: gateways have blocks out
	CodeCacheSet  Code = "CACHE_SET"
)

// NextValAnswer is what was drawn: First to Last.
type NextValAnswer struct {
	OK      bool
	Code    Code
	Message string
	Values
}

// ResetSequenceAnswer is how a reset ended.
type ResetSequenceAnswer struct {
	OK      bool
	Code    Code
	Message string
	// Epoch is the new one; 0 if refused.
	Epoch int64
	// WaitedMs is how long it took until no gateway could give out values of
	// the epochs before, in milliseconds.
	WaitedMs int
	// BlocksOut are those for which it was refused.
	BlocksOut []*SequenceBlock
}

// SequenceCacheAnswer is how setSequenceCache ended.
type SequenceCacheAnswer struct {
	OK        bool
	Code      Code
	Message   string
	CacheSize int
}

// NextVal draws count successive values.
func (s *Service) NextVal(ctx context.Context, name string, count int) (*NextValAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("")
	d := SequenceDraw{Name: k.name("name", name, MaxSequenceName), UserID: caller.Actor(), Count: int64(count)}
	if count < 1 || count > MaxValues {
		k.fail("count", "must be between 1 and "+itoa(MaxValues))
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	v, err := s.Counters.NextVal(ctx, d)
	if err != nil {
		return nil, err
	}
	a := &NextValAnswer{OK: true, Code: CodeDrawn, Values: v}
	a.Message = pick(caller, phrase{"%s: %d to %d.", "%s: %d ~ %d."}, d.Name, v.First, v.Last)
	if v.First == v.Last {
		a.Message = pick(caller, phrase{"%s: %d.", "%s: %d."}, d.Name, v.First)
	}
	return a, nil
}

// CurrVal is the last value given; see SequenceStore.
func (s *Service) CurrVal(ctx context.Context, name string) (int64, error) {
	name, err := s.sequenceName(ctx, name)
	if err != nil {
		return 0, err
	}
	return s.Counters.CurrVal(ctx, name)
}

// ResetSequence begins a new epoch at 0. Once asked, it is done, even if the
// caller leaves.
func (s *Service) ResetSequence(ctx context.Context, name string, refuseIfOut bool) (*ResetSequenceAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("")
	r := SequenceReset{Name: k.name("name", name, MaxSequenceName), UserID: caller.Actor(), RefuseIfOut: refuseIfOut}
	if err := k.fault(); err != nil {
		return nil, err
	}
	done, err := s.Counters.ResetSequence(context.WithoutCancel(ctx), r)
	if err != nil {
		return nil, err
	}
	if len(done.Out) > 0 {
		return &ResetSequenceAnswer{Code: CodeBlocksOut, BlocksOut: done.Out,
			Message: pick(caller, phrase{"%s was not reset: gateways have %d blocks of it out.",
				"%s: 초기화하지 않았습니다. 게이트웨이가 사용 중인 블록이 %d개 있습니다."}, r.Name, len(done.Out))}, nil
	}
	return &ResetSequenceAnswer{OK: true, Code: CodeReset, Epoch: done.Epoch,
		WaitedMs: int(done.Waited / time.Millisecond), BlocksOut: []*SequenceBlock{},
		Message: pick(caller, phrase{"%s starts again: the next value is 1.", "%s: 초기화했습니다. 다음 값은 1입니다."}, r.Name)}, nil
}

// SetSequenceCache sets how many values a gateway draws ahead of need; 0
// switches caching off. Once asked, it is done, even if the caller leaves.
func (s *Service) SetSequenceCache(ctx context.Context, name string, size int) (*SequenceCacheAnswer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("")
	c := SequenceCache{Name: k.name("name", name, MaxSequenceName), UserID: caller.Actor(), Size: size}
	if size < 0 || size > MaxCacheSize {
		k.fail("size", "must be between 0 and "+itoa(MaxCacheSize))
	}
	if err := k.fault(); err != nil {
		return nil, err
	}
	if err := s.Counters.SetSequenceCache(context.WithoutCancel(ctx), c); err != nil {
		return nil, err
	}
	a := &SequenceCacheAnswer{OK: true, Code: CodeCacheSet, CacheSize: size}
	a.Message = pick(caller, phrase{"%s: gateways draw %d values ahead of need.", "%s: 게이트웨이가 값을 %d개씩 미리 받아 둡니다."}, c.Name, size)
	if size == 0 {
		a.Message = pick(caller, phrase{"%s is not cached.", "%s: 캐시를 사용하지 않습니다."}, c.Name)
	}
	return a, nil
}

// Sequences lists the sequences that were ever used, in order of name.
func (s *Service) Sequences(ctx context.Context, page PageArgs) (Page[Sequence], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[Sequence]{}, err
	}
	k := s.check("")
	q := SequenceQuery{Cut: k.cut(page, "NAME", func(c Cursor) bool { return nameProblem(c[1], MaxSequenceName) == "" }, 1)}
	if err := k.fault(); err != nil {
		return Page[Sequence]{}, err
	}
	return s.Counters.Sequences(ctx, q)
}

// SequenceGaps lists the values of a sequence that nobody will get, in order
// of epoch and value.
func (s *Service) SequenceGaps(ctx context.Context, name string, page PageArgs) (Page[SequenceGap], error) {
	name, err := s.sequenceName(ctx, name)
	if err != nil {
		return Page[SequenceGap]{}, err
	}
	k := s.check("")
	q := SequenceGapQuery{Name: name, Cut: k.cut(page, "VALUE", func(c Cursor) bool { return isNumber(c[1]) && isNumber(c[2]) }, 2)}
	if err := k.fault(); err != nil {
		return Page[SequenceGap]{}, err
	}
	return s.Counters.SequenceGaps(ctx, q)
}

// sequenceName checks a question about one sequence, which everyone may ask.
func (s *Service) sequenceName(ctx context.Context, name string) (string, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return "", err
	}
	k := s.check("")
	name = k.name("name", name, MaxSequenceName)
	return name, k.fault()
}

func isNumber(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}
