// Package metrics is what a process counts for its operator: the instruments, which those who do the work move, and the handler
// that Prometheus reads. The instruments are the process's, like its clock: whoever starts two workers in one process counts them
// together.
//
// It knows names and labels. It must not know who counts, nor anything of a customer: labels take words of this program and of
// its configuration alone, so that how many series there are does not depend on how many customers there are, or on what anybody
// sends.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Prefix begins the names of all our metrics.
const Prefix = "callwright_"

// Buckets of histograms, in seconds.
var (
	answerBuckets  = []float64{.1, .2, .3, .4, .5, .6, .7, .8, 1, 1.25, 1.5, 2, 3, 5, 10}
	requestBuckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	waitBuckets    = []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800}
	sizeBuckets    = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// registry has the instruments of the process.
var registry = newRegistry()

var instruments = promauto.With(registry)

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return instruments.NewCounterVec(prometheus.CounterOpts{Name: Prefix + name, Help: help}, labels)
}

// fromZero has series begin at zero that may never come: a rate misses the first time of what was not there before.
func fromZero(of *prometheus.CounterVec, series [][]string) *prometheus.CounterVec {
	for _, labels := range series {
		of.WithLabelValues(labels...)
	}
	return of
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return instruments.NewHistogramVec(prometheus.HistogramOpts{Name: Prefix + name, Help: help, Buckets: buckets}, labels)
}

// Calls. network is live or simulated.
var (
	CallsEnded = counter("calls_ended_total", "Calls that this process ended, by the words of package callstate.",
		"direction", "status", "reason", "fault", "network")
	CallsRefused = fromZero(counter("calls_refused_total", "Calls that came in and were refused before they had a row, by SIP code.",
		"network", "code"),
		[][]string{{"live", "404"}, {"live", "482"}, {"live", "486"}, {"live", "503"}})
	CallLateness = histogram("call_lateness_seconds", "From when a call was to be dialed to when its INVITE left.", waitBuckets,
		"network")
	TurnLatency = histogram("turn_latency_seconds",
		"How long callers waited for an answer, by stage: transcriber, endpointing, model and voice follow each other and add up to turn.",
		answerBuckets, "stage")
)

// Sound. It is counted when a call ends.
var (
	Packets = counter("rtp_packets_total",
		"Packets of sound: received, sent, lost (never came), late (came too late to be heard), sent_late (left more than 10 ms late), "+
			"not_sent, and far_lost, which far ends say that they missed.", "outcome", "network")
	Jitter = histogram("rtp_jitter_seconds",
		"Interarrival jitter (RFC 3550) of calls, as they ended: of what came, and of ours as far ends say.",
		[]float64{.001, .002, .005, .01, .02, .03, .05, .1, .2}, "of", "network")
)

// Vendors of speech and language. vendor is the name that the configuration knows it by, family one of package served.
var (
	VendorRequests = counter("vendor_requests_total",
		"Requests to vendors by how they went: ok, canceled, or a kind of package fault.",
		"family", "vendor", "outcome")
	VendorLatency = histogram("vendor_latency_seconds",
		"To the first token of a model, the first sound of a voice, and the words of a transcriber after speech ended.", answerBuckets,
		"family", "vendor")
)

// Unpriced are things that calls used and that no price is set for. A transaction that is tried again counts twice.
var Unpriced = counter("usage_unpriced_total",
	"Things that ended calls used for which callwright prices has no price, by the kind of price.", "kind", "provider")

// Jobs.
var (
	Jobs = counter("jobs_worked_total", "Jobs that this process worked, by how they went: done, failed or snoozed.", "kind",
		"outcome")
	JobDuration = histogram("job_duration_seconds", "How long jobs took; those that hold a call last as long as it.", waitBuckets,
		"kind")
	JobLateness = histogram("job_lateness_seconds", "From when a job was due to when a worker began it.", waitBuckets, "kind")
)

// Deliveries to customers' servers.
var (
	Deliveries = fromZero(counter("deliveries_total",
		"Attempts to deliver events: delivered, failed (tried again later), probe_failed (of an endpoint that fails) and dead (given up).", "outcome"),
		[][]string{{"delivered"}, {"failed"}, {"probe_failed"}, {"dead"}})
	DeliveryDuration = instruments.NewHistogram(prometheus.HistogramOpts{
		Name: Prefix + "delivery_duration_seconds", Help: "How long customers' servers took to answer a delivery.",
		Buckets: requestBuckets,
	})
)

// The database.
var (
	BatchSize = histogram("batch_size", "How many requests shared a transaction, by what they asked for.", sizeBuckets, "batch")
	Outages   = instruments.NewCounter(prometheus.CounterOpts{
		Name: Prefix + "database_outages_total", Help: "Times that this process found the database unavailable.",
	})
	Outage = instruments.NewGauge(prometheus.GaugeOpts{
		Name: Prefix + "database_outage", Help: "1 while this process finds the database unavailable.",
	})
	ProcessesLost = instruments.NewCounter(prometheus.CounterOpts{
		Name: Prefix + "processes_lost_total", Help: "Dead processes that this one picked up after.",
	})
)

// SIP and HTTP.
var (
	sipResponses = counter("sip_responses_total",
		"SIP responses, received by us or sent, by method and code. none: a request of ours got no response. Unusual codes count by their class.",
		"direction", "method", "code", "network")
	HTTPRequests = counter("http_requests_total", "Requests to the API by route and status.", "method", "route", "code")
	HTTPDuration = histogram("http_request_duration_seconds", "How long the API took to respond, by route.", requestBuckets, "route")
)

// Since observes the seconds since began.
func Since(into prometheus.Observer, began time.Time) { into.Observe(time.Since(began).Seconds()) }

// Network is the label of a call or of a way out.
func Network(simulated bool) string {
	if simulated {
		return "simulated"
	}
	return "live"
}

// SetVersion says in callwright_build_info which program this is.
func SetVersion(version string) { build.WithLabelValues(version).Set(1) }

var build = instruments.NewGaugeVec(prometheus.GaugeOpts{Name: Prefix + "build_info",
	Help: "1, with the version of this program."}, []string{"version"})
