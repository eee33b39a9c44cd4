// Command bench says how fast Occupy is, as ratios within one run.
//
//	rig.go        a private PostgreSQL and Redis, and gateways as real processes
//	seed.go       the items that there are
//	client.go     an HTTP client that leaves the processors to what is measured
//	load.go       a closed loop over its connections: an answer, then the next request
//	requests.go   what is asked
//	pgbench.go    the yardsticks: sql/, by pgbench, on a copy of the same tables
//	runs.go       what is measured, and which ratios are to reach what
//	sweep.go      what has run out
//	report.go     the table, and the file for benchstat
//	profile.go    where a gateway's time goes
//
// Ours and the yardstick take turns, round by round, so that whatever else the
// machine does meets both. docs/performance.md has the method and what came out.
package main
