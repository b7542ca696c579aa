package middleware

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// AuditEntry is what somebody changed: who, what, and from where. It never says to what.
type AuditEntry struct {
	AccountID uuid.UUID
	PersonID  uuid.UUID // zero: KeyID, or with neither the operator
	KeyID     uuid.UUID
	Operation string
	Resource  uuid.UUID // zero: none
	Origin    *Origin
}

// Identified is a response about a resource that has an id.
type Identified interface{ ResourceID() uuid.UUID }

// WithChange is db.WithTx for what a request changes: its entry in the audit is written in the same transaction.
func WithChange[T any](ctx context.Context, beginner db.Beginner, fn func(tx pgx.Tx) (T, error)) (T, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) (T, error) {
		value, err := fn(tx)
		if err != nil {
			return value, err
		}
		return value, Audit(ctx, tx, entriesOf(ctx)...)
	})
}

// InChange is WithChange for a change that returns nothing.
func InChange(ctx context.Context, beginner db.Beginner, fn func(tx pgx.Tx) error) error {
	_, err := WithChange(ctx, beginner, func(tx pgx.Tx) (struct{}, error) { return struct{}{}, fn(tx) })
	return err
}

// entriesOf returns the entry of the request of ctx, if its operation changes anything.
func entriesOf(ctx context.Context) []AuditEntry {
	origin := OriginOf(ctx)
	if origin == nil || !origin.changes {
		return nil
	}
	who := CallerOf(ctx)
	if who.WebToken != nil { // a visitor changes nothing of the account's: the call is on record
		return nil
	}
	entry := AuditEntry{AccountID: who.AccountID, KeyID: who.KeyID, Operation: origin.Operation, Resource: origin.Resource,
		Origin: origin}
	if who.PersonID != nil {
		entry.PersonID, entry.KeyID = *who.PersonID, uuid.Nil
	}
	return []AuditEntry{entry}
}

// About has the audit say that the request of ctx is about a resource that is not the last in its path.
func About(ctx context.Context, resource uuid.UUID) {
	if origin := OriginOf(ctx); origin != nil {
		origin.Resource = resource
	}
}

// about adds the id of the resource that a response is about.
func about(entries []AuditEntry, body any) []AuditEntry {
	if made, is := body.(Identified); is {
		for i := range entries {
			entries[i].Resource = made.ResourceID()
		}
	}
	return entries
}

// Audit writes entries in the transaction of what they are about.
func Audit(ctx context.Context, tx pgx.Tx, entries ...AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	params := &dbsqlc.AuditEntryInsertManyParams{}
	for _, entry := range entries {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make id: %w", err)
		}
		params.Ids, params.AccountIds = append(params.Ids, id), append(params.AccountIds, entry.AccountID)
		params.PersonIds, params.APIKeyIds = append(params.PersonIds, entry.PersonID), append(params.APIKeyIds, entry.KeyID)
		params.Operations, params.ResourceIds = append(params.Operations, entry.Operation), append(params.ResourceIds, entry.Resource)
		params.Addresses, params.UserAgents = append(params.Addresses, entry.Origin.Address),
			append(params.UserAgents, entry.Origin.UserAgent)
		params.RequestIds = append(params.RequestIds, entry.Origin.RequestID)
		params.CreatedAts = append(params.CreatedAts, time.Unix(id.Time().UnixTime()))
	}
	if err := dbsqlc.New().AuditEntryInsertMany(ctx, tx, params); err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	return nil
}
