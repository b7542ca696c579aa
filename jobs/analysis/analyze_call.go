package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/traces"
)

// The states of an analysis, in call.analysis.
const (
	analysisDone   = "done"
	analysisFailed = "failed"
)

// analysisAttempts bounds how often a call is analyzed, interrupted attempts included.
const analysisAttempts = 5

// Models returns the language model of a vendor, else, as for "", the deployment's first choice; names of models mean
// nothing to it when the vendor is not known. *all.Providers is one.
type Models interface {
	LLM(vendor string) (model llm.Provider, known bool)
}

// AnalyzeCallArgs asks for an ended call to be analyzed.
type AnalyzeCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (AnalyzeCallArgs) Kind() string { return "analyze_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (AnalyzeCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue.Analysis, MaxAttempts: queue.MaxAttempts}
}

// analysisCooldown is how long what a call's analysis reads and writes waits for what those of others do.
const analysisCooldown = 100 * time.Millisecond

// AnalyzeCallWorker asks the assistant's language model what became of a call, and reports the call. What a model fails
// to answer is asked again while the report can wait for it; an answer that comes after the report still joins the record.
type AnalyzeCallWorker struct {
	river.WorkerDefaults[AnalyzeCallArgs]
	db       db.Beginner
	models   Models
	reporter *calls.Reporter
	now      func() time.Time
	loads    *db.Batcher[*AnalyzeCallArgs, *talk]
	saves    *db.Batcher[*finding, struct{}]
}

// NewAnalyzeCallWorker asks models, and reports calls by reporter.
func NewAnalyzeCallWorker(beginner db.Beginner, models Models, reporter *calls.Reporter,
	now func() time.Time) *AnalyzeCallWorker {
	w := &AnalyzeCallWorker{db: beginner, models: models, reporter: reporter, now: now}
	w.loads = db.NewCooldownBatcher(analysisCooldown, w.load).Named("analysis_load")
	w.saves = db.NewCooldownBatcher(analysisCooldown, w.save).Named("analysis_save")
	return w
}

// Close ends what the worker does for many jobs together. No job runs any more.
func (w *AnalyzeCallWorker) Close() {
	w.loads.Close()
	w.saves.Close()
}

// Timeout covers the longest two requests that a plan allows, one after the other.
func (w *AnalyzeCallWorker) Timeout(*river.Job[AnalyzeCallArgs]) time.Duration {
	return 2*time.Minute + 30*time.Second
}

// Work implements river.Worker.
func (w *AnalyzeCallWorker) Work(ctx context.Context, job *river.Job[AnalyzeCallArgs]) error {
	said, err := w.loads.Do(ctx, &job.Args)
	if err != nil {
		return fmt.Errorf("load call: %w", err)
	}
	if said == nil || said.call.Analysis == nil || *said.call.Analysis != calls.AnalysisPending {
		return nil
	}
	call := said.call
	have := Result{
		Summary: call.Summary, SuccessEvaluation: call.SuccessEvaluation,
		StructuredData: call.StructuredData, StructuredDataMulti: call.StructuredDataMulti,
	}
	failures := []Failure{{Part: "analysis", Err: errors.New("interrupted too often")}}
	if job.Attempt <= analysisAttempts { // an attempt that took its process down must not do so for ever
		have, failures = w.analyze(ctx, call, said.turns, have)
	}
	if len(failures) > 0 && ctx.Err() != nil {
		return fmt.Errorf("analyze call: %w", context.Cause(ctx)) // our own shutdown
	}
	again := job.Attempt < analysisAttempts && queue.RetryAt(w.now(), job.Attempt).Before(call.EndedAt.Add(calls.ReportWithin)) &&
		slices.ContainsFunc(failures, Failure.Temporary)
	if _, err := w.saves.Do(context.WithoutCancel(ctx), newFinding(call.ID, have, failures, again)); err != nil {
		return fmt.Errorf("save analysis: %w", err)
	}
	if again {
		first := failures[slices.IndexFunc(failures, Failure.Temporary)]
		return fmt.Errorf("analyze call: %s: %w", first.Part, first.Err)
	}
	return nil
}

func (w *AnalyzeCallWorker) analyze(ctx context.Context, call *dbsqlc.Call, turns []*dbsqlc.CallTurn,
	have Result) (Result, []Failure) {
	ctx, span := traces.Begin(traces.Continue(ctx, call.Traceparent, call.ID), AnalyzeCallArgs{}.Kind())
	defer span.End("")
	config := call.AssistantConfig
	plan := config.Analysis()
	talk := &Conversation{Turns: spoken(turns), SystemPrompt: config.SystemPrompt(call.Instruction)}
	if call.EndedReason != nil {
		talk.EndedReason = *call.EndedReason
	}
	return Run(ctx, modelOf(w.models, config), &plan, talk, have)
}

// modelOf returns the assistant's language model.
func modelOf(models Models, config *jsonb.Assistant) Model {
	vendor, _ := config.Model["provider"].(string)
	provider, known := models.LLM(vendor)
	model := Model{Provider: provider}
	if known {
		model.Name, _ = config.Model["model"].(string)
	}
	return model
}

func spoken(turns []*dbsqlc.CallTurn) []Turn {
	said := make([]Turn, 0, len(turns))
	for _, turn := range turns {
		text := turn.Text
		if turn.Speaker != nil {
			text = "(said by a colleague, not by the AI) " + text
		}
		said = append(said, Turn{Role: turn.Role, Text: text})
	}
	return said
}

// Starter starts the analyses of ended calls.
type Starter struct{ Models Models }

// Start asks for the analyses of calls that are worth one, and notes in ended which those are. It is a StartAnalyses.
func (s Starter) Start(ctx context.Context, tx pgx.Tx, in queue.Inserter, ended []*dbsqlc.Call,
	turns map[uuid.UUID][]*dbsqlc.CallTurn) error {
	var worth []uuid.UUID
	for _, call := range ended {
		if call.Analysis != nil || call.AssistantConfig == nil || len(turns[call.ID]) == 0 {
			continue
		}
		plan := call.AssistantConfig.Analysis()
		if Worthwhile(&plan, spoken(turns[call.ID]), modelOf(s.Models, call.AssistantConfig).Provider) {
			worth = append(worth, call.ID)
		}
	}
	if len(worth) == 0 {
		return nil
	}
	started, err := dbsqlc.New().CallStartAnalysis(ctx, tx, &dbsqlc.CallStartAnalysisParams{Ids: worth})
	if err != nil {
		return fmt.Errorf("start analyses: %w", err)
	}
	var params []river.InsertManyParams
	for _, call := range ended {
		if slices.Contains(started, call.ID) {
			call.Analysis = new(calls.AnalysisPending)
			params = append(params, river.InsertManyParams{Args: AnalyzeCallArgs{CallID: call.ID}})
		}
	}
	return queue.Insert(ctx, tx, in, params)
}

// describe returns what the record says of failures.
func describe(failures []Failure) string {
	const most = 1000 // bytes of each
	var texts []string
	for _, failure := range failures {
		text := failure.Err.Error()
		texts = append(texts, failure.Part+": "+db.Storable(text[:min(len(text), most)]))
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}
