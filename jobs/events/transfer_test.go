package events

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

func TestReportOfTransfers(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	call := &dbsqlc.Call{
		AssistantConfig: &jsonb.Assistant{}, EndedReason: new("assistant-forwarded-call"), TransferredTo: new("+31201234567"),
		Timeline: jsonb.Timeline{
			{Status: "in-progress", At: at}, {Status: "forwarding", At: at, Destination: "sip:desk@example.com"},
			{Status: "in-progress", At: at}, {Status: "forwarding", At: at.Add(time.Second), Destination: "+31201234567"},
			{Status: "completed", At: at},
		},
	}
	transfers := func() string {
		text, err := json.Marshal(newEndOfCallReport(&Report{Call: call}).Artifact.Transfers)
		require.NoError(t, err)
		return string(text)
	}
	require.JSONEq(t, `[
		{"destination": {"type": "sip", "sipUri": "sip:desk@example.com"}, "mode": "blind-transfer", "status": "failed", "time": 1700000000000},
		{"destination": {"type": "number", "number": "+31201234567"}, "mode": "blind-transfer", "status": "completed", "time": 1700000001000}
	]`, transfers())
	call.EndedReason, call.TransferredTo = new("customer-ended-call-during-transfer"), nil
	require.NotContains(t, transfers(), "completed")
	call.Timeline = call.Timeline[:1]
	require.Equal(t, "null", transfers())
}
