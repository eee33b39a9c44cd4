package main

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"occupy/domain"
	"occupy/persistence/postgres"
)

// censusEvery is how often what is there is counted, by one gateway for all.
const censusEvery = time.Minute

// census is the last count. Only the gateway that leads the job has one that is not
// old, and tells it.
type census struct {
	store *postgres.Store

	mu   sync.Mutex
	at   time.Time
	last postgres.Census
}

func (c *census) job() domain.Job {
	return domain.Job{Key: domain.JobKey("census"), Every: censusEvery, TTL: censusEvery / 2, Work: c.take}
}

func (c *census) take(ctx context.Context) error {
	counted, err := c.store.Census(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.last = time.Now(), counted
	return nil
}

var (
	occupancies = prometheus.NewDesc("occupy_occupancies",
		"Items by state, as of the last minute or two. One gateway tells it, for all.", []string{"state"}, nil)
	overdue = prometheus.NewDesc("occupy_overdue_seconds",
		"For how long the oldest hold whose time ran out has had no row that says so, 0 if there is none. One gateway tells it.", nil, nil)
	monthsAhead = prometheus.NewDesc("occupy_history_months_ahead",
		"Months to come for which the history has a partition. One gateway tells it.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c *census) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{occupancies, overdue, monthsAhead} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *census) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) > 3*censusEvery {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for state, n := range c.last.ByState {
		gauge(occupancies, float64(n), string(state))
	}
	gauge(overdue, c.last.Overdue.Seconds())
	gauge(monthsAhead, float64(c.last.MonthsAhead))
}
