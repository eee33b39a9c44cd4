// Package devstack starts a private PostgreSQL and Redis: for `make run`, and for tests.
//
//	Start ── folder, lock ── initdb, once ── postgres ──┐
//	                                     └── redis  ────┴── Stack: DatabaseURL, RedisURL, NewDatabase ── Stop
//
// The servers are the machine's own, or those that install.sh (`make setup`) unpacked beside the stack's folder.
// They listen on 127.0.0.1 only, each on a free port, and are children of this process:
//
//   - They end when it ends, even by kill -9; see launch.
//   - A terminal's Ctrl-C does not reach them: their owner shuts itself down first, then calls Stop.
//   - Root's children run as nobody, since PostgreSQL refuses to be root.
//
// A durable stack (`make run`) keeps its data between runs, flushes every commit to disk, and wants a password,
// because other people of the machine can reach a loopback port. Any other stack is for tests: fast, open, and gone
// with Stop. Its servers can be stopped, killed, paused and started again, to see what the gateway makes of that.
//
// Beside it a test may have a PgBouncer and a replica, beside.go, and a wire that it can cut, wire.go.
//
// Linux only.
package devstack
