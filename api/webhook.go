package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/hook"
)

// Webhook is where an account's events go, unless an assistant has its own server.
type Webhook struct {
	URL            *string  `json:"url" doc:"null: nowhere."`
	Events         []string `json:"events" nullable:"false" doc:"The types that are sent."`
	Enabled        bool     `json:"enabled"`
	DisabledReason *string  `json:"disabled_reason" doc:"Why it was disabled, by you or by us."`
	Secret         string   `json:"secret,omitempty" doc:"Signs the events. Returned once, when the first URL is set; rotate it for another." example:"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="`
}

// WebhookSecret is a new signing secret, returned once.
type WebhookSecret struct {
	Secret string `json:"secret" example:"whsec_…"`
}

type webhookPutInput struct {
	Body struct {
		URL     *string    `json:"url" required:"true" maxLength:"2048" doc:"An http or https URL; null: nowhere."`
		Events  EventTypes `json:"events,omitempty" doc:"Types to send; default status-update and end-of-call-report. transcript, speech-update, user-interrupted, hang and transfer-update are stored only for accounts that name them here, with or without a URL. assistant-request is a question: while a call rings, your server has 7.5 seconds to respond with {assistantId} or {assistant: {…}}, either with {assistantOverrides: {variableValues, …}}, {destination: {number or sipUri, message}} to have the caller transferred there at once, or {error: a text for the caller}; otherwise the linked assistant takes the call."`
		Enabled *bool      `json:"enabled,omitempty" doc:"Default true."`

		DisabledReason AsRead `json:"disabled_reason,omitzero"`
	}
}

type webhookRotateInput struct {
	middleware.Idempotency
	Body *struct {
		EndOld bool `json:"end_old,omitempty" doc:"The old secret ends at once, without its day of grace: for a secret that somebody else may know."`
	}
}

type webhookOutput struct{ Body Webhook }

// webhookDescription is what receivers have to know.
const webhookDescription = "Events are posted as `{\"message\": {\"type\", \"timestamp\", \"call\", \"assistant\", …, \"eventId\", \"sequence\"}}`, signed by Standard Webhooks " +
	"(webhook-id, webhook-timestamp, webhook-signature). 2xx within 15 s is delivered; anything else is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h and 24 h, " +
	"or after the time in Retry-After. The same event has the same webhook-id each time and may come twice. Redirects are not followed. While your server gives no answer or 429, 502, 503 or 504, " +
	"and after ten failures in a row, the oldest event that waits is sent about every 10 s besides; before its time that is no attempt when it fails. " +
	"From the tenth failure in a row on nothing else is sent, and events wait, for up to 50 h. As soon as your server takes one, the others follow at its pace, those of a call in their order. 410, or 50 events in a row that failed for good, disables the webhook. Setting it again enables it."

func (a *API) registerWebhook(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/webhook", "get-webhook", tagUser, "Get your webhook",
		"Where your events go. The secret is not shown again: rotate it for a new one."), a.webhookGet)
	handle(a, to, operation(http.MethodPut, "/v1/user/webhook", "update-webhook", tagUser, "Set your webhook", webhookDescription),
		a.webhookPut)
	rotate := creates("/v1/user/webhook/rotate-secret", "rotate-webhook-secret", tagUser, "Rotate the webhook secret",
		"Returns a new secret, once. For 24 hours events are signed with both; with `end_old` only with the new one, from now on.")
	rotate.DefaultStatus = http.StatusOK
	handle(a, to, rotate, a.webhookRotate)
}

func (a *API) webhookGet(ctx context.Context, _ *struct{}) (*webhookOutput, error) {
	row, err := dbsqlc.New().WebhookEndpointGetForAccount(ctx, a.DB,
		&dbsqlc.WebhookEndpointGetForAccountParams{AccountID: middleware.CallerOf(ctx).AccountID})
	if err != nil {
		return nil, apierror.FromDB("webhook", err)
	}
	return &webhookOutput{Body: renderWebhook(row)}, nil
}

func (a *API) webhookPut(ctx context.Context, in *webhookPutInput) (*webhookOutput, error) {
	wrong := apierror.Invalid()
	if in.Body.URL != nil && !validServerURL(*in.Body.URL) {
		wrong.With("url", "is not an absolute http or https URL")
	}
	in.Body.Events.check(wrong, "events")
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*webhookOutput, error) {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		before, err := queries.WebhookEndpointGetForAccount(ctx, tx,
			&dbsqlc.WebhookEndpointGetForAccountParams{AccountID: who.AccountID})
		if err != nil {
			return nil, apierror.FromDB("webhook", err)
		}
		if err := refuseChanges(wrong, fieldsAsRead(&in.Body), renderWebhook(before)); err != nil {
			return nil, err
		}
		if err := wrong.OrNil(); err != nil {
			return nil, err
		}
		row, err := queries.WebhookEndpointPut(ctx, tx, &dbsqlc.WebhookEndpointPutParams{
			AccountID: who.AccountID, URL: in.Body.URL, Events: in.Body.Events.orDefault(), Enabled: in.Body.Enabled == nil ||
				*in.Body.Enabled,
		})
		if err != nil {
			return nil, apierror.FromDB("webhook", err)
		}
		output := &webhookOutput{Body: renderWebhook(row)}
		if before.URL == nil && row.URL != nil {
			if output.Body.Secret, err = a.Seal.Open(*row.Secret, events.SecretContext(row.ID)); err != nil {
				return nil, fmt.Errorf("open webhook secret: %w", err)
			}
		}
		return output, nil
	})
}

func (a *API) webhookRotate(ctx context.Context, in *webhookRotateInput) (*middleware.Response[WebhookSecret], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[WebhookSecret], error) {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		row, err := queries.WebhookEndpointGetForAccount(ctx, tx, &dbsqlc.WebhookEndpointGetForAccountParams{AccountID: who.AccountID})
		if err != nil {
			return nil, apierror.FromDB("webhook", err)
		}
		secret := hook.NewSecret()
		sealed := a.Seal.Seal(secret, events.SecretContext(row.ID))
		_, err = queries.WebhookEndpointRotateSecret(ctx, tx, &dbsqlc.WebhookEndpointRotateSecretParams{
			AccountID: who.AccountID, Secret: &sealed, EndOld: in.Body != nil && in.Body.EndOld,
		})
		if err != nil {
			return nil, apierror.FromDB("webhook", err)
		}
		return middleware.RespondSecret(http.StatusOK, WebhookSecret{Secret: secret}), nil
	})
}

// EventTypes are types of events that a server subscribes to.
type EventTypes []string

// Schema implements huma.SchemaProvider.
func (EventTypes) Schema(huma.Registry) *huma.Schema {
	types := callstate.EventTypes()
	element := &huma.Schema{Type: huma.TypeString, Enum: make([]any, len(types))}
	for i, name := range types {
		element.Enum[i] = name
	}
	element.PrecomputeMessages()
	// Not UniqueItems: Huma panics if an item is an object. See check.
	schema := &huma.Schema{Type: huma.TypeArray, Items: element, MaxItems: new(len(types))}
	schema.PrecomputeMessages()
	return schema
}

// check refuses duplicates.
func (t EventTypes) check(wrong *apierror.Error, field string) {
	if len(slices.Compact(slices.Sorted(slices.Values(t)))) < len(t) {
		wrong.With(field, "names a type twice")
	}
}

func (t EventTypes) orDefault() []string {
	if t == nil {
		return callstate.DefaultEvents()
	}
	return t
}

func renderWebhook(row *dbsqlc.WebhookEndpoint) Webhook {
	return Webhook{URL: row.URL, Events: row.Events, Enabled: row.Enabled, DisabledReason: row.DisabledReason}
}
