package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Event is something that happened.
type Event struct {
	ID        uuid.UUID       `json:"id" doc:"The webhook-id of its deliveries."`
	Sequence  int64           `json:"sequence" doc:"Its place in your account's history, without gaps."`
	Type      string          `json:"type" example:"status-update"`
	CallID    *uuid.UUID      `json:"call_id"`
	Message   json.RawMessage `json:"message" doc:"What your server receives under message, without eventId and sequence."`
	Delivery  string          `json:"delivery" enum:"none,pending,delivered,dead" doc:"none: no server wanted it."`
	Attempts  int32           `json:"attempts"`
	CreatedAt time.Time       `json:"created_at"`
}

// DeliveryAttempt is one try at delivering an event.
type DeliveryAttempt struct {
	Attempt    int32     `json:"attempt"`
	URL        string    `json:"url"`
	StatusCode *int32    `json:"status_code"`
	LatencyMS  int32     `json:"latency_ms"`
	Answer     string    `json:"answer" doc:"The first 2 KiB of what the server answered."`
	Error      *string   `json:"error"`
	CreatedAt  time.Time `json:"created_at"`
}

type eventListInput struct {
	After  int64      `query:"after" minimum:"0" default:"0" doc:"Events after this sequence."`
	Limit  int        `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Most entries to answer."`
	Type   string     `query:"type" maxLength:"64" example:"status-update" doc:"Events of this type."`
	CallID OptionalID `query:"call_id" doc:"Events of this call."`
}

type EventPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the event."`
}

type deliveryListInput struct {
	EventPath
	Page
}

func (a *API) registerEvents(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/events", "list-events", tagEvents, "List events", "Your events in their order, oldest first, from the one that follows `after`; `total` counts those that follow. An event appears within 100 ms of what it tells."), a.eventList)
	handle(a, to, operation(http.MethodGet, "/v1/events/{id}/deliveries", "list-event-deliveries", tagEvents, "List the deliveries of an event", "Every attempt, newest first.", http.StatusNotFound), a.deliveryList)
}

func (a *API) eventList(ctx context.Context, in *eventListInput) (*listOutput[Event], error) {
	filter := dbsqlc.EventCountParams{AccountID: callerOf(ctx).AccountID, After: &in.After, Type: nonEmpty(in.Type), CallID: in.CallID.ID}
	total, err := dbsqlc.New().EventCount(ctx, a.DB, &filter)
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	rows, err := dbsqlc.New().EventList(ctx, a.DB, &dbsqlc.EventListParams{
		AccountID: filter.AccountID, After: filter.After, Type: filter.Type, CallID: filter.CallID, Max: int32(in.Limit),
	})
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	return newList(rows, renderEvent, in.Limit, 0, total), nil
}

func renderEvent(row *dbsqlc.EventListRow) Event {
	return Event{
		ID: row.ID, Sequence: row.Sequence, Type: row.Type, CallID: row.CallID, Message: row.Payload, Delivery: row.Delivery,
		Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
	}
}

func (a *API) deliveryList(ctx context.Context, in *deliveryListInput) (*listOutput[DeliveryAttempt], error) {
	who, queries := callerOf(ctx), dbsqlc.New()
	if _, err := queries.EventGet(ctx, a.DB, &dbsqlc.EventGetParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
		return nil, apierror.FromDB("event", err)
	}
	total, err := queries.DeliveryAttemptCount(ctx, a.DB, &dbsqlc.DeliveryAttemptCountParams{AccountID: who.AccountID, EventID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	rows, err := queries.DeliveryAttemptList(ctx, a.DB, &dbsqlc.DeliveryAttemptListParams{
		AccountID: who.AccountID, EventID: in.ID, Max: int32(in.Limit), Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	return newList(rows, renderDeliveryAttempt, in.Limit, in.Offset, total), nil
}

func renderDeliveryAttempt(row *dbsqlc.DeliveryAttempt) DeliveryAttempt {
	return DeliveryAttempt{
		Attempt: row.Attempt, URL: row.URL, StatusCode: row.StatusCode, LatencyMS: row.LatencyMS, Answer: row.Answer, Error: row.Error,
		CreatedAt: row.CreatedAt.UTC(),
	}
}
