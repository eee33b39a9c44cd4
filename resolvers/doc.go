// Package resolvers answers GraphQL fields: each method hands on to the domain's
// use cases and wraps the answer, in one statement. What all of them share is
// here too: needs.go is the only place that checks the caller's roles, pages.go
// makes connections, stream.go feeds subscriptions, and errors.go is the only place that says what a caller is told of an error.
//
// The files named as those of graph/schema are kept in step by `make generate`:
// new fields appear in them as stubs.
package resolvers
