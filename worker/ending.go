package worker

import (
	"context"
	"errors"
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/lease"
)

// ended returns the ending of a call that was answered.
func ended(outcome voice.Outcome) calls.Ending {
	ending := endingFor(string(outcome.Reason), outcome.Err)
	ending.Status, ending.Latency = callstate.StatusAfterAnswer(ending.Reason), latency(outcome)
	return ending
}

// endedByUs is ended of a call that our side cut short: call is its context, which may be over. What ends the calls of a process
// is no shutdown when others act on them.
func endedByUs(call context.Context, outcome voice.Outcome) calls.Ending {
	ending := ended(outcome)
	switch cause := context.Cause(call); {
	case errors.Is(cause, errEndedByCommand): // between the answer and the conversation
		ending.Reason = callstate.ReasonManuallyCanceled
	case lapsed(cause) && ending.Reason == callstate.ReasonWorkerShutdown:
		ending.Reason, ending.Error = callstate.ReasonWorkerLost, cause.Error()
	default:
		return ending
	}
	ending.Status, ending.Fault = callstate.StatusAfterAnswer(ending.Reason), callstate.FaultOf(ending.Reason)
	return ending
}

func lapsed(cause error) bool {
	return errors.Is(cause, lease.ErrLapsed) || errors.Is(cause, lease.ErrLost)
}

// unanswered returns the ending of a call that was not. ringing is the context that bounded it, call the one it derives from.
func unanswered(ringing, call context.Context, err error) calls.Ending {
	var refused *sip.Refused
	switch {
	case call.Err() != nil:
		return cutShort(call)
	case errors.Is(context.Cause(ringing), errNoAnswer):
		return endingFor(callstate.ReasonCustomerDidNotAnswer, nil)
	case errors.Is(err, sip.ErrNoResponse):
		return endingFor(callstate.ReasonCarrierDidNotRespond, err)
	case errors.As(err, &refused):
		ending := endingFor(callstate.ReasonOfSIP(refused.Code), err)
		ending.SIPCode = refused.Code
		return ending
	}
	return endingFor(callstate.ReasonCarrierFailedToConnect, err)
}

// cutShort returns the ending of an unanswered call that ended from our side: call is its context, which is over.
func cutShort(call context.Context) calls.Ending {
	cause := context.Cause(call)
	switch {
	case errors.Is(cause, errEndedByCommand):
		return endingFor(callstate.ReasonManuallyCanceled, nil)
	case errors.Is(cause, errLeft):
		return endingFor(callstate.ReasonCustomerEndedCallBeforeAnswer, nil)
	case lapsed(cause):
		return endingFor(callstate.ReasonWorkerLost, cause)
	}
	return endingFor(callstate.ReasonWorkerShutdown, cause)
}

// lostEnding returns the ending of a call whose process is gone.
func lostEnding() calls.Ending {
	return endingFor(callstate.ReasonWorkerLost, errors.New("the worker that held the call died"))
}

// endingFor returns the ending of a call that ended for reason before it was answered. err may be nil.
func endingFor(reason string, err error) calls.Ending {
	ending := calls.Ending{Status: callstate.StatusBeforeAnswer(reason), Reason: reason, Fault: callstate.FaultOf(reason)}
	if err != nil {
		ending.Error = err.Error()
	}
	return ending
}

func mediaQuality(stats media.Stats) *jsonb.Media {
	fractions := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &jsonb.Media{
		Codec: stats.Codec, Encrypted: stats.Encrypted, PacketsReceived: stats.PacketsIn, PacketsSent: stats.PacketsOut,
		PacketsLost: stats.Lost,
		JitterMS:    fractions(stats.Jitter), PacketsSentLate: stats.SendLate10ms, FarPacketsLost: stats.FarLost,
		FarJitterMS: fractions(stats.FarJitter), RoundTripMS: fractions(stats.RoundTrip),
	}
}
