package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// operationWrongPassword is what the audit calls a wrong password for somebody's address.
const operationWrongPassword = "sign-in-failed"

// AuditEntry is something that was changed.
type AuditEntry struct {
	ID         uuid.UUID  `json:"id"`
	CreatedAt  time.Time  `json:"created_at"`
	Actor      AuditActor `json:"actor"`
	Operation  string     `json:"operation" doc:"The operationId of what was done, or sign-in-failed: a wrong password for the person's address; account-link: the operator made a link to sign in by; call-listener-left: a listener of the call listens no more, and no request ended that: they left or never came, may not listen any more, or the call is over." example:"delete-contact"`
	ResourceID *uuid.UUID `json:"resource_id" doc:"What it was done to or what it made, where that has an id."`
	Address    *string    `json:"address" doc:"From where the request came." example:"198.51.100.7"`
	UserAgent  string     `json:"user_agent" example:"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"`
	RequestID  string     `json:"request_id" example:"0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"`
}

// AuditActor is who changed it.
type AuditActor struct {
	Type  string     `json:"type" enum:"person,key,operator"`
	ID    *uuid.UUID `json:"id" doc:"Id of the person or the key; null: the operator."`
	Name  *string    `json:"name" doc:"null: it was deleted."`
	Email *string    `json:"email" doc:"Of a person."`
}

type auditListInput struct {
	middleware.Page
	Actor     OptionalID `query:"actor" doc:"Entries of this person or key."`
	Operation string     `query:"operation" maxLength:"64" doc:"Entries of this operation, such as delete-contact."`
	Resource  OptionalID `query:"resource_id" doc:"Entries of what was done to this resource. Who listens in on a call, changes what they do and leaves, by a request or otherwise, is among those of the call."`
	From      time.Time  `query:"from" doc:"Entries from this time on."`
	To        time.Time  `query:"to" doc:"Entries before this time."`
}

func (a *API) registerAudit(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/audit", "list-audit", tagMembers, "List the audit",
		"Who changed what, when and from where, newest first: every request of a key or a person that changed something, signing in and out, and wrong passwords for people of the account. It never holds what was written."), a.auditList)
}

func (a *API) auditList(ctx context.Context, in *auditListInput) (*middleware.List[AuditEntry], error) {
	queries, accountID := dbsqlc.New(), middleware.CallerOf(ctx).AccountID
	wrong, since, until := apierror.Invalid(), in.From, in.To
	checkTime(wrong, "from", &since)
	checkTime(wrong, "to", &until)
	if err := wrong.OrNil(); err != nil {
		return nil, err
	}
	if until.IsZero() {
		until = middleware.LastTime
	}
	since, until = sinceEpoch(since), sinceEpoch(until)
	total, err := queries.AuditEntryCount(ctx, db.PlanEach(a.DB), &dbsqlc.AuditEntryCountParams{
		AccountID: accountID, Actor: in.Actor.ID, Operation: nonEmpty(in.Operation), ResourceID: in.Resource.ID, Since: since,
		Until: until,
	})
	if err != nil {
		return nil, apierror.FromDB("audit", err)
	}
	rows, err := queries.AuditEntryList(ctx, db.PlanEach(a.DB), &dbsqlc.AuditEntryListParams{
		AccountID: accountID, Before: in.Before(), Actor: in.Actor.ID, Operation: nonEmpty(in.Operation), ResourceID: in.Resource.ID,
		Since: since, Until: until,
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("audit", err)
	}
	where := func(row *dbsqlc.AuditEntryListRow) middleware.Position {
		return middleware.Position{ID: row.AuditEntry.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderAuditEntry, where)
}

// sinceEpoch returns a time that an id can begin with: none lies before 1970.
func sinceEpoch(at time.Time) time.Time {
	if at.Unix() < 0 {
		return time.Unix(0, 0)
	}
	return at
}

func renderAuditEntry(row *dbsqlc.AuditEntryListRow) AuditEntry {
	entry := &row.AuditEntry
	shown := AuditEntry{
		ID: entry.ID, CreatedAt: entry.CreatedAt.UTC(), Actor: AuditActor{Type: "operator"}, Operation: entry.Operation,
		ResourceID: entry.ResourceID,
		Address:    addressText(entry.Address), UserAgent: entry.UserAgent, RequestID: entry.RequestID,
	}
	switch {
	case entry.PersonID != nil:
		shown.Actor = AuditActor{Type: "person", ID: entry.PersonID, Name: row.PersonName, Email: row.PersonEmail}
	case entry.APIKeyID != nil:
		shown.Actor = AuditActor{Type: "key", ID: entry.APIKeyID, Name: row.APIKeyName}
	}
	return shown
}
