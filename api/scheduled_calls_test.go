package api_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

type schedule struct {
	*apitest.Server
	assistant *dbsqlc.Assistant
	contact   *dbsqlc.Contact
}

func newSchedule(t *testing.T) *schedule {
	t.Helper()
	server := apitest.New(t)
	return &schedule{server, dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID),
		dbfactory.Contact(t, server.Tx, server.Account.ID)}
}

// body is a valid body with changes.
func (s *schedule) body(at time.Time, changes object) object {
	body := object{"assistant_id": s.assistant.ID, "contact_id": s.contact.ID, "scheduled_time": at.Format(time.RFC3339)}
	maps.Copy(body, changes)
	return body
}

func (s *schedule) make(t *testing.T, at time.Time, changes object) object {
	t.Helper()
	return apitest.Want[object](t, s.Server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls", s.body(at, changes))
}

// enqueued returns the times of all jobs that were enqueued, in order.
func (s *schedule) enqueued(t *testing.T) []time.Time {
	t.Helper()
	rows, err := s.Tx.Query(t.Context(), "SELECT scheduled_at FROM river_job WHERE kind = 'start_scheduled_call' ORDER BY id")
	require.NoError(t, err)
	times, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	require.NoError(t, err)
	return times
}

func TestScheduledCallCreate(t *testing.T) {
	t.Parallel()

	tomorrow := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	t.Run("StoresTheRowAndSetsTheAlarm", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		retry := object{"on": []any{"busy", "no-answer"}, "max_attempts": 3.0, "delay_seconds": 600.0}
		window := object{"timezone": "Europe/Amsterdam", "days": []any{"mon", "tue"}, "start": "09:00", "end": "17:30"}
		made := s.make(t, tomorrow.In(time.FixedZone("", 3600)),
			object{"instruction": "Be brief.", "variables": object{"day": "Monday"}, "retry": retry, "window": window})
		for field, value := range map[string]any{
			"assistant_id": s.assistant.ID.String(), "assistant_name": "Ava", "contact_id": s.contact.ID.String(),
			"contact_name":         "Jan Jansen",
			"contact_phone_number": s.contact.PhoneNumber, "scheduled_time": tomorrow.Format(time.RFC3339), "processed": false,
			"status":  "scheduled",
			"call_id": nil, "explanation": nil, "instruction": "Be brief.", "variables": object{"day": "Monday"}, "retry": retry,
			"window": window,
		} {
			require.Contains(t, made, field)
			require.Equal(t, value, made[field], field)
		}
		require.NotEmpty(t, made["created_at"])
		require.Equal(t, made, apitest.Want[object](t, s.Server, http.StatusOK, http.MethodGet,
			"/v1/scheduled-calls/"+made["id"].(string), nil))
		job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, s.Tx.(pgx.Tx), calls.StartScheduledCallArgs{}, nil)
		require.Equal(t, made["id"], job.Args.ScheduledCallID.String())
		require.Equal(t, calls.AlarmLead, tomorrow.Sub(job.ScheduledAt))
	})
	t.Run("Least", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		made := s.make(t, tomorrow, nil)
		require.Equal(t, object{}, made["variables"])
		require.Nil(t, made["instruction"])
		require.Nil(t, made["retry"])
		s.make(t, time.Now().Add(-time.Hour), nil) // calls at once
	})
	t.Run("Refusals", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		window := func(field string, value any) object {
			window := object{"timezone": "UTC", "days": []any{"mon"}, "start": "09:00", "end": "17:00"}
			window[field] = value
			return object{"window": window}
		}
		retry := func(field string, value any) object {
			retry := object{"on": []any{"busy"}, "max_attempts": 3, "delay_seconds": 1}
			retry[field] = value
			return object{"retry": retry}
		}
		for _, test := range []struct {
			field   string
			changes object
		}{
			{"scheduled_time", object{"scheduled_time": time.Now().AddDate(2, 0, 2).Format(time.RFC3339)}},
			{"scheduled_time", object{"scheduled_time": "tomorrow"}},
			{"scheduled_time", object{"scheduled_time": "2026-12-01"}}, {"scheduled_time", object{"scheduled_time": nil}},
			{"instruction", object{"instruction": strings.Repeat("a", 50_001)}},
			{"variables", object{"variables": object{"a": strings.Repeat("a", 33<<10)}}},
			{"variables.a", object{"variables": object{"a": 1}}}, {"window", window("timezone", "Mars/Olympus")},
			{"window", window("timezone", "Local")}, {"window", window("timezone", "../../etc/passwd")},
			{"window.days[0]", window("days", []any{"someday"})},
			{"window.days", window("days", []any{})}, {"window.start", window("start", "9:00")}, {"window.end", window("end", "24:01")},
			{"retry.on[0]", retry("on", []any{"completed"})}, {"retry.max_attempts", retry("max_attempts", 11)},
			{"retry.delay_seconds", retry("delay_seconds", -1)},
			{"processed", object{"processed": true}},
		} {
			details := s.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/scheduled-calls",
				s.body(tomorrow, test.changes))
			require.Contains(t, details, test.field)
			require.Len(t, details, 1, details)
		}
		for field := range map[string]bool{"assistant_id": true, "contact_id": true} {
			details := s.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/scheduled-calls",
				s.body(tomorrow, object{field: dbfactory.ID(t)}))
			require.Contains(t, details, field)
		}
		require.Empty(t, s.enqueued(t))
	})
}

func TestScheduledCallUpdate(t *testing.T) {
	t.Parallel()

	tomorrow := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	t.Run("ChangesWhatItNames", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		made := s.make(t, tomorrow, object{"instruction": "Be brief.", "variables": object{"a": "1"}})
		path := "/v1/scheduled-calls/" + made["id"].(string)
		after := apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"variables": {"b": "2"}}`)
		require.Equal(t, object{"b": "2"}, after["variables"])
		require.Equal(t, "Be brief.", after["instruction"])
		require.Equal(t, made["scheduled_time"], after["scheduled_time"])
		require.Len(t, s.enqueued(t), 1, "the time did not change")
		after = apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"instruction": null, "variables": null}`)
		require.Nil(t, after["instruction"])
		require.Equal(t, object{}, after["variables"])

		later := tomorrow.Add(time.Hour)
		after = apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path,
			object{"scheduled_time": later.Format(time.RFC3339)})
		require.Equal(t, later.Format(time.RFC3339), after["scheduled_time"])
		enqueued := s.enqueued(t)
		require.Len(t, enqueued, 2)
		require.Equal(t, calls.AlarmLead, later.Sub(enqueued[1]))

		for _, body := range []string{`{"scheduled_time": null}`, `{"processed": null}`, `{"processed": "yes"}`,
			`{"scheduled_time": "2036-01-01T00:00:00Z"}`, `{"assistant_id": "x"}`, `{"retry": {"on": []}}`} {
			s.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPut, path, body)
		}
		s.WantError(t, http.StatusNotFound, "not_found", http.MethodPut, "/v1/scheduled-calls/"+dbfactory.ID(t).String(), `{}`)
	})
	t.Run("BetweenTwoAttempts", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		// waiting is a scheduled call whose first attempt is over and whose second one waits.
		waiting := func() string {
			id := s.make(t, tomorrow, object{"retry": object{"on": []string{"busy"}, "max_attempts": 3,
				"delay_seconds": 60}})["id"].(string)
			call := apitest.Want[object](t, s.Server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
				object{"assistant_id": s.assistant.ID, "contact_id": s.contact.ID})["call_id"]
			_, err := s.Tx.Exec(t.Context(), "UPDATE scheduled_call SET attempt = 1, call_id = $2 WHERE id = $1", id, call)
			require.NoError(t, err)
			return "/v1/scheduled-calls/" + id
		}
		path := waiting()
		after := apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"instruction": "Try once more."}`)
		require.Equal(t, "Try once more.", after["instruction"])
		require.Equal(t, 1.0, after["attempts"])
		require.Equal(t, false, after["processed"])
		after = apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"processed": true}`)
		require.Equal(t, true, after["processed"])
		s.WantError(t, http.StatusConflict, "conflict", http.MethodPut, path, `{"processed": false}`)

		require.Equal(t, http.StatusNoContent, s.Do(t, http.MethodDelete, waiting(), nil).Status)
	})
	t.Run("Processed", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		path := "/v1/scheduled-calls/" + s.make(t, tomorrow, nil)["id"].(string)
		after := apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"processed": true}`)
		require.Equal(t, true, after["processed"])
		require.Equal(t, "processed", after["status"])
		apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"processed": true}`)
		s.WantError(t, http.StatusConflict, "conflict", http.MethodPut, path, `{"instruction": "x"}`)
		s.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path, nil)
		require.Len(t, s.enqueued(t), 1)

		after = apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path, `{"processed": false}`)
		require.Equal(t, "scheduled", after["status"])
		require.Len(t, s.enqueued(t), 2, "it rings again")
	})
	t.Run("Placed", func(t *testing.T) {
		t.Parallel()
		s := newSchedule(t)
		id := s.make(t, tomorrow, nil)["id"].(string)
		call := apitest.Want[object](t, s.Server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
			object{"assistant_id": s.assistant.ID, "contact_id": s.contact.ID})
		_, err := s.Tx.Exec(t.Context(), "UPDATE scheduled_call SET status = 'processed', call_id = $2 WHERE id = $1", id,
			call["call_id"])
		require.NoError(t, err)
		path := "/v1/scheduled-calls/" + id
		s.WantError(t, http.StatusConflict, "conflict", http.MethodPut, path, `{"processed": false}`)
		s.WantError(t, http.StatusConflict, "conflict", http.MethodPut, path,
			`{"scheduled_time": "2026-12-01T10:00:00Z", "processed": false}`)
		require.Equal(t, call["call_id"], apitest.Want[object](t, s.Server, http.StatusOK, http.MethodPut, path,
			`{"processed": true}`)["call_id"])
	})
}

func TestScheduledCallDelete(t *testing.T) {
	t.Parallel()

	s := newSchedule(t)
	path := "/v1/scheduled-calls/" + s.make(t, time.Now().Add(time.Hour), nil)["id"].(string)
	require.Equal(t, http.StatusNoContent, s.Do(t, http.MethodDelete, path, nil).Status)
	s.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	s.WantError(t, http.StatusNotFound, "not_found", http.MethodPut, path, `{"processed": true}`)
	s.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
}

func TestScheduledCallList(t *testing.T) {
	t.Parallel()

	s := newSchedule(t)
	first := s.make(t, time.Now(), nil)["id"].(string)
	other := dbfactory.Contact(t, s.Tx, s.Account.ID)
	second := s.make(t, time.Now(), object{"contact_id": other.ID})["id"].(string)
	canceled := s.make(t, time.Now(), nil)["id"].(string)
	require.Equal(t, http.StatusNoContent, s.Do(t, http.MethodDelete, "/v1/scheduled-calls/"+canceled, nil).Status)
	require.Equal(t, http.StatusOK, s.Do(t, http.MethodPut, "/v1/scheduled-calls/"+first, `{"processed": true}`).Status)
	for query, want := range map[string][]string{
		"": {second, first}, "?processed=true": {first}, "?processed=false": {second}, "?contact_id=" + other.ID.String(): {second},
		"?assistant_id=" + s.assistant.ID.String(): {second, first}, "?assistant_id=" + dbfactory.ID(t).String(): {},
		"?limit=1&offset=1": {first},
	} {
		list := apitest.Want[struct{ Data []object }](t, s.Server, http.StatusOK, http.MethodGet, "/v1/scheduled-calls"+query, nil)
		shown := []string{}
		for _, scheduled := range list.Data {
			shown = append(shown, scheduled["id"].(string))
		}
		require.Equal(t, want, shown, query)
	}
	for _, query := range []string{"processed=maybe", "contact_id=x", "limit=101"} {
		s.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/scheduled-calls?"+query, nil)
	}
}
