package api_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

type listAnswer struct {
	Data       []object
	Pagination struct {
		Limit, Offset, Total int
		HasMore              bool    `json:"has_more"`
		NextCursor           *string `json:"next_cursor"`
	}
}

// walk follows next_cursor from page to page and returns the ids on them.
func walk(t *testing.T, server *apitest.Server, path string, filter url.Values, id string, limit int) []string {
	t.Helper()
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	maps.Copy(query, filter)
	var met []string
	for range 100 {
		page := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, path+"?"+query.Encode(), nil)
		require.LessOrEqual(t, len(page.Data), limit)
		require.Equal(t, page.Pagination.HasMore, page.Pagination.NextCursor != nil)
		for _, entry := range page.Data {
			met = append(met, entry[id].(string))
		}
		if page.Pagination.NextCursor == nil {
			return met
		}
		require.Len(t, page.Data, limit)
		query.Set("cursor", *page.Pagination.NextCursor)
	}
	t.Fatal("the pages never end")
	return nil
}

// Every list can be followed by its cursors, whatever its limit, and shows what it shows in one page.
func TestCursors(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	account := server.Account.ID
	assistant, contact := dbfactory.LinkedAssistant(t, server.Tx, account), dbfactory.Contact(t, server.Tx, account)
	other := dbfactory.LinkedAssistant(t, server.Tx, account)
	for range 2 {
		dbfactory.Assistant(t, server.Tx, account)
		dbfactory.Contact(t, server.Tx, account, func(c *dbsqlc.Contact) {
			c.FullName, c.OrgID, c.Email = new("Jan Bakker"), new("acme"), new("jan@example.com")
		})
		for _, id := range []any{assistant.ID, assistant.ID, other.ID} {
			apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
				object{"assistant_id": id, "contact_id": contact.ID})
			apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls",
				object{"assistant_id": id, "contact_id": contact.ID, "scheduled_time": "2026-12-01T10:00:00Z"})
		}
	}
	scheduled := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/scheduled-calls", nil)
	require.Equal(t, http.StatusOK, server.Do(t, http.MethodPut, "/v1/scheduled-calls/"+scheduled.Data[2]["id"].(string),
		`{"processed": true}`).Status)
	_, err := server.Tx.Exec(t.Context(), `
		UPDATE call SET status = (ARRAY['completed', 'dialing'])[1 + numbered.n % 2], created_at = created_at - interval '1 day' * (numbered.n % 3)
		FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM call WHERE account_id = $1) AS numbered WHERE call.id = numbered.id`,
		account)
	require.NoError(t, err)
	require.NoError(t, events.Number(t.Context(), server.Tx, account))

	call := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/calls", nil).Data[0]["call_id"].(string)
	byAssistant, byContact := url.Values{"assistant_id": {assistant.ID.String()}}, url.Values{"contact_id": {contact.ID.String()}}
	for _, list := range []struct {
		path, id string
		filters  []url.Values
	}{
		{"/v1/assistants", "assistant_id", nil},
		{"/v1/phone-numbers", "id", nil},
		{"/v1/calls", "call_id", []url.Values{byAssistant, byContact, {"call_status": {"completed"}}, {"call_status": {"dialing"}},
			{"end_date": {"2999-01-01"}}}},
		{"/v1/contacts", "contact_id", []url.Values{{"org_id": {"acme"}}, {"email": {"jan@example.com"}}, {"full_name": {"jan"}},
			{"full_name": {"AN B"}}, {"full_name": {"an"}, "org_id": {"acme"}}}},
		{"/v1/events", "id", []url.Values{{"type": {"status-update"}}, {"call_id": {call}}, {"after": {"2"}},
			{"after": {"2"}, "type": {"status-update"}}, {"after": {"0"}, "type": {"status-update"}, "call_id": {call}}}},
		{"/v1/scheduled-calls", "id", []url.Values{byAssistant, byContact, {"processed": {"true"}}, {"processed": {"false"}}}},
	} {
		for _, filter := range append(list.filters, url.Values{}) {
			whole := walk(t, server, list.path, filter, list.id, 100)
			require.NotEmpty(t, whole, "%s %v", list.path, filter)
			for _, limit := range []int{1, 2, 3} {
				require.Equal(t, whole, walk(t, server, list.path, filter, list.id, limit), "%s %v", list.path, filter)
			}
			total := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, list.path+"?"+filter.Encode(),
				nil).Pagination.Total
			require.Equal(t, len(whole), total, "%s %v", list.path, filter)
		}
	}
}

func TestCursorsAreOfTheirList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for range 3 {
		dbfactory.Contact(t, server.Tx, server.Account.ID)
		dbfactory.Assistant(t, server.Tx, server.Account.ID)
	}
	first := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/contacts?limit=1&full_name=jan", nil)
	cursor := *first.Pagination.NextCursor
	second := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/contacts?full_name=jan&limit=1&cursor="+cursor,
		nil)
	require.NotEqual(t, first.Data, second.Data)
	require.Equal(t, 3, second.Pagination.Total)
	require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/contacts?full_name=jan&limit=2&cursor="+cursor, nil).Status,
		"another limit, without the prefix")

	dbfactory.Contact(t, server.Tx, server.Account.ID)
	again := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/contacts?full_name=jan&limit=1&cursor="+cursor,
		nil)
	require.Equal(t, second.Data, again.Data, "a contact that was added moves nothing")

	for _, query := range []string{
		"/v1/contacts?cursor=" + cursor, "/v1/contacts?full_name=jansen&cursor=" + cursor,
		"/v1/assistants?full_name=jan&cursor=" + cursor, "/v1/contacts?full_name=jan&offset=0&cursor=" + cursor,
		"/v1/contacts?full_name=jan&offset=1&cursor=" + cursor, "/v1/contacts?cursor=x",
		"/v1/contacts?cursor=" + base64.RawURLEncoding.EncodeToString([]byte("12345678{}}")),
		"/v1/contacts?full_name=jan&cursor=" + cursor + "%00",
	} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, query, nil)
		require.NotEmpty(t, details, query)
	}
}
