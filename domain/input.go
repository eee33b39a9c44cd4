package domain

// The inputs of the mutations, as they are sent: unchecked. A text that was not
// sent is "". Session, UIName and MenuName mean the same in all of them.

// ItemInput names one item.
type ItemInput struct{ ItemType, ItemName string }

// OccupyInput asks for one item.
type OccupyInput struct {
	ItemType, ItemName string
	TTLSeconds         *int
	UIName, MenuName   string
	Session            string
	TakeOver           bool
}

// OccupyAllInput asks for several items, all or none.
type OccupyAllInput struct {
	Items            []*ItemInput
	TTLSeconds       *int
	UIName, MenuName string
	Session          string
	TakeOver         bool
}

// RenewInput asks to extend a hold.
type RenewInput struct {
	ItemType, ItemName string
	TTLSeconds         *int
	Session            string
	FencingToken       *int64
}

// FreeHow is why a holder gives an item back.
type FreeHow string

// Why a holder gives an item back.
const (
	FreeOK             FreeHow = "OK"
	FreeWindowClosed   FreeHow = "WINDOW_CLOSED"
	FreeConnectionLost FreeHow = "CONNECTION_LOST"
)

// event is what the history says of it.
func (h FreeHow) event() Event {
	if h == "" || h == FreeOK {
		return EventFreed
	}
	return Event(h)
}

// FreeInput gives one item back.
type FreeInput struct {
	ItemType, ItemName string
	Session            string
	FencingToken       *int64
	How                FreeHow
	// GraceSeconds nil gives it back at once.
	GraceSeconds *int
}

// FreeAllInput gives back all that the caller occupies under one session.
// ItemTypes nil means every type but SLOT.
type FreeAllInput struct {
	Session   string
	ItemTypes []string
	How       FreeHow
}

// ForceFreeInput ends another's hold.
type ForceFreeInput struct {
	ItemType, ItemName string
	Reason             string
	FencingToken       int64
}

// TransferInput hands an item to another user.
type TransferInput struct {
	ItemType, ItemName string
	ToUserID           string
	ToSession          string
	TTLSeconds         *int
	Session            string
	FencingToken       *int64
}

// HolderClaim is what a screen's back end was shown and wants to have checked.
type HolderClaim struct {
	ItemType, ItemName string
	UserID, Session    string
	FencingToken       *int64
}

// Answer is how a command on one item ended.
type Answer struct {
	OK      bool
	Code    Code
	Message string
	// Occupancy is the item as it is now, with the present holder if the
	// command was refused.
	Occupancy *Occupancy
	// RetryAfterSeconds is how long the present holder has left at most, if
	// waiting would help.
	RetryAfterSeconds *int
}

// OccupyAllAnswer is how occupyAll ended.
type OccupyAllAnswer struct {
	OK                bool
	Code              Code
	Message           string
	Occupancies       []*Occupancy // what was asked for, if all of it was granted
	Blockers          []*Occupancy // every item that stood in the way
	RetryAfterSeconds *int         // until the last of them is free at the latest
}

// FreeAllAnswer is how freeAll ended.
type FreeAllAnswer struct {
	OK          bool
	Code        Code
	Message     string
	Occupancies []*Occupancy // what was given back
}
