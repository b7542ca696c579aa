package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

func TestMomentsAreForThoseWhoAsk(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	call := f.QueuedCall(t)
	call.StartedAt = new(time.UnixMilli(1_700_000_000_000))
	note := func(live events.Live) {
		t.Helper()
		live.Call, live.ID, live.At = call, dbfactory.ID(t), 1500*time.Millisecond
		for range 2 { // a commit whose outcome never reached us
			require.NoError(t, events.RecordLive(t.Context(), f.Tx, &live))
		}
	}
	note(events.Live{Type: callstate.EventHang})
	require.Equal(t, []string{"status-update:queued"}, f.Events(t, call.ID), "nobody asked")
	types, err := events.SubscribedTypes(t.Context(), f.Tx, &dbsqlc.Call{AccountID: dbfactory.ID(t), AssistantID: call.AssistantID})
	require.NoError(t, err)
	require.Equal(t, []string{}, types, "there is nobody")

	f.Webhook(t, nil, callstate.EventHang, callstate.EventSpeechUpdate, callstate.EventTransferUpdate)
	types, err = events.SubscribedTypes(t.Context(), f.Tx, call)
	require.NoError(t, err)
	require.Equal(t, []string{callstate.EventHang, callstate.EventSpeechUpdate, callstate.EventTransferUpdate}, types)
	note(events.Live{Type: callstate.EventUserInterrupted})
	note(events.Live{Type: callstate.EventHang})
	note(events.Live{Type: callstate.EventSpeechUpdate, Status: "started", Role: "user", Turn: 2})
	note(events.Live{Type: callstate.EventTransferUpdate, Status: "failed", Target: "sip:desk@example.com", Error: "busy"})
	note(events.Live{Type: callstate.EventTransferUpdate, Status: "started", Target: "+31612345678"})
	require.Equal(t, []string{"status-update:queued", "hang:", "speech-update:", "transfer-update:", "transfer-update:"},
		f.Events(t, call.ID), "each once")

	noted := dbfactory.Messages[map[string]any](t, f.Tx, "call_id = $1 AND delivery = 'none'", call.ID)[1:]
	for i, want := range []string{
		`{"type": "hang"}`, `{"type": "speech-update", "status": "started", "role": "user", "turn": 2}`,
		`{"type": "transfer-update", "status": "failed", "destination": {"type": "sip", "sipUri": "sip:desk@example.com"}, "error": "busy"}`,
		`{"type": "transfer-update", "status": "started", "destination": {"type": "number", "number": "+31612345678"}}`,
	} {
		got := noted[i]
		var expected map[string]any
		require.NoError(t, json.Unmarshal([]byte(want), &expected))
		require.EqualValues(t, 1_700_000_001_500, got["timestamp"], "when it happened")
		for name, value := range expected {
			require.Equal(t, value, got[name], name)
		}
	}
	require.Error(t, events.RecordLive(t.Context(), f.Tx, &events.Live{Call: call, Type: callstate.EventStatusUpdate}))
}
