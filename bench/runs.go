package main

import (
	"context"
	"time"
)

// run is one thing that is measured, named as a benchmark is.
type run struct {
	name    string
	measure measure
}

// measure measures once, for about d.
type measure func(ctx context.Context, r *rig, d time.Duration) (result, error)

// runs are all there is, in the order of a round: each yardstick follows what is
// held against it.
func runs(p plant) []run {
	return []run{
		{"Occupy/conns=1/by=occupy", ours(1, p.occupyRandom)},
		{"Occupy/conns=1/by=single", single(1, p.occupyRandom)},
		{"Occupy/conns=1/by=pgbench", yardstick(1, "occupy.sql", 1)},
		{"Occupy/conns=64/by=occupy", ours(64, p.occupyRandom)},
		{"Occupy/conns=64/by=pgbench", yardstick(64, "occupy.sql", 1)},
		{"Occupy/conns=64/by=single", single(64, p.occupyRandom)},
		{"Occupy/conns=64/by=pair", pair(64, p.occupyRandom)},
		{"Occupy/conns=256/by=occupy", ours(256, p.occupyRandom)},
		{"Occupy/conns=256/by=pgbench", yardstick(256, "occupy.sql", 1)},
		{"Denial/conns=64/by=occupy", ours(64, p.occupyHeld)},
		{"Denial/conns=64/by=pgbench", yardstick(64, "held.sql", 1)},
		{"Renew/conns=64/by=occupy", ours(64, p.renewRandom)},
		{"Renew/conns=64/by=pgbench", yardstick(64, "renew.sql", 1)},
		{"OccupyAndFree/conns=64/by=occupy", ours(64, p.occupyAndFree)},
		{"OccupyAndFree/conns=64/by=pgbench", yardstick(64, "pair.sql", 2)},
		{"NextVal/conns=64/by=occupy", ours(64, p.nextVal)},
		{"Counter/conns=64/by=pgbench", yardstick(64, "counter.sql", 1)},
		{"NextLotIds/conns=64/by=occupy", ours(64, p.nextLotIDs)},
		{"HistoryPage/conns=8/by=occupy", ours(8, p.historyPage)},
		{"HistoryPage/conns=8/by=pgbench", yardstick(8, "history.sql", 1)},
		{"OccupyWhileOverdue/conns=64/by=occupy", whileOverdue(load{64, p.occupyRandom})},
		{"Sweep/by=occupy", sweep},
		{"Sweep/by=pgbench", sweepByPgbench},
	}
}

func ours(conns int, s script) measure {
	return func(ctx context.Context, r *rig, d time.Duration) (result, error) {
		return load{conns, s}.run(ctx, d, r.gateway)
	}
}

// pair shares the connections between two gateways of one database.
func pair(conns int, s script) measure {
	return func(ctx context.Context, r *rig, d time.Duration) (result, error) {
		return load{conns, s}.run(ctx, d, r.gateway, r.second)
	}
}

func single(conns int, s script) measure {
	return func(ctx context.Context, r *rig, d time.Duration) (result, error) {
		return load{conns, s}.run(ctx, d, r.single)
	}
}

func yardstick(conns int, script string, times float64) measure {
	return pgbench{script: script, conns: conns, times: times}.run
}

// ratio holds one run against another.
type ratio struct {
	what, of, to string
	value        func(result) float64
	goal         goal
}

// goal is what a ratio has to reach, or must not exceed; 0 = nothing.
type goal struct{ least, most float64 }

var ratios = []ratio{
	{"occupy, 1 connection", "Occupy/conns=1/by=occupy", "Occupy/conns=1/by=pgbench", rate, goal{}},
	{"occupy, 64 connections", "Occupy/conns=64/by=occupy", "Occupy/conns=64/by=pgbench", rate, goal{least: 1}},
	{"occupy, 256 connections", "Occupy/conns=256/by=occupy", "Occupy/conns=256/by=pgbench", rate, goal{least: 2}},
	{"occupy, 64 connections, to a transaction a caller", "Occupy/conns=64/by=occupy", "Occupy/conns=64/by=single", rate, goal{}},
	{"p50 of 1 connection, to a transaction a caller", "Occupy/conns=1/by=occupy", "Occupy/conns=1/by=single", p50, goal{most: 1.3}},
	{"p99 of 64 connections, to a transaction a caller", "Occupy/conns=64/by=occupy", "Occupy/conns=64/by=single", p99, goal{most: 1}},
	{"occupy, 64 connections, by two gateways, to one", "Occupy/conns=64/by=pair", "Occupy/conns=64/by=occupy", rate, goal{}},
	{"one held item, denials", "Denial/conns=64/by=occupy", "Denial/conns=64/by=pgbench", rate, goal{}},
	{"renew", "Renew/conns=64/by=occupy", "Renew/conns=64/by=pgbench", rate, goal{}},
	{"occupy and free, new items", "OccupyAndFree/conns=64/by=occupy", "OccupyAndFree/conns=64/by=pgbench", rate, goal{}},
	{"nextVal of one sequence", "NextVal/conns=64/by=occupy", "Counter/conns=64/by=pgbench", rate, goal{least: 5}},
	{"nextLotIds of one rule", "NextLotIds/conns=64/by=occupy", "Counter/conns=64/by=pgbench", rate, goal{least: 5}},
	{"history, first page of an item", "HistoryPage/conns=8/by=occupy", "HistoryPage/conns=8/by=pgbench", rate, goal{}},
	{"occupy during a sweep, to one without", "OccupyWhileOverdue/conns=64/by=occupy", "Occupy/conns=64/by=occupy", rate, goal{}},
	{"sweep", "Sweep/by=occupy", "Sweep/by=pgbench", rate, goal{}},
}

func rate(r result) float64 { return r.rate }
func p50(r result) float64  { return r.at(0.50).Seconds() }
func p99(r result) float64  { return r.at(0.99).Seconds() }
