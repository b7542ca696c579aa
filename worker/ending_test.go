package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
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
		reason        voice.Reason
		fault         string
		code          int
	}{
		"Busy":           {background, background, &sip.Refused{Code: 486, Reason: "Busy Here"}, "busy", voice.CustomerBusy, "customer", 486},
		"Unavailable":    {background, background, &sip.Refused{Code: 480}, "no-answer", voice.CustomerDidNotAnswer, "customer", 480},
		"Declined":       {background, background, &sip.Refused{Code: 603}, "failed", voice.CustomerRejectedCall, "customer", 603},
		"CarrierDown":    {background, background, &sip.Refused{Code: 503}, "failed", voice.CarrierUnavailable, "carrier", 503},
		"WrongNumber":    {background, background, &sip.Refused{Code: 404}, "failed", voice.CarrierReportedMisdialed, "carrier", 404},
		"BadPassword":    {background, background, &sip.Refused{Code: 403}, "failed", voice.StartErrorSIPCredentialsRefused, "config", 403},
		"Silence":        {background, background, errors.Join(&sip.Refused{Code: 408}, sip.ErrNoResponse), "failed", voice.CarrierDidNotRespond, "carrier", 0},
		"RangTooLong":    {tooLong, background, context.DeadlineExceeded, "no-answer", voice.CustomerDidNotAnswer, "customer", 0},
		"WorkerStops":    {stopped, stopped, context.Canceled, "failed", voice.WorkerShutdown, "platform", 0},
		"NoRouteToThere": {background, background, errors.New("network is unreachable"), "failed", voice.CarrierFailedToConnect, "carrier", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ending := unanswered(test.ringing, test.call, test.err)
			require.Equal(t, test.status, ending.Status)
			require.Equal(t, string(test.reason), ending.Reason)
			require.Equal(t, test.fault, ending.Fault)
			require.Equal(t, test.code, ending.SIPCode)
		})
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()

	for reason, status := range map[voice.Reason]string{
		voice.CustomerEndedCall:   "completed",
		voice.ExceededMaxDuration: "completed",
		voice.Voicemail:           "voicemail",
		voice.ProviderLLMFailed:   "failed",
		voice.CarrierDroppedCall:  "failed",
		voice.WorkerShutdown:      "failed",
	} {
		ending := ended(voice.Outcome{Reason: reason, Fault: reason.Fault()})
		require.Equal(t, status, ending.Status, reason)
		require.Nil(t, ending.Latency)
	}

	ending := ended(voice.Outcome{
		Reason: voice.ProviderVoiceFailed, Fault: voice.FaultProvider, Err: errors.New("no voice"),
		Latencies: []time.Duration{300 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 900 * time.Millisecond},
	})
	require.Equal(t, "no voice", ending.Error)
	require.Equal(t, 4, ending.Latency.Turns)
	require.Equal(t, 300, ending.Latency.P50MS)
	require.Equal(t, 900, ending.Latency.P95MS)
}
