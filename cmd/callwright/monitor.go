package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/traces"
)

// monitorFlags choose where a process tells how it is.
type monitorFlags struct {
	MetricsListen string `help:"Address and port that serve /metrics for Prometheus, /healthz and /readyz, without a password: for the operator's network alone. Default: none." env:"CALLWRIGHT_METRICS_LISTEN" placeholder:"HOST:PORT" group:"Monitoring"`
}

// traceFlags choose who collects traces.
type traceFlags struct {
	OTLPEndpoint string `help:"Collector of OpenTelemetry traces that takes OTLP over HTTP, such as http://127.0.0.1:4318. Default: none, and nothing is traced." name:"otlp-endpoint" env:"CALLWRIGHT_OTLP_ENDPOINT" placeholder:"URL" group:"Monitoring"`
}

// port is where the process tells how it is.
func (f monitorFlags) port() listening {
	return listening{"--metrics-listen (CALLWRIGHT_METRICS_LISTEN)", "tcp", f.MetricsListen}
}

// startTraces begins to send traces of a process of that kind. What the returned function cannot send in time is lost.
func (f traceFlags) startTraces(ctx context.Context, kind string, logger *slog.Logger) (stop func(), err error) {
	if f.OTLPEndpoint == "" {
		return func() {}, nil
	}
	if to, err := url.Parse(f.OTLPEndpoint); err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, fmt.Errorf("--otlp-endpoint (CALLWRIGHT_OTLP_ENDPOINT): %q is not http:// or https:// and a host", f.OTLPEndpoint)
	}
	end, err := traces.Start(ctx, traces.Config{Endpoint: f.OTLPEndpoint, Service: "callwright-" + kind, Version: version})
	if err != nil {
		return nil, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	return func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if err := end(ending); err != nil {
			logger.WarnContext(ending, "last traces not sent", "error", err)
		}
	}, nil
}

// monitor tells how the process is at an address of its own, until stop is called; a nil listener tells nobody.
type monitor struct {
	listener net.Listener
	logger   *slog.Logger
}

// monitor takes the port, before the process begins anything that others would have to end.
func (f monitorFlags) monitor(ctx context.Context, logger *slog.Logger) (*monitor, error) {
	if f.MetricsListen == "" {
		return &monitor{logger: logger}, nil
	}
	listener, err := listen(ctx, f.port().flag, f.MetricsListen)
	if err != nil {
		return nil, err
	}
	return &monitor{listener, logger}, nil
}

// serve begins, with what own collects beside the instruments of the process. The returned function ends it: with it the process
// is not ready any more.
func (m *monitor) serve(ctx context.Context, ready func(context.Context) error, own ...prometheus.Collector) (stop func() error) {
	metrics.SetVersion(version)
	if m.listener == nil {
		return func() error { return nil }
	}
	m.logger.InfoContext(ctx, "monitoring", "address", m.listener.Addr().String())
	handler := http.NewServeMux()
	handler.Handle("GET /metrics", metrics.Handler(m.logger, own...))
	handler.Handle("/", (&api.Probes{Version: version, Ready: ready, Logger: m.logger}).Handler())
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx)) // while the process drains, too
	ended := make(chan error, 1)
	go func() { ended <- serve(serving, m.listener, handler) }()
	return func() error {
		cancel()
		return <-ended
	}
}
