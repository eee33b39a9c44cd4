package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is how much processor time something took. Unlike a rate, it is hardly
// different on a machine that has other things to do.
type usage struct {
	gateway, database time.Duration
	load              time.Duration // this process and pgbench
}

func (u usage) less(before usage) usage {
	return usage{u.gateway - before.gateway, u.database - before.database, u.load - before.load}
}

// each is the use of one of so many, in microseconds.
func (u usage) each(n float64) string {
	if n == 0 {
		return "–"
	}
	one := func(d time.Duration) float64 { return float64(d.Microseconds()) / n }
	return fmt.Sprintf("%.0f + %.0f + %.0f", one(u.gateway), one(u.database), one(u.load))
}

// used is what has been used so far.
func (r *rig) used() usage {
	u := usage{database: treeTime(r.postmaster)}
	for _, g := range []*gateway{r.gateway, r.second, r.single} {
		u.gateway += processTime(g.process.Process.Pid).own
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		_ = syscall.Getrusage(who, &used)
		u.load += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return u
}

// findPostmaster finds PostgreSQL's first process: the parent of a backend.
func (r *rig) findPostmaster(ctx context.Context) error {
	var backend int
	err := r.ours.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend)
	r.postmaster = processTime(backend).parent
	return err
}

// treeTime is the time of a process and its children, those that have ended too.
func treeTime(root int) time.Duration {
	first := processTime(root)
	total := first.own + first.ended
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if p := processTime(pid); p.parent == root {
			total += p.own
		}
	}
	return total
}

type process struct {
	parent     int
	own, ended time.Duration // ended: of its children that have
}

// processTime reads what the kernel says of a process; zeros if there is none.
func processTime(pid int) (p process) {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	if len(fields) < 15 {
		return p
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.Atoi(fields[i])
		return time.Duration(n) * 10 * time.Millisecond
	}
	p.parent, _ = strconv.Atoi(fields[1])
	p.own, p.ended = ticks(11)+ticks(12), ticks(13)+ticks(14)
	return p
}
