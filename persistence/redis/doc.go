// Package redis is the domain.Bell that gateways ring for each other through
// Redis: single, Sentinel or Cluster.
//
//	Ring ── flag ──▶ speak ── PUBLISH ──▶ occupy:<database id> ──▶ listen ──▶ Rung
//	Tell ── last an item ─┤  "changed <node>"  of another gateway       ├─▶ the ear of Listen
//	                      │  "renewed <node> <JSON>", "missed <node>"   │
//	                      └─ "beat <node>"     of its own, each second ─┘ Away
//
// Of changes, what goes through Redis is only that there is something to read.
// Losing it costs a second, for the Hub reads by itself that often; so nothing
// here is tried for long, nothing fails, and whoever rings never waits.
//
// Renewals, which write no history, go through it whole, and only while some
// other gateway says "listens" in place of "beat". Those that are lost, of
// whichever reason, are told as missed, and after each connection anything may
// have been: whoever listens then reads the rows instead.
//
// A process has two connections, however many screens it serves: one to publish,
// one to listen; in a cluster, one more to each node. Ordinary PUBLISH and SUBSCRIBE are used in a cluster too, since
// go-redis does not subscribe anew to a sharded channel whose slot has moved.
package redis
