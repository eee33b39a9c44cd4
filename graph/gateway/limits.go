package gateway

import (
	"cmp"
	"time"

	"occupy/domain"
)

// Limits bound what clients may keep open and how long they may be silent. What is
// zero is as DefaultLimits says.
type Limits struct {
	Connections int // sockets and streams, of all users
	PerUser     int // those of one user
	Operations  int // at once on one socket
	Exports     int // at once, of all users
	Body        int // bytes of a request, or of a message on a socket

	Request   time.Duration // for a query or mutation, its statements included
	Init      time.Duration // for connection_init, from the upgrade on
	Write     time.Duration // a client may leave what is sent to it unread
	KeepAlive time.Duration // without a word; twice that, and the client is gone
	Spread    time.Duration // over which a stopping gateway sends its clients away
}

// DefaultLimits fit a gateway that serves a whole floor. Nobody has more than half
// of it.
var DefaultLimits = Limits{
	Connections: 20_000, PerUser: 10_000, Operations: 1000, Exports: 2, Body: 1 << 20,
	// Proxies cut connections that say nothing for a minute.
	Request: 40 * time.Second, Init: 10 * time.Second, Write: 10 * time.Second, KeepAlive: 20 * time.Second,
	Spread: 3 * time.Second,
}

// maxQueue is how many messages may wait for one client: as many as the domain
// keeps for one subscriber.
const maxQueue = domain.MaxQueue

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{
		Connections: cmp.Or(l.Connections, d.Connections), PerUser: cmp.Or(l.PerUser, d.PerUser),
		Operations: cmp.Or(l.Operations, d.Operations), Exports: cmp.Or(l.Exports, d.Exports), Body: cmp.Or(l.Body, d.Body),
		Request: cmp.Or(l.Request, d.Request), Init: cmp.Or(l.Init, d.Init), Write: cmp.Or(l.Write, d.Write),
		KeepAlive: cmp.Or(l.KeepAlive, d.KeepAlive), Spread: cmp.Or(l.Spread, d.Spread),
	}
}
