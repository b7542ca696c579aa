package overview

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/callwright/callwright/metrics"
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(metrics.Prefix+name, help, labels, nil)
}

// What is the same in all processes is collected by those that serve the API: take the maximum over them.
var (
	up = describe("overview_up", "1 if the database told how the deployment stands; what follows is missing if not.")

	jobs = describe("jobs", "Jobs that wait (available, scheduled, retryable) or run, up to 20,000 of a queue and state.",
		"queue", "kind", "state")
	jobsOldest = describe("jobs_oldest_seconds", "For how long the oldest job that could be worked has waited.", "queue", "kind")

	calls       = describe("calls", "Calls that wait or are live, by status.", "status", "direction", "network")
	callsOldest = describe("calls_queued_oldest_seconds", "For how long the oldest queued call has waited for a place.", "network")

	processes   = describe("workers", "Worker processes that hold a lease.", "version")
	leaseOldest = describe("lease_oldest_seconds", "How long ago the least recently renewed lease was renewed.")
	endpoints   = describe("webhook_endpoints",
		"Customers' servers by how they are: well, failing (nothing but probes until one is well) and disabled.", "state")
	eventsWaiting  = describe("events_waiting", "Events that wait for a server that fails, up to 20,000.")
	eventsDue      = describe("events_due", "Events that are due for their first attempt, up to 20,000.")
	connections    = describe("sip_connections", "SIP connections of customers by status.", "status", "network")
	size           = describe("database_size_bytes", "Size of the database.")
	sessions       = describe("database_sessions", "Sessions on the database, ours and others'.")
	sessionsMax    = describe("database_sessions_max", "Sessions that the server takes.")
	transactionAge = describe("database_oldest_transaction_seconds",
		"How long the oldest transaction has been open: rows that were changed since cannot be tidied up.")
)

// Describe implements prometheus.Collector.
func (r *Reader) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		up, jobs, jobsOldest, calls, callsOldest, processes, leaseOldest, endpoints, eventsWaiting, eventsDue, connections, size,
		sessions, sessionsMax, transactionAge,
	} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (r *Reader) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	now, err := r.Read(context.Background()) // a scrape has no context; the reading has its limit
	gauge(up, metrics.Bool(err == nil))
	if err != nil {
		return
	}
	now.collectJobs(gauge)
	now.collectCalls(gauge)
	now.collectProcesses(gauge)
	gauge(endpoints, float64(now.Deliveries.Well), "well")
	gauge(endpoints, float64(now.Deliveries.Failing), "failing")
	gauge(endpoints, float64(now.Deliveries.Disabled), "disabled")
	gauge(eventsWaiting, float64(now.Deliveries.Waiting))
	gauge(eventsDue, float64(now.Deliveries.Due))
	for _, row := range now.Connections {
		gauge(connections, float64(row.Connections), row.Status, metrics.Network(row.Simulated))
	}
	gauge(size, float64(now.Server.Bytes))
	gauge(sessions, float64(now.Server.Sessions))
	gauge(sessionsMax, float64(now.Server.MostSessions))
	gauge(transactionAge, now.Server.OldestTransaction)
}

// gauger takes a value.
type gauger func(desc *prometheus.Desc, value float64, labels ...string)

func (o *Overview) collectJobs(gauge gauger) {
	type job struct{ queue, kind string }
	oldest := map[job]float64{}
	for _, row := range o.Jobs {
		gauge(jobs, float64(row.Jobs), row.Queue, row.Kind, row.State)
		if at := (job{row.Queue, row.Kind}); row.State != "running" {
			oldest[at] = max(oldest[at], row.Oldest)
		}
	}
	for at, seconds := range oldest {
		gauge(jobsOldest, seconds, at.queue, at.kind)
	}
}

func (o *Overview) collectCalls(gauge gauger) {
	waited := map[string]float64{metrics.Network(true): 0, metrics.Network(false): 0}
	for _, row := range o.Calls {
		network := metrics.Network(row.Simulated)
		gauge(calls, float64(row.Calls), row.Status, row.Direction, network)
		waited[network] = max(waited[network], row.Oldest)
	}
	for network, seconds := range waited {
		gauge(callsOldest, seconds, network)
	}
}

// LeaseHolds is for how long a worker holds its lease after a renewal. The lease of a dead worker is ended by another one: that
// of the last stays, and counts for none once it has run out.
const LeaseHolds = 9 * time.Second

func (o *Overview) collectProcesses(gauge gauger) {
	versions, oldest := map[string]int{}, 0.0
	for _, row := range o.Processes {
		holds := 0
		if row.RenewedAgo < LeaseHolds.Seconds() {
			holds = 1
		}
		versions[row.Version] += holds
		oldest = max(oldest, row.RenewedAgo)
	}
	for version, count := range versions {
		gauge(processes, float64(count), version)
	}
	gauge(leaseOldest, oldest)
}
