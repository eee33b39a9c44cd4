package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Term is one term of the order of a list.
type Term struct {
	Field      string
	Descending bool
}

// unique is an order up to, and with, the field that no two rows have in common;
// where that is not among them, it follows in the direction of the last.
func unique(terms []Term, field string) []Term {
	for i, t := range terms {
		if t.Field == field {
			return terms[:i+1]
		}
	}
	return append(terms, Term{field, len(terms) > 0 && terms[len(terms)-1].Descending})
}

// OrderName is what the cursors of an order are marked with, so that one of
// another order is known.
func OrderName(terms []Term) string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.Field
		if t.Descending {
			names[i] = "-" + t.Field
		}
	}
	return strings.Join(names, ",")
}

// A cursor's value has to be such that the database can read it.
var (
	isText    = func(string) bool { return true }
	isCount   = func(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err == nil }
	isInstant = func(s string) bool { _, err := time.Parse(time.RFC3339Nano, s); return err == nil }
)

// cursorValues says what values a cursor has of a term. Of others: a text.
func cursorValues(field string) []func(string) bool {
	switch field {
	case string(ByItem):
		return []func(string) bool{isText, isText}
	case string(ByHoldEnd):
		return []func(string) bool{isText, isText, isText}
	case string(ByHoldSeconds):
		return []func(string) bool{isCount}
	case string(ByTime):
		return []func(string) bool{validTimeKey}
	case string(ByStartTime), string(ByExpireTime), string(ByUpdatedAt), string(ByHoldStart):
		return []func(string) bool{isInstant}
	}
	return []func(string) bool{isText}
}

// orderedCut checks the arguments of a list in an order.
func (k *checker) orderedCut(page PageArgs, terms []Term) Cut {
	var checks []func(string) bool
	for i, t := range terms {
		if slices.IndexFunc(terms, func(o Term) bool { return o.Field == t.Field }) < i {
			k.fail("orderBy."+itoa(i)+".field", "names "+t.Field+" a second time")
		}
		checks = append(checks, cursorValues(t.Field)...)
	}
	return k.cut(page, OrderName(terms), func(c Cursor) bool {
		for i, valid := range checks {
			if !valid(c[i+1]) {
				return false
			}
		}
		return true
	}, len(checks))
}
