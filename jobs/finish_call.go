package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
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

// FinishCallWorker reports a call that ended: one end-of-call-report, and the contact's last interaction. The event
// table keeps a second report out, so running twice is harmless. Calls that end together are reported together.
type FinishCallWorker struct {
	river.WorkerDefaults[FinishCallArgs]
	*Deps
	reports *db.Batcher[uuid.UUID, struct{}]
}

func newFinishCallWorker(deps *Deps) *FinishCallWorker {
	w := &FinishCallWorker{Deps: deps}
	w.reports = db.NewBatcher(w.finish)
	return w
}

// NextRetry is soon: a customer waits for the report.
func (w *FinishCallWorker) NextRetry(job *river.Job[FinishCallArgs]) time.Time {
	return retryAt(w.Now(), job.Attempt)
}

// Work implements river.Worker.
func (w *FinishCallWorker) Work(ctx context.Context, job *river.Job[FinishCallArgs]) error {
	if _, err := w.reports.Do(ctx, job.Args.CallID); err != nil {
		return fmt.Errorf("finish call: %w", err)
	}
	return nil
}

func (w *FinishCallWorker) finish(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]struct{}, error) {
	return nil, db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		calls, err := queries.CallListByID(ctx, tx, &dbsqlc.CallListByIDParams{Ids: ids})
		if err != nil {
			return fmt.Errorf("list calls: %w", err)
		}
		if len(calls) == 0 { // deleted meanwhile
			return nil
		}
		turns, err := queries.CallTurnListMany(ctx, tx, &dbsqlc.CallTurnListManyParams{CallIds: ids})
		if err != nil {
			return fmt.Errorf("list turns: %w", err)
		}
		byCall := map[uuid.UUID][]*dbsqlc.CallTurn{}
		for _, turn := range turns {
			byCall[turn.CallID] = append(byCall[turn.CallID], turn)
		}
		if err := touchContacts(ctx, tx, calls); err != nil {
			return err
		}
		var facts []fact
		for _, call := range calls {
			facts = append(facts, fact{
				eventType: EventEndOfCallReport, call: call, body: newEndOfCallReport(call, byCall[call.ID], w.PublicURL),
			})
		}
		deliveries, err := recordEvents(ctx, tx, facts...)
		if err != nil {
			return err
		}
		return enqueue(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), deliveries)
	})
}

// touchContacts notes the calls that were answered as their contacts' last interaction.
func touchContacts(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) error {
	params := &dbsqlc.ContactTouchManyParams{}
	for _, call := range calls {
		if call.ContactID != nil && call.StartedAt != nil {
			params.Ids = append(params.Ids, *call.ContactID)
			params.CallIds = append(params.CallIds, call.ID)
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
}

type reportArtifact struct {
	Messages       []reportMessage `json:"messages"`
	MessagesOpenAI []openAIMessage `json:"messagesOpenAIFormatted"`
	Transcript     string          `json:"transcript"`
	RecordingURL   *string         `json:"recordingUrl,omitempty"`
}

type reportAnalysis struct {
	Summary           *string `json:"summary,omitempty"`
	SuccessEvaluation *string `json:"successEvaluation,omitempty"`
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
		message: newMessage(EventEndOfCallReport, call), EndedReason: call.EndedReason, EndedFault: call.EndedFault, CallStatus: call.Status,
		StartedAt: utc(call.StartedAt), EndedAt: utc(call.EndedAt), Summary: call.Summary, Messages: []reportMessage{},
		Analysis: reportAnalysis{Summary: call.Summary, SuccessEvaluation: call.SuccessEvaluation},
		Artifact: reportArtifact{MessagesOpenAI: []openAIMessage{}},
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
