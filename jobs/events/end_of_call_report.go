package events

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// Report is what is known of a call that is over.
type Report struct {
	Call         *dbsqlc.Call
	Turns        []*dbsqlc.CallTurn
	ToolCalls    []*dbsqlc.CallToolCall
	Legs         []*dbsqlc.CallLeg // that were dialed for its caller, the oldest first
	Tasks        []Task            // besides those of ToolCalls
	RecordingURL string            // opens without a key; empty: there is no recording
	Usage        jsonb.Usage
}

// Event returns the end-of-call-report.
func (r *Report) Event() Event {
	return Event{eventType: callstate.EventEndOfCallReport, call: r.Call, body: newEndOfCallReport(r)}
}

type endOfCallReport struct {
	message
	Assistant          *reportAssistant `json:"assistant,omitempty" doc:"Missing where none had the call."`
	EndedReason        *string          `json:"endedReason" doc:"Why the call ended, such as customer-ended-call."`
	EndedFault         *string          `json:"endedFault" enum:"customer,assistant,carrier,provider,config,platform" doc:"Who ended it or whose failure did."`
	CallStatus         string           `json:"callStatus" enum:"completed,missed,busy,no-answer,voicemail,failed,canceled" doc:"How the call ended."`
	StartedAt          *time.Time       `json:"startedAt,omitempty" doc:"When it was answered."`
	EndedAt            *time.Time       `json:"endedAt,omitempty"`
	DurationSeconds    float64          `json:"durationSeconds" doc:"Seconds from the answer to the end."`
	Artifact           reportArtifact   `json:"artifact" doc:"What the call left behind."`
	Analysis           reportAnalysis   `json:"analysis" doc:"What the language model made of the conversation, by the assistant's analysis_plan."`
	Transcript         string           `json:"transcript" doc:"The conversation as text: a line for each turn, which begins with AI: or User:."`
	Messages           []reportMessage  `json:"messages" nullable:"false" doc:"The conversation, in its order."`
	Tasks              []Task           `json:"tasks" nullable:"false" doc:"All that followed from the call."`
	RecordingURL       *string          `json:"recordingUrl,omitempty" format:"uri" doc:"A stereo WAV, the caller left and the assistant right, or who the caller was put through to. The link opens without a key for 7 days."`
	StereoRecordingURL *string          `json:"stereoRecordingUrl,omitempty" format:"uri" doc:"The same as recordingUrl."`
	Summary            *string          `json:"summary,omitempty" doc:"The same as analysis.summary."`
	Destination        *destination     `json:"destination,omitempty" doc:"Where the call was transferred to."`

	Cost          jsonb.USD           `json:"cost" doc:"US dollars; the sum of costs."`
	Costs         []jsonb.Cost        `json:"costs" nullable:"false" doc:"What the call cost until now, by service, at the prices of its start. Messages that are sent after the report are added to the call."`
	CostBreakdown jsonb.CostBreakdown `json:"costBreakdown" doc:"The same by type."`
}

type reportAssistant struct {
	ID       *uuid.UUID   `json:"id,omitempty" doc:"Missing of one that your server made up."`
	Name     string       `json:"name"`
	Metadata jsonb.Object `json:"metadata,omitempty" doc:"The assistant's, as it was when the call began."`
}

type reportArtifact struct {
	Messages           []reportMessage  `json:"messages" nullable:"false" doc:"The same as messages of the report."`
	MessagesOpenAI     []openAIMessage  `json:"messagesOpenAIFormatted" nullable:"false" doc:"The same in the form of OpenAI's chat completions."`
	Transcript         string           `json:"transcript" doc:"The same as transcript of the report."`
	RecordingURL       *string          `json:"recordingUrl,omitempty" format:"uri" doc:"The same as recordingUrl of the report."`
	StereoRecordingURL *string          `json:"stereoRecordingUrl,omitempty" format:"uri" doc:"The same as recordingUrl."`
	Recording          *reportRecording `json:"recording,omitempty"`

	RecordingMissingSeconds *float64   `json:"recordingMissingSeconds,omitempty" doc:"How many seconds of the call the recording lacks, which is all of it where one was to be made and is none."`
	Transfers               []transfer `json:"transfers,omitempty" nullable:"false" doc:"The transfers that were tried."`

	Latency            *reportLatency     `json:"latency,omitempty" doc:"How long the caller waited for replies, by stage."`
	PerformanceMetrics performanceMetrics `json:"performanceMetrics" doc:"The same, as servers of this field read it."`
	ProviderFailures   []reportFailure    `json:"providerFailures,omitempty" nullable:"false" doc:"Vendors that failed, hung or were not asked, and who stood in for them; missing where all served. The same as providers.failures of the call."`
}

type reportRecording struct {
	StereoURL string `json:"stereoUrl" format:"uri" doc:"The same as recordingUrl."`
}

type reportAnalysis struct {
	Summary             *string         `json:"summary,omitempty"`
	SuccessEvaluation   *string         `json:"successEvaluation,omitempty" doc:"By the rubric of the plan; true or false by default."`
	StructuredData      json.RawMessage `json:"structuredData,omitempty" doc:"By the JSON Schema of the plan."`
	StructuredDataMulti json.RawMessage `json:"structuredDataMulti,omitempty" doc:"A list of {key: data}, one for each entry of structuredDataMultiPlan."`
}

func newEndOfCallReport(r *Report) endOfCallReport {
	call := r.Call
	report := endOfCallReport{
		message: newMessage(callstate.EventEndOfCallReport, call), EndedReason: call.EndedReason, EndedFault: call.EndedFault,
		CallStatus: call.Status,
		StartedAt:  utc(call.StartedAt), EndedAt: utc(call.EndedAt), Summary: call.Summary, Tasks: r.tasks(),
		Destination: transferredTo(call),
		Analysis: reportAnalysis{
			Summary: call.Summary, SuccessEvaluation: call.SuccessEvaluation,
			StructuredData: call.StructuredData, StructuredDataMulti: call.StructuredDataMulti,
		},
		Artifact: reportArtifact{
			Transfers: transfersOf(call, r.Legs), RecordingMissingSeconds: recordingMissing(call), Latency: newReportLatency(call.Latency),
			PerformanceMetrics: newPerformanceMetrics(r.Turns), ProviderFailures: reportFailures(call.Providers),
		},
	}
	report.Assistant = newReportAssistant(call)
	report.Cost, report.Costs, report.CostBreakdown = r.Usage.Total(), r.Usage.Costs(), r.Usage.Breakdown()
	if call.StartedAt != nil && call.EndedAt != nil {
		report.DurationSeconds = call.EndedAt.Sub(*call.StartedAt).Seconds()
	}
	report.Messages, report.Artifact.MessagesOpenAI = r.messages()
	report.Transcript = r.transcript()
	if r.RecordingURL != "" {
		report.RecordingURL = &r.RecordingURL
		report.Artifact.Recording = &reportRecording{r.RecordingURL}
	}
	report.StereoRecordingURL = report.RecordingURL
	report.Artifact.Messages, report.Artifact.Transcript = report.Messages, report.Transcript
	report.Artifact.RecordingURL, report.Artifact.StereoRecordingURL = report.RecordingURL, report.RecordingURL
	return report
}

func newReportAssistant(call *dbsqlc.Call) *reportAssistant {
	named := newMessageAssistant(call)
	if named == nil {
		return nil
	}
	assistant := &reportAssistant{ID: named.ID, Name: named.Name}
	if call.AssistantConfig != nil {
		assistant.Metadata = call.AssistantConfig.Metadata
	}
	return assistant
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
