package domain

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

// Occupancy is one item as it is now.
func (s *Service) Occupancy(ctx context.Context, itemType, itemName string) (*Occupancy, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	key := k.item("", itemType, itemName)
	if err := k.fault(); err != nil {
		return nil, err
	}
	o, err := s.read(ctx, key)
	if err != nil {
		return nil, err
	}
	return &o, nil
}

func (s *Service) read(ctx context.Context, key ItemKey) (Occupancy, error) {
	items, clock, err := s.Store.Read(ctx, []ItemKey{key})
	if err != nil {
		return Occupancy{}, err
	}
	return items[0].Seen(clock), nil
}

// Holder is who holds an item now. Returns nil if nobody does.
func (s *Service) Holder(ctx context.Context, itemType, itemName string) (*Holder, error) {
	o, err := s.Occupancy(ctx, itemType, itemName)
	if err != nil {
		return nil, err
	}
	return o.Holder(), nil
}

// VerifyHolder tells a screen's own back end, before it saves, whether a claim
// is that of the present holder.
func (s *Service) VerifyHolder(ctx context.Context, in HolderClaim) (*Answer, error) {
	caller, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	k := s.check("")
	key := k.item("", in.ItemType, in.ItemName)
	claim := k.claim(Caller{UserID: k.name("userId", in.UserID, MaxUserID)}, in.Session, in.FencingToken)
	if err := k.fault(); err != nil {
		return nil, err
	}
	items, clock, err := s.Store.Read(ctx, []ItemKey{key})
	if err != nil {
		return nil, err
	}
	return s.answer(caller, items[0].Verify(clock, claim), items[0].Seen(clock)), nil
}

// Occupancies lists items as they are now.
func (s *Service) Occupancies(ctx context.Context, where *OccupancyWhere, order []*OccupancyOrder, page PageArgs) (Page[Occupancy], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[Occupancy]{}, err
	}
	k := s.check("")
	q := k.occupancyQuery(where, order, page)
	if err := k.fault(); err != nil {
		return Page[Occupancy]{}, err
	}
	return s.Archive.Occupancies(ctx, q)
}

// History lists what has happened.
func (s *Service) History(ctx context.Context, where *HistoryWhere, order []*HistoryOrder, page PageArgs) (Page[HistoryEntry], error) {
	if _, err := CallerFrom(ctx); err != nil {
		return Page[HistoryEntry]{}, err
	}
	k := s.check("")
	q := k.historyQuery(where, order, page)
	if err := s.bounded(ctx, k, q.reads(), "at", MaxSpan); err != nil {
		return Page[HistoryEntry]{}, err
	}
	return s.Archive.History(ctx, q)
}

// bounded is the fault of a question that was read, or that it would take too long
// to answer. A period ends now at the latest, by the database's clock.
func (s *Service) bounded(ctx context.Context, k *checker, r reach, field string, span time.Duration) error {
	if k.err == nil && !r.led && r.from != nil && r.longer(span) {
		clock, err := s.Archive.Clock(ctx)
		if err != nil {
			return err
		}
		r.to = earliest(&clock, r.to)
	}
	k.bounded(r, field, span)
	return k.fault()
}

// HistoryOf lists what has happened to one item.
func (s *Service) HistoryOf(ctx context.Context, key ItemKey, order []*HistoryOrder, page PageArgs) (Page[HistoryEntry], error) {
	where := HistoryWhere{ItemType: &TextFilter{Eq: &key.ItemType}, ItemName: &TextFilter{Eq: &key.ItemName}}
	return s.History(ctx, &where, order, page)
}

// HolderAt is who held an item at an instant. Returns nil if nobody did. An
// instant still to come is answered from what is known now.
func (s *Service) HolderAt(ctx context.Context, itemType, itemName string, at time.Time) (*Holder, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	k := s.check("")
	key := k.item("", itemType, itemName)
	k.instant("at", at)
	if err := k.fault(); err != nil {
		return nil, err
	}
	return s.Archive.HolderAt(ctx, key, at)
}

func (k *checker) instant(argument string, at time.Time) {
	if year := at.UTC().Year(); year < 1 || year > 9999 {
		k.fail(argument, "is not a date of this calendar")
	}
}

// Me is who asks.
func (s *Service) Me(ctx context.Context) (*Caller, error) {
	c, err := CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// Kinds of node ids.
const (
	occupancyNode = "Occupancy"
	historyNode   = "HistoryEntry"
)

// ID is the item's node id, the same for ever.
func (o Occupancy) ID() string { return nodeID(occupancyNode, o.ItemType, o.ItemName) }

// ID is the row's node id, the same for ever.
func (h HistoryEntry) ID() string { return nodeID(historyNode, h.TimeKey, h.ItemType, h.ItemName) }

// nodeID joins by a character that no name can have.
func nodeID(parts ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\n")))
}

// Node is anything that Service.Node finds by its id: an Occupancy or a HistoryEntry.
type Node interface{ ID() string }

// Node finds an *Occupancy or a *HistoryEntry by its id. Returns nil if there
// is none. An id that is not well formed is an InputError.
func (s *Service) Node(ctx context.Context, id string) (Node, error) {
	if _, err := CallerFrom(ctx); err != nil {
		return nil, err
	}
	text, err := base64.RawURLEncoding.DecodeString(id)
	parts := strings.Split(string(text), "\n")
	broken := err != nil || textProblem(strings.Join(parts[1:], ""), MaxItemName+MaxItemType+TimeKeyLength) != ""
	switch {
	case !broken && len(parts) == 3 && parts[0] == occupancyNode:
		o, err := s.read(ctx, ItemKey{parts[1], parts[2]})
		if err != nil || o.Version == 0 {
			return nil, err
		}
		return &o, nil
	case !broken && len(parts) == 4 && parts[0] == historyNode && validTimeKey(parts[1]):
		h, err := s.Archive.HistoryEntry(ctx, parts[1], ItemKey{parts[2], parts[3]})
		if err != nil || h == nil {
			return nil, err
		}
		return h, nil
	}
	return nil, &InputError{Argument: "id", Problem: "is not an id of this service"}
}

// RoleNames are the caller's roles in order of the schema.
func (c Caller) RoleNames() []Role {
	return slices.DeleteFunc(slices.Clone(AllRoles), func(r Role) bool { return !c.Has(r) })
}
