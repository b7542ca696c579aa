package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
)

// CallCommand is a command to a call.
type CallCommand struct {
	CommandID uuid.UUID `json:"command_id" doc:"The event with the outcome has it too."`
	CallID    uuid.UUID `json:"call_id"`
	Type      string    `json:"type" enum:"say,add-message,end-call,transfer"`
	Status    string    `json:"status" enum:"pending,done,failed" doc:"done at once when a queued call was canceled."`
	CreatedAt time.Time `json:"created_at"`
}

// CommandMessage is a message that add-message adds to the conversation of the language model.
type CommandMessage struct {
	Role    string `json:"role" enum:"system,user,assistant"`
	Content string `json:"content" minLength:"1" maxLength:"5000"`
}

type callMessageInput struct {
	middleware.Idempotency
	CallPath
	Body struct {
		Type            string          `json:"type" enum:"say,add-message,end-call,transfer"`
		Content         *string         `json:"content,omitempty" maxLength:"5000" doc:"say: what the assistant speaks."`
		Interrupt       *bool           `json:"interrupt,omitempty" doc:"say: cut off what the assistant is saying, instead of waiting for quiet."`
		EndCallAfter    *bool           `json:"end_call_after,omitempty" doc:"say: hang up when it was spoken."`
		Message         *CommandMessage `json:"message,omitempty" doc:"add-message: added to the conversation of the language model, as if it had been said."`
		TriggerResponse *bool           `json:"trigger_response,omitempty" doc:"add-message: let the assistant reply at once."`
		PhoneNumber     *string         `json:"phone_number,omitempty" maxLength:"64" doc:"transfer: the number to transfer the caller to, E.164." example:"+31612345678"`
		TransferPlan    jsonb.Object    `json:"transfer_plan,omitempty" doc:"transfer: how the caller is put through, as in the transferPlan of a tool; a blind transfer by default."`
	}
}

type callEndInput struct {
	middleware.Idempotency
	CallPath
}

func (a *API) registerCallCommands(to huma.API) {
	message := creates("/v1/calls/{call_id}/messages", "inject-call-message", tagCalls, "Send a message to a live call",
		"`say` has the assistant speak a text, `add-message` adds a message to the conversation of its language model, `transfer` transfers the caller to another telephone and `end-call` hangs up. "+
			"The response comes before it is done: the outcome is a `call-command-update` event with the command's id. A call that still rings gets the command once it is answered. "+
			"409 `conflict` when the call is not live; a command whose call ends first fails. A transfer rings a destination like any other call, and counts as one to it when it is made: the command fails where the rules forbid it by then."+destinationRules, http.StatusNotFound, http.StatusForbidden)
	message.DefaultStatus = http.StatusAccepted
	handle(a, to, message, a.callMessage)
	end := creates("/v1/calls/{call_id}/end", "end-call", tagCalls, "End a call",
		"Hangs up a live call, also while it rings, and cancels a queued one. 409 `conflict` when it is over.", http.StatusNotFound)
	end.DefaultStatus = http.StatusAccepted
	handle(a, to, end, a.callEnd)
}

func (a *API) callMessage(ctx context.Context, in *callMessageInput) (*middleware.Response[CallCommand], error) {
	body, err := in.command()
	if err != nil {
		return nil, err
	}
	made, err := middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[CallCommand], error) {
		return commanded(calls.Command(ctx, tx, middleware.CallerOf(ctx).AccountID, in.ID, in.Body.Type, body))
	})
	return made, a.destinationRefused(ctx, "phone_number", err)
}

func (a *API) callEnd(ctx context.Context, in *callEndInput) (*middleware.Response[CallCommand], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[CallCommand], error) {
		return commanded(calls.HangUp(ctx, tx, a.Jobs, &dbsqlc.CallCancelParams{
			AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID, EndedReason: new(callstate.ReasonManuallyCanceled),
			EndedFault: new(callstate.FaultAssistant),
		}))
	})
}

func commanded(command *dbsqlc.CallCommand, err error) (*middleware.Response[CallCommand], error) {
	if errors.Is(err, calls.ErrNotLive) {
		return nil, apierror.Conflict("The call is not live.")
	}
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	return middleware.Respond(http.StatusAccepted, CallCommand{
		CommandID: command.ID, CallID: command.CallID, Type: command.Type, Status: command.Status, CreatedAt: command.CreatedAt.UTC(),
	}), nil
}

// command returns the command as it is stored, or which fields of the body are missing or belong to another type.
func (in *callMessageInput) command() (jsonb.CallCommand, error) {
	wrong, body := apierror.Invalid(), &in.Body
	for field, belongs := range map[string]struct {
		given, required bool
		to              string
	}{
		"content":          {body.Content != nil, true, calls.CommandSay},
		"interrupt":        {body.Interrupt != nil, false, calls.CommandSay},
		"end_call_after":   {body.EndCallAfter != nil, false, calls.CommandSay},
		"message":          {body.Message != nil, true, calls.CommandAddMessage},
		"trigger_response": {body.TriggerResponse != nil, false, calls.CommandAddMessage},
		"phone_number":     {body.PhoneNumber != nil, true, calls.CommandTransfer},
		"transfer_plan":    {body.TransferPlan != nil, false, calls.CommandTransfer},
	} {
		switch {
		case belongs.given && belongs.to != body.Type:
			wrong.With(field, fmt.Sprintf("belongs to %s, not to %s", belongs.to, body.Type))
		case belongs.required && !belongs.given && belongs.to == body.Type:
			wrong.With(field, "is required")
		}
	}
	command := jsonb.CallCommand{
		Interrupt: body.Interrupt != nil && *body.Interrupt, EndCallAfter: body.EndCallAfter != nil && *body.EndCallAfter,
		TriggerResponse: body.TriggerResponse != nil && *body.TriggerResponse,
	}
	if body.Content != nil {
		if command.Content = *body.Content; *body.Content == "" {
			wrong.With("content", "must not be empty")
		}
	}
	if body.Message != nil {
		command.Role, command.Content = body.Message.Role, body.Message.Content
	}
	if body.PhoneNumber != nil && body.Type == calls.CommandTransfer {
		command.PhoneNumber = requireNumber(wrong, "phone_number", *body.PhoneNumber)
		command.TransferPlan = body.TransferPlan
		jsonb.ReadTransferPlan("transfer_plan", body.TransferPlan, func(path, why string) { wrong.With(path, why) })
	}
	if len(wrong.Body.Details) > 0 {
		return jsonb.CallCommand{}, wrong
	}
	return command, nil
}
