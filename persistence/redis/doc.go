// Package redis is the domain.Bell that gateways ring for each other through
// Redis: single, Sentinel or Cluster.
//
//	Ring ── flag ──▶ speak ── PUBLISH ──▶ occupy:<database id> ──▶ listen ──▶ Rung
//	                   │  "changed <node>"  of another gateway             │
//	                   └─ "beat <node>"     of its own, once a second ─────┘ Away
//
// What goes through Redis is only that there is something to read. Losing it
// costs a second, for the Hub reads by itself that often; so nothing here is
// tried for long, nothing fails, and whoever rings never waits.
//
// A process has two connections, however many screens it serves: one to publish,
// one to listen; in a cluster, one more to each node. Ordinary PUBLISH and SUBSCRIBE are used in a cluster too, since
// go-redis does not subscribe anew to a sharded channel whose slot has moved.
package redis
