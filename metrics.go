package main

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"occupy/domain"
	"occupy/persistence/postgres"
)

// version is set when a release is built: -ldflags "-X main.version=1.2.3".
var version = "dev"

// collectors are the metrics beside those of the gateway.
func collectors(store *postgres.Store, bell *doorbell, census *census, refusals *domain.DenialLog) []prometheus.Collector {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "occupy_build_info", Help: "1, with what this gateway was built from.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	all := append(store.Collectors(), build, pools{store}, census, droppedDenials(refusals))
	if bell.isUp != nil {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "occupy_redis_up", Help: "1 if Redis carries the word between gateways, 0 if changes by others are seen up to a second later.",
		}, func() float64 {
			if bell.isUp() {
				return 1
			}
			return 0
		}))
	}
	return all
}

// droppedDenials counts what the log of denials could not take.
func droppedDenials(log *domain.DenialLog) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "occupy_denials_dropped_total",
		Help: "Refused attempts to occupy that were not written down, because too many waited for that.",
	}, func() float64 { return float64(log.Dropped()) })
}

// pools are the metrics of the connection pools, read when they are asked for.
type pools struct{ store *postgres.Store }

var (
	poolConnections = prometheus.NewDesc("occupy_pool_connections",
		"Connections to the database by state: in use, idle, or being made.", []string{"pool", "state"}, nil)
	poolLimit = prometheus.NewDesc("occupy_pool_max_connections",
		"Connections that a pool may have.", []string{"pool"}, nil)
	poolAcquires = prometheus.NewDesc("occupy_pool_acquires_total",
		"Connections that were taken from a pool.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc("occupy_pool_waits_total",
		"Those for which somebody had to wait.", []string{"pool"}, nil)
	poolWaited = prometheus.NewDesc("occupy_pool_wait_seconds_total",
		"Time that they waited together.", []string{"pool"}, nil)
	poolCanceled = prometheus.NewDesc("occupy_pool_canceled_acquires_total",
		"Waits that were given up.", []string{"pool"}, nil)
)

// Describe implements prometheus.Collector.
func (p pools) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConnections, poolLimit, poolAcquires, poolWaits, poolWaited, poolCanceled} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (p pools) Collect(to chan<- prometheus.Metric) {
	for name, pool := range p.store.Pools() {
		s := pool.Stat()
		gauge := func(d *prometheus.Desc, v int32, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), append([]string{name}, labels...)...)
		}
		counter := func(d *prometheus.Desc, v float64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, name)
		}
		gauge(poolConnections, s.AcquiredConns(), "used")
		gauge(poolConnections, s.IdleConns(), "idle")
		gauge(poolConnections, s.ConstructingConns(), "made")
		gauge(poolLimit, s.MaxConns())
		counter(poolAcquires, float64(s.AcquireCount()))
		counter(poolWaits, float64(s.EmptyAcquireCount()))
		counter(poolWaited, s.EmptyAcquireWaitTime().Seconds())
		counter(poolCanceled, float64(s.CanceledAcquireCount()))
	}
}
