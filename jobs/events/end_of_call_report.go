package events

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

// EndOfCallReport returns the report of a call that is over.
func EndOfCallReport(call *dbsqlc.Call, turns []*dbsqlc.CallTurn, publicURL string) Event {
	return Event{eventType: callstate.EventEndOfCallReport, call: call, body: newEndOfCallReport(call, turns, publicURL)}
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
	// How much of the call the recording lacks, which is all of it where a recording was to be made and is none.
	RecordingMissingSeconds *float64   `json:"recordingMissingSeconds,omitempty"`
	Transfers               []transfer `json:"transfers,omitempty"`

	Latency            *reportLatency     `json:"latency,omitempty"`
	PerformanceMetrics performanceMetrics `json:"performanceMetrics"`
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

	Timing *reportTiming `json:"timing,omitempty"` // of the assistant's answers to the caller
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
		Artifact: reportArtifact{MessagesOpenAI: []openAIMessage{}, Transfers: transfersOf(call), Latency: newReportLatency(call.Latency), PerformanceMetrics: newPerformanceMetrics(turns)},
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
		spoken := reportMessage{
			Role: role, Message: turn.Text, SecondsFromStart: turn.SecondsFromStart, Interrupted: turn.Interrupted, Timing: newReportTiming(turn.Timing),
		}
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
	report.Artifact.RecordingMissingSeconds = recordingMissing(call)
	report.Artifact.Messages, report.Artifact.Transcript, report.Artifact.RecordingURL = report.Messages, report.Transcript, report.RecordingURL
	return report
}

func recordingMissing(call *dbsqlc.Call) *float64 {
	if call.RecordingKey != nil {
		return call.RecordingMissingSeconds
	}
	if call.StartedAt == nil || call.EndedAt == nil || call.AssistantConfig.Unrecorded() {
		return nil
	}
	return new(call.EndedAt.Sub(*call.StartedAt).Seconds())
}
