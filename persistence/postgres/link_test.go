package postgres

import (
	"testing"

	"occupy/persistence/devstack"
)

// commitMark is a menu name by which a wire knows the round trip that commits:
// it is sent there and nowhere else.
const commitMark = "MARK-OF-THE-COMMIT"

// newLink opens a wire to the database at the URL, and returns its own URL.
func newLink(t *testing.T, databaseURL string) (*devstack.Wire, string) {
	t.Helper()
	wire, url, err := devstack.OpenWire(databaseURL, commitMark)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wire.Close)
	return wire, url
}
