package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/events"
)

func TestProfile(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const path = "/v1/user/profile"
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)
	require.NotEmpty(t, shown["created_at"])
	delete(shown, "created_at")
	require.Equal(t, object{
		"user_id": server.Account.ID.String(), "email": server.Account.Email, "full_name": "Linden Dental", "company_name": nil,
		"phone_number":        nil,
		"subscription_status": "none", "credits": 0.0,
	}, shown)

	after := apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		`{"full_name": "Jan Jansen", "company_name": "Linden", "phone_number": "+31 20 123 4567"}`)
	require.Equal(t, "Jan Jansen", after["full_name"])
	require.Equal(t, "Linden", after["company_name"])
	require.Equal(t, "+31201234567", after["phone_number"])
	require.Equal(t, after, apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{}`))
	require.Equal(t, after, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/profile", nil),
		"the legacy path returns the same")
	after = apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, `{"company_name": null, "phone_number": null}`)
	require.Nil(t, after["company_name"])
	require.Nil(t, after["phone_number"])
	for body, field := range map[string]string{
		`{"full_name": null}`: "full_name", `{"full_name": ""}`: "full_name", `{"full_name": 1}`: "full_name",
		`{"phone_number": "12"}`:                               "phone_number",
		`{"company_name": "` + strings.Repeat("a", 201) + `"}`: "company_name", `{"email": "other@example.com"}`: "email",
		`{"credits": 1000}`:                 "credits",
		`{"subscription_status": "active"}`: "subscription_status", `{"full_name": "a\u0000"}`: "full_name",
	} {
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path, body), field)
	}
	require.Equal(t, after, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil),
		"nothing of a refused change is kept")
}

func TestExtendedProfile(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	foreign := dbfactory.Account(t, server.Tx)
	dbfactory.LinkedAssistant(t, server.Tx, foreign.ID)
	dbfactory.Contact(t, server.Tx, foreign.ID)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	dbfactory.Contact(t, server.Tx, server.Account.ID)
	deleted := finishedCall(t, server, nil)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/calls/"+deleted, nil).Status)
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID})
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2026-12-01T10:00:00Z"})

	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/user/profile/extended", nil)
	require.Equal(t, server.Account.Email, shown["email"])
	require.Equal(t, object{"assistants": 2.0, "contacts": 2.0, "phone_numbers": 2.0, "scheduled_calls": 1.0, "calls": 1.0},
		shown["counts"])
	require.Equal(t, object{"limit": 10.0, "reserved_inbound": 0.0, "used": 0.0, "waiting": 1.0},
		shown["limits"].(object)["concurrent_calls"])
	require.Len(t, shown["api_keys"], 1)
	require.NotContains(t, shown["api_keys"].([]any)[0], "key")
	require.Equal(t, true, shown["webhook"].(object)["enabled"])
	require.NotContains(t, shown["webhook"], "secret")
}

func TestWebhook(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const path = "/v1/user/webhook"
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)
	require.Equal(t, object{"url": nil, "events": []any{"status-update", "end-of-call-report"}, "enabled": true,
		"disabled_reason": nil}, shown)

	set := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path,
		`{"url": "https://example.com/events", "events": ["transcript"]}`)
	require.Equal(t, dbfactory.WebhookSecret, set["secret"], "answered when a URL is set for the first time")
	require.Equal(t, []any{"transcript"}, set["events"])
	set = apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path,
		`{"url": "https://example.com/other", "enabled": false}`)
	require.NotContains(t, set, "secret", "and never again")
	require.Equal(t, false, set["enabled"])
	require.NotEmpty(t, set["disabled_reason"])
	require.Equal(t, []any{"status-update", "end-of-call-report"}, set["events"], "a PUT replaces all")
	require.Equal(t, set, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil))
	set = apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, `{"url": "http://example.com", "enabled": true}`)
	require.Nil(t, set["disabled_reason"])
	for _, body := range []string{`{}`, `{"url": "example.com"}`, `{"url": "ftp://example.com"}`,
		`{"url": "https://a:b@example.com"}`, `{"url": 1}`,
		`{"url": null, "events": ["weather"]}`, `{"url": null, "secret": "x"}`,
		`{"url": null, "events": ["transcript", "transcript"]}`} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path, body)
	}
	require.Nil(t, apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, `{"url": null}`)["url"])
}

func TestWebhookRotation(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	rotated := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, "/v1/user/webhook/rotate-secret", nil)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, rotated["secret"])
	var id uuid.UUID
	var secret, previous string
	var stays float64
	require.NoError(t,
		server.Tx.QueryRow(t.Context(),
			`SELECT id, secret, previous_secret, extract(epoch FROM previous_secret_expires_at - now())::float8
		FROM webhook_endpoint WHERE account_id = $1`, server.Account.ID).Scan(&id, &secret, &previous, &stays))
	for sealed, want := range map[string]string{secret: rotated["secret"].(string), previous: dbfactory.WebhookSecret} {
		opened, err := server.API.Seal.Open(sealed, events.SecretContext(id))
		require.NoError(t, err)
		require.Equal(t, want, opened)
	}
	require.EqualValues(t, 24*60*60, stays)
}

func TestPhoneNumbers(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.Assistant(t, server.Tx, server.Account.ID)
	custom, shared := dbfactory.Number(t, server.Tx, server.Account.ID), dbfactory.DefaultNumber(t, server.Tx)
	dbfactory.Number(t, server.Tx, dbfactory.Account(t, server.Tx).ID)
	dbfactory.Link(t, server.Tx, assistant, shared)
	dbfactory.Link(t, server.Tx, dbfactory.Assistant(t, server.Tx, dbfactory.Account(t, server.Tx).ID), shared)

	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-numbers", nil)
	require.Len(t, list["data"], 2, "one's own and the default ones, each once")
	require.EqualValues(t, 2, list["pagination"].(object)["total"])
	require.EqualValues(t, 20, list["pagination"].(object)["limit"])
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-numbers/"+shared.ID.String(), nil)
	require.Equal(t, assistant.ID.String(), shown["assistant_id"])
	require.Equal(t, "default", shown["origin"])
	shown = apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-numbers/"+custom.ID.String(), nil)
	require.Equal(t, custom.Number, shown["number"])
	require.Equal(t, "active", shown["status"])
	require.Nil(t, shown["assistant_id"])
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/phone-numbers/"+dbfactory.ID(t).String(), nil)
}

func TestEvents(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	var calls []string
	for range 3 {
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_phone_number": "+31201234567"})
		calls = append(calls, made["call_id"].(string))
	}
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/events", nil)["data"],
		"an event without its number is not there yet")
	require.NoError(t, events.Number(t.Context(), server.Tx, server.Account.ID))

	for query, want := range map[string][]int{
		"": {1, 2, 3}, "?after=1": {2, 3}, "?after=1&limit=1": {2}, "?after=3": {}, "?type=status-update": {1, 2, 3},
		"?type=transcript": {}, "?call_id=" + calls[1]: {2},
	} {
		list := apitest.Want[struct {
			Data       []object
			Pagination object
		}](t, server, http.StatusOK, http.MethodGet, "/v1/events"+query, nil)
		shown := []int{}
		for _, event := range list.Data {
			shown = append(shown, int(event["sequence"].(float64)))
			require.Equal(t, "status-update", event["type"])
			require.Equal(t, calls[int(event["sequence"].(float64))-1], event["call_id"])
			require.Equal(t, "queued", event["message"].(object)["status"])
		}
		require.Equal(t, want, shown, query)
		require.Equal(t, query == "?after=1&limit=1", list.Pagination["has_more"], query)
	}
	for _, query := range []string{"after=-1", "after=x", "limit=0", "call_id=x"} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/events?"+query, nil)
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_phone_number": "+31201234567"})
	require.NoError(t, events.Number(t.Context(), server.Tx, server.Account.ID))
	event := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/events",
		nil)["data"].([]any)[0].(object)["id"].(string)
	path := fmt.Sprintf("/v1/events/%s/deliveries", event)
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["data"])
	for attempt := range 2 {
		_, err := server.Tx.Exec(t.Context(),
			`INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer)
			VALUES ($1, $2, $3, 'https://example.com', 503, 17, 'busy')`, server.Account.ID, event, attempt+1)
		require.NoError(t, err)
	}
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path+"?limit=1", nil)
	require.Equal(t, object{"limit": 1.0, "offset": 0.0, "total": 2.0, "has_more": true,
		"next_cursor": list["pagination"].(object)["next_cursor"]}, list["pagination"])
	latest := list["data"].([]any)[0].(object)
	require.EqualValues(t, 2, latest["attempt"])
	require.EqualValues(t, 503, latest["status_code"])
	require.EqualValues(t, 17, latest["latency_ms"])
	require.Equal(t, "busy", latest["answer"])
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/events/"+dbfactory.ID(t).String()+"/deliveries", nil)
}
