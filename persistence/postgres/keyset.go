package postgres

import (
	"slices"
	"strings"

	"occupy/domain"
)

// keyset is the order of a list: columns that together are unique. A page begins
// after the values of a row, and not after a number of rows, so that rows which
// arrive meanwhile neither repeat nor hide any.
type keyset struct {
	columns    []string
	descending bool   // all of them
	turned     []bool // those that go the other way; nil = none
}

// sortKey is how a list is ordered by a field.
type sortKey[T any] struct {
	columns []string
	values  func(*T) []string
}

// ordered makes the order of a list from its terms, and the cursors of its rows.
func ordered[T any](terms []domain.Term, keys map[string]sortKey[T]) (keyset, func(*T) domain.Cursor) {
	k := keyset{descending: terms[0].Descending}
	for _, t := range terms {
		for _, column := range keys[t.Field].columns {
			k.columns = append(k.columns, column)
			k.turned = append(k.turned, t.Descending != k.descending)
		}
	}
	return k, func(row *T) domain.Cursor {
		c := domain.Cursor{domain.OrderName(terms)}
		for _, t := range terms {
			c = append(c, keys[t.Field].values(row)...)
		}
		return c
	}
}

func (k keyset) isTurned(i int) bool { return k.turned != nil && k.turned[i] }

// by is the ORDER BY in which the rows of a cut are read: from its own end.
func (k keyset) by(backward bool) string {
	terms := make([]string, len(k.columns))
	for i, column := range k.columns {
		terms[i] = column
		if (k.descending != k.isTurned(i)) != backward {
			terms[i] += " DESC"
		}
	}
	return strings.Join(terms, ", ")
}

// of is the same order of a table whose columns are given by name.
func (k keyset) of(table map[string]string) keyset {
	columns := make([]string, len(k.columns))
	for i, name := range k.columns {
		columns[i] = table[name]
	}
	k.columns = columns
	return k
}

// between adds the cursors of a cut to the conditions.
func (k keyset) between(c *conditions, cut domain.Cut) {
	if cut.After != nil {
		k.beyond(c, cut.After[1:], false)
	}
	if cut.Before != nil {
		k.beyond(c, cut.Before[1:], true)
	}
}

// beyond asks for the rows after the values of a cursor, or before them. If all
// columns go one way, an index begins at the values, and else at the first one.
func (k keyset) beyond(c *conditions, values []string, before bool) {
	places, comparisons := make([]string, len(values)), make([]string, len(values))
	for i, v := range values {
		places[i], comparisons[i] = c.value(v), " > "
		if (k.descending != k.isTurned(i)) != before {
			comparisons[i] = " < "
		}
	}
	if !slices.Contains(k.turned, true) {
		c.add("(" + strings.Join(k.columns, ", ") + ")" + comparisons[0] + "(" + strings.Join(places, ", ") + ")")
		return
	}
	c.add(k.columns[0] + strings.TrimSpace(comparisons[0]) + "= " + places[0])
	last := len(k.columns) - 1
	beyond := k.columns[last] + comparisons[last] + places[last]
	for i := last - 1; i >= 0; i-- {
		beyond = "(" + k.columns[i] + comparisons[i] + places[i] + " OR " + k.columns[i] + " = " + places[i] + " AND " + beyond + ")"
	}
	c.add(beyond)
}
