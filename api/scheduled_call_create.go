package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
)

type scheduledCallCreateInput struct {
	middleware.Idempotency
	Body struct {
		AssistantID   uuid.UUID     `json:"assistant_id" format:"uuid"`
		ContactID     uuid.UUID     `json:"contact_id" format:"uuid"`
		ScheduledTime ISOTime       `json:"scheduled_time" doc:"When to call, with any offset; without one it is UTC. A time in the past calls at once; at most two years ahead." example:"2026-12-01T10:00:00+01:00"`
		Instruction   *string       `json:"instruction,omitempty" maxLength:"50000" doc:"Added to the assistant's instructions in this call."`
		Variables     jsonb.Strings `json:"variables,omitempty" doc:"Fill {{name}} in messages and instructions."`
		Retry         *jsonb.Retry  `json:"retry,omitempty"`
		Window        *jsonb.Window `json:"window,omitempty" doc:"Outside of it the call waits."`
	}
}

// Resolve implements huma.Resolver.
func (in *scheduledCallCreateInput) Resolve(ctx huma.Context) []error {
	return append(in.Idempotency.Resolve(ctx), brokenRules(ctx, in)...)
}

// checkNewSchedule checks what the schema does not express, and returns the time of the call.
func (a *API) checkNewSchedule(in *scheduledCallCreateInput) (time.Time, error) {
	wrong := apierror.Invalid()
	at := readMoment(wrong, "scheduled_time", in.Body.ScheduledTime)
	a.checkSchedule(wrong, at, in.Body.Variables, in.Body.Window)
	return at, wrong.OrNil()
}

func (a *API) scheduledCallCreate(ctx context.Context,
	in *scheduledCallCreateInput) (*middleware.Response[ScheduledCall], error) {
	body := &in.Body
	at, err := a.checkNewSchedule(in)
	if err != nil {
		return nil, err
	}
	variables := body.Variables
	if variables == nil {
		variables = jsonb.Strings{}
	}
	who := middleware.CallerOf(ctx)
	made, err := a.newScheduledCalls.Do(ctx, &in.Idempotency, &calls.ScheduledCall{
		ID: newID(), AccountID: who.AccountID, AssistantID: body.AssistantID, ContactID: body.ContactID, At: at,
		Simulated: who.Simulated,
		ScheduledCallDetails: calls.ScheduledCallDetails{Instruction: body.Instruction, Variables: variables, Retry: body.Retry,
			Window: body.Window},
	})
	return made, a.callNotMade(ctx, "contact_id", err)
}

// makeScheduledCalls makes the scheduled calls that share a transaction.
func (a *API) makeScheduledCalls(ctx context.Context, tx pgx.Tx,
	asked []*calls.ScheduledCall) ([]*middleware.Response[ScheduledCall], []error, error) {
	results, err := calls.MakeScheduled(ctx, tx, a.Jobs, asked...)
	if err != nil {
		return nil, nil, apierror.FromDB("scheduled call", err)
	}
	responses, refusals := make([]*middleware.Response[ScheduledCall], len(asked)), make([]error, len(asked))
	for i, result := range results {
		if refusals[i] = result.Err; result.Err == nil {
			responses[i] = middleware.Respond(http.StatusCreated, renderScheduledCall(result.Call))
		}
	}
	return responses, refusals, nil
}
