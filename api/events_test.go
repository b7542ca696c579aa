package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

// makeEvents makes events of the types, in their order, without numbers.
func makeEvents(t *testing.T, tx dbsqlc.DBTX, accountID, callID uuid.UUID, types ...string) []uuid.UUID {
	t.Helper()
	params := &dbsqlc.EventInsertManyParams{}
	for _, name := range types {
		params.Ids = append(params.Ids, dbfactory.ID(t))
		params.AccountIds = append(params.AccountIds, accountID)
		params.Types = append(params.Types, name)
		params.CallIds = append(params.CallIds, callID)
		params.Messages = append(params.Messages, dbfactory.Packed(t, fmt.Sprintf(`{"type": %q}`, name)))
		params.AssistantIds = append(params.AssistantIds, uuid.Nil)
		params.Optional = append(params.Optional, false)
	}
	_, err := dbsqlc.New().EventInsertMany(t.Context(), tx, params)
	require.NoError(t, err)
	return params.Ids
}

func number(t *testing.T, beginner db.Beginner, accounts ...uuid.UUID) {
	t.Helper()
	require.NoError(t, events.Number(t.Context(), beginner, accounts...))
}

func TestEventList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	call, other := uuid.New(), uuid.New()
	makeEvents(t, server.Tx, server.Account.ID, call, "status-update", "transcript", "end-of-call-report")
	makeEvents(t, server.Tx, server.Account.ID, other, "status-update", "status-update")
	number(t, server.Tx, server.Account.ID)
	makeEvents(t, server.Tx, server.Account.ID, other, "status-update") // without a number it is not seen
	foreign, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	makeEvents(t, server.Tx, foreign.ID, call, "status-update")
	number(t, server.Tx, foreign.ID)

	for query, want := range map[string]struct {
		sequences []float64
		total     float64
	}{
		"":                                      {[]float64{1, 2, 3, 4, 5}, 5},
		"limit=2":                               {[]float64{1, 2}, 5},
		"after=2&limit=2":                       {[]float64{3, 4}, 3},
		"after=5":                               {nil, 0},
		"after=99":                              {nil, 0},
		"type=status-update":                    {[]float64{1, 4, 5}, 3},
		"type=status-update&after=1&limit=1":    {[]float64{4}, 2},
		"type=weather":                          {nil, 0},
		"call_id=" + call.String():              {[]float64{1, 2, 3}, 3},
		"call_id=" + call.String() + "&after=2": {[]float64{3}, 1},
		"call_id=" + other.String() + "&type=status-update&limit=1": {[]float64{4}, 2},
		"call_id=" + uuid.NewString():                               {nil, 0},
	} {
		list := apitest.Want[struct {
			Data       []struct{ Sequence float64 }
			Pagination struct {
				Total   float64
				HasMore bool `json:"has_more"`
			}
		}](t, server, http.StatusOK, http.MethodGet, "/v1/events?"+query, nil)
		var sequences []float64
		for _, event := range list.Data {
			sequences = append(sequences, event.Sequence)
		}
		require.Equal(t, want.sequences, sequences, query)
		require.Equal(t, want.total, list.Pagination.Total, query)
		require.Equal(t, want.total > float64(len(sequences)), list.Pagination.HasMore, query)
	}
	for _, query := range []string{"after=-1", "after=x", "limit=0", "call_id=x", "type=%00", "after=99999999999999999999"} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/events?"+query, nil)
	}
}

func TestEventRedeliver(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	ids := makeEvents(t, server.Tx, server.Account.ID, uuid.New(), "status-update")
	path := "/v1/events/" + ids[0].String() + "/redeliver"
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path, nil) // it has no number yet
	number(t, server.Tx, server.Account.ID)
	event := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, path, nil, "Idempotency-Key", "again")
	require.Equal(t, "pending", event["delivery"])
	repeated := server.Do(t, http.MethodPost, path, nil, "Idempotency-Key", "again")
	require.Equal(t, "true", repeated.Header.Get("Idempotent-Replayed"))
	var queued int
	require.NoError(t,
		server.Tx.QueryRow(t.Context(),
			"SELECT count(*) FROM river_job WHERE kind = 'deliver_event' AND args @> '{\"redelivery\": 1}'").Scan(&queued))
	require.Equal(t, 1, queued)

	_, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	server.DoAs(t, key, http.MethodPost, path, nil).WantError(t, http.StatusNotFound, "not_found")
	server.DoAs(t, key, http.MethodGet, "/v1/events/"+ids[0].String()+"/deliveries", nil).WantError(t, http.StatusNotFound,
		"not_found")
	var redelivery int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT redelivery FROM event WHERE id = $1", ids[0]).Scan(&redelivery))
	require.Equal(t, 1, redelivery, "another account changes nothing")
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/events/"+uuid.NewString()+"/redeliver", nil)
}

func TestEventReplay(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const path = "/v1/events/replay"
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	call := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_phone_number": "+31612345678"})["call_id"].(string)
	number(t, server.Tx, server.Account.ID)
	apitest.Want[object](t, server, http.StatusOK, http.MethodPut, "/v1/user/webhook", `{"url": "https://example.com"}`)
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	require.Equal(t, object{"count": 1.0}, apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, path,
		object{"from": from, "to": to}))
	require.Equal(t, object{"count": 0.0}, apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, path,
		object{"from": to, "to": to.Add(1)}))
	require.Equal(t, object{"count": 1.0}, apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, path,
		object{"call_id": call}))
	var queued int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'replay_events'").Scan(&queued))
	require.Equal(t, 2, queued, "none where there is nothing to replay")

	_, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	server.DoAs(t, key, http.MethodPost, path, object{"call_id": call}).WantError(t, http.StatusNotFound, "not_found")
	for _, test := range []struct {
		body   any
		fields []string
	}{
		{`{}`, []string{"from", "to"}}, {object{"from": from}, []string{"to"}}, {object{"from": to, "to": from}, []string{"to"}},
		{object{"from": from, "to": to, "call_id": call}, []string{"call_id"}}, {`{"call_id": "x"}`, []string{"call_id"}},
		{`{"from": "yesterday", "to": 1}`, []string{"from", "to"}},
	} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, path, test.body)
		require.Len(t, details, len(test.fields), "%v", details)
		for _, field := range test.fields {
			require.Contains(t, details, field)
		}
	}
}
