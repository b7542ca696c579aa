package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

// TestWhatWasReadCanBeWrittenBack puts the body of a GET, unchanged.
func TestWhatWasReadCanBeWrittenBack(t *testing.T) {
	t.Parallel()

	again := func(t *testing.T, server *apitest.Server, path string) object {
		t.Helper()
		read := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)
		written := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, read)
		for _, field := range []string{"updated_at", "recent_calls"} {
			delete(read, field)
			delete(written, field)
		}
		require.Equal(t, read, written)
		return read
	}
	t.Run("Assistant", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		for _, body := range []object{{"assistant_name": "Ava"}, apifuzz.WholeAssistant(),
			{"assistant_name": "Ava", "llm_content": "Be kind."}} {
			made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", body)
			again(t, server, "/v1/assistants/"+made["assistant_id"].(string))
		}
	})
	t.Run("LinkedAssistant", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		for _, number := range []*dbsqlc.PhoneNumber{dbfactory.Number(t, server.Tx, server.Account.ID),
			dbfactory.DefaultNumber(t, server.Tx)} {
			made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants", object{"assistant_name": "Ava"})
			path := "/v1/assistants/" + made["assistant_id"].(string)
			apitest.Want[object](t, server, http.StatusOK, http.MethodPost, path+"/phone-number", object{"phone_number_id": number.ID})
			require.Equal(t, number.ID.String(), again(t, server, path)["phone_number_id"])
		}
	})
	t.Run("EmptyTextsOfTheEarlierFormReplaceAll", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants",
			object{"assistant_name": "Ava", "first_message": "Hi."})
		after := apitest.Want[object](t, server, http.StatusOK, http.MethodPut, "/v1/assistants/"+made["assistant_id"].(string),
			object{"assistant_name": "Ben", "llm_content": "", "functions": ""})
		require.Empty(t, after["first_message"])
	})
	t.Run("Contact", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		contact := dbfactory.Contact(t, server.Tx, server.Account.ID)
		again(t, server, "/v1/contacts/"+contact.ID.String())
	})
	t.Run("ScheduledCall", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
			dbfactory.Contact(t, server.Tx, server.Account.ID)
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls", object{
			"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2027-01-01T10:00", "variables": object{"a": "b"},
			"retry":  object{"on": []any{"busy"}, "max_attempts": 3, "delay_seconds": 60},
			"window": object{"timezone": "Europe/Amsterdam", "days": []any{"mon"}, "start": "09:00", "end": "17:30"},
		})
		path := "/v1/scheduled-calls/" + made["id"].(string)
		again(t, server, path)
		apitest.Want[object](t, server, http.StatusOK, http.MethodPut, path, object{"processed": true})
		again(t, server, path)
	})
	t.Run("Webhook", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		again(t, server, "/v1/user/webhook")
	})
}

func TestWhatCannotChangeIsRefused(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	for path, fields := range map[string]object{
		"/v1/assistants/" + assistant.ID.String(): {"assistant_id": contact.ID, "phone_number": "+31201234567",
			"created_at": "2020-01-01T00:00:00Z"},
		"/v1/contacts/" + contact.ID.String(): {"contact_id": assistant.ID, "org_id": "another", "updated_at": nil},
	} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path, fields)
		for field := range fields {
			require.Contains(t, details, field)
		}
	}
}

// TestNumbersKeepTheirDigits writes numbers that no float64 holds, and a price.
func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()

	const digits = `{"id":9007199254740993,"list":[{"big":123456789012345678901234567890}],"price":1.10,"small":7}`
	server := apitest.New(t)
	same := func(text string) {
		t.Helper()
		compact := strings.NewReplacer(" ", "", "\n", "").Replace(text)
		for _, number := range []string{`"id":9007199254740993`, `"big":123456789012345678901234567890`, `"price":1.10`, `"small":7`} {
			require.Contains(t, compact, number)
		}
	}
	made := server.Do(t, http.MethodPost, "/v1/assistants",
		`{"assistant_name":"Ava","max_duration_seconds":600,"metadata":`+digits+`}`)
	require.Equal(t, http.StatusCreated, made.Status)
	same(string(made.Body))
	path := "/v1/assistants/" + apitest.Decode[object](t, made)["assistant_id"].(string)
	for _, change := range []struct{ method, body string }{
		{http.MethodPatch, `{"end_call_message":"Bye."}`}, {http.MethodPut, `{"first_message":"Hi."}`},
		{http.MethodPatch, `{"max_duration_seconds":900.0}`},
		{http.MethodPut, `{"assistant_name":"Ava","metadata":` + digits + `}`},
	} {
		same(string(server.Do(t, change.method, path, change.body).Body))
	}
	linked := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	call := server.Do(t, http.MethodPost, "/v1/calls/direct",
		`{"assistant_id":"`+linked.ID.String()+`","contact_phone_number":"+31612345678","custom_data":`+digits+`}`)
	require.Equal(t, http.StatusCreated, call.Status, string(call.Body))
	same(string(call.Body))
	same(string(dbfactory.Message[json.RawMessage](t, server.Tx, "type = 'status-update'")))
}

// TestISO8601 schedules a call at the same moment in several spellings.
func TestISO8601(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	schedule := func(at string) object {
		return object{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": at}
	}
	for _, at := range []string{
		"2027-01-01T10:00:00Z", "2027-01-01T12:00:00+02:00", "2027-01-01T12:00:00+0200", "2027-01-01T12:00+02", "2027-01-01T10:00",
		"2027-01-01T10:00:00.000",
	} {
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls", schedule(at))
		require.Equal(t, "2027-01-01T10:00:00Z", made["scheduled_time"], at)
	}
	for _, at := range []string{"2027-01-01", "tomorrow", "", "2027-02-30T10:00:00Z", "10:00", "2027-01-01T25:00"} {
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/scheduled-calls",
			schedule(at)), "scheduled_time", at)
	}
	path := "/v1/contacts/" + contact.ID.String()
	require.Equal(t, "2027-01-01T00:00:00Z", apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		object{"meeting_date": "2027-01-01"})["meeting_date"])
	require.Nil(t, apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path,
		object{"meeting_date": nil})["meeting_date"])
	require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path,
		object{"meeting_date": "soon"}), "meeting_date")
}

func TestParametersOfTrackersAreIgnored(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/contacts?_=1&limit=5&utm_source=mail", nil)
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/contacts?cache_buster=1", nil)
}

func TestCommandsToADeletedCall(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_phone_number": "+31612345678"})
	path := "/v1/calls/" + made["call_id"].(string)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path+"/end", nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path+"/messages", object{"type": "end-call"})
}
