package api_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
)

const racedCalls = 100

// race is a set of scheduled calls that fall due while a request changes or cancels them.
type race struct {
	*apitest.Server
	pool *pgxpool.Pool
}

func newRace(t *testing.T) *race {
	t.Helper()
	pool := dbtest.Pool(t)
	return &race{apitest.NewOn(t, pool), pool}
}

// run makes calls that are due, starts them and requests each at the same time. It returns the responses, by id.
func (r *race) run(t *testing.T, ask func(id string) *apitest.Response) map[string]int {
	t.Helper()
	assistant, contact := dbfactory.LinkedAssistant(t, r.pool, r.Account.ID), dbfactory.Contact(t, r.pool, r.Account.ID)
	var ids []string
	for range racedCalls {
		made := apitest.Want[object](t, r.Server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls",
			object{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2026-01-01T00:00:00Z"})
		ids = append(ids, made["id"].(string))
	}
	worked := r.start(t)
	statuses := make([]int, len(ids))
	var clients sync.WaitGroup
	next := make(chan int)
	for range 4 {
		clients.Go(func() {
			for i := range next {
				statuses[i] = ask(ids[i]).Status
			}
		})
	}
	for i := range ids {
		next <- i
	}
	close(next)
	clients.Wait()
	for range racedCalls {
		<-worked
	}
	responses := map[string]int{}
	for i, id := range ids {
		responses[id] = statuses[i]
	}
	return responses
}

// lines is a dialer that dials nothing.
type lines struct{}

func (lines) Reserve(context.Context, time.Duration) (calls.Place, bool) { return lines{}, true }
func (lines) Stopping() <-chan struct{}                                  { return nil }
func (lines) Hold(uuid.UUID) func()                                      { return func() {} }
func (lines) Dial(context.Context, *dbsqlc.Call, time.Time)              {}
func (lines) Release()                                                   {}

// start works the jobs, a few at once, and returns a channel of those that were worked.
func (r *race) start(t *testing.T) <-chan *river.Event {
	t.Helper()
	workers := river.NewWorkers()
	jobs.Register(workers, &jobs.Services{DB: r.pool, Dialer: lines{}, ProcessID: "process", Logger: r.API.Logger, Now: time.Now})
	client, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{
		Workers: workers, Logger: r.API.Logger, Queues: map[string]river.QueueConfig{queue.Schedule: {MaxWorkers: 4}},
		FetchCooldown: time.Millisecond, FetchPollInterval: 2 * time.Millisecond,
	})
	require.NoError(t, err)
	events, unsubscribe := client.SubscribeConfig(&river.SubscribeConfig{
		ChanSize: 10 * racedCalls, Kinds: []river.EventKind{river.EventKindJobCompleted, river.EventKindJobSnoozed,
			river.EventKindJobFailed},
	})
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() {
		unsubscribe()
		<-client.Stopped()
	})
	return events
}

// outcome is what became of a scheduled call.
type outcome struct {
	ID     uuid.UUID
	Status string
	CallID *uuid.UUID
	Calls  int
	Alarms int // that still ring
}

func (r *race) outcomes(t *testing.T) []outcome {
	t.Helper()
	rows, err := r.pool.Query(t.Context(), `SELECT id, status, call_id,
			(SELECT count(*) FROM call WHERE call.scheduled_call_id = scheduled_call.id) AS calls,
			(SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call' AND args ->> 'scheduled_call_id' = scheduled_call.id::text AND finalized_at IS NULL) AS alarms
		FROM scheduled_call WHERE account_id = $1`, r.Account.ID)
	require.NoError(t, err)
	outcomes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[outcome])
	require.NoError(t, err)
	return outcomes
}

// A scheduled call that is canceled while it falls due is either canceled or called, never both and never neither.
func TestScheduledCallDeleteRacesItsStart(t *testing.T) {
	t.Parallel()

	r := newRace(t)
	responses := r.run(t, func(id string) *apitest.Response { return r.Do(t, http.MethodDelete, "/v1/scheduled-calls/"+id, nil) })
	for _, outcome := range r.outcomes(t) {
		switch responses[outcome.ID.String()] {
		case http.StatusNoContent:
			require.Equal(t, "canceled", outcome.Status)
			require.Zero(t, outcome.Calls)
		case http.StatusConflict:
			require.Equal(t, "processed", outcome.Status)
			require.Equal(t, 1, outcome.Calls)
			require.NotNil(t, outcome.CallID)
		default:
			t.Fatalf("answered %d", responses[outcome.ID.String()])
		}
	}
}

// One that is postponed while it falls due is either called now, and the change refused, or waits for its new job.
func TestScheduledCallUpdateRacesItsStart(t *testing.T) {
	t.Parallel()

	r := newRace(t)
	later := object{"scheduled_time": time.Now().Add(time.Hour).Format(time.RFC3339)}
	responses := r.run(t, func(id string) *apitest.Response { return r.Do(t, http.MethodPut, "/v1/scheduled-calls/"+id, later) })
	for _, outcome := range r.outcomes(t) {
		switch responses[outcome.ID.String()] {
		case http.StatusOK:
			require.Equal(t, "scheduled", outcome.Status)
			require.Zero(t, outcome.Calls)
			require.Positive(t, outcome.Alarms, "it is not lost")
		case http.StatusConflict:
			require.Equal(t, "processed", outcome.Status)
			require.Equal(t, 1, outcome.Calls)
		default:
			t.Fatalf("answered %d", responses[outcome.ID.String()])
		}
	}
}
