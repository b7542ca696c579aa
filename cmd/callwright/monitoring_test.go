package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/db/dbtest"
)

// scrape is what a process tells Prometheus.
type scrape map[string]*dto.MetricFamily

// scrapeFrom reads the metrics at url, as the operator.
func scrapeFrom(t *testing.T, url string) scrape {
	t.Helper()
	status, body := askOperator(t, url)
	require.Equal(t, http.StatusOK, status, "%s", body)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	require.NoError(t, err)
	return families
}

func askOperator(t *testing.T, url string) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.SetBasicAuth("operator", "operator-password")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, body
}

// sum adds up the series of a metric that have these labels, as NAME=VALUE; of a histogram, how much was observed.
func (s scrape) sum(name string, labels ...string) (total float64) {
	for _, metric := range s[name].GetMetric() {
		has := func(label string) bool {
			return slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName()+"="+l.GetValue() == label })
		}
		if !slices.ContainsFunc(labels, func(label string) bool { return !has(label) }) {
			total += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return total
}

// values returns the values of all labels.
func (s scrape) values() map[string]bool {
	values := map[string]bool{}
	for name, family := range s {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if strings.HasPrefix(name, "callwright_") {
					values[label.GetValue()] = true
				}
			}
		}
	}
	return values
}

// TestMonitoring scrapes an API and a worker process after a real call, looks at its trace, and watches the worker drain.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	long(t)

	p, collector := startPlatform(t, dbtest.DSN(t), true), newCollector(t)
	p.env = append(p.env, "CALLWRIGHT_OTLP_ENDPOINT="+collector.url, "OTEL_BSP_SCHEDULE_DELAY=100")
	p.url = "http://" + start(t, p.env, "api").waitFor(`"serving","address":"([^"]+)"`)
	worker := p.startWorker("--metrics-listen=127.0.0.1:0", "--drain=60s",
		"--queues=calls=5,schedule=5,webhooks=5,default=5,analysis=5,knowledge=1")
	monitor := "http://" + worker.waitFor(`"monitoring","address":"([^"]+)"`)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, object{
		"functions": `[{"name": "opening_hours"}]`, "end_call_function_enabled": true,
		"start_speaking_plan": object{"smartEndpointingPlan": object{"provider": "custom-endpointing-model"}},
		"model": object{"messages": []any{object{"role": "system",
			"content": "when opening hours: call opening_hours {}\nwhen thank you: call end_call {}"}}},
	}, http.StatusOK, nil)
	id := p.direct("+31612345611")
	require.Equal(t, "completed", p.waitStatus(id, "completed", "failed").Status)
	var working scrape
	require.Eventually(t, func() bool {
		working = scrapeFrom(t, monitor+"/metrics")
		return working.sum("callwright_calls_ended_total") == 1 &&
			working.sum("callwright_deliveries_total", "outcome=delivered") >= 4 &&
			working.sum("callwright_places_taken") == 0
	}, time.Minute, 50*time.Millisecond)
	serving := scrapeFrom(t, p.url+"/metrics")
	working.requireACall(t)
	serving.requireAnAPI(t)
	for _, scraped := range []scrape{working, serving} {
		for value := range scraped.values() {
			for _, theirs := range []string{"31612345611", "31850000000", id, p.account, p.assistantID, "owner@example.com"} {
				require.NotContains(t, value, theirs, "no label is a customer's")
			}
		}
		series := 0
		for name, family := range scraped {
			require.NotEmpty(t, family.GetHelp(), name)
			series += len(family.GetMetric())
		}
		require.Less(t, series, 600)
	}
	requireMonitored(t, slices.Concat(slices.Collect(maps.Keys(working)), slices.Collect(maps.Keys(serving))))

	status, page := askOperator(t, p.url+"/ops/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, string(page), `<h2 id="workers">Workers</h2>`)

	collector.requireTrace(t, p, worker, id)
	p.requireTraceOfItsOwn()
	requireDrain(t, p, worker, monitor)
}

// requireDrain has a worker drain that holds a call: it lives, and says in words that it takes no more.
func requireDrain(t *testing.T, p *platform, worker *process, monitor string) {
	t.Helper()
	status, body := askOperator(t, monitor+"/readyz")
	require.Equal(t, http.StatusOK, status, "%s", body)
	live := p.direct("+31612345612")
	p.waitStatus(live, "in-progress")
	worker.signal(syscall.SIGTERM)
	require.Eventually(t, func() bool {
		status, body = askOperator(t, monitor+"/readyz")
		return status == http.StatusServiceUnavailable
	}, time.Minute, 20*time.Millisecond)
	require.Contains(t, string(body), "Not ready: this worker drains")
	status, _ = askOperator(t, monitor+"/healthz")
	require.Equal(t, http.StatusOK, status)
	draining := scrapeFrom(t, monitor+"/metrics")
	require.Equal(t, 1.0, draining.sum("callwright_draining"))
	require.Equal(t, 1.0, draining.sum("callwright_places_taken"))
	require.Equal(t, 1.0, draining.sum("callwright_lease_held"))
	p.hangUp(live)
	worker.wait()
}

// requireACall requires what a worker counts of a call that was answered, talked and reported.
func (s scrape) requireACall(t *testing.T) {
	t.Helper()
	require.Equal(t, 1.0, s.sum("callwright_calls_ended_total", "direction=outbound", "status=completed", "network=simulated"))
	require.Equal(t, 1.0, s.sum("callwright_call_lateness_seconds", "network=simulated"))
	for _, stage := range []string{"transcriber", "endpointing", "model", "voice", "turn"} {
		require.Positive(t, s.sum("callwright_turn_latency_seconds", "stage="+stage), stage)
	}
	for _, outcome := range []string{"sent", "received"} {
		require.Positive(t, s.sum("callwright_rtp_packets_total", "outcome="+outcome, "network=simulated"), outcome)
	}
	for family, vendor := range map[string]string{"model": "scripted", "voice": "flite", "transcriber": "captions"} {
		require.Positive(t, s.sum("callwright_vendor_requests_total", "family="+family, "vendor="+vendor, "outcome=ok"), family)
		require.Positive(t, s.sum("callwright_vendor_latency_seconds", "family="+family, "vendor="+vendor), family)
	}
	for _, code := range []string{"180", "200"} {
		require.Equal(t, 1.0, s.sum("callwright_sip_responses_total", "direction=received", "method=INVITE", "code="+code,
			"network=simulated"), code)
	}
	for _, kind := range []string{"place_call", "finish_call"} {
		require.Positive(t, s.sum("callwright_jobs_worked_total", "kind="+kind), kind)
		require.Positive(t, s.sum("callwright_job_lateness_seconds", "kind="+kind), kind)
	}
	require.Positive(t, s.sum("callwright_delivery_duration_seconds"))
	for _, batch := range []string{"call_claim", "call_invite", "call_progress", "call_end", "call_finish", "delivery_record"} {
		require.Positive(t, s.sum("callwright_batch_size", "batch="+batch), batch)
	}
	require.Equal(t, 5.0, s.sum("callwright_places"))
	require.Equal(t, 1.0, s.sum("callwright_lease_held"))
	require.Positive(t, s.sum("callwright_database_connections"))
	require.Equal(t, 1.0, s.sum("callwright_build_info"))
}

// requireAnAPI requires what an API process counts, and knows of the deployment.
func (s scrape) requireAnAPI(t *testing.T) {
	t.Helper()
	require.Equal(t, 1.0, s.sum("callwright_http_requests_total", "method=POST", "route=/v1/calls/direct", "code=201"))
	require.Positive(t, s.sum("callwright_batch_size", "batch=direct_call"))
	require.Positive(t, s.sum("callwright_batch_size", "batch=authentication"))
	require.Equal(t, 1.0, s.sum("callwright_overview_up"))
	require.Equal(t, 1.0, s.sum("callwright_workers"))
	require.Equal(t, 1.0, s.sum("callwright_webhook_endpoints", "state=well"))
	require.Positive(t, s.sum("callwright_database_size_bytes"))
}

var ourMetric = regexp.MustCompile(`\bcallwright_[a-z_]+`)

// requireMonitored requires that every metric that a dashboard or an alert names is one of known, and that each alert says what
// to do.
func requireMonitored(t *testing.T, known []string) {
	t.Helper()
	// What there is nothing of in this deployment.
	known = append(known, "callwright_calls", "callwright_calls_queued_oldest_seconds", "callwright_sip_connections",
		"callwright_jobs",
		"callwright_jobs_oldest_seconds", "callwright_usage_unpriced_total")
	for where, expressions := range monitored(t) {
		require.NotEmpty(t, expressions, where)
		for _, expression := range expressions {
			for _, name := range ourMetric.FindAllString(expression, -1) {
				plain := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
				require.True(t, slices.Contains(known, name) || slices.Contains(known, plain), "%s names %s, which no process has", where,
					name)
			}
		}
	}
}

// monitored returns the expressions of all dashboards and alerts, by file.
func monitored(t *testing.T) map[string][]string {
	t.Helper()
	folder := filepath.Join("..", "..", "monitoring")
	paths, err := filepath.Glob(filepath.Join(folder, "dashboards", "*.json"))
	require.NoError(t, err)
	require.Len(t, paths, 5)
	expressions, uids := map[string][]string{}, map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		var dashboard struct {
			UID, Title string
			Panels     []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		require.NoError(t, json.Unmarshal(content, &dashboard), path)
		require.NotEmpty(t, dashboard.Title)
		require.False(t, uids[dashboard.UID], path)
		uids[dashboard.UID] = true
		for _, panel := range dashboard.Panels {
			require.NotEmpty(t, panel.Targets, "%s: %s", path, panel.Title)
			for _, target := range panel.Targets {
				require.Regexp(t, `callwright_|process_`, target.Expr)
				expressions[path] = append(expressions[path], target.Expr)
			}
		}
	}
	content, err := os.ReadFile(filepath.Join(folder, "alerts.yaml"))
	require.NoError(t, err)
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &alerts))
	for _, rule := range alerts.Groups[0].Rules {
		require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
		require.NotEmpty(t, rule.Annotations["action"], rule.Alert)
		expressions["alerts.yaml"] = append(expressions["alerts.yaml"], rule.Expr)
	}
	return expressions
}
