package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

func TestCallDirect(t *testing.T) {
	t.Parallel()

	t.Run("RecordEventAndJob", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
			dbfactory.Contact(t, server.Tx, server.Account.ID)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_id": contact.ID,
				"custom_data": object{"order": 17.0, "deep": object{"a": []any{1.0}}}})
		for field, value := range map[string]any{
			"call_status": "queued", "direction": "outbound", "assistant_id": assistant.ID.String(), "assistant_name": "Ava",
			"contact_id":   contact.ID.String(),
			"contact_name": "Jan Jansen", "contact_phone_number": contact.PhoneNumber,
			"custom_data":       object{"order": 17.0, "deep": object{"a": []any{1.0}}},
			"scheduled_call_id": nil, "started_at": nil, "ended_at": nil, "ended_reason": nil, "duration_seconds": 0.0,
			"structured_data": nil,
		} {
			require.Contains(t, made, field)
			require.Equal(t, value, made[field], field)
		}
		require.NotEmpty(t, made["phone_number"])
		job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, server.Tx.(pgx.Tx), calls.PlaceCallArgs{}, nil)
		require.Equal(t, made["call_id"], job.Args.CallID.String())
		var events int
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM event WHERE call_id = $1 AND type = 'status-update'",
			made["call_id"]).Scan(&events))
		require.Equal(t, 1, events)
	})
	t.Run("ByNumber", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
			dbfactory.Contact(t, server.Tx, server.Account.ID)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_phone_number": "+31 20 123 4567"})
		require.Equal(t, "+31201234567", made["contact_phone_number"])
		require.Nil(t, made["contact_id"])
		require.Equal(t, object{}, made["custom_data"])
		made = apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_phone_number": contact.PhoneNumber})
		require.Equal(t, contact.ID.String(), made["contact_id"], "a contact's number is recognised")
	})
	t.Run("Refusals", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
			dbfactory.Contact(t, server.Tx, server.Account.ID)
		numberless := dbfactory.Assistant(t, server.Tx, server.Account.ID)
		for _, test := range []struct {
			status int
			code   string
			fields []string
			body   object
		}{
			{400, "invalid_request", []string{"contact_id", "contact_phone_number"}, object{"assistant_id": assistant.ID}},
			{400, "invalid_request", []string{"contact_id", "contact_phone_number"},
				object{"assistant_id": assistant.ID, "contact_id": contact.ID, "contact_phone_number": "+31612345678"}},
			{400, "invalid_request", []string{"contact_phone_number"}, object{"assistant_id": assistant.ID, "contact_phone_number": "12"}},
			{400, "invalid_request", []string{"assistant_id"}, object{"contact_id": contact.ID}},
			{400, "invalid_request", []string{"assistant_id", "contact_id"}, object{"assistant_id": "x", "contact_id": "y"}},
			{400, "invalid_request", []string{"custom_data"}, object{"assistant_id": assistant.ID, "contact_id": contact.ID,
				"custom_data": "x"}},
			{400, "invalid_request", []string{"custom_data"}, object{"assistant_id": assistant.ID, "contact_id": contact.ID,
				"custom_data": object{"a": strings.Repeat("a", 33<<10)}}},
			{400, "no_phone_number", []string{"assistant_id"}, object{"assistant_id": numberless.ID, "contact_id": contact.ID}},
			{404, "not_found", []string{"assistant_id"}, object{"assistant_id": dbfactory.ID(t), "contact_id": contact.ID}},
			{404, "not_found", []string{"contact_id"}, object{"assistant_id": assistant.ID, "contact_id": dbfactory.ID(t)}},
		} {
			details := server.WantError(t, test.status, test.code, http.MethodPost, "/v1/calls/direct", test.body)
			require.Len(t, details, len(test.fields), details)
			for _, field := range test.fields {
				require.Contains(t, details, field)
			}
		}
		rivertest.RequireNotInsertedTx[*riverpgxv5.Driver](t.Context(), t, server.Tx.(pgx.Tx), calls.PlaceCallArgs{}, nil)
	})
}

// turnTimings are how the turns of finishedCall came to answer, by who speaks.
var turnTimings = map[string]string{
	"assistant": `{"speech_ended_ms": 1000, "last_words_ms": 1200, "turn_ended_ms": 1400, "first_token_ms": 1500, "first_sound_ms": 1700,
		"endpointing": {"rule": "evidence", "wait_ms": 350, "continues": 0.1}, "guesses": [], "wasted_tokens": 0, "tokens_estimated": false}`,
	"user": "null",
}

// shownLatency is what is shown of the latency of finishedCall, which has no stages.
func shownLatency() object {
	none := object{"p50_ms": 0.0, "p95_ms": 0.0}
	return object{
		"turns": 1.0, "p50_ms": 700.0, "p95_ms": 900.0, "stages": object{"transcriber": none, "endpointing": none, "model": none,
			"voice": none},
		"guesses": object{"made": 0.0, "used": 0.0, "wasted_tokens": 0.0, "tokens_estimated": false},
	}
}

// finishedCall is a call that was answered and ended, as the worker records it.
func finishedCall(t *testing.T, server *apitest.Server, recording *string) string {
	t.Helper()
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_phone_number": "+31201234567"})
	id := made["call_id"].(string)
	_, err := server.Tx.Exec(t.Context(),
		`UPDATE call SET status = 'completed', started_at = created_at + interval '2 seconds', ended_at = created_at + interval '12 seconds',
		ended_reason = 'customer-ended-call', ended_fault = 'customer', latency = '{"turns": 1, "p50_ms": 700, "p95_ms": 900}', recording_key = $2 WHERE id = $1`, id, recording)
	require.NoError(t, err)
	var callID = dbfactory.ID(t)
	require.NoError(t, callID.UnmarshalText([]byte(id)))
	for position, turn := range []string{"assistant", "user"} {
		_, err := dbsqlc.New().CallTurnInsertMany(t.Context(), server.Tx, &dbsqlc.CallTurnInsertManyParams{
			CallIds: []uuid.UUID{callID}, Positions: []int32{int32(position)}, AccountIds: []uuid.UUID{server.Account.ID},
			Roles: []string{turn},
			Texts: []string{"I am the " + turn}, SecondsFromStart: []float64{float64(position)}, Interrupted: []bool{false},
			Timings: []json.RawMessage{json.RawMessage(turnTimings[turn])},
		})
		require.NoError(t, err)
	}
	return id
}

func TestCallGet(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	id := finishedCall(t, server, new("recordings/a.wav"))
	call := &dbsqlc.Call{ID: uuid.MustParse(id), AccountID: server.Account.ID}
	for range 2 {
		require.NoError(t, calls.AddToolCall(t.Context(), server.Tx.(pgx.Tx), call, calls.ToolCall{
			ID: "call_1", Name: "book", Arguments: `{"day": "Mon\u0000day"}`, Result: "Booked\x00.", SecondsFromStart: 3,
			Duration: 250 * time.Millisecond,
		}))
	}
	require.NoError(t, calls.AddToolCall(t.Context(), server.Tx.(pgx.Tx), call,
		calls.ToolCall{Position: 1, ID: "call_2", Name: "book", Arguments: "no JSON", Error: "timed out"}))
	_, err := server.Tx.Exec(t.Context(),
		`UPDATE call SET analysis = 'failed', analysis_error = 'summary: timeout', structured_data = '{"age": 4}' WHERE id = $1`, id)
	require.NoError(t, err)
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+id, nil)
	require.Equal(t, "failed", shown["analysis_status"])
	require.Equal(t, "summary: timeout", shown["analysis_error"])
	require.Equal(t, object{"age": 4.0}, shown["structured_data"])
	require.Equal(t, []any{
		object{"id": "call_1", "name": "book", "arguments": object{"day": "Mon�day"}, "result": "Booked�.", "error": nil,
			"seconds_from_start": 3.0, "duration_ms": 250.0},
		object{"id": "call_2", "name": "book", "arguments": "no JSON", "result": nil, "error": "timed out", "seconds_from_start": 0.0,
			"duration_ms": 0.0},
	}, shown["tool_calls"])
	require.Equal(t, "completed", shown["call_status"])
	require.Equal(t, 10.0, shown["duration_seconds"])
	require.Equal(t, "customer", shown["ended_fault"])
	require.Equal(t, shownLatency(), shown["latency"])
	var timing any
	require.NoError(t, json.Unmarshal([]byte(turnTimings["assistant"]), &timing))
	require.Equal(t, []any{
		object{"role": "assistant", "text": "I am the assistant", "seconds_from_start": 0.0, "timing": timing},
		object{"role": "user", "text": "I am the user", "seconds_from_start": 1.0, "timing": nil},
	}, shown["transcript"])
	require.Equal(t, "queued", shown["timeline"].([]any)[0].(object)["status"])
	require.Equal(t, "/v1/calls/"+id+"/recording", shown["recording_url"])
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/calls/"+dbfactory.ID(t).String(), nil)
}

func TestCallRecording(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	id, file := recordedCall(t, server)
	stored, _, err := server.API.Files.Open(t.Context(), "recordings/a.wav")
	require.NoError(t, err)
	content, err := io.ReadAll(stored)
	require.NoError(t, errors.Join(err, stored.Close()))
	require.NotContains(t, string(content), "RIFF", "the recording is sealed")

	path := "/v1/calls/" + id + "/recording"
	for _, accept := range []string{"*/*", "audio/wav", "audio/*"} {
		response := server.Do(t, http.MethodGet, path, nil, "Accept", accept)
		require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
		require.Equal(t, "audio/wav", response.Header.Get("Content-Type"))
		require.Equal(t, file, response.Body)
		require.NotEmpty(t, response.Header.Get("X-RateLimit-Limit"))
	}
	part := server.Do(t, http.MethodGet, path, nil, "Range", "bytes=0-3")
	require.Equal(t, http.StatusPartialContent, part.Status)
	require.Equal(t, "RIFF", string(part.Body))

	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/calls/"+finishedCall(t, server, nil)+"/recording",
		nil)
	gone := finishedCall(t, server, new("recordings/gone.wav"))
	putRecording(t, server, gone, "recordings/gone.wav")
	require.NoError(t, server.API.Files.Delete(t.Context(), "recordings/gone.wav"))
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/calls/"+gone+"/recording", nil)
	_, err = server.Tx.Exec(t.Context(),
		"UPDATE call SET recording_secret = (SELECT recording_secret FROM call WHERE id = $2) WHERE id = $1", id, gone)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, server.Do(t, http.MethodGet, path, nil).Status,
		"the secret of another call opens nothing")
}

func TestCallList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	call := func(at string, assistant *dbsqlc.Assistant, with object) string {
		with["assistant_id"] = assistant.ID
		id := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct", with)["call_id"].(string)
		_, err := server.Tx.Exec(t.Context(), "UPDATE call SET created_at = $2::text::timestamptz WHERE id = $1", id, at)
		require.NoError(t, err)
		return id
	}
	first := call("2026-11-01T00:00:00Z", assistant, object{"contact_id": contact.ID})
	second := call("2026-11-02T23:59:59.999Z", dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		object{"contact_phone_number": "+31612345678"})
	third := call("2026-11-03T00:00:00Z", assistant, object{"contact_phone_number": "+31612345678"})
	_, err := server.Tx.Exec(t.Context(), "UPDATE call SET status = 'busy' WHERE id = $1", third)
	require.NoError(t, err)

	for query, want := range map[string][]string{
		"": {third, second, first}, "?limit=2": {third, second}, "?offset=2": {first},
		"?assistant_id=" + assistant.ID.String(): {third, first}, "?contact_id=" + contact.ID.String(): {first},
		"?call_status=busy": {third}, "?call_status=queued": {second, first}, "?call_status=missed": {},
		"?start_date=2026-11-02": {third, second}, "?end_date=2026-11-02": {second, first},
		"?start_date=2026-11-02&end_date=2026-11-02": {second},
		"?start_date=2026-11-03&end_date=2026-11-01": {}, "?assistant_id=" + dbfactory.ID(t).String(): {},
	} {
		list := apitest.Want[struct{ Data []object }](t, server, http.StatusOK, http.MethodGet, "/v1/calls"+query, nil)
		shown := []string{}
		for _, call := range list.Data {
			shown = append(shown, call["call_id"].(string))
		}
		require.Equal(t, want, shown, query)
	}
	for _, query := range []string{"assistant_id=x", "contact_id=1", "call_status=dead", "start_date=2026-13-01",
		"start_date=yesterday", "end_date=2026-02-30", "end_date=2026-11-01T00:00:00Z"} {
		field, _, _ := strings.Cut(query, "=")
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/calls?"+query, nil),
			field)
	}
}

// Every combination of filters shows what a look at each call would.
func TestCallListCombinations(t *testing.T) {
	t.Parallel()

	type made struct{ id, assistant, contact, status, day string }
	server := apitest.New(t)
	days := []string{"2026-11-01", "2026-11-02"}
	var assistants, contacts []string
	for range 2 {
		assistants = append(assistants, dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID).ID.String())
		contacts = append(contacts, dbfactory.Contact(t, server.Tx, server.Account.ID).ID.String())
	}
	var calls []made
	for i := range 16 {
		call := made{assistant: assistants[i&1], contact: contacts[i>>1&1], status: []string{"busy", "queued"}[i>>2&1], day: days[i>>3]}
		call.id = apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": call.assistant, "contact_id": call.contact})["call_id"].(string)
		_, err := server.Tx.Exec(t.Context(), "UPDATE call SET status = $2, created_at = $3::text::timestamptz WHERE id = $1", call.id,
			call.status, call.day+"T23:59:59Z")
		require.NoError(t, err)
		calls = append(calls, call)
	}
	for combination := range 2 * 2 * 3 * 3 * 3 {
		pick := func(values ...string) string {
			value := values[combination%len(values)]
			combination /= len(values)
			return value
		}
		want := made{assistant: pick("", assistants[0]), contact: pick("", contacts[1]), status: pick("", "busy", "completed")}
		start, end := pick("", days[0], days[1]), pick("", days[0], days[1])
		query := url.Values{"limit": {"100"}}
		for name, value := range map[string]string{"assistant_id": want.assistant, "contact_id": want.contact,
			"call_status": want.status, "start_date": start, "end_date": end} {
			if value != "" {
				query.Set(name, value)
			}
		}
		expected := []string{}
		for _, call := range slices.Backward(calls) {
			if (want.assistant == "" || want.assistant == call.assistant) && (want.contact == "" || want.contact == call.contact) &&
				(want.status == "" || want.status == call.status) && (start == "" || start <= call.day) && (end == "" || call.day <= end) {
				expected = append(expected, call.id)
			}
		}
		list := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/calls?"+query.Encode(), nil)
		shown := []string{}
		for _, call := range list.Data {
			shown = append(shown, call["call_id"].(string))
		}
		require.Equal(t, expected, shown, query.Encode())
		require.Equal(t, len(expected), list.Pagination.Total, query.Encode())
	}
}
