// Package graph is the GraphQL schema made executable: the schema files, which
// are the public manual, the code that gqlgen makes of them, and the scalars.
package graph
