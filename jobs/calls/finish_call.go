package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/traces"
)

// FinishCallArgs asks for what follows the end of a call.
type FinishCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (FinishCallArgs) Kind() string { return "finish_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (FinishCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// AnalysisPending is what call.analysis says of a call whose analysis is under way.
const AnalysisPending = "pending"

// ReportWithin is how long after its end a call is reported at the latest, analyzed or not.
const ReportWithin = 60 * time.Second

// A call whose worker died waits this long for another one to keep its recording: for the host to come back, too.
const (
	salvageWithin = 10 * time.Second
	salvageWait   = 500 * time.Millisecond
)

// finishCooldown is how long the end of a call waits for the ends of others.
const finishCooldown = 100 * time.Millisecond

// FinishCallWorker does what follows the end of a call: the next attempt of a scheduled call, the contact's last
// interaction, the text message, the analysis, one end-of-call-report, and mail. A call that is worth an analysis sleeps on as
// its own alarm: whichever comes first, the analysis or the alarm, reports it, and the event table keeps a second report out.
// Calls that end together are worked together.
type FinishCallWorker struct {
	river.WorkerDefaults[FinishCallArgs]
	db       db.Beginner
	reporter *Reporter
	analyze  StartAnalyses
	ends     *db.Batcher[uuid.UUID, time.Duration]
}

// StartAnalyses asks for the analyses of those ended calls that are worth one, and sets Analysis of these. It comes from
// above: analyses know calls, and report them.
type StartAnalyses func(ctx context.Context, tx pgx.Tx, in queue.Inserter, calls []*dbsqlc.Call,
	turns map[uuid.UUID][]*dbsqlc.CallTurn) error

// NewFinishCallWorker finishes calls by reporter and analyze.
func NewFinishCallWorker(beginner db.Beginner, reporter *Reporter, analyze StartAnalyses) *FinishCallWorker {
	w := &FinishCallWorker{db: beginner, reporter: reporter, analyze: analyze}
	w.ends = db.NewCooldownBatcher(finishCooldown, w.finish).Named("call_finish")
	return w
}

// Close ends what the worker does for many jobs together. No job runs any more.
func (w *FinishCallWorker) Close() { w.ends.Close() }

// Work implements river.Worker.
func (w *FinishCallWorker) Work(ctx context.Context, job *river.Job[FinishCallArgs]) error {
	wait, err := w.ends.Do(context.WithoutCancel(ctx), job.Args.CallID)
	if err != nil {
		return fmt.Errorf("finish call: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// finish returns how long to wait for analyses, by call; those without an entry are reported.
func (w *FinishCallWorker) finish(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]time.Duration, error) {
	began := time.Now()
	in, first := river.ClientFromContext[pgx.Tx](ctx), []*dbsqlc.Call{}
	waits, err := db.WithTx(ctx, db.PlanOnce(w.db), func(tx pgx.Tx) (map[uuid.UUID]time.Duration, error) {
		calls, err := dbsqlc.New().CallListByID(ctx, tx, &dbsqlc.CallListByIDParams{Ids: ids})
		if err != nil {
			return nil, fmt.Errorf("list calls: %w", err)
		}
		if len(calls) == 0 { // deleted meanwhile
			return nil, nil
		}
		if err := LoadConfigurations(ctx, tx, calls...); err != nil {
			return nil, err
		}
		calls, waits := w.withoutThoseThatWait(calls)
		if len(calls) == 0 {
			return waits, nil
		}
		ids := callIDs(calls)
		turns, err := ListTurns(ctx, tx, ids)
		if err != nil {
			return nil, err
		}
		if err := scheduleRetries(ctx, tx, in, ids); err != nil {
			return nil, err
		}
		first = unanalyzed(calls)
		if err := messages.TextCallers(ctx, tx, in, first, turns); err != nil {
			return nil, err
		}
		if err := w.analyze(ctx, tx, in, calls, turns); err != nil {
			return nil, err
		}
		var over []*dbsqlc.Call
		for _, call := range calls {
			if wait := w.waitForAnalysis(call); wait > 0 {
				waits[call.ID] = wait
			} else {
				over = append(over, call)
			}
		}
		return waits, w.reporter.Report(ctx, tx, in, over, turns)
	})
	if err == nil {
		countEnded(first)
		for _, call := range first {
			traces.Past(traces.Continue(ctx, call.Traceparent, call.ID), FinishCallArgs{}.Kind(), began, time.Now(), nil)
		}
	}
	return waits, err
}

// countEnded counts calls by how they ended, for the operator.
func countEnded(calls []*dbsqlc.Call) {
	for _, call := range calls {
		network := metrics.Network(call.Simulated)
		metrics.CallsEnded.WithLabelValues(call.Direction, call.Status, db.TextOf(call.EndedReason), db.TextOf(call.EndedFault),
			network).Inc()
	}
}

// unanalyzed returns the calls that are finished for the first time: those whose analysis is waited for are finished twice.
func unanalyzed(calls []*dbsqlc.Call) []*dbsqlc.Call {
	var first []*dbsqlc.Call
	for _, call := range calls {
		if call.Analysis == nil {
			first = append(first, call)
		}
	}
	return first
}

// withoutThoseThatWait returns the calls that are to be finished now, and how long others wait. Whose analysis is over, its end
// reported the call.
func (w *FinishCallWorker) withoutThoseThatWait(calls []*dbsqlc.Call) (now []*dbsqlc.Call, waits map[uuid.UUID]time.Duration) {
	waits = map[uuid.UUID]time.Duration{}
	for _, call := range calls {
		switch wait := w.waitForRecording(call); {
		case wait > 0:
			waits[call.ID] = wait
		case call.Analysis == nil || *call.Analysis == AnalysisPending:
			now = append(now, call)
		}
	}
	return now, waits
}

// waitForRecording returns how long the end of a call waits for its recording still, of which its worker may have left a
// part.
func (w *FinishCallWorker) waitForRecording(call *dbsqlc.Call) time.Duration {
	if call.EndedReason == nil || *call.EndedReason != callstate.ReasonWorkerLost || call.StartedAt == nil ||
		call.RecordingKey != nil || call.AssistantConfig.Unrecorded() {
		return 0
	}
	return min(call.EndedAt.Add(salvageWithin).Sub(w.reporter.Now()), salvageWait)
}

func callIDs(calls []*dbsqlc.Call) []uuid.UUID {
	ids := make([]uuid.UUID, len(calls))
	for i, call := range calls {
		ids[i] = call.ID
	}
	return ids
}

// waitForAnalysis returns how long a call's report waits for its analysis still, counted from when its end was recorded, which
// is later than the end where Postgres was away.
func (w *FinishCallWorker) waitForAnalysis(call *dbsqlc.Call) time.Duration {
	if call.Analysis == nil || *call.Analysis != AnalysisPending {
		return 0
	}
	return call.UpdatedAt.Add(ReportWithin).Sub(w.reporter.Now())
}
