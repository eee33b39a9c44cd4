// Package domain says who may work on an item, and nothing about how that is
// stored or asked for: no driver, no HTTP. It holds the nouns, the rules, the
// use cases, the live Hub, and the ports that persistence fills in.
//
// # The states of an item
//
//	          Occupy                        Free, ForceFree
//	FREE ───────────────▶ OCCUPIED ───────────────────────────▶ FREE
//	  ▲  (never seen:      │  ▲  │
//	  │   FREE, version 0) │  │  │ ExpireTime reached, noticed by
//	  │                    │  │  │ the next Occupy or by the sweeper
//	  │     Renew, Occupy  │  │  ▼
//	  │     by its holder  └──┘ EXPIRED ──── Occupy ────▶ OCCUPIED
//	  │                    TakeOver, Transfer: OCCUPIED ▶ OCCUPIED
//	                       with a new fencing token
//
// Every arrow but Renew, and but an Occupy by the holder that changes neither
// UI nor menu, writes one history row and raises Version by one. A new grant
// raises FencingToken by one and sets Renewals to 0; a renewal or re-entry
// raises Renewals by one, and so does a lost connection, which brings the end of
// the hold nearer. So (Version, Renewals) orders all that ever happens
// to an item.
//
// # Words
//
//	Item          the thing that can be occupied, by item type and name: LOT, PRODUCT, MASK, CST, SLOT, …
//	Occupancy     the present row of an item; an item never seen is FREE, version 0
//	State         OCCUPIED, FREE or EXPIRED
//	Holder        who occupies: user id and session, with UI and menu name
//	Session       one window of a user or one instance of a service; chosen by the caller, may be absent
//	TTL           seconds asked for; ExpireTime is the instant they end, by the database's clock
//	FencingToken  strictly rises at every new grant of an item, so that a late writer can be told from the present one
//	Hold          one grant from its start to its end
//	TimeKey       unique, time-ordered key of a history row
//	Event         how an item came into the state of a history row
//	Tail, Hub     reads new history rows; hands them to this process's subscribers
//	Cursor        a text by which a subscriber goes on after an event: the Position up to which it has everything
//	Bell          the word between gateways that there is something to read
//	Slot lock     an occupancy of the item type SLOT, for jobs and services
//	Sequence      a named counter; its Epoch is the count since a reset
//	Block         what one gateway drew of a sequence at once; Gap: values of it that nobody will get
//
// # Whose clock
//
// The database's, read after the row lock was taken, or in the same statement
// as a plain read. No rule asks for the time: it is an argument.
//
// # Lock order
//
//  1. Items in order of (ItemType, ItemName), compared byte by byte.
//  2. Sequences in order of name, compared byte by byte.
//  3. Blocks of sequences in order of (name, epoch, first value).
//
// A transaction that takes more than one kind of lock takes them in the order
// of this list; new kinds are added at its end.
package domain
