package calls_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/messages"
)

// wholeReport is what a customer's server reads of a report.
type wholeReport struct {
	Assistant struct {
		ID       uuid.UUID
		Metadata map[string]json.Number
	}
	Messages []struct {
		Role, Message, ToolCallID, Name, Result string
		ToolCalls                               []struct {
			ID       string
			Function struct{ Name, Arguments string }
		}
		SecondsFromStart float64
	}
	Artifact struct {
		Messages                         []json.RawMessage
		OpenAI                           []map[string]any `json:"messagesOpenAIFormatted"`
		RecordingURL, StereoRecordingURL string
		Recording                        struct{ StereoURL string }
	}
	Tasks        []struct{ Type, ID, Status, Name, To, StartsAt string }
	RecordingURL string
	Summary      string
}

// TestReportSaysWhatFollowed has a call with a tool, an appointment, a text message and mail, and a recording.
func TestReportSaysWhatFollowed(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	_, err := dbsqlc.New().AssistantUpdate(t.Context(), f.Tx, &dbsqlc.AssistantUpdateParams{
		AccountID: f.Account.ID, ID: f.Assistant.ID, Name: "Ava", Config: jsonb.Assistant{
			SMSMessage: "Thank you.", PostCallEmailEnabled: true, NotificationsEmail: "desk@example.com",
			Metadata: jsonb.Object{"customer": json.Number("9007199254740993")},
		},
	})
	require.NoError(t, err)
	call := f.AddTalk(t)
	for position, tool := range []calls.ToolCall{
		{ID: "call_1", Name: "find_slot", Arguments: `{"day": "Friday"}`, Result: "At two.", SecondsFromStart: 0.5,
			Duration: 250 * time.Millisecond},
		{ID: "call_2", Name: "send_fax", Error: "timed out", SecondsFromStart: 3},
	} {
		tool.Position = int32(position)
		require.NoError(t, calls.AddToolCall(t.Context(), f.Tx, call, tool))
	}
	made, err := dbsqlc.New().AppointmentInsert(t.Context(), f.Tx, &dbsqlc.AppointmentInsertParams{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, AssistantID: &f.Assistant.ID, CallID: call.ID, ContactID: &f.Contact.ID,
		Calendar: "calendar",
		Type:     "Check-up", StartsAt: time.Date(2026, 12, 4, 13, 0, 0, 0, time.UTC),
		EndsAt: time.Date(2026, 12, 4, 13, 20, 0, 0, time.UTC),
	})
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call SET recording_key = 'recordings/a.wav', summary = 'He comes.' WHERE id = $1",
		call.ID)
	require.NoError(t, err)
	require.Zero(t, f.FinishCall(t, call.ID))

	report := dbfactory.Message[wholeReport](t, f.Tx, "call_id = $1 AND type = 'end-of-call-report'", call.ID)

	require.Equal(t, f.Assistant.ID, report.Assistant.ID)
	require.Equal(t, "9007199254740993", report.Assistant.Metadata["customer"].String())
	var roles []string
	for _, message := range report.Messages {
		roles = append(roles, message.Role)
	}
	require.Equal(t, []string{"bot", "tool_calls", "tool_call_result", "user", "tool_calls", "tool_call_result"}, roles)
	require.Equal(t, "find_slot", report.Messages[1].ToolCalls[0].Function.Name)
	require.JSONEq(t, `{"day": "Friday"}`, report.Messages[1].ToolCalls[0].Function.Arguments)
	require.Equal(t, "call_1", report.Messages[2].ToolCallID)
	require.Equal(t, "At two.", report.Messages[2].Result)
	require.InDelta(t, 0.75, report.Messages[2].SecondsFromStart, 1e-9)
	require.Equal(t, "timed out", report.Messages[5].Result)
	require.Len(t, report.Artifact.Messages, len(report.Messages))
	require.Equal(t, "tool", report.Artifact.OpenAI[2]["role"])
	require.Equal(t, "call_1", report.Artifact.OpenAI[2]["tool_call_id"])
	require.Equal(t, "He comes.", report.Summary)

	types := map[string]string{}
	for _, task := range report.Tasks {
		require.NotEmpty(t, task.ID)
		types[task.Type+" "+task.Name+task.To] = task.Status
	}
	require.Equal(t, map[string]string{
		"tool-call find_slot": "completed", "tool-call send_fax": "failed", "appointment Check-up": "completed",
		"sms " + f.Contact.PhoneNumber: "queued", "email desk@example.com": "queued", "contact-update ": "completed",
	}, types)
	for _, task := range report.Tasks {
		if task.Type == "appointment" {
			require.Equal(t, made.ID.String(), task.ID)
			require.Equal(t, "2026-12-04T13:00:00Z", task.StartsAt)
		}
	}

	for _, link := range []string{report.RecordingURL, report.Artifact.RecordingURL, report.Artifact.StereoRecordingURL,
		report.Artifact.Recording.StereoURL} {
		token, found := strings.CutPrefix(link, f.Services.PublicURL+"/v1/recordings/")
		require.True(t, found, link)
		accountID, callID, ok := messages.OpenRecordingLink(f.Services.Seal, token, time.Now().Add(7*24*time.Hour-time.Minute))
		require.True(t, ok)
		require.Equal(t, []uuid.UUID{f.Account.ID, call.ID}, []uuid.UUID{accountID, callID})
		_, _, ok = messages.OpenRecordingLink(f.Services.Seal, token, time.Now().Add(7*24*time.Hour+time.Minute))
		require.False(t, ok, "the link ends")
	}
}
