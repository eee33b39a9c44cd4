// Package postgres keeps the truth: the domain's stores on PostgreSQL.
//
// The one way a row changes is Store.Update. Its file tells the way:
//
//	queue.go        callers gather while transactions are in flight
//	group.go        a group is tried; if it fails, its halves, down to one
//	transaction.go  one transaction: lock in key order, read the clock, decide, write
//	made.go         which items need no row made for them
//	session.go      the round trips of any transaction
//	outcome.go      the connection was lost at the commit: ask what became of it
//
// Sequences are drawn through a queue of the same kind, sequence.go:
//
//	sequence_draw.go   one statement raises the counters for all who wait, and writes down what was drawn
//	sequence_keep.go   writes down what was given out, extends leases, gives back, reclaims
//	sequence_reset.go  changes after which no block drawn before is used any more
//	sequence_list.go   what there is, and what was lost
//
// pool.go is the connections, with a pooler before them or not; adhoc.go those of
// people who ask, replica.go where they are sent as long as it keeps up. metrics.go
// counts what is done, tracing.go traces it.
//
// Everything else only reads: floor.go what the commands need, archive.go and
// filter.go what people ask, feed.go what has changed, verify.go whether it is
// all there. retention.go and partitions.go look after the months of the history,
// views.go says who may read the views for BI tools. errors.go is the one place that reads SQLSTATEs.
package postgres
