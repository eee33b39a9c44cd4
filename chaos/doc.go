// Command chaos tries to break Occupy. Three gateways as real processes serve users and subscribers
// while a schedule of faults, drawn from a seed, kills, stops and cuts what they stand on. All that
// was asked and answered is recorded, and afterwards held against what is promised.
//
//	rig.go        PostgreSQL and Redis, and gateways that reach them through wires that can be cut
//	gateway.go    one gateway: started, killed, stopped, gone on with
//	record.go     what was asked, of whom, and what came of it
//	ask.go        one question over HTTP, and whether its answer is ok, refused, undone or unknown
//	users.go      users who take, renew, give back and draw, and go to another gateway when one fails
//	subscriber.go subscribers on sockets, who come back after their last cursor
//	schedule.go   which fault when, from a seed
//	faults.go     the faults
//	tables.go     the tables at the end
//	check*.go     the promises, each a pure function over the record
//	model.go      the rules once more, for one item, and for callers who do not know what became of a call
//	report.go     the sums
//
// A lost answer is unknown, not failed. docs/guarantees.md says what is promised under which faults.
package main
