package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"occupy/domain"
)

// verified is what the last nightly verification found, on the gateway that did it.
type verified struct{ faults, rows, at prometheus.Gauge }

func newVerified() *verified {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	return &verified{
		faults: gauge("occupy_history_faults", "Faults that this gateway's last nightly verification found in the history."),
		rows:   gauge("occupy_history_verified_rows", "History rows that it looked at."),
		at:     gauge("occupy_history_verified_timestamp_seconds", "When it began; 0: this gateway has done none yet."),
	}
}

func (v *verified) all() []prometheus.Collector {
	return []prometheus.Collector{v.faults, v.rows, v.at}
}

func (v *verified) found(at time.Time, found domain.Verification) {
	v.faults.Set(float64(found.FaultCount))
	v.rows.Set(float64(found.Rows))
	v.at.Set(float64(at.UnixMilli()) / 1000)
}
