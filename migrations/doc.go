// Package migrations holds the database schema as numbered SQL files, and brings a database up to date.
//
// Files are append only: NNNN_what.sql, never edited once one has run anywhere, no way down. Each runs in its own
// transaction together with the row in goose_db_version that says so: both or neither.
//
// Any number of gateways may start at once, on an empty database too. One of them migrates, the others wait for it;
// if it dies the database takes its work and its lock back at once and another goes on.
package migrations
