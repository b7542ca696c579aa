package worker

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/voice/media"
)

// Collectors returns what is to be read of this worker beside the instruments of the process.
func (w *Worker) Collectors() []prometheus.Collector {
	return slices.Concat(metrics.Pool(w.cfg.Pool), []prometheus.Collector{
		metrics.Gauge("places", "Calls that this worker may hold at once: fewer while sound leaves late.",
			func() float64 { return float64(w.phone.places.open()) }),
		metrics.Gauge("places_taken", "Calls that this worker holds or is about to dial.",
			func() float64 { return float64(w.phone.places.calls()) }),
		metrics.Gauge("draining", "1 while this worker stops and takes no more calls.",
			func() float64 { return metrics.Bool(w.phone.isStopping()) }),
		metrics.Gauge("lease_held", "1 while this worker may dial: its lease in the database is valid.",
			func() float64 { return metrics.Bool(w.lease.Check() == nil) }),
		metrics.Gauge("sip_registrations_held", "SIP connections of customers that this worker keeps registered.",
			func() float64 { return float64(w.phone.connections.Count()) }),
	})
}

// countTurn counts how long a caller waited for an answer; nil: the turn answers nobody.
func countTurn(timing *jsonb.TurnTiming) {
	if timing == nil {
		return
	}
	stages := timing.Stages()
	for stage, took := range map[string]int{
		"transcriber": stages.Transcriber, "endpointing": stages.Endpointing, "model": stages.Model, "voice": stages.Voice,
		"turn": stages.Turn,
	} {
		metrics.TurnLatency.WithLabelValues(stage).Observe(float64(took) / 1000)
	}
}

// countPackets counts the sound of a call that is over.
func countPackets(stats media.Stats, network string) {
	for outcome, packets := range map[string]uint64{
		"received": stats.PacketsIn, "sent": stats.PacketsOut, "lost": stats.Lost, "late": stats.Late, "sent_late": stats.SendLate10ms,
		"not_sent": stats.SendErrors, "far_lost": stats.FarLost,
	} {
		metrics.Packets.WithLabelValues(outcome, network).Add(float64(packets))
	}
	metrics.Jitter.WithLabelValues("received", network).Observe(stats.Jitter.Seconds())
	if stats.ReportsIn > 0 {
		metrics.Jitter.WithLabelValues("sent", network).Observe(stats.FarJitter.Seconds())
	}
}

// countLateness is called when the INVITE of a call has left that was to be dialed at a time; zero: as soon as it was made.
func countLateness(call *dbsqlc.Call, at time.Time) {
	if at.IsZero() {
		at = call.CreatedAt
	}
	metrics.CallLateness.WithLabelValues(metrics.Network(call.Simulated)).Observe(max(0, time.Since(at).Seconds()))
}
