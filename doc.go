// Occupy says who holds an item of the factory floor, until when, and from which
// screen.
//
// This package reads the settings (config.go), puts the parts together and takes
// them apart again (server.go). It is the only one that knows all of them:
//
//	resolvers → graph, domain          graph/gateway → resolvers, graph, domain, identity
//	graph → domain                     persistence/* → domain; postgres → migrations
//
// arrows_test.go fails on any other import.
package main
