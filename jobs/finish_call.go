package jobs

import (
	"context"
	"errors"
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

// FinishCallWorker reports a call that ended: one end-of-call-report, and the contact's last interaction. The event
// table keeps a second report out, so running twice is harmless.
type FinishCallWorker struct {
	river.WorkerDefaults[FinishCallArgs]
	*Deps
}

// NextRetry is soon: a customer waits for the report.
func (w *FinishCallWorker) NextRetry(*river.Job[FinishCallArgs]) time.Time {
	return w.Now().Add(5 * time.Second)
}

// Work implements river.Worker.
func (w *FinishCallWorker) Work(ctx context.Context, job *river.Job[FinishCallArgs]) error {
	err := db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		return w.report(ctx, tx, job.Args.CallID)
	})
	if err != nil {
		return fmt.Errorf("finish call: %w", err)
	}
	return nil
}

func (w *FinishCallWorker) report(ctx context.Context, tx pgx.Tx, callID uuid.UUID) error {
	queries := dbsqlc.New()
	call, err := queries.CallGetAny(ctx, tx, &dbsqlc.CallGetAnyParams{ID: callID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get call: %w", err)
	}
	turns, err := queries.CallTurnList(ctx, tx, &dbsqlc.CallTurnListParams{AccountID: call.AccountID, CallID: call.ID})
	if err != nil {
		return fmt.Errorf("list turns: %w", err)
	}
	params, err := recordEvents(ctx, tx, fact{EventEndOfCallReport, call, newEndOfCallReport(call, turns, w.PublicURL)})
	if err != nil {
		return err
	}
	if err := enqueue(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), params); err != nil {
		return err
	}
	if call.ContactID == nil || call.StartedAt == nil {
		return nil
	}
	err = queries.ContactTouch(ctx, tx, &dbsqlc.ContactTouchParams{AccountID: call.AccountID, ID: *call.ContactID, At: *call.EndedAt})
	if err != nil {
		return fmt.Errorf("touch contact: %w", err)
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
