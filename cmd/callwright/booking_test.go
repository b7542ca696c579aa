package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/simnet"
)

// TestCallerBooks has somebody call, ask a question that the knowledge base answers, make an appointment beside what the
// company's calendar holds, and get a text message.
func TestCallerBooks(t *testing.T) {
	t.Parallel()

	zone, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	now := time.Now().In(zone)
	noon := time.Date(now.Year(), now.Month(), now.Day()+2, 12, 0, 0, 0, zone)
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//a//b//EN\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:"+
			noon.Add(-time.Hour).UTC().Format("20060102T150405Z")+"\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
	}))
	t.Cleanup(feed.Close)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	p.admin.call(http.MethodPatch, "/v1/user/profile", map[string]any{"company_name": "Linden Dental"}, http.StatusOK, nil)
	p.call(http.MethodPost, "/v1/knowledge-base/documents",
		map[string]any{"title": "Parking", "text": "Park behind the house.", "assistant_id": p.assistantID}, http.StatusCreated, nil)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"first_message": "Linden Dental.", "knowledge_base_enabled": true, "notifications_email": "desk@example.com",
		"sms_message": "Thank you for calling {company_name}.", "booking_message": "Until {{appointment_time}}!",
		"booking": map[string]any{
			"enabled": true, "calendar_ics_url": feed.URL + "/calendar.ics",
			"appointment_types": []any{map[string]any{"name": "Check-up", "duration": 30}},
			"opening_hours": []any{map[string]any{"days": []any{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, "start": "11:00",
				"end": "13:00"}},
		},
		"model": map[string]any{"provider": "scripted", "messages": []any{map[string]any{"role": "system",
			"content": strings.Join([]string{
				`when park: call query_knowledge_base {"query": "Where can I park?"}`, "after query_knowledge_base: {result}",
				`when free: call check_availability {"date": "` + noon.Format(time.DateOnly) + `"}`, "after check_availability: Noon.",
				`when noon: call book_appointment {"start": "` + noon.Format("2006-01-02T15:04") + `", "name": "Jan Jansen"}`,
				"after book_appointment: Well.",
			}, "\n")}}},
	}, http.StatusOK, nil)

	worker, outside := p.startWorker(), startCarrier(t, nil)
	steps := []simnet.Step{{Listen: 10 * time.Second}}
	for _, said := range []string{"To park?", "Free when?", "At noon."} {
		steps = append(steps, simnet.Step{Say: said}, simnet.Step{Listen: 40 * time.Second})
	}
	_, err = outside.Call(t.Context(), worker.address("simulated SIP gateway"), callerNumber, ourNumber,
		simnet.Script{Steps: append(steps, simnet.Step{Wait: time.Second})})
	require.NoError(t, err)

	call := p.inbound("completed", "failed")
	require.Equal(t, "completed", call.Status, "%+v", call)
	said := strings.Join(texts(call), " ")
	require.Contains(t, said, "Until 12:00!")
	var shown struct {
		ToolCalls []struct{ Name, Result, Error string } `json:"tool_calls"`
	}
	p.call(http.MethodGet, "/v1/calls/"+call.CallID, nil, http.StatusOK, &shown)
	require.Len(t, shown.ToolCalls, 3, "%+v", shown)
	require.Contains(t, shown.ToolCalls[0].Result, "Park behind the house.") // of which a caller may interrupt the telling
	require.Contains(t, shown.ToolCalls[1].Result, noon.Format("Monday 2006-01-02")+": 12:00 12:30")
	require.Contains(t, shown.ToolCalls[2].Result,
		"The appointment is made: Check-up on "+noon.Format("Monday 2 January 2006 at 15:04"))

	var contact struct {
		FullName       string    `json:"full_name"`
		PhoneNumber    string    `json:"phone_number"`
		MeetingDate    time.Time `json:"meeting_date"`
		MeetingEventID string    `json:"meeting_event_id"`
	}
	require.NotEmpty(t, call.ContactID)
	p.call(http.MethodGet, "/v1/contacts/"+call.ContactID, nil, http.StatusOK, &contact)
	require.Equal(t, "Jan Jansen", contact.FullName)
	require.Equal(t, callerNumber, contact.PhoneNumber)
	require.True(t, noon.Equal(contact.MeetingDate))

	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var appointment, invited, texted, carrier string
	require.Eventually(t, func() bool {
		return conn.QueryRow(t.Context(), `SELECT appointment.id::text, mail.recipient, sms.recipient, sms.provider
			FROM appointment JOIN mail USING (call_id) JOIN sms USING (call_id) WHERE mail.status = 'sent' AND sms.status = 'sent'`).
			Scan(&appointment, &invited, &texted, &carrier) == nil
	}, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, contact.MeetingEventID, appointment)
	require.Equal(t, "desk@example.com", invited)
	require.Equal(t, callerNumber, texted)
	require.Equal(t, "log", carrier, "a test call's message stays inside")
	worker.stop()
}
