package jobs

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

func TestMomentsAreForThoseWhoAsk(t *testing.T) {
	t.Parallel()

	f := setup(t)
	call := f.queuedCall(t)
	call.StartedAt = new(time.UnixMilli(1_700_000_000_000))
	note := func(moment Moment) {
		t.Helper()
		moment.Call, moment.ID, moment.At = call, newID(t), 1500*time.Millisecond
		for range 2 { // a commit whose outcome never reached us
			require.NoError(t, MomentsNoted(t.Context(), f.tx, f.inserter, &moment))
		}
	}
	note(Moment{Type: callstate.EventHang})
	require.Equal(t, []string{"status-update:queued"}, f.events(t, call.ID), "nobody asked")
	types, err := SubscribedTypes(t.Context(), f.tx, &dbsqlc.Call{AccountID: newID(t), AssistantID: call.AssistantID})
	require.NoError(t, err)
	require.Equal(t, []string{}, types, "there is nobody")

	f.webhook(t, nil, callstate.EventHang, callstate.EventSpeechUpdate, callstate.EventTransferUpdate)
	types, err = SubscribedTypes(t.Context(), f.tx, call)
	require.NoError(t, err)
	require.Equal(t, []string{callstate.EventHang, callstate.EventSpeechUpdate, callstate.EventTransferUpdate}, types)
	note(Moment{Type: callstate.EventUserInterrupted})
	note(Moment{Type: callstate.EventHang})
	note(Moment{Type: callstate.EventSpeechUpdate, Status: "started", Role: "user", Turn: 2})
	note(Moment{Type: callstate.EventTransferUpdate, Status: "failed", Target: "sip:desk@example.com", Error: "busy"})
	note(Moment{Type: callstate.EventTransferUpdate, Status: "started", Target: "+31612345678"})
	require.Equal(t, []string{"status-update:queued", "hang:", "speech-update:", "transfer-update:", "transfer-update:"}, f.events(t, call.ID), "each once")

	var payloads []json.RawMessage
	rows, err := f.tx.Query(t.Context(), "SELECT payload FROM event WHERE call_id = $1 AND delivery = 'none' ORDER BY position OFFSET 1", call.ID)
	require.NoError(t, err)
	for rows.Next() {
		var payload json.RawMessage
		require.NoError(t, rows.Scan(&payload))
		payloads = append(payloads, payload)
	}
	require.NoError(t, rows.Err())
	for i, want := range []string{
		`{"type": "hang"}`, `{"type": "speech-update", "status": "started", "role": "user", "turn": 2}`,
		`{"type": "transfer-update", "status": "failed", "destination": {"type": "sip", "sipUri": "sip:desk@example.com"}, "error": "busy"}`,
		`{"type": "transfer-update", "status": "started", "destination": {"type": "number", "number": "+31612345678"}}`,
	} {
		var got, expected map[string]any
		require.NoError(t, json.Unmarshal(payloads[i], &got))
		require.NoError(t, json.Unmarshal([]byte(want), &expected))
		require.EqualValues(t, 1_700_000_001_500, got["timestamp"], "when it happened")
		for name, value := range expected {
			require.Equal(t, value, got[name], name)
		}
	}
	require.Error(t, MomentsNoted(t.Context(), f.tx, f.inserter, &Moment{Call: call, Type: callstate.EventStatusUpdate}))
}
