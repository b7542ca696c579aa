package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files/dir"
)

// A person of these tests says and is called nothing that does not hold one of these words.
const (
	secretName   = "Wilhelmina"
	secretNumber = "+31687654321"
)

// reported writes a call's report as the job after its end does.
func reported(t *testing.T, server *apitest.Server, callID string) {
	t.Helper()
	_, err := server.Tx.Exec(t.Context(), `INSERT INTO event (id, account_id, type, call_id, payload, delivery)
		VALUES ($1, $2, 'end-of-call-report', $3, $4, 'pending')`, dbfactory.ID(t), server.Account.ID, callID,
		object{"type": "end-of-call-report", "transcript": "User: I am " + secretName, "customer": object{"number": secretNumber}})
	require.NoError(t, err)
}

// personsCall is a call with the person that is over, with everything that may be kept of one.
func personsCall(t *testing.T, server *apitest.Server, with object) string {
	t.Helper()
	with["assistant_id"] = dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID).ID
	with["custom_data"] = object{"guest": secretName}
	id := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct", with, "Idempotency-Key",
		uuid.NewString())["call_id"].(string)
	_, err := server.Tx.Exec(t.Context(),
		`UPDATE call SET status = 'completed', started_at = created_at + interval '2 seconds', ended_at = created_at + interval '12 seconds',
		ended_reason = 'customer-ended-call', ended_fault = 'customer', variables = $2, instruction = $3, error = $3, summary = $3, success_evaluation = $3, structured_data = $2,
		sip_dialog = $2, sip_call_id = $3, structured_data_multi = $2, analysis_error = $3, recording_key = $4, recording_missing_seconds = 1, latency = '{"turns": 1, "p50_ms": 700, "p95_ms": 900}' WHERE id = $1`,
		id, object{"name": secretName}, "For "+secretName, recordings.Key(server.Account.ID, uuid.MustParse(id)))
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		"INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start) VALUES ($1, 0, $2, 'user', $3, 1)",
		id, server.Account.ID, "I am "+secretName)
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		`INSERT INTO call_tool_call (call_id, position, account_id, tool_call_id, name, arguments, seconds_from_start, duration_ms)
		VALUES ($1, 0, $2, 'tool-1', 'book', $3, 1, 1)`, id, server.Account.ID, object{"guest": secretName})
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		`INSERT INTO call_command (id, account_id, call_id, type, body, status, finished_at) VALUES ($1, $2, $3, 'say', $4, 'done', now())`,
		dbfactory.ID(t), server.Account.ID, id, object{"content": "Welcome, " + secretName})
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		"INSERT INTO mail (id, account_id, call_id, key, recipient, content) VALUES ($1::uuid, $2, $3, $1::text, 'owner@example.com', $4)",
		dbfactory.ID(t), server.Account.ID, id, object{"text": "A call with " + secretName})
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		"INSERT INTO mail (id, account_id, call_id, key, recipient, content) VALUES ($1::uuid, $2, $3, 'appointment/' || $1::text || '/caller', $4, $5)",
		dbfactory.ID(t), server.Account.ID, id, secretName+"@example.com", object{"text": "An appointment with " + secretName})
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(), `INSERT INTO sms (id, account_id, call_id, simulated, recipient, content, created_at)
		SELECT $1, $2, $3, false, $4, $5, now() - count(*) * interval '1 day' FROM sms`,
		dbfactory.ID(t), server.Account.ID, id, secretNumber, "Thank you, "+secretName)
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		`INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer)
		SELECT account_id, id, 1, 'https://example.com', 503, 17, $2 FROM event WHERE call_id = $1`, id, "no room for "+secretName)
	require.NoError(t, err)
	return id
}

func person(t *testing.T, server *apitest.Server) string {
	t.Helper()
	return apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/contacts", object{
		"phone_number": secretNumber, "full_name": secretName + " Jansen", "email": secretName + "@example.com",
		"address": "Street of " + secretName, "org_id": "acme",
		"last_interaction_summary": "Asked for " + secretName, "last_interaction_at": "2026-11-01T00:00:00Z",
	}, "Idempotency-Key", uuid.NewString())["contact_id"].(string)
}

// places are the tables that hold a row with one of the words, in any column.
func places(t *testing.T, server *apitest.Server, words ...string) []string {
	t.Helper()
	rows, err := server.Tx.Query(t.Context(), `SELECT table_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'account_id' ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, tables, "call_turn")
	var found []string
	for _, table := range append(tables, "river_job") {
		for _, word := range words {
			var count int
			require.NoError(t, server.Tx.QueryRow(t.Context(),
				fmt.Sprintf("SELECT count(*) FROM %s AS row WHERE strpos(lower(row::text), lower($1)) > 0", table), word).Scan(&count))
			if count > 0 {
				found = append(found, table+": "+word)
			}
		}
	}
	return found
}

func TestContactErase(t *testing.T) {
	t.Parallel()

	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	server := apitest.New(t, func(a *api.API) { a.Files = store })
	byNumber := personsCall(t, server, object{"contact_phone_number": secretNumber})
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+person(t, server), nil).Status,
		"an earlier contact of the same person")
	contact := person(t, server)
	byContact, deleted := personsCall(t, server, object{"contact_id": contact}),
		personsCall(t, server, object{"contact_id": contact})
	// as of one that ended as lost
	_, err = server.Tx.Exec(t.Context(), "UPDATE call SET recording_key = NULL WHERE id = $1", byNumber)
	require.NoError(t, err)
	for _, id := range []string{byNumber, byContact, deleted} {
		reported(t, server, id)
		require.NoError(t, store.Put(t.Context(), recordings.Key(server.Account.ID, uuid.MustParse(id)), strings.NewReader("RIFF")))
	}
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/calls/"+deleted, nil).Status)
	scheduled := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls", object{
		"assistant_id": dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID).ID, "contact_id": contact,
		"scheduled_time": "2026-12-01T10:00:00Z",
		"instruction":    "Greet " + secretName, "variables": object{"guest": secretName},
	}, "Idempotency-Key", "schedule-1")
	other := dbfactory.Contact(t, server.Tx, server.Account.ID)
	others := finishedCall(t, server, nil)
	require.NotEmpty(t, places(t, server, secretName, secretNumber))

	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil).Status)
	require.Empty(t, places(t, server, secretName, secretNumber))
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/contacts/"+contact, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil)

	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+byContact, nil)
	for field, value := range map[string]any{
		"call_status": "completed", "duration_seconds": 10.0, "ended_reason": "customer-ended-call", "contact_name": nil,
		"contact_phone_number": "", "transcript": []any{},
		"custom_data": object{}, "recording_url": nil, "recording_missing_seconds": nil, "summary": nil, "structured_data": nil,
		"latency": shownLatency(),
	} {
		require.Equal(t, value, shown[field], field)
	}
	require.NotEmpty(t, shown["timeline"])
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/calls/"+byContact+"/recording", nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPut, "/v1/scheduled-calls/"+scheduled["id"].(string), `{}`)
	var kinds []string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT array_agg(DISTINCT delivery) FROM event WHERE call_id = $1",
		byContact).Scan(&kinds))
	require.Equal(t, []string{"none"}, kinds, "what was not delivered never will be")

	require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/contacts/"+other.ID.String(), nil).Status,
		"others are not touched")
	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+others, nil)["transcript"], 2)
	job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, server.Tx.(pgx.Tx), erasure.DiscardRecordingsArgs{}, nil)
	require.Equal(t, server.Account.ID, job.Args.AccountID)
	_, err = rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{},
		&erasure.DiscardRecordingsWorker{Files: store}).Work(t.Context(), t, server.Tx.(pgx.Tx), job.Args, nil)
	require.NoError(t, err)
	for key, err := range store.List(t.Context(), "") {
		require.NoError(t, err)
		require.Fail(t, "a file outlives the person", key.Key)
	}
}

func TestContactEraseKeepsARepetitionFromMakingTheRecordAgain(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const body = `{"phone_number": "+31687654321"}`
	made := server.Do(t, http.MethodPost, "/v1/contacts", body, "Idempotency-Key", "contact-1")
	require.Equal(t, http.StatusCreated, made.Status)
	id := apitest.Decode[object](t, made)["contact_id"].(string)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+id+"?erase=true", nil).Status)
	server.WantError(t, http.StatusConflict, "idempotency_conflict", http.MethodPost, "/v1/contacts", body, "Idempotency-Key",
		"contact-1")
	require.Empty(t, places(t, server, secretNumber))
}

func TestContactEraseRefusals(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]string{
		"Queued": "UPDATE call SET status = 'queued', ended_at = NULL WHERE id = $1", "Live": "UPDATE call SET status = 'in-progress', ended_at = NULL WHERE id = $1",
		"Unreported": "UPDATE call SET updated_at = now() WHERE id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t)
			contact := person(t, server)
			call := personsCall(t, server, object{"contact_id": contact})
			_, err := server.Tx.Exec(t.Context(), change, call)
			require.NoError(t, err)
			path := "/v1/contacts/" + contact + "?erase=true"
			server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path, nil)
			require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/contacts/"+contact, nil).Status, "nothing changed")
			require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+call, nil)["transcript"], 1)
		})
	}
	t.Run("OtherAccounts", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		foreign, foreignKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		mine := server.Account
		theirs := dbfactory.Contact(t, server.Tx, foreign.ID, func(c *dbsqlc.Contact) { c.PhoneNumber = secretNumber })
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, "/v1/contacts/"+theirs.ID.String()+"?erase=true", nil)
		contact := person(t, server)
		require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil).Status)
		require.Equal(t, http.StatusOK, server.DoAs(t, foreignKey, http.MethodGet, "/v1/contacts/"+theirs.ID.String(), nil).Status,
			"the number is theirs to keep, not account %s's", mine.ID)
	})
	t.Run("BadQuery", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodDelete,
			"/v1/contacts/"+person(t, server)+"?erase=maybe", nil)
	})
}

// A call that is made while its contact is erased prevents the erasure, or is not made: no person is called, or named, by
// what was to be erased.
func TestContactEraseRacesCalls(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	for range 30 {
		contact := dbfactory.Contact(t, server.Tx, server.Account.ID).ID.String()
		var erased, called *apitest.Response
		var clients sync.WaitGroup
		clients.Go(func() { erased = server.Do(t, http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil) })
		clients.Go(func() {
			called = server.Do(t, http.MethodPost, "/v1/calls/direct", object{"assistant_id": assistant.ID, "contact_id": contact})
		})
		clients.Wait()
		switch called.Status {
		case http.StatusCreated:
			erased.WantError(t, http.StatusConflict, "conflict")
		default:
			called.WantError(t, http.StatusNotFound, "not_found")
			require.Equal(t, http.StatusNoContent, erased.Status, "%s", erased.Body)
		}
	}
}

// Whatever refers to a call, a contact or an event may hold personal data: each such table is dealt with in jobs/calls/erase.go,
// or says nothing of the person. Who adds one decides which, there and here.
func TestErasureKnowsEveryTable(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	rows, err := server.Tx.Query(t.Context(), `SELECT DISTINCT table_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name IN ('call_id', 'contact_id', 'event_id', 'contact_phone_number')
			AND NOT (SELECT relispartition FROM pg_class WHERE pg_class.oid = quote_ident(table_name)::regclass)
		ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, table := range tables {
		require.Contains(t, []string{
			"appointment", "call", "call_command", "call_leg", "call_listener", "call_tool_call", "call_turn", "call_usage", "call_watch",
			"delivery_attempt", "delivery_queue", "event", "mail", "scheduled_call", "sms", "web_offer", "web_token",
		}, table)
	}
}

// A contact that was deleted first can still be erased.
func TestContactEraseAfterDelete(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	contact := person(t, server)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+contact, nil).Status)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil).Status)
	require.Empty(t, places(t, server, secretName, secretNumber))
}

func TestCallDelete(t *testing.T) {
	t.Parallel()

	t.Run("Ended", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		id := finishedCall(t, server, new("recordings/a.wav"))
		path := "/v1/calls/" + id
		require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
		for _, gone := range []string{path, path + "/recording"} {
			server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, gone, nil)
		}
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
		list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls", nil)
		require.Empty(t, list["data"])
		require.EqualValues(t, 0, list["pagination"].(object)["total"])
		job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, server.Tx.(pgx.Tx), erasure.DiscardCallArgs{}, nil)
		require.Equal(t, id, job.Args.CallID.String())
	})
	t.Run("QueuedIsCanceledFirst", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
		id := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": assistant.ID, "contact_phone_number": "+31201234567"})["call_id"].(string)
		require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/calls/"+id, nil).Status)
		var status, reason string
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT status, ended_reason FROM call WHERE id = $1", id).Scan(&status,
			&reason))
		require.Equal(t, "canceled", status)
		require.Equal(t, "call-deleted", reason)
		rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, server.Tx.(pgx.Tx), calls.FinishCallArgs{}, nil)
		var told []any
		for _, message := range dbfactory.Messages[object](t, server.Tx, "call_id = $1", id) {
			told = append(told, message["callStatus"])
		}
		require.Equal(t, []any{"queued", "canceled"}, told)
	})
	t.Run("LiveIsNot", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		id := finishedCall(t, server, nil)
		for _, status := range []string{"dialing", "ringing", "in-progress", "forwarding"} {
			_, err := server.Tx.Exec(t.Context(), "UPDATE call SET status = $2, ended_at = NULL WHERE id = $1", id, status)
			require.NoError(t, err)
			server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, "/v1/calls/"+id, nil)
		}
		require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/calls/"+id, nil).Status)
	})
	t.Run("OtherAccounts", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		id := finishedCall(t, server, nil)
		_, foreignKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		server.DoAs(t, foreignKey, http.MethodDelete, "/v1/calls/"+id, nil).WantError(t, http.StatusNotFound, "not_found")
		require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/calls/"+id, nil).Status)
	})
}

func TestCallRecordingRanges(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	id, content := recordedCall(t, server)
	path, file := "/v1/calls/"+id+"/recording", string(content)
	whole := server.Do(t, http.MethodGet, path, nil)
	require.Equal(t, "bytes", whole.Header.Get("Accept-Ranges"))
	require.Equal(t, "96044", whole.Header.Get("Content-Length"))
	modified := whole.Header.Get("Last-Modified")
	require.NotEmpty(t, modified)
	for _, test := range []struct {
		headers []string
		status  int
		body    string
		part    string // Content-Range
	}{
		{[]string{"Range", "bytes=2-4"}, 206, file[2:5], "bytes 2-4/96044"},
		{[]string{"Range", "bytes=16383-16384"}, 206, file[16383:16385], "bytes 16383-16384/96044"}, // of two segments
		{[]string{"Range", "bytes=40-70000"}, 206, file[40:70001], "bytes 40-70000/96044"},
		{[]string{"Range", "bytes=90000-"}, 206, file[90000:], "bytes 90000-96043/96044"},
		{[]string{"Range", "bytes=-2"}, 206, file[96042:], "bytes 96042-96043/96044"},
		{[]string{"Range", "bytes=96042-99999"}, 206, file[96042:], "bytes 96042-96043/96044"},
		{[]string{"Range", "bytes=96044-"}, 416, "", "bytes */96044"},
		{[]string{"Range", "bytes=5-2"}, 416, "", ""},
		{[]string{"Range", "bytes=x"}, 416, "", ""},
		{[]string{"Range", "lines=1-2"}, 200, file, ""},
		{[]string{"Range", "bytes=2-4", "If-Range", modified}, 206, file[2:5], "bytes 2-4/96044"},
		{[]string{"Range", "bytes=2-4", "If-Range", "Mon, 02 Jan 2006 15:04:05 GMT"}, 200, file, ""},
		{[]string{"If-Modified-Since", modified}, 304, "", ""},
		{[]string{"If-Match", `"a"`, "If-Unmodified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"}, 200, file, ""},
	} {
		response := server.Do(t, http.MethodGet, path, nil, test.headers...)
		require.Equal(t, test.status, response.Status, test.headers)
		require.Equal(t, test.part, response.Header.Get("Content-Range"), test.headers)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		switch test.status {
		case http.StatusRequestedRangeNotSatisfiable:
			response.WantError(t, test.status, "range_not_satisfiable")
		default:
			require.Equal(t, test.body, string(response.Body), test.headers)
		}
	}
	head := server.Do(t, http.MethodHead, path, nil)
	require.Equal(t, http.StatusOK, head.Status)
	require.Equal(t, "96044", head.Header.Get("Content-Length"))
	require.Equal(t, "audio/wav", head.Header.Get("Content-Type"))
}
