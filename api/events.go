package api

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

// Event is an entry of an account's sequence of events.
type Event struct {
	ID        uuid.UUID       `json:"id" doc:"The webhook-id of its deliveries."`
	Sequence  int64           `json:"sequence" doc:"Its position in your account's sequence, without gaps."`
	Type      string          `json:"type" example:"status-update"`
	CallID    *uuid.UUID      `json:"call_id"`
	Message   json.RawMessage `json:"message" doc:"What your server receives under message, without eventId and sequence."`
	Delivery  string          `json:"delivery" enum:"none,pending,delivered,dead" doc:"none: no server subscribes to it."`
	Attempts  int32           `json:"attempts"`
	CreatedAt time.Time       `json:"created_at"`
}

// DeliveryAttempt is one attempt to deliver an event.
type DeliveryAttempt struct {
	Attempt    int32     `json:"attempt"`
	URL        string    `json:"url"`
	StatusCode *int32    `json:"status_code"`
	LatencyMS  int32     `json:"latency_ms"`
	Answer     string    `json:"answer" doc:"The first 2 KiB of the server's response."`
	Error      *string   `json:"error"`
	CreatedAt  time.Time `json:"created_at"`
}

type eventListInput struct {
	After int64  `query:"after" minimum:"0" default:"0" doc:"Events after this sequence."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of entries."`
	Type  string `query:"type" maxLength:"64" example:"status-update" doc:"Events of this type."`
	middleware.Continuation
	CallID OptionalID `query:"call_id" doc:"Events of this call."`
}

type EventPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the event."`
}

type deliveryListInput struct {
	EventPath
	middleware.Page
}

// replayMost is the maximum number of events of one replay.
const replayMost = 100_000

type eventRedeliverInput struct {
	middleware.Idempotency
	EventPath
}

type eventReplayInput struct {
	middleware.Idempotency
	Body struct {
		From   *ISOTime   `json:"from,omitempty" doc:"Events from this time on. Give from and to, or call_id."`
		To     *ISOTime   `json:"to,omitempty" doc:"Events before this time."`
		CallID *uuid.UUID `json:"call_id,omitempty" format:"uuid" doc:"Events of this call."`
	}
}

// EventReplay is a replay that was started.
type EventReplay struct {
	Count int64 `json:"count" doc:"Events that are sent again."`
}

func (a *API) registerEvents(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/events", "list-events", tagEvents, "List events",
		"Your events in their order, oldest first, from the one that follows `after`; `total` counts those that follow. An event appears within 100 ms of what it reports."), a.eventList)
	handle(a, to, streamOperation(), a.eventStream)
	handle(a, to, operation(http.MethodGet, "/v1/events/{id}/deliveries", "list-event-deliveries", tagEvents,
		"List the deliveries of an event",
		"Every attempt, newest first. While a server fails, the oldest event that waits for it is sent about every 10 seconds, to see whether it is back. "+
			"That counts as an attempt when the server accepts it or when an attempt was due, and is not listed otherwise.",
		http.StatusNotFound), a.deliveryList)
	redeliver := creates("/v1/events/{id}/redeliver", "redeliver-event", tagEvents, "Deliver an event again",
		"Sends the event to the server that receives it now, at once, whatever its delivery was before, with all attempts. It keeps its webhook-id. Questions (`assistant-request`, `tool-calls`, `call.endpointing.request`) are 404: they are sent once.", http.StatusNotFound)
	redeliver.DefaultStatus = http.StatusAccepted
	handle(a, to, redeliver, a.eventRedeliver)
	replay := creates("/v1/events/replay", "replay-events", tagEvents, "Deliver many events again",
		"Sends the events of a time or of a call again, in their order and after new events: those that your server subscribes to now and that are not pending. "+
			"They keep their webhook-ids. At most 100,000 at once: more are 400.", http.StatusNotFound)
	replay.DefaultStatus = http.StatusAccepted
	handle(a, to, replay, a.eventReplay)
}

func (a *API) eventList(ctx context.Context, in *eventListInput) (*middleware.List[Event], error) {
	filter := eventFilter{account: middleware.CallerOf(ctx).AccountID, kind: in.Type, call: in.CallID.ID}
	total, err := filter.count(ctx, a.DB, in.After)
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	after := in.After
	if in.Cursor != "" {
		after = in.Continuation.After().Number
	}
	rows, err := filter.list(ctx, a.DB, after, in.Limit+1)
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	where := func(row *dbsqlc.Event) middleware.Position { return middleware.Position{Number: *row.Sequence} }
	return middleware.NewList(in.Limit, &middleware.Place{Continuation: in.Continuation}, rows, total, renderEvent, where)
}

// eventBucket is the number of sequences of an account that list_count counts together.
const eventBucket = 1000

// eventFilter selects events of an account.
type eventFilter struct {
	account uuid.UUID
	kind    string     // empty: all
	call    *uuid.UUID // nil: all
}

// list returns the matching events after a sequence, in their order.
func (f eventFilter) list(ctx context.Context, tx dbsqlc.DBTX, after int64, most int) ([]*dbsqlc.Event, error) {
	queries := dbsqlc.New()
	switch {
	case f.call != nil:
		return queries.EventListByCall(ctx, tx, &dbsqlc.EventListByCallParams{AccountID: f.account, CallID: *f.call, Type: f.kind,
			After: after, Max: int32(most)})
	case f.kind == callstate.EventStatusUpdate:
		return queries.EventListStatusUpdates(ctx, tx, &dbsqlc.EventListStatusUpdatesParams{AccountID: f.account, After: after,
			Max: int32(most)})
	case f.kind != "":
		return queries.EventListByType(ctx, tx, &dbsqlc.EventListByTypeParams{AccountID: f.account, Type: f.kind, After: after,
			Max: int32(most)})
	}
	return queries.EventList(ctx, tx, &dbsqlc.EventListParams{AccountID: f.account, After: after, Max: int32(most)})
}

// count returns the number of matching events after a sequence.
func (f eventFilter) count(ctx context.Context, tx dbsqlc.DBTX, after int64) (int64, error) {
	queries := dbsqlc.New()
	switch {
	case f.call != nil:
		return queries.EventCountByCall(ctx, tx, &dbsqlc.EventCountByCallParams{AccountID: f.account, CallID: *f.call, Type: f.kind,
			After: after})
	case f.kind != "":
		after = min(after, eventBucket*math.MaxInt32)
		return queries.EventCountByType(ctx, tx, &dbsqlc.EventCountByTypeParams{
			AccountID: f.account, Type: f.kind, After: after, Bucket: int32(after / eventBucket),
			BucketEnd: (after/eventBucket + 1) * eventBucket,
		})
	}
	return queries.EventCount(ctx, tx, &dbsqlc.EventCountParams{AccountID: f.account, After: after})
}

func renderEvent(row *dbsqlc.Event) Event {
	return Event{
		ID: row.ID, Sequence: *row.Sequence, Type: row.Type, CallID: row.CallID, Message: events.Message(row), Delivery: row.Delivery,
		Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
	}
}

func (a *API) eventRedeliver(ctx context.Context, in *eventRedeliverInput) (*middleware.Response[Event], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[Event], error) {
		row, err := events.Redeliver(ctx, tx, a.Jobs, middleware.CallerOf(ctx).AccountID, in.ID)
		if err != nil {
			return nil, apierror.FromDB("event", err)
		}
		return middleware.Respond(http.StatusAccepted, renderEvent(row)), nil
	})
}

func (a *API) eventReplay(ctx context.Context, in *eventReplayInput) (*middleware.Response[EventReplay], error) {
	wrong := apierror.Invalid()
	from, to, call := in.Body.From, in.Body.To, in.Body.CallID
	var since, until time.Time
	switch {
	case call != nil && (from != nil || to != nil):
		wrong.With("call_id", "stands in place of from and to")
	case call != nil:
	case from == nil || to == nil:
		for field, given := range map[string]bool{"from": from != nil, "to": to != nil} {
			if !given {
				wrong.With(field, "is required, unless call_id is given")
			}
		}
	default:
		since, until = readTime(wrong, "from", *from), readTime(wrong, "to", *to)
		if len(wrong.Body.Details) == 0 && !since.Before(until) {
			wrong.With("to", "is not after from")
		}
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[EventReplay], error) {
		count, err := a.startReplay(ctx, tx, call, since, until)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusAccepted, EventReplay{Count: count}), nil
	})
}

// startReplay replays the events of a call, or those of a time.
func (a *API) startReplay(ctx context.Context, tx pgx.Tx, call *uuid.UUID, since, until time.Time) (int64, error) {
	account := middleware.CallerOf(ctx).AccountID
	if call != nil {
		if _, err := dbsqlc.New().CallGet(ctx, tx, &dbsqlc.CallGetParams{AccountID: account, ID: *call}); err != nil {
			return 0, apierror.FromDB("call", err)
		}
		return events.ReplayCall(ctx, tx, a.Jobs, account, *call)
	}
	count, err := events.ReplayTime(ctx, tx, a.Jobs, account, since, until, replayMost)
	if errors.Is(err, events.ErrReplayTooLong) {
		return 0, apierror.Invalid().With("from", "begins a time of more than 100000 events")
	}
	return count, err
}

func (a *API) deliveryList(ctx context.Context, in *deliveryListInput) (*middleware.List[DeliveryAttempt], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	if _, err := queries.EventGet(ctx, a.DB, &dbsqlc.EventGetParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
		return nil, apierror.FromDB("event", err)
	}
	total, err := queries.DeliveryAttemptCount(ctx, a.DB,
		&dbsqlc.DeliveryAttemptCountParams{AccountID: who.AccountID, EventID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	before := int64(math.MaxInt64)
	if in.Cursor != "" {
		before = in.After().Number
	}
	rows, err := queries.DeliveryAttemptList(ctx, a.DB, &dbsqlc.DeliveryAttemptListParams{
		AccountID: who.AccountID, EventID: in.ID, Before: before, Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("event", err)
	}
	where := func(row *dbsqlc.DeliveryAttempt) middleware.Position { return middleware.Position{Number: row.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderDeliveryAttempt, where)
}

func renderDeliveryAttempt(row *dbsqlc.DeliveryAttempt) DeliveryAttempt {
	return DeliveryAttempt{
		Attempt: row.Attempt, URL: row.URL, StatusCode: row.StatusCode, LatencyMS: row.LatencyMS, Answer: row.Answer, Error: row.Error,
		CreatedAt: row.CreatedAt.UTC(),
	}
}
