package domain

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Sizes of a page.
const (
	DefaultPageSize = 50
	MaxPageSize     = 1000
)

// PageArgs are the arguments of a list as they were sent.
type PageArgs struct {
	First, Last   *int
	After, Before *string
	// Total asks for the count of all that matches, which costs a read of all of it.
	Total bool
}

// Cut is a checked PageArgs: at most Limit rows between two cursors, counted
// from the front or, Backward, from the end.
type Cut struct {
	Limit         int
	Backward      bool
	After, Before Cursor
	Total         bool
}

// Page is a part of an ordered list.
type Page[T any] struct {
	Nodes   []T
	Cursors []Cursor
	// More tells whether there is more in the direction of the cut.
	More  bool
	Total *int
	Cut   Cut
}

// HasNext and HasPrevious are Relay's: exact in the direction of the cut; in
// the other, true if the caller came from there.
func (p Page[T]) HasNext() bool {
	if p.Cut.Backward {
		return p.Cut.Before != nil
	}
	return p.More
}

// HasPrevious is the mirror of HasNext.
func (p Page[T]) HasPrevious() bool {
	if p.Cut.Backward {
		return p.More
	}
	return p.Cut.After != nil
}

// Cursor is a row's place in a list: the name of the order, then the row's
// values in it. It is opaque to callers.
type Cursor []string

// String is the cursor as it is sent.
func (c Cursor) String() string {
	text, _ := json.Marshal([]string(c)) // strings always marshal
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads a cursor of the named order with that many values.
// Returns false if it is broken or of another list.
func parseCursor(s, order string, values int) (Cursor, bool) {
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return nil, false
	}
	var c Cursor
	if json.Unmarshal(text, &c) != nil || len(c) != values+1 || c[0] != order || !storable(strings.Join(c, "")) {
		return nil, false
	}
	return c, true
}

// cut checks the arguments of a list whose cursors are of the named order.
func (k *checker) cut(a PageArgs, order string, valid func(Cursor) bool, values int) Cut {
	c := Cut{Limit: DefaultPageSize, Total: a.Total}
	if a.First != nil && a.Last != nil {
		k.fail("last", "must not be given together with first")
	}
	if a.First != nil {
		c.Limit = k.pageSize("first", *a.First)
	}
	if a.Last != nil {
		c.Limit, c.Backward = k.pageSize("last", *a.Last), true
	}
	cursor := func(name string, s *string) Cursor {
		if s == nil {
			return nil
		}
		cur, ok := parseCursor(*s, order, values)
		if !ok || !valid(cur) {
			k.fail(name, "is not a cursor of this list in this order")
		}
		return cur
	}
	c.After, c.Before = cursor("after", a.After), cursor("before", a.Before)
	return c
}

func (k *checker) pageSize(name string, n int) int {
	if n < 0 || n > MaxPageSize {
		k.fail(name, "must be between 0 and "+itoa(MaxPageSize))
	}
	return n
}
