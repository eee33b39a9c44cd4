package domain

import (
	"strconv"
	"strings"
	"time"
)

// Limits bound how long an item may be held.
type Limits struct {
	DefaultTTL time.Duration
	MaxTTL     time.Duration
	// MaxHold bounds a hold with all its renewals; 0 = no bound.
	MaxHold time.Duration
}

// MinTTL is the shortest hold there is.
const MinTTL = time.Second

// MaxItems is how many items one command may name.
const MaxItems = 1000

func itoa(n int) string { return strconv.Itoa(n) }

// checker reads the arguments of one call and keeps the first fault it finds,
// with the path of the argument that has it.
type checker struct {
	names  Names
	limits Limits
	prefix string // "input." or ""
	err    *InputError
	parts  int // of a filter, read so far
}

func (s *Service) check(prefix string) *checker {
	return &checker{names: s.names, limits: s.limits, prefix: prefix}
}

func (k *checker) fail(argument, problem string) {
	if k.err == nil {
		k.err = &InputError{Argument: k.prefix + argument, Problem: problem}
	}
}

// fault is the first fault found, as an error that is nil if there was none.
func (k *checker) fault() error {
	if k.err == nil {
		return nil
	}
	return k.err
}

// text checks a text that may be absent.
func (k *checker) text(argument, s string, longest int) string {
	s = strings.TrimSpace(s)
	if problem := textProblem(s, longest); problem != "" {
		k.fail(argument, problem)
	}
	return s
}

// name checks a text that must be there.
func (k *checker) name(argument, s string, longest int) string {
	s = strings.TrimSpace(s)
	if problem := nameProblem(s, longest); problem != "" {
		k.fail(argument, problem)
	}
	return s
}

// item folds and checks an item's type and name; at is the path they stand under.
func (k *checker) item(at, itemType, itemName string) ItemKey {
	key := ItemKey{ItemType: k.itemType(at+"itemType", itemType)}
	key.ItemName = k.names.foldName(key.ItemType, itemName)
	if problem := nameProblem(key.ItemName, MaxItemName); problem != "" {
		k.fail(at+"itemName", problem)
	}
	return key
}

func (k *checker) itemType(argument, s string) string {
	s = k.names.foldType(s)
	if problem := nameProblem(s, MaxItemType); problem != "" {
		k.fail(argument, problem)
	}
	return s
}

// ttl checks seconds asked for; none means the default.
func (k *checker) ttl(argument string, seconds *int) time.Duration {
	if seconds == nil {
		return k.limits.DefaultTTL
	}
	longest := int(k.limits.MaxTTL / time.Second)
	if *seconds < int(MinTTL/time.Second) || *seconds > longest {
		k.fail(argument, "must be between "+itoa(int(MinTTL/time.Second))+" and "+itoa(longest)+" seconds")
		return 0
	}
	return time.Duration(*seconds) * time.Second
}
