package postgres

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"occupy/domain"
)

// conditions are what the rows of a question have to meet, all of it. A value
// is always a parameter and never becomes part of the text.
type conditions struct {
	all  []string
	args []any
}

func (c *conditions) clone() *conditions {
	return &conditions{all: slices.Clone(c.all), args: slices.Clone(c.args)}
}

// value adds a parameter. Returns what stands for it in the text.
func (c *conditions) value(v any) string {
	c.args = append(c.args, v)
	return "$" + strconv.Itoa(len(c.args))
}

func (c *conditions) add(condition string) { c.all = append(c.all, condition) }

// String is the conditions as SQL.
func (c *conditions) String() string {
	if len(c.all) == 0 {
		return "true"
	}
	return strings.Join(c.all, "\n\t\t  AND ")
}

func (c *conditions) text(column string, f *domain.TextFilter) {
	if f == nil {
		return
	}
	if f.In != nil {
		oneOf(c, column, f.In)
	}
	if f.Others != nil {
		c.add(column + " <> ALL (" + c.value(f.Others) + ")")
	}
	if len(f.Prefixes) > 0 {
		c.startsWith(column, f.Prefixes)
	}
	if len(f.Parts) > 0 {
		c.contains(column, f.Parts)
	}
	if f.IsNull != nil {
		c.add("(" + column + " = '') = " + c.value(*f.IsNull))
	}
}

// contains asks by strpos, which has no wildcards either. No index serves it.
func (c *conditions) contains(column string, parts []string) {
	ways := make([]string, len(parts))
	for i, p := range parts {
		ways[i] = "strpos(" + column + ", " + c.value(p) + ") > 0"
	}
	c.add("(" + strings.Join(ways, " OR ") + ")")
}

// startsWith asks by ^@, which has no wildcards to escape and, like LIKE, reads
// just the range of an index in "C" order.
func (c *conditions) startsWith(column string, prefixes []string) {
	ways := make([]string, len(prefixes))
	for i, p := range prefixes {
		ways[i] = column + " ^@ " + c.value(p)
	}
	c.add("(" + strings.Join(ways, " OR ") + ")")
}

// oneOf asks for a single value by =, since only then does an index on more
// columns bring the rows in its order.
func oneOf[T ~string](c *conditions, column string, list []T) {
	if len(list) == 1 {
		c.add(column + " = " + c.value(string(list[0])))
		return
	}
	c.add(column + " = ANY (" + c.value(texts(list)) + ")")
}

func texts[T ~string](list []T) []string {
	t := make([]string, len(list))
	for i, v := range list {
		t[i] = string(v)
	}
	return t
}

// wanted is the list that eq and in, where they are given, leave. Returns false
// if neither is.
func wanted[T comparable](eq *T, in []T) ([]T, bool) {
	if eq == nil {
		return in, in != nil
	}
	if in == nil {
		return []T{*eq}, true
	}
	for _, v := range in {
		if v == *eq {
			return []T{v}, true
		}
	}
	return []T{}, true
}

func (c *conditions) times(column string, f *domain.TimeFilter) {
	if f == nil {
		return
	}
	if f.Gte != nil {
		c.add(column + " >= " + c.value(ceiling(*f.Gte)))
	}
	if f.Lt != nil {
		c.add(column + " < " + c.value(ceiling(*f.Lt)))
	}
	if f.IsNull != nil {
		c.add("(" + column + " IS NULL) = " + c.value(*f.IsNull))
	}
}

// seconds narrows an interval.
func (c *conditions) seconds(interval string, f *domain.SecondsFilter) {
	if f == nil {
		return
	}
	bound := func(comparison string, n *int) {
		if n != nil {
			c.add(interval + comparison + c.value(time.Duration(*n)*time.Second) + "::interval")
		}
	}
	bound(" > ", f.Gt)
	bound(" >= ", f.Gte)
	bound(" < ", f.Lt)
	bound(" <= ", f.Lte)
	if f.Between != nil {
		bound(" >= ", &f.Between.From)
		bound(" <= ", &f.Between.To)
	}
	if f.IsNull != nil {
		c.add("(" + interval + " IS NULL) = " + c.value(*f.IsNull))
	}
}

// timeKeys asks for the rows written in a period by their keys, which is what
// tells the database the months to look in.
func (c *conditions) timeKeys(column string, f *domain.TimeFilter) {
	if f == nil {
		return
	}
	if f.Gte != nil {
		c.add(column + " >= " + c.value(timeKeyFrom(*f.Gte)))
	}
	if f.Lt != nil {
		c.add(column + " < " + c.value(timeKeyFrom(*f.Lt)))
	}
	if f.IsNull != nil && *f.IsNull {
		c.add("false")
	}
}

// timeKeyFrom is the least key of a row written at or after an instant.
func timeKeyFrom(at time.Time) string {
	at = ceiling(at).UTC()
	if at.Year() > 9999 {
		return ":" // after every digit
	}
	if at.Year() < 0 {
		return ""
	}
	if month := monthOf(at, 0); at.Equal(month) {
		return monthKey(month) // a partition's very bound, lest one that ends here be looked into
	}
	return domain.TimeKeyPrefix(at)
}

// ceiling is the first whole microsecond, the database's unit, not before at:
// what it has is at or after the one exactly if it is at or after the other.
func ceiling(at time.Time) time.Time {
	if whole := at.Truncate(time.Microsecond); whole.Equal(at) {
		return whole
	}
	return at.Truncate(time.Microsecond).Add(time.Microsecond)
}

// seenAs says which rows a reader sees in a state (rule 15). now() will do as
// the clock: a plain read does not wait for a row lock, and all parts of a
// question have the same now.
var seenAs = map[domain.State]string{
	domain.StateOccupied: "i.state = 'OCCUPIED' AND i.expire_time > now()",
	domain.StateFree:     "i.state = 'FREE'",
	domain.StateExpired:  "(i.state = 'EXPIRED' OR i.state = 'OCCUPIED' AND i.expire_time <= now())",
}

func (c *conditions) seen(f *domain.StateFilter) {
	if f == nil {
		return
	}
	if f.Ne != nil {
		c.add("(" + seenAs[*f.Ne] + ") IS NOT TRUE")
	}
	states, narrowed := wanted(f.Eq, f.In)
	if !narrowed {
		return
	}
	ways := []string{"false"}
	for _, s := range states {
		if sql, known := seenAs[s]; known {
			ways = append(ways, sql)
		}
	}
	if len(ways) == 2 {
		c.add(ways[1])
		return
	}
	c.add("(" + strings.Join(ways, " OR ") + ")")
}

// branches adds the filters that a filter is made of; fill adds one's conditions.
// A condition on what a row does not have is neither true nor false: NOT TRUE makes
// two of the three, so that a row is found by a filter or by its negation.
func branches[W any](c *conditions, and, or []*W, not *W, fill func(*conditions, *W)) {
	nested := func(w *W) string {
		inner := &conditions{args: c.args}
		fill(inner, w)
		c.args = inner.args
		return "(" + inner.String() + ")"
	}
	for _, w := range and {
		fill(c, w)
	}
	if or != nil {
		ways := []string{"false"} // of none, none holds
		for _, w := range or {
			ways = append(ways, nested(w))
		}
		c.add("(" + strings.Join(ways, " OR ") + ")")
	}
	if not != nil {
		c.add(nested(not) + " IS NOT TRUE")
	}
}

// occupancyConditions are those on ct_occupy_item i.
func occupancyConditions(w domain.OccupancyWhere) *conditions {
	c := &conditions{}
	c.add("i.version > 0")
	c.occupancy(&w)
	return c
}

func (c *conditions) occupancy(w *domain.OccupancyWhere) {
	c.text("i.item_type", w.ItemType)
	c.text("i.item_name", w.ItemName)
	c.text("i.user_id", w.UserID)
	c.text("i.session_id", w.Session)
	c.seen(w.State)
	c.text("i.ui_name", w.UIName)
	c.text("i.menu_name", w.MenuName)
	c.times("i.start_time", w.StartTime)
	c.times("i.expire_time", w.ExpireTime)
	branches(c, w.And, w.Or, w.Not, (*conditions).occupancy)
}

// historyConditions are those on ct_occupy_item_history h.
func historyConditions(w domain.HistoryWhere) *conditions {
	c := &conditions{}
	c.history(&w)
	return c
}

// heldUntil is when the hold ended that a history row h ended; NULL if it did not.
const heldUntil = `CASE h.state WHEN 'FREE' THEN h.reg_dt WHEN 'EXPIRED' THEN h.expire_time END`

func (c *conditions) history(w *domain.HistoryWhere) {
	c.text("h.item_type", w.ItemType)
	c.text("h.item_name", w.ItemName)
	c.text("h.user_id", w.UserID)
	c.text("h.session_id", w.Session)
	if f := w.State; f != nil {
		values(c, "h.state", f.Eq, f.Ne, f.In)
	}
	if f := w.Event; f != nil {
		values(c, "h.event", f.Eq, f.Ne, f.In)
	}
	c.text("h.ui_name", w.UIName)
	c.text("h.menu_name", w.MenuName)
	c.text("h.comment", w.Comment)
	c.times("h.start_time", w.StartTime)
	c.times("h.expire_time", w.ExpireTime)
	c.timeKeys("h.time_key", w.At)
	c.seconds("("+heldUntil+" - h.start_time)", w.HeldSeconds)
	branches(c, w.And, w.Or, w.Not, (*conditions).history)
}

// values narrows a column that has one of a few words.
func values[T ~string](c *conditions, column string, eq, ne *T, in []T) {
	if list, narrowed := wanted(eq, in); narrowed {
		oneOf(c, column, list)
	}
	if ne != nil {
		c.add(column + " <> " + c.value(string(*ne)))
	}
}
