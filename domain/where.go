package domain

// Bounds of a filter, which its sender chooses.
const (
	MaxFilterDepth = 8   // of and, or, not within each other
	MaxFilterParts = 100 // objects with fields of their own
)

// OccupancyWhere narrows the list of occupancies. All that is given must hold.
type OccupancyWhere struct {
	And, Or            []*OccupancyWhere
	Not                *OccupancyWhere
	ItemType, ItemName *TextFilter
	UserID             *TextFilter
	Session            *TextFilter
	State              *StateFilter
	UIName, MenuName   *TextFilter
	StartTime          *TimeFilter
	ExpireTime         *TimeFilter
}

// HistoryWhere narrows the history. All that is given must hold.
type HistoryWhere struct {
	And, Or            []*HistoryWhere
	Not                *HistoryWhere
	ItemType, ItemName *TextFilter
	UserID             *TextFilter
	Session            *TextFilter
	State              *StateFilter
	Event              *EventFilter
	UIName, MenuName   *TextFilter
	StartTime          *TimeFilter
	ExpireTime         *TimeFilter
	At                 *TimeFilter
	HeldSeconds        *SecondsFilter
	Comment            *TextFilter
}

// part counts one object of a filter, at a path, and says whether it may be read.
func (k *checker) part(at string, depth int) bool {
	k.parts++
	if depth > MaxFilterDepth {
		k.fail(at, "is nested deeper than "+itoa(MaxFilterDepth)+" levels")
	} else if k.parts > MaxFilterParts {
		k.fail(at, "is one too many: a filter must not have more than "+itoa(MaxFilterParts)+" parts")
	}
	return k.err == nil
}

// branches checks the filters that a filter is made of.
func branches[W any](k *checker, at string, depth int, and, or *[]*W, not **W, check func(string, int, W) W) {
	list := func(name string, of []*W) []*W {
		if of == nil {
			return nil
		}
		all := make([]*W, 0, min(len(of), MaxFilterParts))
		for i, w := range of {
			if k.err != nil {
				break
			}
			checked := check(at+name+itoa(i), depth+1, *w)
			all = append(all, &checked)
		}
		return all
	}
	*and, *or = list(".and.", *and), list(".or.", *or)
	if *not != nil {
		checked := check(at+".not", depth+1, **not)
		*not = &checked
	}
}

func (k *checker) occupancyWhere(at string, depth int, w OccupancyWhere) OccupancyWhere {
	if !k.part(at, depth) {
		return w
	}
	w.ItemType, w.ItemName = k.itemFilters(at, w.ItemType, w.ItemName)
	w.UserID = k.textFilter(at+".userId", w.UserID, trimmed)
	w.Session = k.textFilter(at+".session", w.Session, trimmed)
	w.UIName = k.textFilter(at+".uiName", w.UIName, trimmed)
	w.MenuName = k.textFilter(at+".menuName", w.MenuName, trimmed)
	if w.State != nil {
		k.few(at+".state.in", len(w.State.In))
	}
	w.StartTime = k.timeFilter(at+".startTime", w.StartTime)
	w.ExpireTime = k.timeFilter(at+".expireTime", w.ExpireTime)
	branches(k, at, depth, &w.And, &w.Or, &w.Not, k.occupancyWhere)
	return w
}

func (k *checker) historyWhere(at string, depth int, w HistoryWhere) HistoryWhere {
	if !k.part(at, depth) {
		return w
	}
	w.ItemType, w.ItemName = k.itemFilters(at, w.ItemType, w.ItemName)
	w.UserID = k.textFilter(at+".userId", w.UserID, trimmed)
	w.Session = k.textFilter(at+".session", w.Session, trimmed)
	w.UIName = k.textFilter(at+".uiName", w.UIName, trimmed)
	w.MenuName = k.textFilter(at+".menuName", w.MenuName, trimmed)
	w.Comment = k.textFilter(at+".comment", w.Comment, trimmed)
	if w.State != nil {
		k.few(at+".state.in", len(w.State.In))
	}
	if w.Event != nil {
		k.few(at+".event.in", len(w.Event.In))
	}
	w.StartTime = k.timeFilter(at+".startTime", w.StartTime)
	w.ExpireTime = k.timeFilter(at+".expireTime", w.ExpireTime)
	w.At = k.timeFilter(at+".at", w.At)
	k.secondsFilter(at+".heldSeconds", w.HeldSeconds)
	branches(k, at, depth, &w.And, &w.Or, &w.Not, k.historyWhere)
	return w
}
