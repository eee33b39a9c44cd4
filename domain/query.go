package domain

// Direction is that of an order.
type Direction string

// The directions.
const (
	Ascending  Direction = "ASC"
	Descending Direction = "DESC"
)

// OccupancyField is what a list of occupancies can be ordered by.
type OccupancyField string

// The orders of occupancies.
const (
	ByItem       OccupancyField = "ITEM"
	ByStartTime  OccupancyField = "START_TIME"
	ByExpireTime OccupancyField = "EXPIRE_TIME"
	ByUpdatedAt  OccupancyField = "UPDATED_AT"
	ByUser       OccupancyField = "USER"
)

// OccupancyOrder is a term of the order of a list of occupancies.
type OccupancyOrder struct {
	Field     OccupancyField
	Direction Direction
}

// HistoryField is what the history can be ordered by.
type HistoryField string

// The orders of the history. TIME is that of TimeKey, which within an item is
// that of its versions.
const (
	ByTime           HistoryField = "TIME"
	ByHistoryItem    HistoryField = "ITEM"
	ByHistoryUser    HistoryField = "USER"
	ByHistoryEvent   HistoryField = "EVENT"
	ByHistoryUI      HistoryField = "UI"
	ByHistoryMenu    HistoryField = "MENU"
	ByHistoryStart   HistoryField = "START_TIME"
	ByHistoryExpires HistoryField = "EXPIRE_TIME"
)

// HistoryOrder is a term of the order of the history.
type HistoryOrder struct {
	Field     HistoryField
	Direction Direction
}

// OccupancyQuery is a checked question for occupancies. A cursor has the values
// of its Terms.
type OccupancyQuery struct {
	Where OccupancyWhere
	Order []OccupancyOrder
	Cut   Cut
}

// Terms is the whole order: with the item at its end, which makes it unique.
func (q OccupancyQuery) Terms() []Term {
	terms := make([]Term, len(q.Order))
	for i, o := range q.Order {
		terms[i] = Term{string(o.Field), o.Direction == Descending}
	}
	return unique(terms, string(ByItem))
}

// HistoryQuery is a checked question for history rows. A cursor has the values
// of its Terms.
type HistoryQuery struct {
	Where HistoryWhere
	Order []HistoryOrder
	Cut   Cut
}

// Terms is the whole order: up to TIME, which makes it unique.
func (q HistoryQuery) Terms() []Term {
	terms := make([]Term, len(q.Order))
	for i, o := range q.Order {
		terms[i] = Term{string(o.Field), o.Direction == Descending}
	}
	return unique(terms, string(ByTime))
}

func (k *checker) occupancyQuery(where *OccupancyWhere, order []*OccupancyOrder, page PageArgs) OccupancyQuery {
	q := OccupancyQuery{Order: values(order)}
	if where != nil {
		q.Where = k.occupancyWhere("where", 1, *where)
	}
	q.Cut = k.orderedCut(page, q.Terms())
	return q
}

func (k *checker) historyQuery(where *HistoryWhere, order []*HistoryOrder, page PageArgs) HistoryQuery {
	q := HistoryQuery{Order: values(order)}
	if len(q.Order) == 0 {
		q.Order = []HistoryOrder{{ByTime, Descending}}
	}
	if where != nil {
		q.Where = k.historyWhere("where", 1, *where)
	}
	q.Cut = k.orderedCut(page, q.Terms())
	return q
}

func values[T any](list []*T) []T {
	all := make([]T, len(list))
	for i, v := range list {
		all[i] = *v
	}
	return all
}

// reads is what answering takes: in order of time and without a filter the rows of
// a page lie side by side, wherever it begins.
func (q HistoryQuery) reads() reach {
	r := q.Where.reach()
	r.led = r.led || !r.narrows && q.Order[0].Field == ByTime && !q.Cut.Total
	return r
}
