package metrics

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Gauge returns a collector of a value that is read when it is asked for.
func Gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: Prefix + name, Help: help}, read)
}

// Bool is 1 or 0.
func Bool(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func counterFunc(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: Prefix + name, Help: help}, read)
}

// Pool returns the collectors of a pool of connections.
func Pool(pool *pgxpool.Pool) []prometheus.Collector {
	return []prometheus.Collector{
		Gauge("database_connections_max", "Connections that the pool may have.",
			func() float64 { return float64(pool.Stat().MaxConns()) }),
		Gauge("database_connections", "Connections that the pool has.", func() float64 { return float64(pool.Stat().TotalConns()) }),
		Gauge("database_connections_used", "Connections of the pool that are in use.",
			func() float64 { return float64(pool.Stat().AcquiredConns()) }),
		counterFunc("database_acquires_total", "Times that a connection was taken from the pool.",
			func() float64 { return float64(pool.Stat().AcquireCount()) }),
		counterFunc("database_acquires_waited_total", "Times that a connection had to be waited for.",
			func() float64 { return float64(pool.Stat().EmptyAcquireCount()) }),
		counterFunc("database_acquire_wait_seconds_total", "Time that was waited for connections.",
			func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() }),
		counterFunc("database_acquires_canceled_total", "Times that nobody waited any more for a connection.",
			func() float64 { return float64(pool.Stat().CanceledAcquireCount()) }),
	}
}
