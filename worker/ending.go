package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

// ended is the ending of a call that was answered.
func ended(outcome voice.Outcome) jobs.Ending {
	status := "completed"
	switch {
	case outcome.Reason == voice.Voicemail:
		status = "voicemail"
	case outcome.Fault == voice.FaultPlatform, outcome.Fault == voice.FaultProvider, outcome.Fault == voice.FaultConfig,
		outcome.Fault == voice.FaultCarrier:
		status = "failed"
	}
	ending := jobs.Ending{Status: status, Reason: string(outcome.Reason), Fault: string(outcome.Fault), Latency: latency(outcome.Latencies)}
	if outcome.Err != nil {
		ending.Error = outcome.Err.Error()
	}
	return ending
}

// unanswered is the ending of a call that was not. ringing is the context that bounded it, call the one it derives from.
func unanswered(ringing, call context.Context, err error) jobs.Ending {
	var refused *sip.Refused
	switch {
	case call.Err() != nil:
		return cutShort(call)
	case errors.Is(context.Cause(ringing), errNoAnswer):
		return with(voice.CustomerDidNotAnswer, "no-answer", nil)
	case errors.Is(err, sip.ErrNoResponse):
		return failed(voice.CarrierDidNotRespond, err)
	case errors.As(err, &refused):
		reason := voice.ReasonOfSIP(refused.Code)
		ending := with(reason, statusOf(reason), err)
		ending.SIPCode = refused.Code
		return ending
	}
	return failed(voice.CarrierFailedToConnect, err)
}

// cutShort is the ending of an unanswered call that ended from our side: call is its context, which is over.
func cutShort(call context.Context) jobs.Ending {
	cause := context.Cause(call)
	if errors.Is(cause, errEndedByCommand) {
		return with(voice.ManuallyCanceled, "canceled", nil)
	}
	return failed(voice.WorkerShutdown, cause)
}

func statusOf(reason voice.Reason) string {
	switch reason {
	case voice.CustomerBusy:
		return "busy"
	case voice.CustomerDidNotAnswer:
		return "no-answer"
	}
	return "failed"
}

// lostEnding is the ending of a call whose process is gone.
func lostEnding() jobs.Ending {
	return failed(voice.WorkerLost, errors.New("the worker that held the call died"))
}

func failed(reason voice.Reason, err error) jobs.Ending { return with(reason, "failed", err) }

func with(reason voice.Reason, status string, err error) jobs.Ending {
	ending := jobs.Ending{Status: status, Reason: string(reason), Fault: string(reason.Fault())}
	if err != nil {
		ending.Error = err.Error()
	}
	return ending
}

func latency(latencies []time.Duration) *jsonb.Latency {
	if len(latencies) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(latencies))
	at := func(quantile float64) int {
		return int(sorted[min(len(sorted)-1, int(quantile*float64(len(sorted))))].Milliseconds())
	}
	return &jsonb.Latency{Turns: len(sorted), P50MS: at(0.50), P95MS: at(0.95)}
}

func mediaQuality(stats media.Stats) *jsonb.Media {
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &jsonb.Media{
		Codec: stats.Codec, Encrypted: stats.Encrypted, PacketsReceived: stats.PacketsIn, PacketsSent: stats.PacketsOut, PacketsLost: stats.Lost,
		JitterMS: milliseconds(stats.Jitter), PacketsSentLate: stats.SendLate10ms, FarPacketsLost: stats.FarLost,
		FarJitterMS: milliseconds(stats.FarJitter), RoundTripMS: milliseconds(stats.RoundTrip),
	}
}
