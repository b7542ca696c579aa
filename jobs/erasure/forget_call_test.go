package erasure_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/jobstest"
)

// TestForgetCall has calls of an assistant that keeps nothing of what is said: once the report was
// delivered, nobody learns it here.
func TestForgetCall(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 10, 0)
	f.Webhook(t, new("https://example.com"), callstate.EventStatusUpdate, callstate.EventEndOfCallReport, callstate.EventTranscript)
	forget := func(callID uuid.UUID) time.Duration {
		return jobstest.Work(t, f, &erasure.ForgetCallWorker{DB: f.Services.DB, Now: f.Services.Now},
			erasure.ForgetCallArgs{CallID: callID})
	}
	kept := f.AddTalk(t)
	f.FinishCall(t, kept.ID)
	require.NotContains(t, f.JobKinds(t), "forget_call")

	_, err := f.Tx.Exec(t.Context(),
		`UPDATE assistant SET config = config || '{"compliance_plan": {"hipaa_enabled": true}}' WHERE id = $1`, f.Assistant.ID)
	require.NoError(t, err)
	call := f.AddTalk(t)
	require.NoError(t, calls.AddToolCall(t.Context(), f.Tx, call, calls.ToolCall{Name: "weather", Arguments: "{}", Result: "Rain."}))
	_, err = f.Tx.Exec(t.Context(),
		`UPDATE call SET summary = 'Talk.', structured_data = '{"a": 1}', custom_data = '{"order": 7}' WHERE id = $1`, call.ID)
	require.NoError(t, err)
	require.Zero(t, forget(f.QueuedCall(t).ID), "a call that is not over is left alone")
	require.Zero(t, f.FinishCall(t, call.ID))
	require.Contains(t, f.JobKinds(t), "forget_call")
	require.Positive(t, forget(call.ID), "its report is on its way")
	require.Equal(t, 2, countTurns(t, f, call.ID))

	_, err = f.Tx.Exec(t.Context(),
		`WITH told AS (UPDATE event SET delivery = 'delivered' WHERE call_id = $1 RETURNING account_id, id)
		INSERT INTO delivery_attempt (account_id, event_id, attempt, url, latency_ms, answer)
		SELECT account_id, id, 1, 'https://example.com', 1, 'You said rain.' FROM told`, call.ID)
	require.NoError(t, err)
	for range 2 {
		require.Zero(t, forget(call.ID))
	}
	var said, given, traces int
	require.NoError(t,
		f.Tx.QueryRow(t.Context(),
			`SELECT (SELECT count(*) FROM call_turn WHERE call_id = $1) + (SELECT count(*) FROM call_tool_call WHERE call_id = $1)
		+ (SELECT count(*) FROM call WHERE id = $1 AND (summary IS NOT NULL OR structured_data IS NOT NULL))
		+ (SELECT count(*) FROM contact WHERE last_interaction_summary = 'Talk.'),
		(SELECT count(*) FROM call WHERE id = $1 AND custom_data ->> 'order' = '7'),
		(SELECT count(*) FROM delivery_attempt JOIN event ON event.id = delivery_attempt.event_id
			WHERE event.call_id = $1 AND event.type <> 'status-update' AND answer <> '')`, call.ID).Scan(&said, &given, &traces))
	require.Zero(t, said)
	require.Equal(t, 1, given, "what the customer gave the call stays")
	require.Zero(t, traces)
	for _, message := range dbfactory.Messages[json.RawMessage](t, f.Tx, "call_id = $1", call.ID) {
		require.NotRegexp(t, `(?i)who is this|Talk\.`, string(message))
	}
	require.Equal(t, 2, countTurns(t, f, kept.ID))
}
