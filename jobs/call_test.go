package jobs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

func TestCallMoves(t *testing.T) {
	t.Parallel()

	t.Run("EachWritesItsEvent", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		claimed := f.claim(t, call.ID, "process")
		require.Equal(t, "Hello.", claimed[0].AssistantConfig.FirstMessage, "the configuration is pinned")
		_, err := CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: "ringing"})
		require.NoError(t, err)
		_, err = CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		ended := f.end(t, call.ID, "process")[0]
		require.Nil(t, ended.SIPCode)
		require.Nil(t, ended.Error)
		require.Nil(t, ended.Latency)

		var states []string
		for _, moment := range ended.Timeline {
			states = append(states, moment.Status)
		}
		require.Equal(t, []string{"queued", "dialing", "ringing", "in-progress", "completed"}, states)
		require.Equal(t, []string{
			"status-update:queued", "status-update:dialing", "status-update:ringing", "status-update:in-progress", "status-update:completed",
		}, f.events(t, call.ID))
		require.Equal(t, []string{"place_call", "finish_call"}, f.jobKinds(t))
	})

	t.Run("ASecondClaimFails", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		require.Len(t, f.claim(t, call.ID, "process"), 1)
		require.Empty(t, f.claim(t, call.ID, "other"))
	})

	t.Run("OnlyItsOwnerMovesIt", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		require.Len(t, f.claim(t, call.ID, "process"), 1)
		moved, err := CallsProgressed(t.Context(), f.tx, f.inserter, "other", &Progress{CallID: call.ID, Status: "ringing"})
		require.NoError(t, err)
		require.Empty(t, moved)
		require.Empty(t, f.end(t, call.ID, "other"))
	})

	t.Run("AnEndedCallStaysEnded", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.endedCall(t)
		require.Empty(t, f.end(t, call.ID, "process"))
	})

	t.Run("ATurnIsWrittenOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.webhook(t, nil, callstate.EventTranscript)
		call := f.queuedCall(t)
		turn := &Turn{Call: call, Role: "user", Text: "Hello?", SecondsFromStart: 1.5}
		require.NoError(t, TurnsHeard(t.Context(), f.tx, f.inserter, turn))
		require.NoError(t, TurnsHeard(t.Context(), f.tx, f.inserter, turn))
		require.Equal(t, []string{"status-update:queued", "transcript:"}, f.events(t, call.ID))
		next := &Turn{Call: call, Position: 1, Role: "assistant", Text: "Good morning.", SecondsFromStart: 2.5}
		require.NoError(t, TurnsHeard(t.Context(), f.tx, f.inserter, turn, next))
		require.Equal(t, []string{"status-update:queued", "transcript:", "transcript:"}, f.events(t, call.ID))
	})
}

func TestPlaceCall(t *testing.T) {
	t.Parallel()

	t.Run("DialsAQueuedCallOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		for range 2 {
			require.Zero(t, work(t, f, NewPlaceCallWorker(f.deps.DB, f.deps.Dialer, "process"), f.ticket(call.ID)))
		}
		require.Len(t, f.dialer.dialed, 1)
	})

	t.Run("LeavesACanceledCallAlone", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		cancel := &dbsqlc.CallCancelParams{AccountID: f.account.ID, ID: call.ID, EndedReason: new("manually-canceled"), EndedFault: new("assistant")}
		_, err := CancelCall(t.Context(), f.tx, f.inserter, cancel)
		require.NoError(t, err)
		_, err = CancelCall(t.Context(), f.tx, f.inserter, cancel)
		require.ErrorIs(t, err, ErrMoved)

		require.Zero(t, work(t, f, NewPlaceCallWorker(f.deps.DB, f.deps.Dialer, "process"), f.ticket(call.ID)))
		require.Empty(t, f.dialer.dialed)
		require.Zero(t, f.dialer.booked, "the line is given back")
	})
}
