package jobs

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/analysis/analysistest"
)

// addTalk is a call that was answered, with a conversation, and is over.
func addTalk(t *testing.T, f *fixture) *dbsqlc.Call {
	t.Helper()
	call := f.endedCall(t)
	for position, turn := range []struct{ role, text string }{{"assistant", "Hello."}, {"user", "Who is this?"}} {
		require.NoError(t, TurnsHeard(t.Context(), f.tx, f.inserter, &Turn{
			Call: call, Position: int32(position), Role: turn.role, Text: turn.text, SecondsFromStart: float64(position),
		}))
	}
	return call
}

func finishCall(t *testing.T, f *fixture, callID uuid.UUID) time.Duration {
	t.Helper()
	return work(t, f, NewFinishCallWorker(f.deps.DB, f.reporter(), Starter{Models: f.deps.Models}.Start), FinishCallArgs{CallID: callID})
}

// analyzeCall is the attempt-th run of a call's analysis.
func analyzeCall(t *testing.T, f *fixture, callID uuid.UUID, attempt int) error {
	t.Helper()
	worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, &AnalyzeCallWorker{DB: f.deps.DB, Models: f.deps.Models, Reporter: f.reporter(), Now: f.deps.Now})
	job, err := f.inserter.InsertTx(t.Context(), f.tx, AnalyzeCallArgs{CallID: callID}, &river.InsertOpts{ScheduledAt: time.Now().Add(-time.Minute)})
	require.NoError(t, err)
	// Work counts an attempt itself.
	_, err = f.tx.Exec(t.Context(), "UPDATE river_job SET attempt = $2 WHERE id = $1", job.Job.ID, attempt-1)
	require.NoError(t, err)
	row := *job.Job
	row.Attempt = attempt - 1
	row.State = rivertype.JobStateAvailable
	_, err = worker.WorkJob(t.Context(), t, f.tx, &row)
	return err
}

type sentReport struct {
	Transcript  string
	EndedReason string
	Messages    []struct{ Role, Message string }
	Analysis    struct {
		Summary, SuccessEvaluation string
		StructuredData             map[string]any
	}
}

// sentReports are the end-of-call-reports of a call.
func sentReports(t *testing.T, f *fixture, callID uuid.UUID) []sentReport {
	t.Helper()
	rows, err := f.tx.Query(t.Context(), "SELECT payload FROM event WHERE call_id = $1 AND type = 'end-of-call-report'", callID)
	require.NoError(t, err)
	defer rows.Close()
	var reports []sentReport
	for rows.Next() {
		var payload json.RawMessage
		var report sentReport
		require.NoError(t, rows.Scan(&payload))
		require.NoError(t, json.Unmarshal(payload, &report))
		reports = append(reports, report)
	}
	require.NoError(t, rows.Err())
	return reports
}

func getContact(t *testing.T, f *fixture) *dbsqlc.Contact {
	t.Helper()
	contact, err := dbsqlc.New().ContactGet(t.Context(), f.tx, &dbsqlc.ContactGetParams{AccountID: f.account.ID, ID: f.contact.ID})
	require.NoError(t, err)
	return contact
}

func TestFinishCall(t *testing.T) {
	t.Parallel()

	t.Run("ReportsOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		call := addTalk(t, f)
		for range 2 {
			require.Zero(t, finishCall(t, f, call.ID), "nobody is there to analyze it, so nobody waits")
		}
		reports := sentReports(t, f, call.ID)
		require.Len(t, reports, 1)
		require.Equal(t, "AI: Hello.\nUser: Who is this?\n", reports[0].Transcript)
		require.Equal(t, "customer-ended-call", reports[0].EndedReason)
		require.Equal(t, "bot", reports[0].Messages[0].Role)
		require.NotNil(t, getContact(t, f).LastInteractionAt)
		require.Nil(t, f.call(t, call.ID).Analysis)
	})

	t.Run("ACallWithoutConversationIsNotAnalyzed", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		server := analysistest.Start(t, nil)
		f.deps.Models = server
		call := f.endedCall(t)
		require.Zero(t, finishCall(t, f, call.ID))
		require.Len(t, sentReports(t, f, call.ID), 1)
		require.NotContains(t, f.jobKinds(t), "analyze_call")
	})
}

func TestAnalyzeCall(t *testing.T) {
	t.Parallel()

	good := func() map[string][]analysistest.Answer {
		return map[string][]analysistest.Answer{
			analysistest.Summary: {{Text: "They talked."}}, analysistest.Evaluation: {{Text: `{"evaluation": true}`}},
			analysistest.Data: {{Text: `{"age": 4}`}},
		}
	}
	// waiting is an ended call whose report waits for its analysis.
	waiting := func(t *testing.T, answers map[string][]analysistest.Answer) (*fixture, *dbsqlc.Call, *analysistest.Server) {
		t.Helper()
		f := setup(t)
		server := analysistest.Start(t, answers)
		f.deps.Models = server
		_, err := f.tx.Exec(t.Context(), `UPDATE assistant SET config = jsonb_set(jsonb_set(config, '{analysis_plan}',
			'{"structuredDataSchema": {"type": "object", "properties": {"age": {"type": "integer"}}}, "summaryRequestTimeoutSeconds": 1}'),
			'{model}', '{"provider": "openai", "model": "own-model"}') WHERE id = $1`, f.assistant.ID)
		require.NoError(t, err)
		call := addTalk(t, f)
		for range 2 {
			require.InDelta(t, reportWithin, finishCall(t, f, call.ID), float64(5*time.Second))
		}
		require.Empty(t, sentReports(t, f, call.ID))
		analyses := slices.DeleteFunc(f.jobKinds(t), func(kind string) bool { return kind != "analyze_call" })
		require.Len(t, analyses, 1, "however often the call is finished")
		return f, call, server
	}

	t.Run("ReportsWithWhatCameOut", func(t *testing.T) {
		t.Parallel()
		f, call, server := waiting(t, good())
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		reports := sentReports(t, f, call.ID)
		require.Len(t, reports, 1)
		require.Equal(t, "They talked.", reports[0].Analysis.Summary)
		require.Equal(t, "true", reports[0].Analysis.SuccessEvaluation)
		require.Equal(t, map[string]any{"age": 4.0}, reports[0].Analysis.StructuredData)
		require.Equal(t, "own-model", server.Requests(analysistest.Summary)[0].Model)
		call = f.call(t, call.ID)
		require.Equal(t, "They talked.", *call.Summary)
		require.Equal(t, "done", *call.Analysis)
		require.Equal(t, "They talked.", *getContact(t, f).LastInteractionSummary)

		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		require.Zero(t, finishCall(t, f, call.ID))
		require.Len(t, sentReports(t, f, call.ID), 1, "a second run changes nothing")
		require.Len(t, server.Requests(analysistest.Summary), 1)
	})

	t.Run("AsksAgainForWhatFailed", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Evaluation] = []analysistest.Answer{{Status: http.StatusServiceUnavailable}, {Text: `{"evaluation": false}`}}
		f, call, server := waiting(t, answers)
		require.Error(t, analyzeCall(t, f, call.ID, 1))
		require.Empty(t, sentReports(t, f, call.ID))
		require.Equal(t, "pending", *f.call(t, call.ID).Analysis)

		require.NoError(t, analyzeCall(t, f, call.ID, 2))
		require.Equal(t, "false", sentReports(t, f, call.ID)[0].Analysis.SuccessEvaluation)
		require.Len(t, server.Requests(analysistest.Summary), 1, "what was known is not asked again")
		require.Nil(t, f.call(t, call.ID).AnalysisError)
	})

	t.Run("SaysWhatItCouldNotFindOut", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Data] = []analysistest.Answer{{Text: "I cannot help with that."}}
		f, call, _ := waiting(t, answers)
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		call = f.call(t, call.ID)
		require.Equal(t, "failed", *call.Analysis)
		require.Equal(t, "structured data: answer is not JSON", *call.AnalysisError)
		require.Equal(t, "They talked.", sentReports(t, f, call.ID)[0].Analysis.Summary)
	})

	t.Run("GivesUpAfterSomeAttempts", func(t *testing.T) {
		t.Parallel()
		f, call, _ := waiting(t, nil)
		for attempt := 1; attempt < AnalysisAttempts; attempt++ {
			require.Error(t, analyzeCall(t, f, call.ID, attempt))
		}
		require.NoError(t, analyzeCall(t, f, call.ID, AnalysisAttempts))
		require.Equal(t, "failed", *f.call(t, call.ID).Analysis)
		require.Len(t, sentReports(t, f, call.ID), 1)
	})

	t.Run("GivesUpWhenItTakesItsProcessDown", func(t *testing.T) {
		t.Parallel()
		f, call, server := waiting(t, good())
		require.NoError(t, analyzeCall(t, f, call.ID, AnalysisAttempts+1))
		require.Contains(t, *f.call(t, call.ID).AnalysisError, "interrupted")
		require.Empty(t, server.Requests(analysistest.Summary))
		require.Len(t, sentReports(t, f, call.ID), 1)
	})

	t.Run("TheReportWaitsNoLongerThanAMinute", func(t *testing.T) {
		t.Parallel()
		f, call, _ := waiting(t, good())
		f.deps.Now = func() time.Time { return call.EndedAt.Add(reportWithin - time.Second) }
		require.Positive(t, finishCall(t, f, call.ID))
		f.deps.Now = func() time.Time { return call.EndedAt.Add(reportWithin) }
		require.Zero(t, finishCall(t, f, call.ID))
		reports := sentReports(t, f, call.ID)
		require.Len(t, reports, 1)
		require.Empty(t, reports[0].Analysis.Summary)

		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		require.Equal(t, "They talked.", *f.call(t, call.ID).Summary, "what comes late still joins the record")
		require.Equal(t, "They talked.", *getContact(t, f).LastInteractionSummary)
		require.Len(t, sentReports(t, f, call.ID), 1)
	})

	t.Run("DoesNotAskAgainAfterTheReport", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Summary] = []analysistest.Answer{{Hang: true}}
		f, call, _ := waiting(t, answers)
		f.deps.Now = func() time.Time { return call.EndedAt.Add(reportWithin) }
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		call = f.call(t, call.ID)
		require.Equal(t, "failed", *call.Analysis)
		require.Contains(t, *call.AnalysisError, "summary: ")
		require.Equal(t, "true", *call.SuccessEvaluation)
	})

	t.Run("NotWhenTheCallIsGone", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		require.NoError(t, analyzeCall(t, f, newID(t), 1))
	})
}

func TestLastInteraction(t *testing.T) {
	t.Parallel()
	f := setup(t)
	call := addTalk(t, f)
	_, err := f.tx.Exec(t.Context(), "UPDATE contact SET last_interaction_at = now() + interval '1 hour', last_interaction_summary = 'Later.'")
	require.NoError(t, err)
	_, err = f.tx.Exec(t.Context(), "UPDATE call SET summary = 'Earlier.' WHERE id = $1", call.ID)
	require.NoError(t, err)
	require.Zero(t, finishCall(t, f, call.ID))
	require.Equal(t, "Later.", *getContact(t, f).LastInteractionSummary, "an older call does not replace a newer one's summary")
}

func TestRetryPlan(t *testing.T) {
	t.Parallel()

	// attempt makes the call of a scheduled call that is due, ends it and does what follows, twice.
	attempt := func(t *testing.T, f *fixture, id uuid.UUID, status string) *dbsqlc.Call {
		t.Helper()
		f.dialer.full = true // the test places the call itself
		require.Zero(t, work(t, f, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process"), StartScheduledCallArgs{ScheduledCallID: id}))
		callID := *getScheduled(t, f, id).CallID
		require.Len(t, f.claim(t, callID, "process"), 1)
		calls, err := CallsEnded(t.Context(), f.tx, f.inserter, "process", map[uuid.UUID]Ending{callID: {Status: status, Reason: "busy", Fault: "customer"}})
		require.NoError(t, err)
		require.Len(t, calls, 1)
		for range 2 {
			require.Zero(t, finishCall(t, f, callID))
		}
		return calls[0]
	}
	alarms := func(t *testing.T, f *fixture) int {
		t.Helper()
		var set int // and not rung by the test
		require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call' AND attempt = 0").Scan(&set))
		return set
	}
	withRetry := func(delay int) func(*dbsqlc.ScheduledCallInsertParams) {
		return func(params *dbsqlc.ScheduledCallInsertParams) {
			params.Retry = &jsonb.Retry{On: []string{"busy", "no-answer"}, MaxAttempts: 3, DelaySeconds: delay}
		}
	}

	t.Run("TriesUntilNoAttemptIsLeft", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
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
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), withRetry(600))
		call := attempt(t, f, scheduled.ID, "no-answer")
		scheduled = getScheduled(t, f, scheduled.ID)
		require.WithinDuration(t, call.EndedAt.Add(10*time.Minute), scheduled.ScheduledTime, time.Second)
		require.Positive(t, work(t, f, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process"), StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
	})

	t.Run("NotAfterOtherOutcomes", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		attempt(t, f, scheduled.ID, "completed")
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status)
		require.Zero(t, alarms(t, f))
	})

	t.Run("NotWithoutAPlan", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		attempt(t, f, scheduled.ID, "busy")
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status)
	})

	t.Run("NotAfterItWasStopped", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		call := attempt(t, f, scheduled.ID, "busy")
		_, err := f.tx.Exec(t.Context(), "UPDATE scheduled_call SET status = 'processed' WHERE id = $1", scheduled.ID) // by PUT
		require.NoError(t, err)
		require.Zero(t, finishCall(t, f, call.ID))
		require.Equal(t, "processed", getScheduled(t, f, scheduled.ID).Status, "the end of a call is acted upon once")
	})

	t.Run("NotWhenTheContactIsDeleted", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), withRetry(0))
		attempt(t, f, scheduled.ID, "busy")
		_, err := f.tx.Exec(t.Context(), "UPDATE contact SET deleted_at = now() WHERE id = $1", f.contact.ID)
		require.NoError(t, err)
		require.Zero(t, work(t, f, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process"), StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
		scheduled = getScheduled(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.Contains(t, *scheduled.Explanation, "deleted")
	})
}

func getScheduled(t *testing.T, f *fixture, id uuid.UUID) *dbsqlc.ScheduledCall {
	t.Helper()
	row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.tx, &dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.account.ID, ID: id})
	require.NoError(t, err)
	return row
}

// TestRetryPlanOfTwoAtOnce has several workers finish one call at the same time.
func TestRetryPlanOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	f, pool := setupCommitted(t)
	f.dialer.full = true
	scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), func(params *dbsqlc.ScheduledCallInsertParams) {
		params.Retry = &jsonb.Retry{On: []string{"completed"}, MaxAttempts: 10}
	})
	f.deps.DB = f.tx
	require.Zero(t, work(t, f, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process"), StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
	callID := *getScheduled(t, f, scheduled.ID).CallID
	require.Len(t, f.claim(t, callID, "process"), 1)
	f.end(t, callID, "process")
	require.NoError(t, f.tx.Commit(t.Context()))

	f.deps.DB = pool
	var finishing sync.WaitGroup
	for range 4 {
		finishing.Go(func() {
			ctx := rivertest.WorkContext(t.Context(), f.inserter)
			if _, err := NewFinishCallWorker(f.deps.DB, f.reporter(), Starter{Models: f.deps.Models}.Start).Finish(ctx, []uuid.UUID{callID}); err != nil {
				t.Error(err)
			}
		})
	}
	finishing.Wait()
	var attempts, alarms, reports int
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT attempt, (SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call' AND attempt = 0),
		(SELECT count(*) FROM event WHERE type = 'end-of-call-report') FROM scheduled_call`).Scan(&attempts, &alarms, &reports))
	require.Equal(t, []int{1, 1, 1}, []int{attempts, alarms, reports}, "one attempt so far, one alarm for the next, one report")
}

func TestReportOfTransfers(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	call := &dbsqlc.Call{
		AssistantConfig: &jsonb.Assistant{}, EndedReason: new("assistant-forwarded-call"),
		Timeline: jsonb.Timeline{
			{Status: "in-progress", At: at}, {Status: "forwarding", At: at, Destination: "sip:desk@example.com"},
			{Status: "in-progress", At: at}, {Status: "forwarding", At: at.Add(time.Second), Destination: "+31201234567"}, {Status: "completed", At: at},
		},
	}
	transfers := func() string {
		text, err := json.Marshal(newEndOfCallReport(call, nil, "").Artifact.Transfers)
		require.NoError(t, err)
		return string(text)
	}
	require.JSONEq(t, `[
		{"destination": {"type": "sip", "sipUri": "sip:desk@example.com"}, "mode": "blind-transfer", "status": "failed", "time": 1700000000000},
		{"destination": {"type": "number", "number": "+31201234567"}, "mode": "blind-transfer", "status": "completed", "time": 1700000001000}
	]`, transfers())
	call.EndedReason = new("customer-ended-call-during-transfer")
	require.NotContains(t, transfers(), "completed")
	call.Timeline = call.Timeline[:1]
	require.Equal(t, "null", transfers())
}
