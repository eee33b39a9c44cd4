package postgres

import (
	"github.com/prometheus/client_golang/prometheus"

	"occupy/domain"
)

// metrics are those of one Store. What is counted often is looked up once.
type metrics struct {
	callers  *prometheus.HistogramVec
	duration *prometheus.HistogramVec
	changes  *prometheus.CounterVec
	renewals prometheus.Counter
	gaps     *prometheus.CounterVec

	byEvent map[domain.Event]prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		callers: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "occupy_group_callers", Help: "Callers that one transaction, or one read, served together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}, []string{"queue"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "occupy_group_duration_seconds", Help: "Time that serving them took, tries and the search for a faulty one included.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10},
		}, []string{"queue"}),
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_changes_total", Help: "History rows that this gateway has committed, by event: EXPIRED and MAX_HOLD are expiries.",
		}, []string{"event"}),
		renewals: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "occupy_renewals_total", Help: "Holds that this gateway has extended, which writes no history; of one item in one transaction only the last.",
		}),
		gaps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "occupy_sequence_gap_values_total", Help: "Values of sequences that nobody will get, by reason, as this gateway found them.",
		}, []string{"reason"}),
		byEvent: map[domain.Event]prometheus.Counter{},
	}
	for _, e := range domain.AllEvents {
		m.byEvent[e] = m.changes.WithLabelValues(string(e))
	}
	for _, r := range domain.AllGapReasons {
		m.gaps.WithLabelValues(string(r)) // there from the start, so that the first one is a rise
	}
	return m
}

// meter is what one queue counts by.
type meter struct{ callers, duration prometheus.Observer }

func (m *metrics) of(queue string) meter {
	return meter{m.callers.WithLabelValues(queue), m.duration.WithLabelValues(queue)}
}

// committed counts what a transaction wrote.
func (m *metrics) committed(t *transaction) {
	for i := range t.history {
		if c := m.byEvent[t.history[i].Event]; c != nil {
			c.Inc()
		}
	}
	if n := len(t.renewed); n > 0 {
		m.renewals.Add(float64(n))
	}
}

// lost counts values that became a gap.
func (m *metrics) lost(reason domain.GapReason, values int64) {
	m.gaps.WithLabelValues(string(reason)).Add(float64(values))
}

// waits tells how many callers wait in a queue.
func waits(name string, waiting func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "occupy_group_waiting_callers", Help: "Callers whose turn has not come yet.",
		ConstLabels: prometheus.Labels{"queue": name},
	}, func() float64 { return float64(waiting()) })
}

// replicaUp tells whether questions go where they are meant to.
func replicaUp(a *adhoc) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "occupy_replica_up", Help: "1 if people's questions go to the replica, or none is set; 0 if the primary has to answer them instead.",
	}, func() float64 {
		if a.replica == nil || a.replica.keepsUp() {
			return 1
		}
		return 0
	})
}

// Collectors are the metrics of the Store.
func (s *Store) Collectors() []prometheus.Collector {
	m := s.metrics
	return []prometheus.Collector{
		m.callers, m.duration, m.changes, m.renewals, m.gaps,
		waits(updates, s.queue.len), waits(reads, s.reads.len), waits(lots, s.lots.len), waits(draws, s.sequences.draws.len),
		replicaUp(s.adhoc),
	}
}

// The queues by name.
const (
	updates = "update"
	reads   = "read"
	lots    = "lot"
	draws   = "sequence"
)
