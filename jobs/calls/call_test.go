package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func TestCallMoves(t *testing.T) {
	t.Parallel()

	t.Run("EachWritesItsEvent", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		claimed := f.Claim(t, call.ID, "process")
		require.Equal(t, "Hello.", claimed[0].AssistantConfig.FirstMessage, "the configuration is pinned")
		_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "ringing"})
		require.NoError(t, err)
		_, err = calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		ended := f.End(t, call.ID, "process")[0]
		require.Nil(t, ended.SIPCode)
		require.Nil(t, ended.Error)
		require.Nil(t, ended.Latency)

		var states []string
		for _, entry := range ended.Timeline {
			states = append(states, entry.Status)
		}
		require.Equal(t, []string{"queued", "dialing", "ringing", "in-progress", "completed"}, states)
		require.Equal(t, []string{
			"status-update:queued", "status-update:ringing", "status-update:in-progress", "status-update:completed",
		}, f.Events(t, call.ID))
		require.Equal(t, []string{"place_call", "finish_call"}, f.JobKinds(t))
	})

	t.Run("ASecondClaimFails", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		require.Empty(t, f.Claim(t, call.ID, "other"))
	})

	t.Run("OnlyItsOwnerMovesIt", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		moved, err := calls.Advance(t.Context(), f.Tx, "other", &calls.Progress{CallID: call.ID, Status: "ringing"})
		require.NoError(t, err)
		require.Empty(t, moved)
		require.Empty(t, f.End(t, call.ID, "other"))
	})

	t.Run("AnEndedCallStaysEnded", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.EndedCall(t)
		require.Empty(t, f.End(t, call.ID, "process"))
	})

	t.Run("ATurnIsWrittenOnce", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Webhook(t, nil, callstate.EventTranscript)
		call := f.QueuedCall(t)
		turn := &calls.Turn{Call: call, Role: "user", Text: "Hello?", SecondsFromStart: 1.5}
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, turn))
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, turn))
		require.Equal(t, []string{"status-update:queued", "transcript:"}, f.Events(t, call.ID))
		next := &calls.Turn{Call: call, Position: 1, Role: "assistant", Text: "Good morning.", SecondsFromStart: 2.5}
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, turn, next))
		require.Equal(t, []string{"status-update:queued", "transcript:", "transcript:"}, f.Events(t, call.ID))
	})
}

func TestPlaceCall(t *testing.T) {
	t.Parallel()

	t.Run("DialsAQueuedCallOnce", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		for range 2 {
			require.Zero(t, jobstest.Work(t, f, placeCall(f), f.DispatchJob(call.ID)))
		}
		require.Len(t, f.Dialer.Dialed, 1)
	})

	t.Run("LeavesACanceledCallAlone", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		cancel := &dbsqlc.CallCancelParams{AccountID: f.Account.ID, ID: call.ID, EndedReason: new("manually-canceled"),
			EndedFault: new("assistant")}
		_, err := calls.Cancel(t.Context(), f.Tx, f.Inserter, cancel)
		require.NoError(t, err)
		_, err = calls.Cancel(t.Context(), f.Tx, f.Inserter, cancel)
		require.ErrorIs(t, err, calls.ErrConflict)

		require.Zero(t, jobstest.Work(t, f, placeCall(f), f.DispatchJob(call.ID)))
		require.Empty(t, f.Dialer.Dialed)
		require.Zero(t, f.Dialer.Booked, "the place is given back")
	})
}
