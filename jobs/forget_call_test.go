package jobs

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
)

// TestForgetCall has calls of an assistant that keeps nothing of what is said: once the report was
// delivered, nobody learns it here.
func TestForgetCall(t *testing.T) {
	t.Parallel()

	f := setup(t)
	f.limit(t, 10, 0)
	f.webhook(t, new("https://example.com"), callstate.EventStatusUpdate, callstate.EventEndOfCallReport, callstate.EventTranscript)
	forget := func(callID uuid.UUID) time.Duration {
		return work(t, f, &ForgetCallWorker{DB: f.deps.DB, Now: f.deps.Now}, ForgetCallArgs{CallID: callID})
	}
	kept := addTalk(t, f)
	finishCall(t, f, kept.ID)
	require.NotContains(t, f.jobKinds(t), "forget_call")

	_, err := f.tx.Exec(t.Context(), `UPDATE assistant SET config = config || '{"compliance_plan": {"hipaa_enabled": true}}' WHERE id = $1`, f.assistant.ID)
	require.NoError(t, err)
	call := addTalk(t, f)
	require.NoError(t, ToolCalled(t.Context(), f.tx, call, ToolCall{Name: "weather", Arguments: "{}", Result: "Rain."}))
	_, err = f.tx.Exec(t.Context(), `UPDATE call SET summary = 'Talk.', structured_data = '{"a": 1}', custom_data = '{"order": 7}' WHERE id = $1`, call.ID)
	require.NoError(t, err)
	require.Zero(t, forget(f.queuedCall(t).ID), "a call that is not over is left alone")
	require.Zero(t, finishCall(t, f, call.ID))
	require.Contains(t, f.jobKinds(t), "forget_call")
	require.Positive(t, forget(call.ID), "its report is on its way")
	require.Equal(t, 2, countTurns(t, f, call.ID))

	_, err = f.tx.Exec(t.Context(), `WITH told AS (UPDATE event SET delivery = 'delivered' WHERE call_id = $1 RETURNING account_id, id)
		INSERT INTO delivery_attempt (account_id, event_id, attempt, url, latency_ms, answer)
		SELECT account_id, id, 1, 'https://example.com', 1, 'You said rain.' FROM told`, call.ID)
	require.NoError(t, err)
	for range 2 {
		require.Zero(t, forget(call.ID))
	}
	var said, given, traces int
	require.NoError(t, f.tx.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM call_turn WHERE call_id = $1) + (SELECT count(*) FROM call_tool_call WHERE call_id = $1)
		+ (SELECT count(*) FROM event WHERE call_id = $1 AND (payload::text ILIKE '%who is this%' OR payload::text LIKE '%Talk.%'))
		+ (SELECT count(*) FROM call WHERE id = $1 AND (summary IS NOT NULL OR structured_data IS NOT NULL))
		+ (SELECT count(*) FROM contact WHERE last_interaction_summary = 'Talk.'),
		(SELECT count(*) FROM call WHERE id = $1 AND custom_data ->> 'order' = '7'),
		(SELECT count(*) FROM delivery_attempt JOIN event ON event.id = delivery_attempt.event_id
			WHERE event.call_id = $1 AND event.type <> 'status-update' AND answer <> '')`, call.ID).Scan(&said, &given, &traces))
	require.Zero(t, said)
	require.Equal(t, 1, given, "what the customer gave the call stays")
	require.Zero(t, traces)
	require.Equal(t, 2, countTurns(t, f, kept.ID))
}
