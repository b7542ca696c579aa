package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/traces"
)

// Call is a call in a list.
type Call struct {
	CallID             uuid.UUID       `json:"call_id"`
	Direction          string          `json:"direction" enum:"inbound,outbound"`
	Channel            string          `json:"channel" enum:"phone,web" doc:"web: a browser, in which a person came to the assistant."`
	CallStatus         string          `json:"call_status" enum:"queued,dialing,ringing,in-progress,forwarding,completed,missed,busy,no-answer,voicemail,failed,canceled"`
	AssistantID        *uuid.UUID      `json:"assistant_id" doc:"null: your server made the assistant up in its answer to assistant-request, or named none."`
	AssistantName      string          `json:"assistant_name" doc:"Empty where there was no assistant."`
	ContactID          *uuid.UUID      `json:"contact_id"`
	ContactName        *string         `json:"contact_name"`
	ContactPhoneNumber string          `json:"contact_phone_number" doc:"Empty once the person is erased; web:VISITOR of a person in a browser who is no contact." example:"+31612345678"`
	PhoneNumber        string          `json:"phone_number" doc:"Empty of a web call." example:"+31850000000"`
	ScheduledCallID    *uuid.UUID      `json:"scheduled_call_id"`
	CustomData         jsonb.Object    `json:"custom_data"`
	CreatedAt          time.Time       `json:"created_at"`
	StartedAt          *time.Time      `json:"started_at" doc:"When it was answered."`
	EndedAt            *time.Time      `json:"ended_at"`
	DurationSeconds    float64         `json:"duration_seconds" doc:"From when it was answered to its end."`
	Explanation        *string         `json:"explanation" doc:"Why a queued call waits; null when it does not." example:"Waits for another call to end: the account runs at most 10 at once."`
	EndedReason        *string         `json:"ended_reason" example:"customer-ended-call"`
	EndedFault         *string         `json:"ended_fault" enum:"customer,assistant,carrier,provider,config,platform"`
	SIPCode            *int32          `json:"sip_code" doc:"The SIP response that refused the call."`
	Error              *string         `json:"error" doc:"What failed, and at whom; of voicemail, that a fax answered. Null: there is nothing to say beyond ended_reason." example:"a fax answered"`
	Summary            *string         `json:"summary"`
	SuccessEvaluation  *string         `json:"success_evaluation"`
	StructuredData     json.RawMessage `json:"structured_data"`
	AnalysisStatus     *string         `json:"analysis_status" enum:"pending,done,failed" doc:"Null: there was nothing to analyze, or no model to do it."`
	AnalysisError      *string         `json:"analysis_error" doc:"What the analysis could not find out, and why."`
	Cost               *jsonb.USD      `json:"cost" doc:"What it cost so far, in US dollars; null: it is not over, or used nothing." example:"0.0214"`
}

// CallDetail is a call with everything that is stored about it.
type CallDetail struct {
	Call
	Transcript              []TranscriptTurn `json:"transcript" nullable:"false"`
	ToolCalls               []CallToolCall   `json:"tool_calls" nullable:"false" doc:"The tools that the assistant used, in their order."`
	MultiData               json.RawMessage  `json:"structured_data_multi" doc:"The data of structuredDataMultiPlan, as a list of {key: data}."`
	RecordingURL            *string          `json:"recording_url"`
	RecordingMissingSeconds *float64         `json:"recording_missing_seconds" doc:"How many seconds of the call its recording lacks, because the process that wrote it died; null: none, or there is no recording."`
	Latency                 *jsonb.Latency   `json:"latency" doc:"How long the caller waited for answers, by stage, and what it cost to begin answers ahead; null where there was none."`
	Media                   *jsonb.Media     `json:"media" doc:"Quality of the audio; null if the call was not connected."`
	Providers               *jsonb.Providers `json:"providers" doc:"Who really served the call, stand-ins included; null if it was not answered, or its process was lost."`
	Timeline                jsonb.Timeline   `json:"timeline" nullable:"false" doc:"Every state with its time."`

	Costs         []jsonb.Cost         `json:"costs" nullable:"false" doc:"What it cost, by service, as the end-of-call-report has it."`
	CostBreakdown *jsonb.CostBreakdown `json:"cost_breakdown" doc:"The same by type; null where cost is."`
}

// TranscriptTurn is what one side said before the other one spoke.
type TranscriptTurn struct {
	Role             string  `json:"role" enum:"user,assistant,system,tool"`
	Speaker          string  `json:"speaker,omitempty" enum:"operator" doc:"operator: a colleague of yours said this, who had barged in on the call. Missing where the role says who did."`
	Text             string  `json:"text"`
	SecondsFromStart float64 `json:"seconds_from_start"`
	Interrupted      bool    `json:"interrupted,omitempty" doc:"The assistant was cut off after this text."`

	Timing *jsonb.TurnTiming `json:"timing" doc:"When and why the assistant answered the caller; null for what answers nobody, such as a greeting, and for the caller's turns."`
}

// CallToolCall is a tool that the assistant used.
type CallToolCall struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Arguments        json.RawMessage `json:"arguments"`
	Result           *string         `json:"result"`
	Error            *string         `json:"error"`
	SecondsFromStart float64         `json:"seconds_from_start"`
	DurationMS       int32           `json:"duration_ms"`
}

type callDirectInput struct {
	middleware.Idempotency
	Body struct {
		AssistantID        uuid.UUID    `json:"assistant_id" format:"uuid"`
		ContactID          *uuid.UUID   `json:"contact_id,omitempty" format:"uuid" doc:"Whom to call. Give this or contact_phone_number."`
		ContactPhoneNumber string       `json:"contact_phone_number,omitempty" maxLength:"64" doc:"The number to call, E.164. Give this or contact_id." example:"+31612345678"`
		CustomData         jsonb.Object `json:"custom_data,omitempty" doc:"Yours: comes back in events, and its texts and numbers fill {{name}} in messages."`
	}
}

// Resolve implements huma.Resolver.
func (in *callDirectInput) Resolve(ctx huma.Context) []error {
	return append(in.Idempotency.Resolve(ctx), brokenRules(ctx, in)...)
}

type CallPath struct {
	ID uuid.UUID `path:"call_id" format:"uuid" doc:"Id of the call."`
}

type callDetailOutput struct{ Body CallDetail }

func (a *API) registerCalls(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/calls", "list-calls", tagCalls, "List calls", "Your calls, newest first."),
		a.callList)
	direct := creates("/v1/calls/direct", "create-direct-call", tagCalls, "Call now",
		"Starts a call at once. The response comes before the telephone rings: follow the call by its events or at `/v1/calls/{call_id}`. 400 `no_phone_number` when the assistant has no number."+destinationRules+budgetRules, http.StatusNotFound, http.StatusForbidden, http.StatusPaymentRequired)
	handle(a, to, withRules(direct, func(in *callDirectInput) error {
		_, err := in.asked(middleware.Caller{})
		return err
	}), a.callDirect)
	handle(a, to, operation(http.MethodGet, "/v1/calls/{call_id}", "get-call", tagCalls, "Get a call",
		"One call, with its transcript and every state.", http.StatusNotFound), a.callGet)
	remove := operation(http.MethodDelete, "/v1/calls/{call_id}", "delete-call", tagCalls, "Delete a call",
		"Removes an ended call, what was said in it and its recording. A queued call is canceled first. 409 `conflict` while the call goes on. Its end-of-call-report is delivered all the same, and its events stay in the "+
			"event log: erase the contact to remove those too. The scheduled call that made it still names it.", http.StatusNotFound,
		http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.callDelete)
	recording := operation(http.MethodGet, "/v1/calls/{call_id}/recording", "get-call-recording", tagCalls, "Get a call's recording",
		"A stereo WAV, the caller left and the assistant right. Supports Range requests.", http.StatusNotFound,
		http.StatusRequestedRangeNotSatisfiable)
	recording.Responses = recordingResponses()
	handle(a, to, recording, a.callRecording)
	shared := operation(http.MethodGet, "/v1/recordings/{token}", "get-shared-recording", tagCalls, "Get a recording by its link",
		"The recording that a link in an end-of-call-report, or in a mail after a call, opens, without a key, for 7 days. 404 when the link is not ours or no longer valid.", http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable)
	shared.Responses, shared.Security = recordingResponses(), []map[string][]string{}
	handle(a, to, shared, a.sharedRecording)
}

func (a *API) callDirect(ctx context.Context, in *callDirectInput) (*middleware.Response[Call], error) {
	asked, err := in.asked(middleware.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	asked.Traceparent = traces.Parent(ctx)
	made, err := a.directCalls.Do(ctx, &in.Idempotency, asked)
	if asked.ContactID != uuid.Nil {
		return made, a.callNotMade(ctx, "contact_id", err)
	}
	return made, a.callNotMade(ctx, "contact_phone_number", err)
}

// callNotMade returns the error to respond with when a call could not be made, or scheduled. field names its destination.
func (a *API) callNotMade(ctx context.Context, field string, err error) error {
	switch {
	case errors.Is(err, calls.ErrUnknownAssistant):
		return apierror.NotFound("assistant").With("assistant_id", "not found")
	case errors.Is(err, calls.ErrNoNumber):
		return apierror.New(http.StatusBadRequest, "no_phone_number",
			"The assistant has no phone number to call from.").With("assistant_id", "has no phone number")
	case errors.Is(err, calls.ErrUnknownContact):
		return apierror.NotFound("contact").With("contact_id", "not found")
	}
	return a.destinationRefused(ctx, field, err)
}

// makeDirectCalls makes the direct calls that share a transaction.
func (a *API) makeDirectCalls(ctx context.Context, tx pgx.Tx,
	asked []*calls.DirectCall) ([]*middleware.Response[Call], []error, error) {
	results, err := calls.MakeDirect(ctx, tx, a.Jobs, asked...)
	if err != nil {
		return nil, nil, apierror.FromDB("call", err)
	}
	responses, refusals := make([]*middleware.Response[Call], len(asked)), make([]error, len(asked))
	for i, result := range results {
		if refusals[i] = result.Err; result.Err == nil {
			responses[i] = middleware.Respond(http.StatusCreated, renderCall(result.Call))
		}
	}
	return responses, refusals, nil
}

func (in *callDirectInput) asked(who middleware.Caller) (*calls.DirectCall, error) {
	wrong, body := apierror.Invalid(), &in.Body
	asked := &calls.DirectCall{ID: newID(), AccountID: who.AccountID, Simulated: who.Simulated, AssistantID: body.AssistantID,
		CustomData: emptyObject}
	switch {
	case (body.ContactID == nil) == (body.ContactPhoneNumber == ""):
		const message = "give exactly one of contact_id and contact_phone_number"
		wrong.With("contact_id", message).With("contact_phone_number", message)
	case body.ContactPhoneNumber != "":
		asked.PhoneNumber = requireNumber(wrong, "contact_phone_number", body.ContactPhoneNumber)
	default:
		asked.ContactID = *body.ContactID
	}
	if body.CustomData != nil {
		text, err := json.Marshal(body.CustomData)
		if err != nil || len(text) > maxObjectBytes {
			wrong.With("custom_data", fmt.Sprintf("is larger than %d KiB", maxObjectBytes>>10))
		}
		asked.CustomData = text
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return asked, nil
}

var emptyObject = json.RawMessage(`{}`)

func (a *API) callGet(ctx context.Context, in *CallPath) (*callDetailOutput, error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	row, err := queries.CallGet(ctx, a.DB, &dbsqlc.CallGetParams{AccountID: who.AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	turns, err := queries.CallTurnList(ctx, a.DB, &dbsqlc.CallTurnListParams{AccountID: who.AccountID, CallID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	tools, err := queries.CallToolCallList(ctx, a.DB, &dbsqlc.CallToolCallListParams{AccountID: who.AccountID, CallID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	detail := CallDetail{Call: renderCall(row), Transcript: []TranscriptTurn{}, ToolCalls: []CallToolCall{}, Costs: []jsonb.Cost{},
		MultiData: row.StructuredDataMulti, RecordingMissingSeconds: row.RecordingMissingSeconds, Latency: row.Latency,
		Media: row.Media, Providers: row.Providers, Timeline: row.Timeline}
	for _, turn := range turns {
		detail.Transcript = append(detail.Transcript, renderTurn(turn))
	}
	for _, tool := range tools {
		detail.ToolCalls = append(detail.ToolCalls, CallToolCall{
			ID: tool.ToolCallID, Name: tool.Name, Arguments: tool.Arguments, Result: tool.Result, Error: tool.Error,
			SecondsFromStart: tool.SecondsFromStart, DurationMS: tool.DurationMS,
		})
	}
	used, err := costs.List(ctx, a.DB, who.AccountID, in.ID)
	if err != nil {
		return nil, err
	}
	if usage, counted := used[row.ID]; counted {
		detail.Costs, detail.CostBreakdown = usage.Costs(), new(usage.Breakdown())
		detail.setCost(used)
	}
	if row.RecordingKey != nil {
		detail.RecordingURL = new("/v1/calls/" + row.ID.String() + "/recording")
	}
	return &callDetailOutput{Body: detail}, nil
}

func renderTurn(turn *dbsqlc.CallTurn) TranscriptTurn {
	return TranscriptTurn{
		Role: turn.Role, Speaker: db.TextOf(turn.Speaker), Text: turn.Text, SecondsFromStart: turn.SecondsFromStart,
		Interrupted: turn.Interrupted, Timing: turn.Timing,
	}
}

func (a *API) callDelete(ctx context.Context, in *CallPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		accountID := middleware.CallerOf(ctx).AccountID
		err := calls.Delete(ctx, tx, a.Jobs, accountID, in.ID)
		if !errors.Is(err, calls.ErrConflict) {
			return err
		}
		_, err = calls.Cancel(ctx, tx, a.Jobs, &dbsqlc.CallCancelParams{
			AccountID: accountID, ID: in.ID, EndedReason: new(callstate.ReasonCallDeleted), EndedFault: new(callstate.FaultAssistant),
		})
		if err == nil {
			err = calls.Delete(ctx, tx, a.Jobs, accountID, in.ID)
		}
		if !errors.Is(err, calls.ErrConflict) {
			return err
		}
		if _, err := dbsqlc.New().CallGet(ctx, tx, &dbsqlc.CallGetParams{AccountID: accountID, ID: in.ID}); err != nil {
			return apierror.FromDB("call", err)
		}
		return apierror.Conflict("The call still goes on.")
	})
}

func (a *API) callRecording(ctx context.Context, in *CallPath) (*huma.StreamResponse, error) {
	return a.streamRecording(ctx, middleware.CallerOf(ctx).AccountID, in.ID)
}

// setCost sets what the call cost, of what calls used.
func (c *Call) setCost(used map[uuid.UUID]jsonb.Usage) {
	if usage, counted := used[c.CallID]; counted {
		c.Cost = new(usage.Total())
	}
}

func renderCall(row *dbsqlc.Call) Call {
	call := Call{
		CallID: row.ID, Direction: row.Direction, Channel: row.Channel, CallStatus: row.Status, AssistantID: row.AssistantID,
		AssistantName: row.AssistantName,
		ContactID:     row.ContactID, ContactName: row.ContactName, ContactPhoneNumber: row.ContactPhoneNumber,
		PhoneNumber:     row.PhoneNumber,
		ScheduledCallID: row.ScheduledCallID, CustomData: jsonb.Object{}, CreatedAt: row.CreatedAt.UTC(), StartedAt: utc(row.StartedAt),
		EndedAt: utc(row.EndedAt), Explanation: row.Explanation, EndedReason: row.EndedReason, EndedFault: row.EndedFault,
		SIPCode: row.SIPCode, Error: row.Error,
		Summary: row.Summary, SuccessEvaluation: row.SuccessEvaluation, StructuredData: row.StructuredData,
		AnalysisStatus: row.Analysis, AnalysisError: row.AnalysisError,
	}
	if len(row.CustomData) > len(emptyObject) {
		_ = json.Unmarshal(row.CustomData, &call.CustomData) // it was an object when it was stored
	}
	if row.StartedAt != nil && row.EndedAt != nil {
		call.DurationSeconds = row.EndedAt.Sub(*row.StartedAt).Seconds()
	}
	return call
}
