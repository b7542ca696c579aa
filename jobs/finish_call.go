package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

// FinishCallArgs asks for what follows the end of a call.
type FinishCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (FinishCallArgs) Kind() string { return "finish_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (FinishCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: maxAttempts}
}

// reportWithin is how long after its end a call is reported at the latest, analyzed or not.
const reportWithin = 60 * time.Second

// finishRest is how long the end of a call waits for the ends of others.
const finishRest = 100 * time.Millisecond

// FinishCallWorker does what follows the end of a call: the next attempt of a scheduled call, the contact's last
// interaction, the text message, the analysis, one end-of-call-report, and mail. A call that is worth an analysis sleeps on as its own
// alarm: whichever comes first, the analysis or the alarm, reports it, and the event table keeps a second report out.
// Calls that end together are worked together.
type FinishCallWorker struct {
	river.WorkerDefaults[FinishCallArgs]
	*Deps
	ends *db.Batcher[uuid.UUID, time.Duration]
}

func newFinishCallWorker(deps *Deps) *FinishCallWorker {
	w := &FinishCallWorker{Deps: deps}
	w.ends = db.NewCooldownBatcher(finishRest, w.finish)
	return w
}

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

// finish answers how long to wait for analyses, by call; those without an entry are reported.
func (w *FinishCallWorker) finish(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]time.Duration, error) {
	in := river.ClientFromContext[pgx.Tx](ctx)
	return db.WithTx(ctx, db.PlanOnce(w.DB), func(tx pgx.Tx) (map[uuid.UUID]time.Duration, error) {
		calls, err := dbsqlc.New().CallListByID(ctx, tx, &dbsqlc.CallListByIDParams{Ids: ids})
		if err != nil {
			return nil, fmt.Errorf("list calls: %w", err)
		}
		if len(calls) == 0 { // deleted meanwhile
			return nil, nil
		}
		turns, err := turnsOf(ctx, tx, ids)
		if err != nil {
			return nil, err
		}
		if err := tryAgain(ctx, tx, in, ids); err != nil {
			return nil, err
		}
		if err := textCallers(ctx, tx, in, calls); err != nil {
			return nil, err
		}
		if err := w.startAnalyses(ctx, tx, in, calls, turns); err != nil {
			return nil, err
		}
		waits, over := map[uuid.UUID]time.Duration{}, []*dbsqlc.Call{}
		for _, call := range calls {
			if wait := w.waitForAnalysis(call); wait > 0 {
				waits[call.ID] = wait
			} else {
				over = append(over, call)
			}
		}
		return waits, w.report(ctx, tx, in, over, turns)
	})
}

func turnsOf(ctx context.Context, tx pgx.Tx, callIDs []uuid.UUID) (map[uuid.UUID][]*dbsqlc.CallTurn, error) {
	turns, err := dbsqlc.New().CallTurnListMany(ctx, tx, &dbsqlc.CallTurnListManyParams{CallIds: callIDs})
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	byCall := map[uuid.UUID][]*dbsqlc.CallTurn{}
	for _, turn := range turns {
		byCall[turn.CallID] = append(byCall[turn.CallID], turn)
	}
	return byCall, nil
}

// tryAgain schedules the next attempts of scheduled calls whose retry plans cover how these calls ended.
func tryAgain(ctx context.Context, tx pgx.Tx, in Inserter, callIDs []uuid.UUID) error {
	followed, err := dbsqlc.New().ScheduledCallFollow(ctx, tx, &dbsqlc.ScheduledCallFollowParams{CallIds: callIDs})
	if err != nil {
		return fmt.Errorf("follow scheduled calls: %w", err)
	}
	for _, scheduled := range followed {
		if scheduled.Status != "scheduled" { // no attempts are left
			continue
		}
		if err := SetScheduledCallAlarm(ctx, tx, in, scheduled); err != nil {
			return err
		}
	}
	return nil
}

// waitForAnalysis is how long a call's report waits for its analysis still.
func (w *FinishCallWorker) waitForAnalysis(call *dbsqlc.Call) time.Duration {
	if call.Analysis == nil || *call.Analysis != analysisPending {
		return 0
	}
	return call.EndedAt.Add(reportWithin).Sub(w.Now())
}

// report tells of calls that are over, once each: the report, the mail, and the contact's last interaction.
func (d *Deps) report(ctx context.Context, tx pgx.Tx, in Inserter, calls []*dbsqlc.Call, turns map[uuid.UUID][]*dbsqlc.CallTurn) error {
	if len(calls) == 0 {
		return nil
	}
	if err := touchContacts(ctx, tx, calls); err != nil {
		return err
	}
	var facts []fact
	for _, call := range calls {
		facts = append(facts, fact{
			eventType: callstate.EventEndOfCallReport, call: call, body: newEndOfCallReport(call, turns[call.ID], d.PublicURL),
		})
	}
	deliveries, err := recordEvents(ctx, tx, facts...)
	if err != nil {
		return err
	}
	mails, err := d.postCallMail(calls, turns)
	if err != nil {
		return err
	}
	if err := EnqueueMail(ctx, tx, in, mails...); err != nil {
		return err
	}
	return enqueue(ctx, tx, in, append(deliveries, forgetting(d.Now(), calls)...))
}

// touchContacts notes the calls that were answered as their contacts' last interaction.
func touchContacts(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) error {
	params := &dbsqlc.ContactTouchManyParams{}
	for _, call := range calls {
		if call.ContactID != nil && call.StartedAt != nil {
			params.Ids = append(params.Ids, *call.ContactID)
			params.CallIds = append(params.CallIds, call.ID)
			if call.AssistantConfig.Forgets() {
				params.ForgottenIds = append(params.ForgottenIds, call.ID)
			}
		}
	}
	if len(params.Ids) == 0 {
		return nil
	}
	if err := dbsqlc.New().ContactTouchMany(ctx, tx, params); err != nil {
		return fmt.Errorf("touch contacts: %w", err)
	}
	return nil
}

type endOfCallReport struct {
	message
	EndedReason     *string         `json:"endedReason"`
	EndedFault      *string         `json:"endedFault"`
	CallStatus      string          `json:"callStatus"`
	StartedAt       *time.Time      `json:"startedAt,omitempty"`
	EndedAt         *time.Time      `json:"endedAt,omitempty"`
	DurationSeconds float64         `json:"durationSeconds"`
	Artifact        reportArtifact  `json:"artifact"`
	Analysis        reportAnalysis  `json:"analysis"`
	Transcript      string          `json:"transcript"`
	Messages        []reportMessage `json:"messages"`
	RecordingURL    *string         `json:"recordingUrl,omitempty"`
	Summary         *string         `json:"summary,omitempty"`
	Destination     *destination    `json:"destination,omitempty"` // of a call that was transferred
}

type reportArtifact struct {
	Messages       []reportMessage `json:"messages"`
	MessagesOpenAI []openAIMessage `json:"messagesOpenAIFormatted"`
	Transcript     string          `json:"transcript"`
	RecordingURL   *string         `json:"recordingUrl,omitempty"`
	Transfers      []transfer      `json:"transfers,omitempty"`
}

type reportAnalysis struct {
	Summary             *string         `json:"summary,omitempty"`
	SuccessEvaluation   *string         `json:"successEvaluation,omitempty"`
	StructuredData      json.RawMessage `json:"structuredData,omitempty"`
	StructuredDataMulti json.RawMessage `json:"structuredDataMulti,omitempty"`
}

type reportMessage struct {
	Role             string  `json:"role"`
	Message          string  `json:"message"`
	Time             int64   `json:"time"` // Unix milliseconds
	SecondsFromStart float64 `json:"secondsFromStart"`
	Interrupted      bool    `json:"interrupted,omitempty"`
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func newEndOfCallReport(call *dbsqlc.Call, turns []*dbsqlc.CallTurn, publicURL string) endOfCallReport {
	report := endOfCallReport{
		message: newMessage(callstate.EventEndOfCallReport, call), EndedReason: call.EndedReason, EndedFault: call.EndedFault, CallStatus: call.Status,
		StartedAt: utc(call.StartedAt), EndedAt: utc(call.EndedAt), Summary: call.Summary, Messages: []reportMessage{}, Destination: transferredTo(call),
		Analysis: reportAnalysis{
			Summary: call.Summary, SuccessEvaluation: call.SuccessEvaluation,
			StructuredData: call.StructuredData, StructuredDataMulti: call.StructuredDataMulti,
		},
		Artifact: reportArtifact{MessagesOpenAI: []openAIMessage{}, Transfers: transfersOf(call)},
	}
	if call.StartedAt != nil && call.EndedAt != nil {
		report.DurationSeconds = call.EndedAt.Sub(*call.StartedAt).Seconds()
	}
	var text strings.Builder
	for _, turn := range turns {
		// The field's name for what the assistant says in a report is bot; AI and User are its names in the running text.
		role, speaker := turn.Role, "User"
		if turn.Role == "assistant" {
			role, speaker = "bot", "AI"
		}
		spoken := reportMessage{Role: role, Message: turn.Text, SecondsFromStart: turn.SecondsFromStart, Interrupted: turn.Interrupted}
		if call.StartedAt != nil {
			spoken.Time = call.StartedAt.Add(time.Duration(turn.SecondsFromStart * float64(time.Second))).UnixMilli()
		}
		report.Messages = append(report.Messages, spoken)
		report.Artifact.MessagesOpenAI = append(report.Artifact.MessagesOpenAI, openAIMessage{Role: turn.Role, Content: turn.Text})
		fmt.Fprintf(&text, "%s: %s\n", speaker, turn.Text)
	}
	report.Transcript = text.String()
	if call.RecordingKey != nil {
		report.RecordingURL = new(publicURL + "/v1/calls/" + call.ID.String() + "/recording")
	}
	report.Artifact.Messages, report.Artifact.Transcript, report.Artifact.RecordingURL = report.Messages, report.Transcript, report.RecordingURL
	return report
}
