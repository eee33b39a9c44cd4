package domain

import "strings"

// Slot is the item type of the locks that jobs and services take. Its names
// keep their case, and its sessions are compared strictly: two instances of one
// service account are two holders.
const Slot = "SLOT"

// jobPrefix starts the slot keys that only a SERVICE may occupy, so that nobody
// at a screen can stop a job.
const jobPrefix = "job:"

// ItemKey names an item. Keys are made by Names.Key, which folds the spelling,
// so that two keys are the same item exactly when they are equal.
type ItemKey struct {
	ItemType string
	ItemName string
}

// Compare orders keys byte by byte, as the database's "C" collation does.
// Locks are taken in this order.
func (k ItemKey) Compare(other ItemKey) int {
	if c := strings.Compare(k.ItemType, other.ItemType); c != 0 {
		return c
	}
	return strings.Compare(k.ItemName, other.ItemName)
}

func (k ItemKey) String() string { return k.ItemType + " " + k.ItemName }

// isJob tells whether only a SERVICE may occupy the item.
func (k ItemKey) isJob() bool {
	return k.ItemType == Slot && strings.HasPrefix(strings.ToLower(k.ItemName), jobPrefix)
}
