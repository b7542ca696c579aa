// Package events writes what happened to calls and sends it to customers' servers: event rows in gap-free sequences, webhook
// endpoints, deliveries and their backoff, redeliveries, and the questions that servers are asked while a call runs. It
// composes every message that a server receives. It knows call rows; it must not know what moves them.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/packed"
)

// Event is something that happened, mostly to a call, and the message that says so.
type Event struct {
	eventType string
	call      *dbsqlc.Call // nil: it happened to no call
	accountID uuid.UUID    // without a call
	body      any
	id        uuid.UUID // of an event that may be written again and counts once; zero: a new one
	optional  bool      // written only for those who ask for it
}

// Record writes events, in their order, and has their deliveries begin when tx is committed. What was written before is not
// written again: the same id, or a second end-of-call-report of one call. Nothing is done when there are none.
func Record(ctx context.Context, tx pgx.Tx, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	pending, err := write(ctx, tx, false, events)
	if err != nil || len(pending) == 0 {
		return err
	}
	return db.Notify(ctx, tx, DeliveryChannel, "")
}

// write inserts events and returns the ids of those that somebody wants. asked: they are questions, which nobody delivers.
func write(ctx context.Context, tx pgx.Tx, asked bool, events []Event) (pending []uuid.UUID, err error) {
	given := asked || slices.ContainsFunc(events, func(event Event) bool { return event.id != uuid.Nil })
	params, err := rows(events, db.Writes(tx, db.PackedMessages))
	if err != nil {
		return nil, err
	}
	var written []*dbsqlc.EventInsertManyRow
	if given { // a number for what is there already would leave a gap
		params.Asked = asked
		written, err = dbsqlc.New().EventInsertMany(ctx, tx, params)
	} else {
		written, err = record(ctx, tx, params)
	}
	if err != nil {
		return nil, fmt.Errorf("insert events: %w", err)
	}
	if len(written) > 0 {
		for _, account := range params.AccountIds {
			if err := db.Notify(ctx, tx, UnnumberedChannel, account.String()); err != nil {
				return nil, err
			}
		}
	}
	for _, event := range written {
		if event.Delivery == "pending" {
			pending = append(pending, event.ID)
		}
	}
	return pending, nil
}

// rows are the events' rows, with packed messages or as they are. Those that have no id get one.
func rows(events []Event, pack bool) (*dbsqlc.EventInsertManyParams, error) {
	params := &dbsqlc.EventInsertManyParams{}
	for _, event := range events {
		message, err := json.Marshal(event.body)
		if err != nil {
			return nil, fmt.Errorf("encode %s event: %w", event.eventType, err)
		}
		if pack {
			if message, err = packed.Pack(message); err != nil {
				return nil, err
			}
		}
		if event.id == uuid.Nil {
			if event.id, err = uuid.NewV7(); err != nil {
				return nil, fmt.Errorf("make event id: %w", err)
			}
		}
		params.Ids = append(params.Ids, event.id)
		about := event.call
		if about == nil {
			about = &dbsqlc.Call{AccountID: event.accountID}
		}
		params.AccountIds = append(params.AccountIds, about.AccountID)
		params.Types = append(params.Types, event.eventType)
		params.CallIds = append(params.CallIds, about.ID)
		params.Messages = append(params.Messages, message)
		params.AssistantIds = append(params.AssistantIds, db.UUIDOf(about.AssistantID))
		params.Optional = append(params.Optional, event.optional)
	}
	return params, nil
}

// record inserts events that nobody has written before, with their numbers where that makes nobody wait.
func record(ctx context.Context, tx pgx.Tx, events *dbsqlc.EventInsertManyParams) ([]*dbsqlc.EventInsertManyRow, error) {
	recorded, err := dbsqlc.New().EventRecordMany(ctx, tx, &dbsqlc.EventRecordManyParams{
		Ids: events.Ids, AccountIds: events.AccountIds, Types: events.Types, CallIds: events.CallIds, Messages: events.Messages,
		AssistantIds: events.AssistantIds, Optional: events.Optional,
	})
	written := make([]*dbsqlc.EventInsertManyRow, len(recorded))
	for i, row := range recorded {
		written[i] = (*dbsqlc.EventInsertManyRow)(row)
	}
	return written, err
}
