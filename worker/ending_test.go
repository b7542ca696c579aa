package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/lease"
)

func TestUnanswered(t *testing.T) {
	t.Parallel()

	background := context.Background()
	tooLong, cancel := context.WithTimeoutCause(background, 0, errNoAnswer)
	defer cancel()
	<-tooLong.Done()
	stopped, stop := context.WithCancelCause(background)
	stop(errors.New("stopping"))

	for name, test := range map[string]struct {
		ringing, call context.Context
		err           error
		status        string
		reason        string
		fault         string
		code          int
	}{
		"Busy": {background, background, &sip.Refused{Code: 486, Reason: "Busy Here"}, "busy", callstate.ReasonCustomerBusy,
			"customer", 486},
		"Unavailable": {background, background, &sip.Refused{Code: 480}, "no-answer", callstate.ReasonCustomerDidNotAnswer,
			"customer", 480},
		"Declined": {background, background, &sip.Refused{Code: 603}, "failed", callstate.ReasonCustomerRejectedCall, "customer",
			603},
		"CarrierDown": {background, background, &sip.Refused{Code: 503}, "failed", callstate.ReasonCarrierUnavailable, "carrier",
			503},
		"WrongNumber": {background, background, &sip.Refused{Code: 404}, "failed", callstate.ReasonCarrierReportedMisdialed,
			"carrier", 404},
		"BadPassword": {background, background, &sip.Refused{Code: 403}, "failed", callstate.ReasonStartErrorSIPCredentialsRefused,
			"config", 403},
		"Silence": {background, background, errors.Join(&sip.Refused{Code: 408}, sip.ErrNoResponse), "failed",
			callstate.ReasonCarrierDidNotRespond, "carrier", 0},
		"RangTooLong": {tooLong, background, context.DeadlineExceeded, "no-answer", callstate.ReasonCustomerDidNotAnswer, "customer",
			0},
		"WorkerStops": {stopped, stopped, context.Canceled, "failed", callstate.ReasonWorkerShutdown, "platform", 0},
		"NoRouteToThere": {background, background, errors.New("network is unreachable"), "failed",
			callstate.ReasonCarrierFailedToConnect, "carrier", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ending := unanswered(test.ringing, test.call, test.err)
			require.Equal(t, test.status, ending.Status)
			require.Equal(t, test.reason, ending.Reason)
			require.Equal(t, test.fault, ending.Fault)
			require.Equal(t, test.code, ending.SIPCode)
		})
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()

	for reason, status := range map[turn.Reason]string{
		turn.CustomerEndedCall:   "completed",
		turn.ExceededMaxDuration: "completed",
		turn.Voicemail:           "voicemail",
		turn.ProviderLLMFailed:   "failed",
		turn.CarrierDroppedCall:  "failed",
		turn.WorkerShutdown:      "failed",
	} {
		ending := ended(voice.Outcome{Reason: reason, Fault: reason.Fault()})
		require.Equal(t, status, ending.Status, reason)
		require.Nil(t, ending.Latency)
	}

	ending := ended(voice.Outcome{
		Reason: turn.ProviderVoiceFailed, Fault: turn.FaultProvider, Err: errors.New("no voice"),
		Timings: []voice.Timing{heardAfter(300), heardAfter(100), heardAfter(200), heardAfter(900)},
	})
	require.Equal(t, "no voice", ending.Error)
	require.Equal(t, 4, ending.Latency.Turns)
	require.Equal(t, 300, ending.Latency.P50MS)
	require.Equal(t, 900, ending.Latency.P95MS)
}

// TestEndedByALeaseThatRanOut tells a worker that lost its lease from one that stops: others act on its calls, or were about to.
func TestEndedByALeaseThatRanOut(t *testing.T) {
	t.Parallel()
	shutdown := voice.Outcome{Reason: turn.WorkerShutdown, Fault: turn.WorkerShutdown.Fault()}
	left := voice.Outcome{Reason: turn.CustomerEndedCall, Fault: turn.CustomerEndedCall.Fault()}
	for name, test := range map[string]struct {
		cause                 error
		outcome               voice.Outcome
		status, reason, error string
	}{
		"Lapsed": {lease.ErrLapsed, shutdown, "failed", callstate.ReasonWorkerLost, lease.ErrLapsed.Error()},
		"Lost": {fmt.Errorf("end calls: %w", lease.ErrLost), shutdown, "failed", callstate.ReasonWorkerLost,
			"end calls: " + lease.ErrLost.Error()},
		"CallerLeft":    {lease.ErrLapsed, left, "completed", callstate.ReasonCustomerEndedCall, ""},
		"WorkerStops":   {errors.New("stopping"), shutdown, "failed", callstate.ReasonWorkerShutdown, ""},
		"EndedByServer": {errEndedByCommand, shutdown, "completed", callstate.ReasonManuallyCanceled, ""},
	} {
		call, cut := context.WithCancelCause(t.Context())
		cut(test.cause)
		ending := endedByUs(call, test.outcome)
		require.Equal(t, []string{test.status, test.reason, test.error}, []string{ending.Status, ending.Reason, ending.Error}, name)
		require.Equal(t, callstate.FaultOf(test.reason), ending.Fault, name)
	}
}
