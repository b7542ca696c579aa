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
	"github.com/callwright/callwright/jobs/erasure"
)

// Contact is a person who is called.
type Contact struct {
	ContactID              uuid.UUID  `json:"contact_id"`
	PhoneNumber            string     `json:"phone_number" example:"+31612345678"`
	FullName               *string    `json:"full_name"`
	Email                  *string    `json:"email"`
	Address                *string    `json:"address"`
	OrgID                  *string    `json:"org_id"`
	LastInteractionAt      *time.Time `json:"last_interaction_at"`
	LastInteractionSummary *string    `json:"last_interaction_summary"`
	MeetingDate            *time.Time `json:"meeting_date"`
	MeetingEventID         *string    `json:"meeting_event_id" doc:"Id of the meeting in an external calendar; of an appointment that an assistant made, the UID of its invitation."`
	CreatedAt              time.Time  `json:"created_at"`
	UpdatedAt              time.Time  `json:"updated_at"`
}

// ContactDetail is one contact with its last ten calls.
type ContactDetail struct {
	Contact
	RecentCalls []Call `json:"recent_calls" nullable:"false"`
}

// ContactFields are the fields that a creation and an update share.
type ContactFields struct {
	FullName               Opt[string]  `json:"full_name,omitzero" maxLength:"200"`
	Email                  Opt[string]  `json:"email,omitzero" maxLength:"320"`
	Address                Opt[string]  `json:"address,omitzero" maxLength:"1000"`
	LastInteractionAt      Opt[ISOTime] `json:"last_interaction_at,omitzero"`
	LastInteractionSummary Opt[string]  `json:"last_interaction_summary,omitzero" maxLength:"5000"`
}

type contactUpdateInput struct {
	ContactPath
	Body struct {
		PhoneNumber Opt[string] `json:"phone_number,omitzero" maxLength:"64" doc:"E.164."`
		ContactFields
		MeetingDate    Opt[ISOTime] `json:"meeting_date,omitzero"`
		MeetingEventID Opt[string]  `json:"meeting_event_id,omitzero" maxLength:"200" doc:"Id of the meeting in an external calendar. Null calls the meeting off: the time of an appointment that an assistant made is free again."`

		ContactID   AsRead `json:"contact_id,omitzero"`
		OrgID       AsRead `json:"org_id,omitzero"`
		RecentCalls any    `json:"recent_calls,omitempty" doc:"Ignored: a body may be what was read."`
		CreatedAt   AsRead `json:"created_at,omitzero"`
		UpdatedAt   AsRead `json:"updated_at,omitzero"`
	}
}

type ContactPath struct {
	ID uuid.UUID `path:"contact_id" format:"uuid" doc:"Id of the contact."`
}

type contactDeleteInput struct {
	ContactPath
	Erase bool `query:"erase" doc:"Erase the person, everywhere."`
}

type contactOutput struct{ Body Contact }

type contactDetailOutput struct{ Body ContactDetail }

func (a *API) registerContacts(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/contacts", "list-contacts", tagContacts, "List contacts",
		"Your contacts, newest first."), a.contactList)
	create := creates("/v1/contacts", "create-contact", tagContacts, "Create a contact",
		"A phone number is unique among your contacts: 409 `conflict` when there is one with it.")
	handle(a, to, withRules(create, func(in *contactCreateInput) error {
		_, _, err := in.read()
		return err
	}), a.contactCreate)
	handle(a, to, operation(http.MethodGet, "/v1/contacts/{contact_id}", "get-contact", tagContacts, "Get a contact",
		"One contact, with its last ten calls.", http.StatusNotFound), a.contactGet)
	handle(a, to, operation(http.MethodPut, "/v1/contacts/{contact_id}", "update-contact", tagContacts, "Update a contact",
		"Changes the fields that the body names.", http.StatusNotFound, http.StatusConflict), a.contactUpdate)
	handle(a, to, operation(http.MethodPatch, "/v1/contacts/{contact_id}", "patch-contact", tagContacts, "Patch a contact",
		"JSON merge patch (RFC 7396): changes the fields that the body names, null removes.", http.StatusNotFound, http.StatusConflict),
		a.contactUpdate)
	remove := operation(http.MethodDelete, "/v1/contacts/{contact_id}", "delete-contact", tagContacts, "Delete a contact",
		"Scheduled calls to the contact are canceled; past calls are kept. With `erase=true` the person is erased instead, also when the contact was deleted before: all fields of the contact and of others with its number, "+
			"and of all calls with it or with its number what was said, recordings, names, numbers, variables, `custom_data`, analysis, stored events and what servers answered to them. Of those calls times and counts stay; events that were "+
			"not delivered yet never are. This cannot be undone. 409 `conflict` while a call of the person goes on or its end-of-call-report is not written yet.", http.StatusNotFound, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.contactDelete)
}

func (a *API) contactGet(ctx context.Context, in *ContactPath) (*contactDetailOutput, error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	row, err := queries.ContactGet(ctx, a.DB, &dbsqlc.ContactGetParams{AccountID: who.AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("contact", err)
	}
	recent := callFilter{accountID: who.AccountID, contactID: &row.ID, statuses: callstate.Statuses(), until: middleware.LastTime}
	calls, err := recent.page(ctx, a.DB, 10, 0)
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	detail := ContactDetail{Contact: renderContact(row), RecentCalls: []Call{}}
	for _, call := range calls {
		detail.RecentCalls = append(detail.RecentCalls, renderCall(call))
	}
	if err := a.setCosts(ctx, who.AccountID, detail.RecentCalls); err != nil {
		return nil, err
	}
	return &contactDetailOutput{Body: detail}, nil
}

func (a *API) contactUpdate(ctx context.Context, in *contactUpdateInput) (*contactOutput, error) {
	wrong, body := apierror.Invalid(), &in.Body
	params := &dbsqlc.ContactUpdateParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID}
	if body.PhoneNumber.Set {
		params.PhoneNumber = new(requireNumber(wrong, "phone_number", body.PhoneNumber.Value))
	}
	checkContact(wrong, &body.ContactFields)
	params.LastInteractionAt, params.SetLastInteractionAt = readOptionalTime(wrong, "last_interaction_at", body.LastInteractionAt),
		body.LastInteractionAt.Set
	params.MeetingDate, params.SetMeetingDate = readOptionalTime(wrong, "meeting_date", body.MeetingDate), body.MeetingDate.Set
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	params.FullName, params.SetFullName = body.FullName.pointer()
	params.Email, params.SetEmail = body.Email.pointer()
	params.Address, params.SetAddress = body.Address.pointer()
	params.LastInteractionSummary, params.SetLastInteractionSummary = body.LastInteractionSummary.pointer()
	params.MeetingEventID, params.SetMeetingEventID = body.MeetingEventID.pointer()
	if err := a.contactUnchanged(ctx, in); err != nil {
		return nil, err
	}
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*contactOutput, error) {
		row, err := dbsqlc.New().ContactUpdate(ctx, tx, params)
		if err != nil {
			return nil, contactError(err)
		}
		return &contactOutput{Body: renderContact(row)}, nil
	})
}

// contactUnchanged refuses an update that would change what cannot be changed.
func (a *API) contactUnchanged(ctx context.Context, in *contactUpdateInput) error {
	sent := fieldsAsRead(&in.Body)
	if len(sent) == 0 {
		return nil
	}
	row, err := dbsqlc.New().ContactGet(ctx, a.DB, &dbsqlc.ContactGetParams{AccountID: middleware.CallerOf(ctx).AccountID,
		ID: in.ID})
	if err != nil {
		return apierror.FromDB("contact", err)
	}
	wrong := apierror.Invalid()
	if err := refuseChanges(wrong, sent, renderContact(row)); err != nil {
		return err
	}
	return wrong.OrNil()
}

// contactRemovable returns an error for a test key whose deletion would reach what is real: a person's live calls or a
// scheduled one.
func contactRemovable(ctx context.Context, tx pgx.Tx, in *contactDeleteInput) error {
	who := middleware.CallerOf(ctx)
	if !who.Test {
		return nil
	}
	if in.Erase {
		return middleware.TestKeyRefused("A person is erased everywhere, live calls included: that needs a live key.")
	}
	waiting, err := dbsqlc.New().ScheduledCallLiveOfContact(ctx, tx,
		&dbsqlc.ScheduledCallLiveOfContactParams{AccountID: who.AccountID, ContactID: in.ID})
	if err != nil {
		return fmt.Errorf("look for live scheduled calls: %w", err)
	}
	if waiting {
		return middleware.TestKeyRefused("A live call to this contact is scheduled, which would be canceled.")
	}
	return nil
}

func (a *API) contactDelete(ctx context.Context, in *contactDeleteInput) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		if err := contactRemovable(ctx, tx, in); err != nil {
			return err
		}
		if in.Erase {
			err := erasure.ErasePerson(ctx, tx, a.Jobs, who.AccountID, in.ID)
			if errors.Is(err, erasure.ErrUnreported) {
				return apierror.Conflict("A call of this person is not over, or not reported yet.")
			}
			return apierror.FromDB("contact", err)
		}
		if _, err := queries.ContactDelete(ctx, tx, &dbsqlc.ContactDeleteParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
			return apierror.FromDB("contact", err)
		}
		return queries.ScheduledCallCancelForContact(ctx, tx,
			&dbsqlc.ScheduledCallCancelForContactParams{AccountID: who.AccountID, ContactID: in.ID})
	})
}

func contactError(err error) error {
	if apierror.Violates(err, "contact_phone_number_key") {
		return contactExists()
	}
	return apierror.FromDB("contact", err)
}

func contactExists() error {
	return apierror.Conflict("There is a contact with this phone number.").With("phone_number", "is another contact's")
}

func checkContact(wrong *apierror.Error, fields *ContactFields) {
	if fields.Email.Set && !fields.Email.Null && fields.Email.Value != "" && !validEmail(fields.Email.Value) {
		wrong.With("email", "is not an e-mail address")
	}
}

func renderContact(row *dbsqlc.Contact) Contact {
	return Contact{
		ContactID: row.ID, PhoneNumber: row.PhoneNumber, FullName: row.FullName, Email: row.Email, Address: row.Address,
		OrgID:             row.OrgID,
		LastInteractionAt: utc(row.LastInteractionAt), LastInteractionSummary: row.LastInteractionSummary,
		MeetingDate: utc(row.MeetingDate), MeetingEventID: row.MeetingEventID, CreatedAt: row.CreatedAt.UTC(),
		UpdatedAt: row.UpdatedAt.UTC(),
	}
}
