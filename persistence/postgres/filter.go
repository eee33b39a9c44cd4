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
	if len(f.Prefixes) > 0 {
		c.startsWith(column, f.Prefixes)
	}
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

// occupancyConditions are those on ct_occupy_item i.
func occupancyConditions(w domain.OccupancyWhere) *conditions {
	c := &conditions{}
	c.add("i.version > 0")
	c.text("i.item_type", w.ItemType)
	c.text("i.item_name", w.ItemName)
	c.text("i.user_id", w.UserID)
	c.seen(w.State)
	c.text("i.ui_name", w.UIName)
	c.text("i.menu_name", w.MenuName)
	c.times("i.start_time", w.StartTime)
	c.times("i.expire_time", w.ExpireTime)
	return c
}

// historyConditions are those on ct_occupy_item_history h.
func historyConditions(w domain.HistoryWhere) *conditions {
	c := &conditions{}
	c.text("h.item_type", w.ItemType)
	c.text("h.item_name", w.ItemName)
	c.text("h.user_id", w.UserID)
	if f := w.State; f != nil {
		if states, narrowed := wanted(f.Eq, f.In); narrowed {
			oneOf(c, "h.state", states)
		}
	}
	if f := w.Event; f != nil {
		if events, narrowed := wanted(f.Eq, f.In); narrowed {
			oneOf(c, "h.event", events)
		}
	}
	c.text("h.ui_name", w.UIName)
	c.text("h.menu_name", w.MenuName)
	c.timeKeys("h.time_key", w.At)
	return c
}
