package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
)

type object = map[string]any

func TestAssistantCreate(t *testing.T) {
	t.Parallel()

	t.Run("LaterForm", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", `{"assistant_name": "Ava"}`)
		require.Equal(t, "Ava", made["assistant_name"])
		for field, value := range map[string]any{
			"first_message_mode": "assistant-speaks-first", "max_duration_seconds": 600.0, "background_sound": "off",
			"server_url_type":                     "external",
			"first_message_interruptions_enabled": false, "post_call_email_enabled": false, "knowledge_base_enabled": false,
			"first_message":    "",
			"post_call_emails": []any{}, "end_call_phrases": []any{}, "analysis_plan": nil, "voice": nil, "phone_number": nil,
			"phone_number_type":     nil,
			"phone_number_locality": nil, "server": nil,
		} {
			require.Contains(t, made, field)
			require.Equal(t, value, made[field], field)
		}
		shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/assistants/"+made["assistant_id"].(string), nil)
		require.Equal(t, made, shown)
	})
	t.Run("EarlierForm", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		body := object{
			"assistant_name": "Ava", "llm_content": "Be kind.", "first_message": "Hello.", "end_call_message": "Bye.",
			"voicemail_message": "Call back.",
			"functions":         `[{"name": "book"}]`, "first_message_outbound": "Good day.", "booking_message": "When?",
		}
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", body)
		for field, value := range body {
			require.Equal(t, value, made[field], field)
		}
	})
	t.Run("EveryField", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		body := apifuzz.WholeAssistant()
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", body)
		for field, value := range body {
			require.Equal(t, value, made[field], field)
		}
	})
	t.Run("NamesEveryWrongField", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants", object{
			"assistant_name": "", "max_duration_seconds": 9, "first_message_mode": "sings", "first_message": strings.Repeat("a", 5001),
			"post_call_emails": "x",
		})
		require.Len(t, details, 5, details)
		details = server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants", object{
			"assistant_name": "Ava", "functions": "no json", "call_transfers": []any{object{"name": "Jan", "phone_number": "112x"}},
			"notifications_email": "nobody", "post_call_emails": []string{"a@example.com", "b"},
			"stop_speaking_plan": object{"numWords": 11}, "metadata": object{"a": strings.Repeat("a", 33<<10)},
			"server":           object{"url": "ftp://example.com"},
			"background_sound": "thunder", "booking": object{
				"calendar_ics_url": "file:///etc/passwd", "timezone": "Local",
				"appointment_types": []any{object{"name": "Cut", "duration": 30}, object{"name": " cut", "duration": 45},
					object{"name": " ", "duration": 5}},
				"opening_hours": []any{object{"days": []any{"mon"}, "start": "17:00", "end": "09:00"}},
			},
		})
		for _, field := range []string{
			"booking.calendar_ics_url", "booking.timezone", "booking.appointment_types[1].name", "booking.appointment_types[2].name",
			"booking.opening_hours[0].end",
			"functions", "call_transfers[0].phone_number", "notifications_email", "post_call_emails[1]", "stop_speaking_plan.numWords",
			"metadata", "server.url", "background_sound",
		} {
			require.Contains(t, details, field)
		}
		require.Len(t, details, 13, details)
		details = server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants", object{
			"assistant_name": "Ava", "sms_message": strings.Repeat("a", 1001), "booking": object{
				"minimum_booking_hours": -1, "appointment_types": []any{object{"name": "Cut", "duration": 0}, object{"name": "Shave"}},
				"opening_hours": []any{object{"days": []any{}, "start": "9", "end": "25:00"}}, "color": "red",
			},
		})
		for _, field := range []string{
			"sms_message", "booking.minimum_booking_hours", "booking.appointment_types[0].duration",
			"booking.appointment_types[1].duration",
			"booking.opening_hours[0].days", "booking.opening_hours[0].start", "booking.opening_hours[0].end", "booking.color",
		} {
			require.Contains(t, details, field)
		}
		require.Len(t, details, 8, details)
	})
	t.Run("LinksNoNumber", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants",
			object{"assistant_name": "Ava", "phone_number_id": nil})
		require.Contains(t, details, "phone_number_id")
	})
}

func TestAssistantPut(t *testing.T) {
	t.Parallel()

	setup := func(t *testing.T) (*apitest.Server, string) {
		server := apitest.New(t)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", apifuzz.WholeAssistant())
		return server, "/v1/assistants/" + made["assistant_id"].(string)
	}
	t.Run("LaterFormReplacesAll", func(t *testing.T) {
		t.Parallel()
		server, path := setup(t)
		after := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path,
			object{"assistant_name": "Ben", "first_message": "Hi.", "voice": nil})
		require.Equal(t, "Ben", after["assistant_name"])
		require.Equal(t, "Hi.", after["first_message"])
		require.Subset(t, after, object{"end_call_message": ""})
		require.Equal(t, 600.0, after["max_duration_seconds"])
		require.Equal(t, "off", after["background_sound"])
		require.Equal(t, "assistant-speaks-first", after["first_message_mode"])
		require.Equal(t, false, after["post_call_email_enabled"])
		require.Nil(t, after["voice"])
		require.Nil(t, after["metadata"])
	})
	t.Run("EarlierFormChangesWhatItNames", func(t *testing.T) {
		t.Parallel()
		server, path := setup(t)
		after := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path,
			object{"assistant_name": "Ben", "llm_content": "Be brief.", "first_message": ""})
		require.Equal(t, "Ben", after["assistant_name"])
		require.Equal(t, "Be brief.", after["llm_content"])
		require.Subset(t, after, object{"first_message": ""})
		require.Equal(t, "Bye.", after["end_call_message"])
		require.Equal(t, 43200.0, after["max_duration_seconds"])
		after = apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, object{"end_call_message": "See you."})
		require.Equal(t, "See you.", after["end_call_message"])
		require.Equal(t, "Be brief.", after["llm_content"])
	})
	t.Run("EarlierFormLinksCustomNumbersOnly", func(t *testing.T) {
		t.Parallel()
		server, path := setup(t)
		custom, shared := dbfactory.Number(t, server.Tx, server.Account.ID), dbfactory.DefaultNumber(t, server.Tx)
		foreign := dbfactory.Number(t, server.Tx, dbfactory.Account(t, server.Tx).ID)
		for range 2 { // saying again what is so is no error
			after := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, object{"phone_number_id": custom.ID})
			require.Equal(t, custom.Number, after["phone_number"])
			require.Equal(t, "local", after["phone_number_type"])
			require.Equal(t, "Amsterdam", after["phone_number_locality"])
		}
		server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPut, path, object{"phone_number_id": shared.ID})
		server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPut, path, object{"phone_number_id": "no-id"})
		server.WantError(t, http.StatusForbidden, "forbidden", http.MethodPut, path, object{"phone_number_id": foreign.ID})
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodPut, path, object{"phone_number_id": dbfactory.ID(t)})
		after := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, object{"phone_number_id": nil})
		require.Nil(t, after["phone_number"])
	})
	t.Run("ChecksBothForms", func(t *testing.T) {
		t.Parallel()
		server, path := setup(t)
		for _, body := range []map[string]any{
			{"assistant_name": "Ben", "max_duration_seconds": 1}, {"llm_content": "x", "max_duration_seconds": 1},
			{"max_duration_seconds": 43201},
			{"llm_content": 1}, {"assistant_name": nil}, {"shoe_size": 44}, {"stop_speaking_plan": object{"numWords": -1}},
		} {
			server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path, body)
		}
	})
}

func TestAssistantPatch(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", apifuzz.WholeAssistant())
	path := "/v1/assistants/" + made["assistant_id"].(string)
	patch := `{"first_message": "Hi.", "max_duration_seconds": null, "stop_speaking_plan": {"voiceSeconds": 0.3}, "model": {"model": null}, "voice": null, "end_call_phrases": ["x"]}`
	after := apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, patch, "Content-Type",
		"application/merge-patch+json")
	want := apifuzz.WholeAssistant()
	want["first_message"], want["max_duration_seconds"], want["voice"], want["end_call_phrases"] = "Hi.", 600.0, nil, []any{"x"}
	want["stop_speaking_plan"] = object{"numWords": 2.0, "voiceSeconds": 0.3}
	want["model"] = object{"provider": "scripted", "messages": []any{object{"role": "system", "content": "Be kind."}}}
	for field, value := range want {
		require.Equal(t, value, after[field], field)
	}
	require.Equal(t, after["assistant_id"], made["assistant_id"])
	require.Equal(t, want["stop_speaking_plan"], apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		`{}`)["stop_speaking_plan"])

	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, `{"assistant_name": null}`)
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path,
		`{"stop_speaking_plan": {"voiceSeconds": 3}}`)
	require.Equal(t, "off", apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		`{"voicemail_detection": "off"}`)["voicemail_detection"])
	require.Nil(t, apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		`{"voicemail_detection": null}`)["voicemail_detection"])
	for _, wrong := range []string{`{"shoe_size": 1}`, `{"shoe_size": null}`, `{"booking": {"shoe_size": null}}`, `[]`} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, wrong)
	}
}

func TestAssistantServer(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", object{
		"assistant_name": "Ava", "server": object{"url": "https://example.com/a", "secret": "s3cret-of-mine",
			"headers": object{"X-Team": "b"}},
	})
	path, id := "/v1/assistants/"+made["assistant_id"].(string), made["assistant_id"]
	events := []any{"status-update", "end-of-call-report"}
	require.Equal(t, object{"url": "https://example.com/a", "headers": object{"X-Team": "b"}, "timeout_seconds": 7.0,
		"events": events}, made["server"])
	asks := apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"server": {"events": ["transcript", "hang"]}}`)
	require.Equal(t, []any{"transcript", "hang"}, asks["server"].(object)["events"])
	for _, wrong := range []string{`["weather"]`, `["hang", "hang"]`, `"hang"`, `[null]`} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, `{"server": {"events": `+wrong+`}}`)
	}

	opened := func() string {
		t.Helper()
		var endpoint, sealed string
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT id, secret FROM webhook_endpoint WHERE assistant_id = $1",
			id).Scan(&endpoint, &sealed))
		require.NotContains(t, sealed, "s3cret")
		secret, err := server.API.Seal.Open(sealed, "webhook_endpoint.secret:"+endpoint)
		require.NoError(t, err)
		return secret
	}
	const signing = "whsec_czNjcmV0LW9mLW1pbmU=" // s3cret-of-mine in base64
	require.Equal(t, signing, opened())

	after := apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"server": {"timeout_seconds": 20}}`)
	require.Equal(t, object{"url": "https://example.com/a", "headers": object{"X-Team": "b"}, "timeout_seconds": 20.0,
		"events": []any{"transcript", "hang"}}, after["server"])
	require.Equal(t, signing, opened(), "what a patch does not name stays")
	after = apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"first_message": "Hi."}`)
	require.Equal(t, 20.0, after["server"].(object)["timeout_seconds"])

	for _, body := range []string{`{"server": {"timeout_seconds": 21}}`, `{"server": {"url": "example.com"}}`,
		`{"server": {"url": "https://user:pw@example.com"}}`, `{"server": {"url": null}}`,
		`{"server": {"headers": {"Bad Name": "x"}}}`, `{"server": {"headers": {"X-Team": "a\nb"}}}`} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, body)
	}
	after = apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"server": null}`)
	require.Nil(t, after["server"])
	apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"server": {"url": "https://example.com/b"}}`)
	after = apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, `{"assistant_name": "Ava"}`)
	require.Nil(t, after["server"], "a full replacement that names no server has none")
}

func TestAssistantDelete(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	path := "/v1/assistants/" + assistant.ID.String()
	call := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID})
	scheduled := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2026-12-01T10:00:00Z"})

	response := server.Do(t, http.MethodDelete, path, nil)
	require.Equal(t, http.StatusNoContent, response.Status)
	require.Empty(t, response.Body)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPatch, path, `{}`)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID})
	past := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+call["call_id"].(string), nil)
	require.Equal(t, "Ava", past["assistant_name"])
	require.Equal(t, "queued", past["call_status"])
	var status string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT status FROM scheduled_call WHERE id = $1",
		scheduled["id"]).Scan(&status))
	require.Equal(t, "canceled", status)
	var links int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM phone_number_link WHERE account_id = $1",
		server.Account.ID).Scan(&links))
	require.Zero(t, links, "the number is free again")
}

func TestAssistantList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	var ids []string
	for range 25 {
		ids = append(ids, dbfactory.Assistant(t, server.Tx, server.Account.ID).ID.String())
	}
	shown := func(query string) ([]string, object) {
		t.Helper()
		list := apitest.Want[struct {
			Data       []object
			Pagination object
		}](t, server, http.StatusOK, http.MethodGet, "/v1/assistants"+query, nil)
		var shown []string
		for _, assistant := range list.Data {
			shown = append(shown, assistant["assistant_id"].(string))
		}
		return shown, list.Pagination
	}
	first, pagination := shown("")
	require.Len(t, first, 20)
	require.Equal(t, ids[24], first[0], "newest first")
	require.Equal(t, object{"limit": 20.0, "offset": 0.0, "total": 25.0, "has_more": true, "next_cursor": pagination["next_cursor"]},
		pagination)
	rest, pagination := shown("?offset=20&limit=100")
	require.Equal(t, []string{ids[4], ids[3], ids[2], ids[1], ids[0]}, rest)
	require.Equal(t, object{"limit": 100.0, "offset": 20.0, "total": 25.0, "has_more": false, "next_cursor": nil}, pagination)
	beyond, pagination := shown("?offset=1000000")
	require.Empty(t, beyond)
	require.Equal(t, false, pagination["has_more"])
}
