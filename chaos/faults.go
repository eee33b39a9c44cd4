package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// fault is something that goes wrong. What has does it, lasts as long as it is told, and undoes it.
type fault struct {
	name        string
	least, most time.Duration
	have        func(ctx context.Context, r *rig, g *gateway, length time.Duration) error
}

func (f fault) length(random *rand.Rand) time.Duration {
	return f.least + time.Duration(random.Int64N(int64(f.most-f.least)+1))
}

// gatewayFaults befall one gateway, or its ways to the database and Redis.
var gatewayFaults = []fault{
	{"kill -9", 100 * time.Millisecond, 2 * time.Second, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.kill()
		last(ctx, length)
		return g.start(ctx)
	}},
	{"SIGSTOP", 2 * time.Second, 5 * time.Second, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.signal(syscall.SIGSTOP)
		last(ctx, length)
		g.signal(syscall.SIGCONT)
		return nil
	}},
	{"restart", 0, 200 * time.Millisecond, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		if err := g.stop(); err != nil {
			return fmt.Errorf("a stop in good order: %w", err)
		}
		last(ctx, length)
		return g.start(ctx)
	}},
	{"database cut off", 500 * time.Millisecond, 4 * time.Second, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.database.SetDown(true)
		last(ctx, length)
		g.database.SetDown(false)
		return nil
	}},
	{"database does not hear", 500 * time.Millisecond, 4 * time.Second, holdDatabase(true, false)},
	{"database is not heard", 500 * time.Millisecond, 4 * time.Second, holdDatabase(false, true)},
	{"database vanishes", 500 * time.Millisecond, 4 * time.Second, holdDatabase(true, true)},
	{"cut before the commit", time.Second, 3 * time.Second, cutAtCommit(false)},
	{"cut after the commit", time.Second, 3 * time.Second, cutAtCommit(true)},
	{"Redis cut off", 500 * time.Millisecond, 4 * time.Second, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.redis.SetDown(true)
		last(ctx, length)
		g.redis.SetDown(false)
		return nil
	}},
	{"Redis is not heard", time.Second, 5 * time.Second, func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.redis.Hold(false, true)
		last(ctx, length)
		g.redis.Hold(false, false)
		return nil
	}},
}

// serverFaults befall what all gateways stand on.
var serverFaults = []fault{
	{"PostgreSQL crash", 0, time.Second, func(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
		r.stack.Postgres.Kill()
		last(ctx, length)
		return r.stack.Postgres.Start(ctx)
	}},
	{"PostgreSQL restart", 0, time.Second, func(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
		r.stack.Postgres.Stop()
		last(ctx, length)
		return r.stack.Postgres.Start(ctx)
	}},
	{"PostgreSQL pause", 500 * time.Millisecond, 3 * time.Second, func(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
		r.stack.Postgres.Pause()
		last(ctx, length)
		r.stack.Postgres.Continue()
		return nil
	}},
	{"all sessions ended", 0, 100 * time.Millisecond, endSessions},
	{"connections exhausted", time.Second, 4 * time.Second, exhaust},
	{"Redis kill", 0, 4 * time.Second, func(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
		r.stack.Redis.Kill()
		last(ctx, length)
		return r.stack.Redis.Start(ctx)
	}},
	{"Redis pause", time.Second, 5 * time.Second, func(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
		r.stack.Redis.Pause()
		last(ctx, length)
		r.stack.Redis.Continue()
		return nil
	}},
	{"Redis flush", 0, 100 * time.Millisecond, func(ctx context.Context, r *rig, _ *gateway, _ time.Duration) error {
		options, err := redis.ParseURL(r.stack.RedisURL())
		if err != nil {
			return err
		}
		client := redis.NewClient(options)
		defer client.Close()
		return client.FlushAll(ctx).Err()
	}},
}

// last waits for the length of a fault. One that is interrupted is undone at once.
func last(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

func holdDatabase(server, client bool) func(context.Context, *rig, *gateway, time.Duration) error {
	return func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.database.Hold(server, client)
		last(ctx, length)
		g.database.Hold(false, false)
		return nil
	}
}

// cutAtCommit cuts the way to the database at every commit, before or after it has got there.
func cutAtCommit(pass bool) func(context.Context, *rig, *gateway, time.Duration) error {
	return func(ctx context.Context, _ *rig, g *gateway, length time.Duration) error {
		g.database.WhenMarked(func() (bool, bool) { return pass, true })
		last(ctx, length)
		g.database.WhenMarked(nil)
		return nil
	}
}

func endSessions(ctx context.Context, r *rig, _ *gateway, _ time.Duration) error {
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	return err
}

// exhaust ends all sessions and takes every connection that PostgreSQL has, before the gateways can come back.
func exhaust(ctx context.Context, r *rig, _ *gateway, length time.Duration) error {
	conn, err := pgx.Connect(ctx, r.stack.DatabaseURL("postgres"))
	if err != nil {
		return err
	}
	taken := []*pgx.Conn{conn}
	defer func() {
		for _, c := range taken {
			_ = c.Close(context.WithoutCancel(ctx))
		}
	}()
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; {
		c, err := pgx.Connect(ctx, r.stack.DatabaseURL("postgres"))
		if err == nil {
			taken = append(taken, c)
			continue
		}
		// All are taken: end those that are not ours, and take them, too.
		_, _ = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = 'occupy'`)
		last(ctx, 20*time.Millisecond)
	}
	return nil
}
