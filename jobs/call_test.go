package jobs

import (
	"testing"

	"github.com/stretchr/testify/require"

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
		_, err := CallRinging(t.Context(), f.tx, f.inserter, call.ID, "process")
		require.NoError(t, err)
		_, err = CallAnswered(t.Context(), f.tx, f.inserter, call.ID, "process", []byte(`{}`))
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
		_, err := CallRinging(t.Context(), f.tx, f.inserter, call.ID, "other")
		require.ErrorIs(t, err, ErrMoved)
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
		f.webhook(t, nil, EventTranscript)
		call := f.queuedCall(t)
		turn := &dbsqlc.CallTurnInsertParams{CallID: call.ID, AccountID: f.account.ID, Role: "user", Text: "Hello?", SecondsFromStart: 1.5}
		require.NoError(t, TurnHeard(t.Context(), f.tx, f.inserter, call, turn))
		require.NoError(t, TurnHeard(t.Context(), f.tx, f.inserter, call, turn))
		require.Equal(t, []string{"status-update:queued", "transcript:"}, f.events(t, call.ID))
	})
}

func TestPlaceCall(t *testing.T) {
	t.Parallel()

	t.Run("DialsAQueuedCallOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := f.queuedCall(t)
		for range 2 {
			require.Zero(t, work(t, f, newPlaceCallWorker(f.deps), f.ticket(call.ID)))
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

		require.Zero(t, work(t, f, newPlaceCallWorker(f.deps), f.ticket(call.ID)))
		require.Empty(t, f.dialer.dialed)
		require.Zero(t, f.dialer.booked, "the line is given back")
	})
}

func TestFinishCall(t *testing.T) {
	t.Parallel()

	f := setup(t)
	call := f.endedCall(t)
	for position, turn := range []struct{ role, text string }{{"assistant", "Hello."}, {"user", "Who is this?"}} {
		require.NoError(t, TurnHeard(t.Context(), f.tx, f.inserter, call, &dbsqlc.CallTurnInsertParams{
			CallID: call.ID, AccountID: f.account.ID, Position: int32(position), Role: turn.role, Text: turn.text, SecondsFromStart: float64(position),
		}))
	}
	for range 2 {
		require.Zero(t, work(t, f, newFinishCallWorker(f.deps), FinishCallArgs{CallID: call.ID}))
	}

	var report struct {
		Transcript  string
		EndedReason string
		Messages    []struct{ Role, Message string }
	}
	var count int
	require.NoError(t, f.tx.QueryRow(t.Context(),
		"SELECT count(*) OVER (), payload FROM event WHERE call_id = $1 AND type = 'end-of-call-report'", call.ID).Scan(&count, &report))
	require.Equal(t, 1, count, "one report, however often the job runs")
	require.Equal(t, "AI: Hello.\nUser: Who is this?\n", report.Transcript)
	require.Equal(t, "customer-ended-call", report.EndedReason)
	require.Equal(t, "bot", report.Messages[0].Role)

	contact, err := dbsqlc.New().ContactGet(t.Context(), f.tx, &dbsqlc.ContactGetParams{AccountID: f.account.ID, ID: f.contact.ID})
	require.NoError(t, err)
	require.NotNil(t, contact.LastInteractionAt)
}
