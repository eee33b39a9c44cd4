package domain

// NoBell is the Bell of a gateway without Redis: it is never heard and hears
// nothing, so that changes by other gateways are seen within a second.
type NoBell struct{}

var _ Bell = NoBell{}

// Ring does nothing.
func (NoBell) Ring() {}

// Rung never receives.
func (NoBell) Rung() <-chan struct{} { return nil }

// Tell does nothing.
func (NoBell) Tell([]*Change) {}

// Listen hears nothing.
func (NoBell) Listen(func([]*Change, bool)) {}
