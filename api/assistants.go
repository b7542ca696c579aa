package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/knowledge"
)

// Assistant is an assistant in a response.
type Assistant struct {
	AssistantID   uuid.UUID `json:"assistant_id"`
	AssistantName string    `json:"assistant_name"`
	AssistantSettings
	Server              *AssistantServer `json:"server" doc:"null: events go to your account's webhook."`
	PhoneNumberID       *uuid.UUID       `json:"phone_number_id"`
	PhoneNumber         *string          `json:"phone_number" example:"+31850000000"`
	PhoneNumberType     *string          `json:"phone_number_type"`
	PhoneNumberLocality *string          `json:"phone_number_locality"`
	CreatedAt           time.Time        `json:"created_at"`
	UpdatedAt           time.Time        `json:"updated_at"`
}

// AssistantServer is where an assistant's events go, in a response: without its secret.
type AssistantServer struct {
	URL            string        `json:"url"`
	Headers        jsonb.Strings `json:"headers,omitempty"`
	TimeoutSeconds int32         `json:"timeout_seconds"`
	Events         []string      `json:"events" nullable:"false" doc:"The types that are sent."`
}

// assistantServerIn is where an assistant's events go, in a request.
type assistantServerIn struct {
	URL            string        `json:"url" minLength:"1" maxLength:"2048" format:"uri" doc:"An http or https URL."`
	Secret         string        `json:"secret,omitempty" maxLength:"200" writeOnly:"true" doc:"Signs this server's events (Standard Webhooks). whsec_ and base64, or any text, whose bytes are the key. Without one your account's secret signs."`
	Headers        jsonb.Strings `json:"headers,omitempty" doc:"Sent with every event, such as X-Vapi-Secret for a server that checks it."`
	TimeoutSeconds int32         `json:"timeout_seconds,omitempty" minimum:"1" maximum:"20" default:"7"`
	Events         EventTypes    `json:"events,omitempty" doc:"Types to send; default status-update and end-of-call-report."`
}

// assistantBody is a whole assistant. The later form requires assistant_name only; the earlier form names its eight
// texts, which are all fields here, so that a body of either form validates.
type assistantBody struct {
	AssistantName string `json:"assistant_name" minLength:"1" maxLength:"200"`
	jsonb.Assistant
	Server *assistantServerIn `json:"server,omitempty"`
}

type assistantCreateInput struct {
	middleware.Idempotency
	Body assistantBody
}

// Resolve implements huma.Resolver.
func (in *assistantCreateInput) Resolve(ctx huma.Context) []error {
	return append(in.Idempotency.Resolve(ctx), brokenRules(ctx, in)...)
}

type AssistantPath struct {
	ID uuid.UUID `path:"assistant_id" format:"uuid" doc:"Id of the assistant."`
}

type assistantPatchInput struct {
	AssistantPath
	Body assistantUpdate
}

type assistantPutInput struct {
	AssistantPath
	Body assistantPut
}

type assistantListInput struct{ middleware.Page }

type assistantOutput struct{ Body Assistant }

func (a *API) registerAssistants(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/assistants", "list-assistants", tagAssistants, "List assistants",
		"Your assistants, newest first."), a.assistantList)
	create := creates("/v1/assistants", "create-assistant", tagAssistants, "Create an assistant",
		"Only `assistant_name` is required; a number is linked afterwards.")
	handle(a, to, withRules(create, func(in *assistantCreateInput) error { return a.checkAssistant(&in.Body) }), a.assistantCreate)
	handle(a, to, operation(http.MethodGet, "/v1/assistants/{assistant_id}", "get-assistant", tagAssistants, "Get an assistant",
		"One assistant.", http.StatusNotFound), a.assistantGet)
	handle(a, to, operation(http.MethodPut, "/v1/assistants/{assistant_id}", "update-assistant", tagAssistants,
		"Replace an assistant",
		"Replaces the whole configuration, omitted fields by their defaults, when the body has `assistant_name` and none of `llm_content`, `functions`, `phone_number_id` and `voice_id`. "+
			"Any other body is the earlier form and changes only what it names; `phone_number_id` links a custom number and null unlinks.",
		http.StatusNotFound, http.StatusForbidden), a.assistantPut)
	handle(a, to, operation(http.MethodPatch, "/v1/assistants/{assistant_id}", "patch-assistant", tagAssistants,
		"Patch an assistant",
		"JSON merge patch (RFC 7396): changes the fields that the body names, null sets the default.", http.StatusNotFound),
		a.assistantPatch)
	remove := operation(http.MethodDelete, "/v1/assistants/{assistant_id}", "delete-assistant", tagAssistants, "Delete an assistant",
		"Unlinks its number, cancels its scheduled calls and deletes the knowledge documents that only it uses. Past calls are kept; a call in progress goes on.", http.StatusNotFound)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.assistantDelete)
}

func (a *API) assistantList(ctx context.Context, in *assistantListInput) (*middleware.List[Assistant], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	total, err := queries.AssistantCount(ctx, a.DB, &dbsqlc.AssistantCountParams{AccountID: who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("assistant", err)
	}
	rows, err := queries.AssistantList(ctx, a.DB, &dbsqlc.AssistantListParams{AccountID: who.AccountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("assistant", err)
	}
	render := func(row *dbsqlc.AssistantListRow) Assistant { return renderAssistant((*dbsqlc.AssistantGetRow)(row)) }
	where := func(row *dbsqlc.AssistantListRow) middleware.Position {
		return middleware.Position{ID: row.Assistant.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

func (a *API) assistantCreate(ctx context.Context, in *assistantCreateInput) (*middleware.Response[Assistant], error) {
	if err := a.checkAssistant(&in.Body); err != nil {
		return nil, err
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[Assistant], error) {
		who, id := middleware.CallerOf(ctx), newID()
		_, err := dbsqlc.New().AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
			ID: id, AccountID: who.AccountID, Test: who.Test, Name: in.Body.AssistantName, Config: in.Body.Assistant,
		})
		if err != nil {
			return nil, apierror.FromDB("assistant", err)
		}
		if in.Body.Server != nil {
			if err := a.putAssistantServer(ctx, tx, id, in.Body.Server); err != nil {
				return nil, err
			}
		}
		assistant, err := assistantShow(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusCreated, assistant), nil
	})
}

func (a *API) assistantGet(ctx context.Context, in *AssistantPath) (*assistantOutput, error) {
	assistant, err := assistantShow(ctx, a.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &assistantOutput{Body: assistant}, nil
}

func (a *API) assistantPut(ctx context.Context, in *assistantPutInput) (*assistantOutput, error) {
	return a.assistantChange(ctx, in.ID, func(tx pgx.Tx, row *dbsqlc.AssistantGetRow) (*assistantBody, error) {
		body, shown := in.Body, renderAssistant(row)
		if err := body.takeAsRead(&shown); err != nil {
			return nil, err
		}
		if isWholeAssistant(body) {
			return a.decodeAssistant(body)
		}
		if link, named := body["phone_number_id"]; named {
			delete(body, "phone_number_id")
			if err := a.linkByUpdate(ctx, tx, in.ID, link); err != nil {
				return nil, err
			}
		}
		return a.patched(newAssistantBody(row), body)
	})
}

func (a *API) assistantPatch(ctx context.Context, in *assistantPatchInput) (*assistantOutput, error) {
	return a.assistantChange(ctx, in.ID, func(_ pgx.Tx, row *dbsqlc.AssistantGetRow) (*assistantBody, error) {
		return a.patched(newAssistantBody(row), in.Body)
	})
}

// assistantChange replaces an assistant by what change returns, under its lock.
func (a *API) assistantChange(ctx context.Context, id uuid.UUID,
	change func(tx pgx.Tx, row *dbsqlc.AssistantGetRow) (*assistantBody, error)) (*assistantOutput, error) {
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*assistantOutput, error) {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		if _, err := queries.AssistantLock(ctx, tx, &dbsqlc.AssistantLockParams{AccountID: who.AccountID, ID: id}); err != nil {
			return nil, apierror.FromDB("assistant", err)
		}
		row, err := queries.AssistantGet(ctx, tx, &dbsqlc.AssistantGetParams{AccountID: who.AccountID, ID: id})
		if err != nil {
			return nil, apierror.FromDB("assistant", err)
		}
		after, err := change(tx, row)
		if err != nil {
			return nil, err
		}
		_, err = queries.AssistantUpdate(ctx, tx, &dbsqlc.AssistantUpdateParams{
			AccountID: who.AccountID, ID: id, Name: after.AssistantName, Config: after.Assistant,
		})
		if err != nil {
			return nil, apierror.FromDB("assistant", err)
		}
		if err := a.putAssistantServer(ctx, tx, id, after.Server); err != nil {
			return nil, err
		}
		assistant, err := assistantShow(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		return &assistantOutput{Body: assistant}, nil
	})
}

// newAssistantBody returns the body that would create the assistant as it is, without its server's secret.
func newAssistantBody(row *dbsqlc.AssistantGetRow) *assistantBody {
	body := &assistantBody{AssistantName: row.Assistant.Name, Assistant: row.Assistant.Config}
	if row.ServerURL != nil {
		body.Server = &assistantServerIn{URL: *row.ServerURL, Headers: row.ServerHeaders, TimeoutSeconds: *row.ServerTimeoutSeconds,
			Events: row.ServerEvents}
	}
	return body
}

func (a *API) assistantDelete(ctx context.Context, in *AssistantPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		if _, err := queries.AssistantDelete(ctx, tx, &dbsqlc.AssistantDeleteParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
			return apierror.FromDB("assistant", err)
		}
		if err := queries.PhoneNumberLinkRemove(ctx, tx, &dbsqlc.PhoneNumberLinkRemoveParams{AccountID: who.AccountID,
			AssistantID: in.ID}); err != nil {
			return fmt.Errorf("unlink number: %w", err)
		}
		err := queries.ScheduledCallCancelForAssistant(ctx, tx,
			&dbsqlc.ScheduledCallCancelForAssistantParams{AccountID: who.AccountID, AssistantID: in.ID})
		if err != nil {
			return fmt.Errorf("cancel scheduled calls: %w", err)
		}
		return knowledge.RemoveOfAssistant(ctx, tx, who.AccountID, in.ID)
	})
}

func assistantShow(ctx context.Context, tx dbsqlc.DBTX, id uuid.UUID) (Assistant, error) {
	row, err := dbsqlc.New().AssistantGet(ctx, tx, &dbsqlc.AssistantGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: id})
	if err != nil {
		return Assistant{}, apierror.FromDB("assistant", err)
	}
	return renderAssistant(row), nil
}

func renderAssistant(row *dbsqlc.AssistantGetRow) Assistant {
	assistant := Assistant{
		AssistantID: row.Assistant.ID, AssistantName: row.Assistant.Name, AssistantSettings: renderSettings(row.Assistant.Config),
		PhoneNumberID: row.PhoneNumberID,
		PhoneNumber:   row.PhoneNumber, PhoneNumberType: row.PhoneNumberType, PhoneNumberLocality: row.PhoneNumberLocality,
		CreatedAt: row.Assistant.CreatedAt.UTC(), UpdatedAt: row.Assistant.UpdatedAt.UTC(),
	}
	if row.ServerURL != nil {
		assistant.Server = &AssistantServer{URL: *row.ServerURL, Headers: row.ServerHeaders, TimeoutSeconds: *row.ServerTimeoutSeconds,
			Events: row.ServerEvents}
	}
	return assistant
}
