package calls_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/analysis/analysistest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func TestFinishCall(t *testing.T) {
	t.Parallel()

	t.Run("ReportsOnce", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.AddTalk(t)
		for range 2 {
			require.Zero(t, f.FinishCall(t, call.ID), "nobody is there to analyze it, so nobody waits")
		}
		reports := f.SentReports(t, call.ID)
		require.Len(t, reports, 1)
		require.Equal(t, "AI: Hello.\nUser: Who is this?\n", reports[0].Transcript)
		require.Equal(t, "customer-ended-call", reports[0].EndedReason)
		require.Equal(t, "bot", reports[0].Messages[0].Role)
		require.NotNil(t, f.GetContact(t).LastInteractionAt)
		require.Nil(t, f.Call(t, call.ID).Analysis)
	})

	t.Run("ACallWithoutConversationIsNotAnalyzed", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		server := analysistest.Start(t, nil)
		f.Services.Models = server
		call := f.EndedCall(t)
		require.Zero(t, f.FinishCall(t, call.ID))
		require.Len(t, f.SentReports(t, call.ID), 1)
		require.NotContains(t, f.JobKinds(t), "analyze_call")
	})
}

func TestLastInteraction(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.AddTalk(t)
	_, err := f.Tx.Exec(t.Context(),
		"UPDATE contact SET last_interaction_at = now() + interval '1 hour', last_interaction_summary = 'Later.'")
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call SET summary = 'Earlier.' WHERE id = $1", call.ID)
	require.NoError(t, err)
	require.Zero(t, f.FinishCall(t, call.ID))
	require.Equal(t, "Later.", *f.GetContact(t).LastInteractionSummary, "an older call does not replace a newer one's summary")
}

func TestRetryPlan(t *testing.T) {
	t.Parallel()

	// attempt makes the call of a scheduled call that is due, ends it and does what follows, twice.
	attempt := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID, status string) *dbsqlc.Call {
		t.Helper()
		f.Dialer.Full = true // the test places the call itself
		require.Zero(t, jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: id}))
		callID := *getScheduled(t, f, id).CallID
		require.Len(t, f.Claim(t, callID, "process"), 1)
		calls, err := calls.End(t.Context(), f.Tx, f.Inserter, "process",
			map[uuid.UUID]calls.Ending{callID: {Status: status, Reason: "busy", Fault: "customer"}})
		require.NoError(t, err)
		require.Len(t, calls, 1)
		for range 2 {
			require.Zero(t, f.FinishCall(t, callID))
		}
		return calls[0]
	}
	alarms := func(t *testing.T, f *jobstest.Fixture) int {
		t.Helper()
		var set int // and not rung by the test
		require.NoError(t,
			f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call' AND attempt = 0").Scan(&set))
		return set
	}
	withRetry := func(delay int) func(*calls.ScheduledCall) {
		return func(params *calls.ScheduledCall) {
			params.Retry = &jsonb.Retry{On: []string{"busy", "no-answer"}, MaxAttempts: 3, DelaySeconds: delay}
		}
	}

	t.Run("TriesUntilNoAttemptIsLeft", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		calls := map[uuid.UUID]bool{}
		for n := range int32(3) {
			calls[attempt(t, f, scheduled.ID, "busy").ID] = true
			scheduled = getScheduled(t, f, scheduled.ID)
			require.Equal(t, n+1, scheduled.Attempt)
			require.Contains(t, *scheduled.Explanation, "busy")
			if n < 2 {
				require.Equal(t, "scheduled", scheduled.Status)
			}
		}
		require.Len(t, calls, 3, "one call for each attempt")
		require.Equal(t, "processed", scheduled.Status)
		require.Contains(t, *scheduled.Explanation, "there is no other")
		require.Equal(t, 2, alarms(t, f), "one alarm for each attempt but the first, which the test rings itself")
	})

	t.Run("WaitsForItsDelay", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), withRetry(600))
		call := attempt(t, f, scheduled.ID, "no-answer")
		scheduled = getScheduled(t, f, scheduled.ID)
		require.WithinDuration(t, call.EndedAt.Add(10*time.Minute), scheduled.ScheduledTime, time.Second)
		require.Positive(t, jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
	})

	t.Run("NotAfterOtherOutcomes", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		attempt(t, f, scheduled.ID, "completed")
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status)
		require.Zero(t, alarms(t, f))
	})

	t.Run("NotWithoutAPlan", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		attempt(t, f, scheduled.ID, "busy")
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status)
	})

	t.Run("NotAfterItWasStopped", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		call := attempt(t, f, scheduled.ID, "busy")
		_, err := f.Tx.Exec(t.Context(), "UPDATE scheduled_call SET status = 'processed' WHERE id = $1", scheduled.ID) // by PUT
		require.NoError(t, err)
		require.Zero(t, f.FinishCall(t, call.ID))
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status, "the end of a call is acted upon once")
	})

	t.Run("NotWhenTheContactIsDeleted", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		attempt(t, f, scheduled.ID, "busy")
		_, err := f.Tx.Exec(t.Context(), "UPDATE contact SET deleted_at = now() WHERE id = $1", f.Contact.ID)
		require.NoError(t, err)
		require.Zero(t, jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
		scheduled = getScheduled(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.Contains(t, *scheduled.Explanation, "deleted")
	})
}

func getScheduled(t *testing.T, f *jobstest.Fixture, id uuid.UUID) *dbsqlc.ScheduledCall {
	t.Helper()
	row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.Tx,
		&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.Account.ID, ID: id})
	require.NoError(t, err)
	return row
}

// TestRetryPlanOfTwoAtOnce has several workers finish one call at the same time.
func TestRetryPlanOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	f, pool := jobstest.NewCommitted(t)
	f.Dialer.Full = true
	scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), func(params *calls.ScheduledCall) {
		params.Retry = &jsonb.Retry{On: []string{"completed"}, MaxAttempts: 10}
	})
	f.Services.DB = f.Tx
	require.Zero(t, jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
	callID := *getScheduled(t, f, scheduled.ID).CallID
	require.Len(t, f.Claim(t, callID, "process"), 1)
	f.End(t, callID, "process")
	require.NoError(t, f.Tx.Commit(t.Context()))

	f.Services.DB = pool
	var finishing sync.WaitGroup
	for range 4 {
		finishing.Go(func() {
			ctx := rivertest.WorkContext(t.Context(), f.Inserter)
			if _, err := f.FinishCallWorker().Finish(ctx, []uuid.UUID{callID}); err != nil {
				t.Error(err)
			}
		})
	}
	finishing.Wait()
	var attempts, alarms, reports int
	require.NoError(t,
		pool.QueryRow(t.Context(),
			`SELECT attempt, (SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call' AND attempt = 0),
		(SELECT count(*) FROM event WHERE type = 'end-of-call-report') FROM scheduled_call`).Scan(&attempts, &alarms, &reports))
	require.Equal(t, []int{1, 1, 1}, []int{attempts, alarms, reports}, "one attempt so far, one alarm for the next, one report")
}
