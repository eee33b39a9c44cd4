// Command history says how fast the past answers, and what that costs the floor.
//
//	main.go       what is measured, and what came out
//	rig.go        a private PostgreSQL with a year of made-up history, and a gateway
//	questions.go  what analysts ask, and the same by hand, in SQL
//	floor.go      occupies at a steady rate, while analysts ask as fast as they can
//	memory.go     what a large export takes of the gateway's memory
//	plans.go      how the database goes about each question
//
// Answers are held against the same SQL by hand, in turns, on the same tables.
package main
