package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

func TestContactCreate(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	body := object{
		"phone_number": "+31 6 1234-5678", "full_name": "Jan", "email": "jan@example.com", "address": "Dam 1", "org_id": "acme",
		"last_interaction_at": "2026-11-01T10:00:00+01:00", "last_interaction_summary": "Asked for a date.",
	}
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/contacts", body)
	require.Equal(t, "+31612345678", made["phone_number"], "stored in E.164")
	require.Equal(t, "2026-11-01T09:00:00Z", made["last_interaction_at"], "answered in UTC")
	for _, field := range []string{"full_name", "email", "address", "org_id", "last_interaction_summary"} {
		require.Equal(t, body[field], made[field])
	}
	for _, field := range []string{"contact_id", "created_at", "updated_at"} {
		require.NotEmpty(t, made[field])
	}
	require.Contains(t, made, "meeting_date")

	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/contacts", `{"phone_number": "+31612345678"}`)
	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	require.Equal(t, http.StatusCreated, server.DoAs(t, other, http.MethodPost, "/v1/contacts",
		`{"phone_number": "+31612345678"}`).Status, "unique among one account's contacts")

	for _, number := range []string{"0612345678", "31612345678", "+31", "+999123456789", "+31612345678 ext. 5", "tel:x", ""} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/contacts",
			object{"phone_number": number})
		require.Contains(t, details, "phone_number", number)
	}
}

func TestContactUpdate(t *testing.T) {
	t.Parallel()

	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t)
			contact := dbfactory.Contact(t, server.Tx, server.Account.ID,
				func(c *dbsqlc.Contact) { c.Email, c.Address = new("a@example.com"), new("Dam 1") })
			other := dbfactory.Contact(t, server.Tx, server.Account.ID)
			path := "/v1/contacts/" + contact.ID.String()
			after := apitest.Want[object](t, server, http.StatusOK, method, path,
				`{"full_name": "Piet", "email": null, "meeting_date": "2026-12-24T09:00:00+01:00", "meeting_event_id": "e-1"}`)
			require.Equal(t, "Piet", after["full_name"])
			require.Nil(t, after["email"])
			require.Equal(t, "Dam 1", after["address"], "what the body does not name stays")
			require.Equal(t, "2026-12-24T08:00:00Z", after["meeting_date"])
			require.Equal(t, "e-1", after["meeting_event_id"])
			require.Equal(t, contact.PhoneNumber, after["phone_number"])

			after = apitest.Want[object](t, server, http.StatusOK, method, path,
				`{"phone_number": "+31 6 99999999", "meeting_date": null}`)
			require.Equal(t, "+31699999999", after["phone_number"])
			require.Nil(t, after["meeting_date"])

			for _, body := range []string{`{"phone_number": null}`, `{"phone_number": "x"}`, `{"email": "x"}`,
				`{"meeting_date": "tomorrow"}`, `{"full_name": 1}`, `{"shoe_size": 1}`} {
				require.NotEmpty(t, server.WantError(t, http.StatusBadRequest, "invalid_request", method, path, body), body)
			}
			server.WantError(t, http.StatusNotFound, "not_found", method, "/v1/contacts/"+dbfactory.ID(t).String(), `{}`)
			// Last: the failed statement spoils the test's transaction.
			server.WantError(t, http.StatusConflict, "conflict", method, path, object{"phone_number": other.PhoneNumber})
		})
	}
}

func TestContactGet(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	var last string
	for range 11 {
		last = apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_id": contact.ID})["call_id"].(string)
	}
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/contacts/"+contact.ID.String(), nil)
	require.Equal(t, "Jan Jansen", shown["full_name"])
	recent := shown["recent_calls"].([]any)
	require.Len(t, recent, 10)
	require.Equal(t, last, recent[0].(object)["call_id"])
}

func TestContactDelete(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)
	path := "/v1/contacts/" + contact.ID.String()
	call := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID})
	scheduled := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2026-12-01T10:00:00Z"})

	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
	require.Equal(t, "Jan Jansen", apitest.Want[object](t, server, http.StatusOK, http.MethodGet,
		"/v1/calls/"+call["call_id"].(string), nil)["contact_name"])
	var status string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT status FROM scheduled_call WHERE id = $1",
		scheduled["id"]).Scan(&status))
	require.Equal(t, "canceled", status)
	again := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/contacts",
		object{"phone_number": contact.PhoneNumber})
	require.NotEqual(t, contact.ID.String(), again["contact_id"], "the number is free again")
}

func TestContactList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	contact := func(name, email, org string) string {
		return dbfactory.Contact(t, server.Tx, server.Account.ID, func(c *dbsqlc.Contact) {
			c.FullName, c.Email, c.OrgID = &name, &email, &org
		}).PhoneNumber
	}
	jan, anja, percent := contact("Jan de Boer", "jan@example.com", "acme"), contact("Anja 100%", "anja@example.com", "acme"),
		contact("a_b\\c", "x@example.com", "other")
	for query, want := range map[string][]string{
		"":                                 {percent, anja, jan},
		"?limit=1":                         {percent},
		"?limit=1&offset=2":                {jan},
		"?full_name=JAN":                   {jan},
		"?full_name=n":                     {anja, jan},
		"?full_name=%25":                   {anja}, // taken literally, as are _ and \
		"?full_name=_":                     {percent},
		"?full_name=%5C":                   {percent},
		"?email=jan@example.com":           {jan},
		"?email=jan":                       {},
		"?org_id=acme":                     {anja, jan},
		"?org_id=acme&full_name=boer":      {jan},
		"?phone_number=" + "%2B" + jan[1:]: {jan},
		"?phone_number=%2B31612345678":     {},
		"?phone_number=" + jan:             {jan}, // the plus sign arrives as a space
		"?phone_number=%2B31%20(0)" + jan[3:5] + "-" + jan[5:]: {jan},
	} {
		list := apitest.Want[struct {
			Data       []object
			Pagination struct{ Total int }
		}](t, server, http.StatusOK, http.MethodGet, "/v1/contacts"+query, nil)
		shown := []string{}
		for _, contact := range list.Data {
			shown = append(shown, contact["phone_number"].(string))
		}
		require.Equal(t, want, shown, query)
		if !strings.Contains(query, "limit") {
			require.Equal(t, len(want), list.Pagination.Total)
		}
	}
	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/contacts", nil)["data"], 3)
	require.EqualValues(t, 10, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/contacts",
		nil)["pagination"].(object)["limit"])
}
