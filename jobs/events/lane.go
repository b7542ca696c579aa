package events

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// lane is an endpoint of which this process sends the events.
type lane struct {
	id       uuid.UUID
	account  uuid.UUID
	held     []*heldEvent // the oldest first
	inside   int          // of them under way
	calls    map[uuid.UUID]bool
	seen     int64     // the highest position
	lookedAt time.Time // when its queue was looked at from the beginning
	more     bool      // the last look did not take everything
	usedAt   time.Time
}

// heldEvent is an event that waits or is under way.
type heldEvent struct {
	*dbsqlc.DeliveryQueueTakeRow
	read      *delivery // nil: it is to be read before it is sent
	readAt    time.Time
	permit    func() error
	underWay  bool
	notBefore time.Time
	failures  int // of ours
}

// forget drops an event: it is delivered, or others may have it.
func (l *lane) forget(event *heldEvent) {
	if i := slices.Index(l.held, event); i >= 0 {
		l.held = slices.Delete(l.held, i, i+1)
	}
}

// appendHeld appends the positions of the lane's events that lie behind a position.
func (l *lane) appendHeld(positions []int64, behind int64) []int64 {
	for _, event := range l.held {
		if event.Position > behind {
			positions = append(positions, event.Position)
		}
	}
	return positions
}

// lead lets the next event of the call follow one that is delivered. What follows one that failed is read anew: it may have to
// wait.
func (l *lane) lead(delivered *heldEvent) {
	for _, event := range l.held {
		if event.Follows == delivered.Position && event.CallID == delivered.CallID {
			event.Follows = 0
		}
	}
}

// takeRead returns the event as it was read, nil when it is to be read anew: too long ago, or it waited for an earlier one of its
// call.
func (e *heldEvent) takeRead() *delivery {
	read := e.read
	e.read = nil
	if e.Follows != 0 || time.Since(e.readAt) > readFor {
		return nil
	}
	return read
}

// readDeliveries returns by their positions the events that were read as they were taken. They were never attempted.
func readDeliveries(rows []*dbsqlc.DeliveryQueueTakeRow) (map[int64]*delivery, error) {
	type destination struct{ account, assistant uuid.UUID }
	known := map[destination][]*dbsqlc.WebhookEndpoint{}
	for _, row := range rows {
		var endpoints []*dbsqlc.WebhookEndpoint
		if err := json.Unmarshal(row.Endpoints, &endpoints); err != nil {
			return nil, fmt.Errorf("read webhook endpoints: %w", err)
		}
		if endpoints != nil {
			known[destination{row.AccountID, row.AssistantID}] = endpoints
		}
	}
	read := map[int64]*delivery{}
	for _, row := range rows {
		if row.Sequence == 0 {
			continue
		}
		event := &dbsqlc.EventListForDeliveryRow{
			ID: row.EventID, AccountID: row.AccountID, Sequence: &row.Sequence, Payload: row.Payload, Delivery: "pending",
			PendingSince: row.PendingSince,
			CallID:       present(row.CallID), AssistantID: present(row.AssistantID), Traceparent: &row.Traceparent,
		}
		made := &delivery{event: event, known: known[destination{row.AccountID, row.AssistantID}]}
		made.endpoint, made.signer = destinationOf(event.AssistantID, made.known)
		read[row.Position] = made
		row.Payload, row.Endpoints = "", nil // the row stays for longer
	}
	return read, nil
}

// present returns the id, nil where it is zero.
func present(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
