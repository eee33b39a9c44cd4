package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"occupy/persistence/devstack"
)

// The statements that are the yardsticks, one transaction each.
//
//go:embed sql/*.sql
var scripts embed.FS

// pgbench is a yardstick: one of the scripts, by so many connections.
type pgbench struct {
	script string
	conns  int
	times  float64 // how many of ours one of its transactions is
	// transactions of each connection; 0 = as many as there is time for.
	transactions int
}

var (
	progress     = regexp.MustCompile(`(?m)^progress: .* s, ([0-9.]+) tps`)
	tps          = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	transactions = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
)

// run has pgbench run its script, with everything prepared.
func (p pgbench) run(ctx context.Context, r *rig, d time.Duration) (result, error) {
	script, err := scripts.ReadFile("sql/" + p.script)
	if err != nil {
		return result{}, err
	}
	cmd, err := p.command(ctx, r, d)
	if err != nil {
		return result{}, err
	}
	cmd.Stdin = bytes.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("pgbench %s: %w\n%s", p.script, err, out)
	}
	done := numbers(transactions, out)
	rates := append(numbers(tps, out), numbers(progress, out)...)
	if len(done) == 0 || done[0] == 0 {
		return result{}, fmt.Errorf("pgbench %s did nothing:\n%s", p.script, out)
	}
	// The whole, or the last seconds of it, when all connections were warm.
	rates = rates[max(0, len(rates)-max(1, int(d.Seconds()))):]
	return result{rate: p.times * median(rates), done: p.times * done[0]}, nil
}

func numbers(pattern *regexp.Regexp, text []byte) (all []float64) {
	for _, found := range pattern.FindAllSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(string(found[1]), 64)
		all = append(all, n)
	}
	return all
}

func (p pgbench) command(ctx context.Context, r *rig, d time.Duration) (*exec.Cmd, error) {
	c := r.theirs.Config().ConnConfig
	args := append(p.until(d), "--no-vacuum", "--protocol=prepared", "--file=/dev/stdin",
		fmt.Sprintf("--define=last=%d", r.plant-1), fmt.Sprintf("--client=%d", p.conns), fmt.Sprintf("--jobs=%d", min(p.conns, 2)),
		"--host="+c.Host, fmt.Sprintf("--port=%d", c.Port), "--username="+c.User, c.Database)
	bare, err := devstack.Tool("pgbench", args...)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, bare.Path, bare.Args[1:]...)
	cmd.Dir, cmd.Env = bare.Dir, append(bare.Env, "PGPASSWORD="+c.Password)
	return cmd, nil
}

// until says when to stop. pgbench's time begins before it connects: two hundred
// logins, and as many first looks at the catalogue, take seconds.
func (p pgbench) until(d time.Duration) []string {
	switch {
	case p.transactions > 0:
		return []string{fmt.Sprintf("--transactions=%d", p.transactions)}
	case d < time.Second:
		return []string{"--transactions=20"}
	}
	return []string{"--progress=1", fmt.Sprintf("--time=%.0f", d.Seconds()+1+float64(p.conns)/50)}
}
