package analysis_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/analysis"
	"github.com/callwright/callwright/jobs/analysis/analysistest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// analyzeCall is the attempt-th run of a call's analysis.
func analyzeCall(t *testing.T, f *jobstest.Fixture, callID uuid.UUID, attempt int) error {
	t.Helper()
	analyze := analysis.NewAnalyzeCallWorker(f.Services.DB, f.Services.Models, f.Reporter(), f.Services.Now)
	defer analyze.Close()
	worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, analyze)
	job, err := f.Inserter.InsertTx(t.Context(), f.Tx, analysis.AnalyzeCallArgs{CallID: callID},
		&river.InsertOpts{ScheduledAt: time.Now().Add(-time.Minute)})
	require.NoError(t, err)
	// Work counts an attempt itself.
	_, err = f.Tx.Exec(t.Context(), "UPDATE river_job SET attempt = $2 WHERE id = $1", job.Job.ID, attempt-1)
	require.NoError(t, err)
	row := *job.Job
	row.Attempt = attempt - 1
	row.State = rivertype.JobStateAvailable
	_, err = worker.WorkJob(t.Context(), t, f.Tx, &row)
	return err
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
	waiting := func(t *testing.T, answers map[string][]analysistest.Answer) (*jobstest.Fixture, *dbsqlc.Call, *analysistest.Server) {
		t.Helper()
		f := jobstest.New(t)
		server := analysistest.Start(t, answers)
		f.Services.Models = server
		_, err := f.Tx.Exec(t.Context(), `UPDATE assistant SET config = jsonb_set(jsonb_set(config, '{analysis_plan}',
			'{"structuredDataSchema": {"type": "object", "properties": {"age": {"type": "integer"}}}, "summaryRequestTimeoutSeconds": 1}'),
			'{model}', '{"provider": "openai", "model": "own-model"}') WHERE id = $1`, f.Assistant.ID)
		require.NoError(t, err)
		call := f.AddTalk(t)
		for range 2 {
			require.InDelta(t, calls.ReportWithin, f.FinishCall(t, call.ID), float64(5*time.Second))
		}
		require.Empty(t, f.SentReports(t, call.ID))
		analyses := slices.DeleteFunc(f.JobKinds(t), func(kind string) bool { return kind != "analyze_call" })
		require.Len(t, analyses, 1, "however often the call is finished")
		return f, call, server
	}

	t.Run("ReportsWithWhatCameOut", func(t *testing.T) {
		t.Parallel()
		f, call, server := waiting(t, good())
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		reports := f.SentReports(t, call.ID)
		require.Len(t, reports, 1)
		require.Equal(t, "They talked.", reports[0].Analysis.Summary)
		require.Equal(t, "true", reports[0].Analysis.SuccessEvaluation)
		require.Equal(t, map[string]any{"age": 4.0}, reports[0].Analysis.StructuredData)
		require.Equal(t, "own-model", server.Requests(analysistest.Summary)[0].Model)
		call = f.Call(t, call.ID)
		require.Equal(t, "They talked.", *call.Summary)
		require.Equal(t, "done", *call.Analysis)
		require.Equal(t, "They talked.", *f.GetContact(t).LastInteractionSummary)

		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		require.Zero(t, f.FinishCall(t, call.ID))
		require.Len(t, f.SentReports(t, call.ID), 1, "a second run changes nothing")
		require.Len(t, server.Requests(analysistest.Summary), 1)
	})

	t.Run("AsksAgainForWhatFailed", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Evaluation] = []analysistest.Answer{{Status: http.StatusServiceUnavailable},
			{Text: `{"evaluation": false}`}}
		f, call, server := waiting(t, answers)
		require.Error(t, analyzeCall(t, f, call.ID, 1))
		require.Empty(t, f.SentReports(t, call.ID))
		require.Equal(t, "pending", *f.Call(t, call.ID).Analysis)

		require.NoError(t, analyzeCall(t, f, call.ID, 2))
		require.Equal(t, "false", f.SentReports(t, call.ID)[0].Analysis.SuccessEvaluation)
		require.Len(t, server.Requests(analysistest.Summary), 1, "what was known is not asked again")
		require.Nil(t, f.Call(t, call.ID).AnalysisError)
	})

	t.Run("SaysWhatItCouldNotFindOut", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Data] = []analysistest.Answer{{Text: "I cannot help with that."}}
		f, call, _ := waiting(t, answers)
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		call = f.Call(t, call.ID)
		require.Equal(t, "failed", *call.Analysis)
		require.Equal(t, "structured data: answer is not JSON", *call.AnalysisError)
		require.Equal(t, "They talked.", f.SentReports(t, call.ID)[0].Analysis.Summary)
	})

	t.Run("GivesUpAfterSomeAttempts", func(t *testing.T) {
		t.Parallel()
		f, call, _ := waiting(t, nil)
		for attempt := 1; attempt < analysis.AnalysisAttempts; attempt++ {
			require.Error(t, analyzeCall(t, f, call.ID, attempt))
		}
		require.NoError(t, analyzeCall(t, f, call.ID, analysis.AnalysisAttempts))
		require.Equal(t, "failed", *f.Call(t, call.ID).Analysis)
		require.Len(t, f.SentReports(t, call.ID), 1)
	})

	t.Run("GivesUpWhenItTakesItsProcessDown", func(t *testing.T) {
		t.Parallel()
		f, call, server := waiting(t, good())
		require.NoError(t, analyzeCall(t, f, call.ID, analysis.AnalysisAttempts+1))
		require.Contains(t, *f.Call(t, call.ID).AnalysisError, "interrupted")
		require.Empty(t, server.Requests(analysistest.Summary))
		require.Len(t, f.SentReports(t, call.ID), 1)
	})

	t.Run("TheReportWaitsNoLongerThanAMinute", func(t *testing.T) {
		t.Parallel()
		f, call, _ := waiting(t, good())
		f.Services.Now = func() time.Time { return call.EndedAt.Add(calls.ReportWithin - time.Second) }
		require.Positive(t, f.FinishCall(t, call.ID))
		f.Services.Now = func() time.Time { return call.EndedAt.Add(calls.ReportWithin) }
		require.Zero(t, f.FinishCall(t, call.ID))
		reports := f.SentReports(t, call.ID)
		require.Len(t, reports, 1)
		require.Empty(t, reports[0].Analysis.Summary)

		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		require.Equal(t, "They talked.", *f.Call(t, call.ID).Summary, "what comes late still joins the record")
		require.Equal(t, "They talked.", *f.GetContact(t).LastInteractionSummary)
		require.Len(t, f.SentReports(t, call.ID), 1)
	})

	t.Run("DoesNotAskAgainAfterTheReport", func(t *testing.T) {
		t.Parallel()
		answers := good()
		answers[analysistest.Summary] = []analysistest.Answer{{Hang: true}}
		f, call, _ := waiting(t, answers)
		f.Services.Now = func() time.Time { return call.EndedAt.Add(calls.ReportWithin) }
		require.NoError(t, analyzeCall(t, f, call.ID, 1))
		call = f.Call(t, call.ID)
		require.Equal(t, "failed", *call.Analysis)
		require.Contains(t, *call.AnalysisError, "summary: ")
		require.Equal(t, "true", *call.SuccessEvaluation)
	})

	t.Run("SavesThoseOfManyCallsTogether", func(t *testing.T) {
		t.Parallel()
		f, first, _ := waiting(t, good())
		second, third := f.AddTalk(t), f.AddTalk(t)
		for _, call := range []*dbsqlc.Call{second, third} {
			require.Positive(t, f.FinishCall(t, call.ID))
		}
		worker := analysis.NewAnalyzeCallWorker(f.Services.DB, f.Services.Models, f.Reporter(), f.Services.Now)
		defer worker.Close()
		again := analysis.Failure{Part: "summary", Err: errors.New("no answer")}
		save := func() {
			require.NoError(t, worker.SaveTogether(rivertest.WorkContext(t.Context(), f.Inserter), analysis.Found(first.ID, "First."),
				analysis.Found(second.ID, "Second."), analysis.Found(third.ID, "", again), analysis.Found(dbfactory.ID(t), "Deleted.")))
		}
		save()
		save()
		require.Equal(t, "First.", f.SentReports(t, first.ID)[0].Analysis.Summary)
		require.Equal(t, "Second.", f.SentReports(t, second.ID)[0].Analysis.Summary)
		require.Len(t, f.SentReports(t, first.ID), 1, "a second attempt changes nothing")
		require.Empty(t, f.SentReports(t, third.ID), "it is asked about again")
		require.Equal(t, "pending", *f.Call(t, third.ID).Analysis)
		require.Nil(t, f.Call(t, third.ID).Summary)
		require.Nil(t, f.Call(t, first.ID).StructuredData)
	})

	t.Run("NotWhenTheCallIsGone", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		require.NoError(t, analyzeCall(t, f, dbfactory.ID(t), 1))
	})
}
