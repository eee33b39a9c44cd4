package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"occupy/domain"
	"occupy/persistence/postgres"
)

// jobs are what one gateway at a time does for all.
func jobs(c Config, store *postgres.Store, census *census, verified *verified) (all []func(context.Context)) {
	runner := &domain.Jobs{Store: store, Log: store, Session: rand.Text(), Node: c.Node}
	for _, job := range []domain.Job{
		(&domain.Sweeper{Store: store, MaxHold: c.MaxHold}).Job(),
		census.job(),
		{Key: domain.JobKey("history:partitions"), Every: 6 * time.Hour, TTL: time.Minute, Work: func(ctx context.Context) error {
			_, err := store.EnsurePartitions(ctx) // made months ahead: a few hours more or less do not count
			return err
		}},
		{Key: domain.JobKey("history:retention"), Every: 6 * time.Hour, TTL: time.Minute, Work: func(ctx context.Context) error {
			if c.KeepHistory == 0 {
				return nil
			}
			dropped, err := store.DropHistory(ctx, c.KeepHistory)
			if dropped > 0 {
				slog.InfoContext(ctx, "dropped months of the history that are past OCCUPY_HISTORY_RETENTION", "months", dropped)
			}
			return err
		}},
		{Key: domain.JobKey("history:analyze"), Every: 24 * time.Hour, TTL: time.Minute, Work: store.AnalyzeHistory},
		{Key: domain.JobKey("sequence:reclaim"), Every: 5 * time.Second, TTL: 15 * time.Second, Work: func(ctx context.Context) error {
			_, err := store.ReclaimBlocks(ctx)
			return err
		}},
		{Key: domain.JobKey("denials:purge"), Every: time.Hour, TTL: time.Minute, Work: func(ctx context.Context) error {
			if c.KeepDenials == 0 {
				return nil
			}
			_, err := store.PurgeDenials(ctx, c.KeepDenials)
			return err
		}},
		(&domain.NightlyVerification{Verifier: store, Clock: store.Clock, TimeZone: c.TimeZone.Location, Found: verified.found}).Job(),
	} {
		all = append(all, func(ctx context.Context) { runner.Run(ctx, job) })
	}
	return all
}
