package graph

import (
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
)

// The enums that callers send are read here, because gqlparser takes a variable
// of any case ("occupied") and gqlgen hands it on as it is.

// oneOf reads an enum's value; null is an absent one.
func oneOf[T ~string](v any, all ...T) (T, error) {
	s, _ := v.(string)
	if v != nil && !slices.Contains(all, T(s)) {
		return "", wrong(fmt.Sprint("one of ", all), v)
	}
	return T(s), nil
}

// MarshalState writes a state.
func MarshalState(s domain.State) graphql.Marshaler { return MarshalText(string(s)) }

// UnmarshalState reads a state.
func UnmarshalState(v any) (domain.State, error) {
	return oneOf(v, domain.StateOccupied, domain.StateFree, domain.StateExpired)
}

// MarshalEvent writes an event. None, as in a snapshot, is null.
func MarshalEvent(e domain.Event) graphql.Marshaler { return MarshalText(string(e)) }

// UnmarshalEvent reads an event.
func UnmarshalEvent(v any) (domain.Event, error) {
	return oneOf(v,
		domain.EventOccupied, domain.EventReentered, domain.EventTakenOver, domain.EventTransferred,
		domain.EventFreed, domain.EventWindowClosed, domain.EventConnectionLost, domain.EventForced,
		domain.EventExpired, domain.EventMaxHold)
}

// MarshalFreeHow writes why an item was given back.
func MarshalFreeHow(h domain.FreeHow) graphql.Marshaler { return MarshalText(string(h)) }

// UnmarshalFreeHow reads why an item is given back.
func UnmarshalFreeHow(v any) (domain.FreeHow, error) {
	return oneOf(v, domain.FreeOK, domain.FreeWindowClosed, domain.FreeConnectionLost)
}

// MarshalOrderDirection writes a direction.
func MarshalOrderDirection(d domain.Direction) graphql.Marshaler { return MarshalText(string(d)) }

// UnmarshalOrderDirection reads a direction.
func UnmarshalOrderDirection(v any) (domain.Direction, error) {
	return oneOf(v, domain.Ascending, domain.Descending)
}

// MarshalOccupancyOrderField writes what occupancies are ordered by.
func MarshalOccupancyOrderField(f domain.OccupancyField) graphql.Marshaler {
	return MarshalText(string(f))
}

// UnmarshalOccupancyOrderField reads what occupancies are ordered by.
func UnmarshalOccupancyOrderField(v any) (domain.OccupancyField, error) {
	return oneOf(v, domain.ByItem, domain.ByUser, domain.ByStartTime, domain.ByExpireTime, domain.ByUpdatedAt)
}

// MarshalHistoryOrderField writes what the history is ordered by.
func MarshalHistoryOrderField(f domain.HistoryField) graphql.Marshaler {
	return MarshalText(string(f))
}

// UnmarshalHistoryOrderField reads what the history is ordered by.
func UnmarshalHistoryOrderField(v any) (domain.HistoryField, error) {
	return oneOf(v,
		domain.ByTime, domain.ByHistoryItem, domain.ByHistoryUser, domain.ByHistoryEvent,
		domain.ByHistoryUI, domain.ByHistoryMenu, domain.ByHistoryStart, domain.ByHistoryExpires)
}

// MarshalHoldOrderField writes what holds are ordered by.
func MarshalHoldOrderField(f domain.HoldField) graphql.Marshaler { return MarshalText(string(f)) }

// UnmarshalHoldOrderField reads what holds are ordered by.
func UnmarshalHoldOrderField(v any) (domain.HoldField, error) {
	return oneOf(v, domain.ByHoldEnd, domain.ByHoldStart, domain.ByHoldItem, domain.ByHoldUser, domain.ByHoldSeconds)
}

// MarshalStatsGroup writes what holds are counted by.
func MarshalStatsGroup(g domain.StatsGroup) graphql.Marshaler { return MarshalText(string(g)) }

// UnmarshalStatsGroup reads what holds are counted by.
func UnmarshalStatsGroup(v any) (domain.StatsGroup, error) {
	return oneOf(v,
		domain.StatsByUser, domain.StatsByItemType, domain.StatsByItem, domain.StatsByUI, domain.StatsByMenu,
		domain.StatsByHour, domain.StatsByDay, domain.StatsByShift, domain.StatsByEndReason)
}

// MarshalStatsMeasure writes what statistics are ordered by.
func MarshalStatsMeasure(m domain.StatsMeasure) graphql.Marshaler { return MarshalText(string(m)) }

// UnmarshalStatsMeasure reads what statistics are ordered by.
func UnmarshalStatsMeasure(v any) (domain.StatsMeasure, error) {
	return oneOf(v,
		domain.StatsGroupOrder, domain.StatsHolds, domain.StatsTotalSeconds, domain.StatsAvgSeconds, domain.StatsP50Seconds,
		domain.StatsP95Seconds, domain.StatsMaxSeconds, domain.StatsExpired, domain.StatsForced, domain.StatsDenials, domain.StatsMinutesLost)
}

// BlocksOut is what a reset does while gateways have blocks of the sequence out.
type BlocksOut string

// The ways of a reset.
const (
	BlocksOutWait   BlocksOut = "WAIT"
	BlocksOutRefuse BlocksOut = "REFUSE"
)

// MarshalBlocksOut writes the way of a reset.
func MarshalBlocksOut(b BlocksOut) graphql.Marshaler { return MarshalText(string(b)) }

// UnmarshalBlocksOut reads the way of a reset.
func UnmarshalBlocksOut(v any) (BlocksOut, error) { return oneOf(v, BlocksOutWait, BlocksOutRefuse) }

// MarshalBlockerGroup writes what blockers are counted by.
func MarshalBlockerGroup(g domain.BlockerGroup) graphql.Marshaler { return MarshalText(string(g)) }

// UnmarshalBlockerGroup reads what blockers are counted by.
func UnmarshalBlockerGroup(v any) (domain.BlockerGroup, error) {
	return oneOf(v, domain.ByBlockerUser, domain.ByBlockerScreen, domain.ByBlockedItem)
}
