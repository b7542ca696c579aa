package metrics

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	scrapesAtOnce = 3                // of one process; more get 503 and come again
	scrapeLimit   = 10 * time.Second // Prometheus's own, by default
)

// newRegistry returns a registry that has what Go and the system tell of a process.
func newRegistry() *prometheus.Registry {
	made := prometheus.NewRegistry()
	made.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return made
}

// Handler serves the instruments of the process, and what own collects. However many ask, few are served at once.
func Handler(logger *slog.Logger, own ...prometheus.Collector) http.Handler {
	return promhttp.HandlerFor(gatherer(own...), promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeLimit,
	})
}

func gatherer(own ...prometheus.Collector) prometheus.Gatherer {
	part := prometheus.NewRegistry()
	part.MustRegister(own...)
	return prometheus.Gatherers{registry, part}
}
