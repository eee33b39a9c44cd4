package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"occupy/persistence/devstack"
)

// metrics reads /metrics.
func (s *server) metrics() map[string]*dto.MetricFamily {
	s.t.Helper()
	_, text := s.send(http.MethodGet, "/metrics", nil, "")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return families
}

// allMetrics is a server on which every metric is to be seen.
func allMetrics(t *testing.T) (*server, map[string]*dto.MetricFamily) {
	s, _ := newGuarded(t)
	s.as("").ask(`{ me { userId } }`) // a denial
	var families map[string]*dto.MetricFamily
	eventually(t, "the census was taken", func() bool {
		families = s.metrics()
		return families["occupy_occupancies"] != nil
	})
	return s, families
}

// The names, units and types are as Prometheus wants them.
func TestMetricsAreNamedByTheRules(t *testing.T) {
	s, _ := allMetrics(t)
	_, text := s.send(http.MethodGet, "/metrics", nil, "")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// Dashboards and alerts that look at what is not there stay silent for ever.
func TestDashboardAndAlertsLookAtWhatThereIs(t *testing.T) {
	_, families := allMetrics(t)
	expressions := append(dashboardExpressions(t), alertExpressions(t)...)
	if len(expressions) < 40 {
		t.Fatalf("%d expressions found", len(expressions))
	}
	for _, e := range expressions {
		for _, problem := range missing(e, families) {
			t.Errorf("%s: %s", e, problem)
		}
	}
}

func TestWhatIsNotThereIsFound(t *testing.T) {
	_, families := allMetrics(t)
	for expression, want := range map[string]string{
		`rate(occupy_gone_total[5m])`:                     "there is no occupy_gone_total",
		`occupy_cut_total{why="slow"}`:                    "occupy_cut_total has no label why",
		`occupy_cut_total{reason="fast"}`:                 `occupy_cut_total has no reason="fast"`,
		`occupy_feed_lag_seconds`:                         "occupy_feed_lag_seconds is a histogram",
		`sum(rate(occupy_feed_lag_seconds_bucket[1m]))`:   "",
		`occupy_redis_up{instance=~"$instance"} == 0`:     "",
		`occupy_cut_total{instance="x",reason="slow"} >0`: "",
	} {
		if got := strings.Join(missing(expression, families), "; "); got != want {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

// The table of alerts in docs/operations.md has each of them, and no other.
func TestEveryAlertSaysWhatToDo(t *testing.T) {
	text, err := os.ReadFile("docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(Occupy\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		explained[row[1]] = true
	}
	for _, a := range alerts(t) {
		if !explained[a.Alert] {
			t.Errorf("%s is not explained", a.Alert)
		}
		if a.Labels["severity"] == "" || a.Annotations["summary"] == "" {
			t.Errorf("%s has no severity or no summary", a.Alert)
		}
		delete(explained, a.Alert)
	}
	for name := range explained {
		t.Errorf("there is no alert %s", name)
	}
}

// dashboardExpressions are all that the dashboard asks for.
func dashboardExpressions(t *testing.T) (all []string) {
	t.Helper()
	var dashboard any
	text, err := os.ReadFile("deploy/grafana/occupy.json")
	if err == nil {
		err = json.Unmarshal(text, &dashboard)
	}
	if err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				walk(each)
			}
		case map[string]any:
			for key, each := range v {
				if text, is := each.(string); is && (key == "expr" || key == "definition") {
					all = append(all, text)
				}
				walk(each)
			}
		}
	}
	walk(dashboard)
	return all
}

// alert is one rule of Prometheus's.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) (all []alert) {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	text, err := os.ReadFile("deploy/prometheus/alerts.yml")
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &file, yaml.DisallowUnknownField())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

func alertExpressions(t *testing.T) (all []string) {
	for _, a := range alerts(t) {
		all = append(all, a.Expr)
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\b((?:occupy|go|process)_\w+)(?:\{([^}]*)\})?`)
	matcher    = regexp.MustCompile(`(\w+)(=~|!~|!=|=)"([^"]*)"`)
	suffix     = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// missing says which metrics, labels and values of an expression do not exist.
func missing(expression string, families map[string]*dto.MetricFamily) (problems []string) {
	for _, found := range metricName.FindAllStringSubmatch(expression, -1) {
		name, matchers := found[1], found[2]
		family := families[name]
		if base := suffix.ReplaceAllString(name, ""); family == nil && families[base].GetType() == dto.MetricType_HISTOGRAM {
			family = families[base]
		} else if family.GetType() == dto.MetricType_HISTOGRAM {
			problems = append(problems, name+" is a histogram")
		}
		if family == nil {
			problems = append(problems, "there is no "+name)
			continue
		}
		problems = append(problems, missingLabels(name, matchers, family)...)
	}
	return problems
}

// targetLabels are those that Prometheus adds.
var targetLabels = []string{"instance", "job"}

func missingLabels(name, matchers string, family *dto.MetricFamily) (problems []string) {
	values := map[string]map[string]bool{}
	for _, m := range family.Metric {
		for _, l := range m.Label {
			if values[l.GetName()] == nil {
				values[l.GetName()] = map[string]bool{}
			}
			values[l.GetName()][l.GetValue()] = true
		}
	}
	for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
		label, operator, value := m[1], m[2], m[3]
		switch {
		case slices.Contains(targetLabels, label):
		case values[label] == nil:
			problems = append(problems, name+" has no label "+label)
		case operator == "=" && !values[label][value]:
			problems = append(problems, name+" has no "+m[0])
		}
	}
	return problems
}

// What callers write makes no more series, and what they ask is counted where it belongs.
func TestOperationsAreCountedByRootField(t *testing.T) {
	s := newServer(t)
	kim := s.as("kim")
	series := func() int {
		n := 0
		for name, f := range s.metrics() {
			if strings.HasPrefix(name, "occupy_operation") || strings.HasPrefix(name, "occupy_answers") {
				n += len(f.Metric)
			}
		}
		return n
	}
	kim.command("occupy", lot("LOT1"))
	before := series()
	s.as("lee").command("occupy", lot("LOT1"))
	for _, query := range []string{
		`query OneName { me { userId } }`, `query AnotherName { mine: me { userId } }`,
		`query Two { a: me { userId } b: me { userId } }`, `{ __typename }`, `{ __schema { queryType { name } } }`,
	} {
		kim.must(query)
	}
	if after := series(); after != before {
		t.Errorf("%d series, and %d after operations of other names", before, after)
	}
	families := s.metrics()
	for _, want := range []struct {
		metric string
		labels map[string]string
		value  float64
	}{
		{"occupy_operations_total", map[string]string{"type": "mutation", "operation": "occupy", "code": "OK"}, 2},
		{"occupy_operations_total", map[string]string{"type": "query", "operation": "me", "code": "OK"}, 2},
		{"occupy_operations_total", map[string]string{"type": "query", "operation": "several", "code": "OK"}, 3},
		{"occupy_operation_duration_seconds", map[string]string{"type": "mutation", "operation": "occupy"}, 2},
		{"occupy_answers_total", map[string]string{"operation": "occupy", "code": "GRANTED"}, 1},
		{"occupy_answers_total", map[string]string{"operation": "occupy", "code": "HELD"}, 1},
	} {
		if got := valueOf(families[want.metric], want.labels); got != want.value {
			t.Errorf("%s %v is %v, want %v", want.metric, want.labels, got, want.value)
		}
	}
	if a := s.as("").ask(mutation("free"), object{"input": lot("LOT1")}); len(a.Errors) != 1 {
		t.Errorf("%+v", a)
	}
	if got := valueOf(s.metrics()["occupy_operations_total"], map[string]string{"type": "mutation", "operation": "free", "code": "UNAUTHENTICATED"}); got != 1 {
		t.Errorf("%v refusals are counted", got)
	}
}

// valueOf is a counter's or gauge's value, or how many a histogram has.
func valueOf(f *dto.MetricFamily, labels map[string]string) float64 {
	for _, m := range f.GetMetric() {
		has := map[string]string{}
		for _, l := range m.Label {
			has[l.GetName()] = l.GetValue()
		}
		if maps.Equal(has, labels) {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return -1
}

func TestChangesExpiriesAndGapsAreCounted(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	s.as("kim").command("renew", lot("LOT1", "ttlSeconds", 600))
	s.runOut("LOT1")
	count := func(metric string, labels map[string]string) float64 { return valueOf(s.metrics()[metric], labels) }
	eventually(t, "the sweeper has come by", func() bool {
		return count("occupy_changes_total", map[string]string{"event": "EXPIRED"}) == 1
	})
	for _, event := range []string{"OCCUPIED", "REENTERED", "TAKEN_OVER", "TRANSFERRED", "FREED", "WINDOW_CLOSED", "CONNECTION_LOST", "FORCED", "MAX_HOLD"} {
		if count("occupy_changes_total", map[string]string{"event": event}) < 0 {
			t.Errorf("%s is not counted", event)
		}
	}
	if n := count("occupy_renewals_total", map[string]string{}); n < 1 {
		t.Errorf("%v renewals", n)
	}
	s.as("kim").must(`mutation { setSequenceCache(name: "S", size: 20) { ok } nextVal(name: "S", count: 1) { first } resetSequence(name: "S") { ok } }`)
	eventually(t, "what was left of the block is a gap", func() bool {
		return count("occupy_sequence_gap_values_total", map[string]string{"reason": "RESET"}) == 20
	})
	if n := count("occupy_group_callers", map[string]string{"queue": "sequence"}); n < 1 {
		t.Errorf("%v groups", n)
	}
}

// How late changes are told, by the database's clock, and that reading fails.
func TestTheFeedIsMeasured(t *testing.T) {
	mine := newStack(t, devstack.Options{Postgres: true, Redis: true})
	s := newServerOn(t, mine.DatabaseURL("occupy"), "REDIS_URL="+mine.RedisURL())
	value := func(metric string) float64 { return valueOf(s.metrics()[metric], map[string]string{}) }
	watcher := s.as("watcher").watch()
	s.waitForSubscribers("1")
	s.as("kim").command("occupy", lot("LOT1"))
	eventually(t, "it is told", func() bool { return watcher.total() == 1 })
	if n := value("occupy_feed_lag_seconds"); n < 1 { // the jobs' locks are changes, too
		t.Errorf("%v lags", n)
	}
	if lag := s.metrics()["occupy_feed_lag_seconds"].Metric[0].Histogram.GetSampleSum(); lag <= 0 || lag > 5 {
		t.Errorf("it was told after %v s", lag)
	}
	if value("occupy_feed_read_failures_total") != 0 || value("occupy_redis_up") != 1 {
		t.Error("a fault before there is one")
	}
	mine.Redis.Kill()
	eventually(t, "Redis is missed", func() bool { return value("occupy_redis_up") == 0 })
	mine.Postgres.Kill()
	eventually(t, "a reading fails", func() bool { return value("occupy_feed_read_failures_total") > 0 })
	if s.metrics()["occupy_executions"].Metric[0].Gauge.GetValue() != 1 {
		t.Error("the subscriber is not counted while the database is away")
	}
	if err := mine.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it works again", func() bool { return s.as("kim").ask(mutation("free"), object{"input": lot("LOT1")}).Errors == nil })
	eventually(t, "what came meanwhile is told", func() bool { return watcher.total() == 2 })
}
