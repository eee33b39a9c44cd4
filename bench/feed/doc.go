// Command feed says what a live feed costs, as ratios within one run.
//
//	main.go     what is measured, and what came out
//	rig.go      a private PostgreSQL and Redis, two gateways as real processes, and
//	            the yardstick as another
//	bare.go     the yardstick: a Go program that writes one prepared frame to each
//	            socket, and knows nothing
//	sockets.go  clients that take as little of the processors as they can
//
// The clients are the same for both, and both share the machine with theirs.
package main
