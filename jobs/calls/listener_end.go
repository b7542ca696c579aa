package calls

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

// operationLeft is what the audit calls the end of a listener that no request has asked for: the browser has left or never came, or
// was sent away, or the call is over.
const operationLeft = "call-listener-left"

// EndListener has a listener leave whom a request ends, which the audit has. pgx.ErrNoRows: there is none any more.
func EndListener(ctx context.Context, tx pgx.Tx, accountID, callID, id uuid.UUID) error {
	_, err := endListener(ctx, tx, accountID, callID, id)
	return err
}

// ListenerLeft records that a listener has left by itself, or was sent away. pgx.ErrNoRows: that is on record.
func ListenerLeft(ctx context.Context, tx pgx.Tx, accountID, callID, id uuid.UUID) error {
	row, err := endListener(ctx, tx, accountID, callID, id)
	if err != nil {
		return err
	}
	return auditLeft(ctx, tx, []*dbsqlc.CallListener{row})
}

func endListener(ctx context.Context, tx pgx.Tx, accountID, callID, id uuid.UUID) (*dbsqlc.CallListener, error) {
	queries := dbsqlc.New()
	call, err := queries.CallGetForCommand(ctx, tx, &dbsqlc.CallGetForCommandParams{AccountID: accountID, ID: callID})
	if err != nil {
		return nil, fmt.Errorf("get call: %w", err)
	}
	row, err := queries.CallListenerEnd(ctx, tx, &dbsqlc.CallListenerEndParams{AccountID: accountID, CallID: callID, ID: id})
	if err != nil {
		return nil, fmt.Errorf("end listener: %w", err)
	}
	return row, listenerChanged(ctx, tx, call, row)
}

// endListeners ends the listeners of calls that are over, and returns the events. among are the calls that may have some.
func endListeners(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call, among []uuid.UUID) ([]events.Event, error) {
	if len(among) == 0 {
		return nil, nil
	}
	left, err := dbsqlc.New().CallListenerEndOfCalls(ctx, tx, &dbsqlc.CallListenerEndOfCallsParams{CallIds: among})
	if err != nil {
		return nil, fmt.Errorf("end listeners: %w", err)
	}
	byID := map[uuid.UUID]*dbsqlc.Call{}
	for _, call := range calls {
		byID[call.ID] = call
	}
	var updates []events.Event
	for _, row := range left {
		if row.JoinedAt != nil {
			updates = append(updates, events.CallListenerUpdate(byID[row.CallID], row))
		}
	}
	return updates, auditLeft(ctx, tx, left)
}

// auditLeft has the audit say of listeners that they listen no more, among what was done to their calls.
func auditLeft(ctx context.Context, tx pgx.Tx, left []*dbsqlc.CallListener) error {
	if len(left) == 0 {
		return nil
	}
	entries := &dbsqlc.AuditEntryInsertManyParams{}
	for _, row := range left {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make id: %w", err)
		}
		entries.Ids, entries.AccountIds = append(entries.Ids, id), append(entries.AccountIds, row.AccountID)
		entries.PersonIds = append(entries.PersonIds, db.UUIDOf(row.PersonID))
		entries.APIKeyIds = append(entries.APIKeyIds, db.UUIDOf(row.APIKeyID))
		entries.Operations, entries.ResourceIds = append(entries.Operations, operationLeft), append(entries.ResourceIds, row.CallID)
		entries.Addresses, entries.UserAgents = append(entries.Addresses, netip.Addr{}), append(entries.UserAgents, "")
		entries.RequestIds = append(entries.RequestIds, "")
		entries.CreatedAts = append(entries.CreatedAts, time.Unix(id.Time().UnixTime()))
	}
	if err := dbsqlc.New().AuditEntryInsertMany(ctx, tx, entries); err != nil {
		return fmt.Errorf("audit listeners that left: %w", err)
	}
	return nil
}
