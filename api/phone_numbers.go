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
	"github.com/callwright/callwright/jobs/numbers"
)

// PhoneNumber is a number that an assistant can have.
type PhoneNumber struct {
	ID          uuid.UUID  `json:"id"`
	Number      string     `json:"number" example:"+31850000000"`
	Type        *string    `json:"type" enum:"local,mobile,national"`
	Locality    *string    `json:"locality"`
	Origin      string     `json:"origin" enum:"default,custom" doc:"default: shared; custom: yours."`
	Status      string     `json:"status" enum:"pending,active,released" doc:"pending: its SIP connection is not registered yet, so it takes no calls and may still become another account's."`
	AssistantID *uuid.UUID `json:"assistant_id" doc:"Your assistant that is linked to it."`
	CreatedAt   time.Time  `json:"created_at"`
}

type PhoneNumberPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the phone number."`
}

type phoneNumberListInput struct{ middleware.Page }

type phoneNumberOutput struct{ Body PhoneNumber }

func (a *API) registerPhoneNumbers(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/phone-numbers", "list-phone-numbers", tagPhoneNumbers, "List phone numbers",
		"Your own numbers and the shared default ones. A call that comes in on a shared number goes to the account whose answered call from it reached this caller last, within 30 days; else to the account to which the operator gave the number's inbound calls; else it is refused with 404."), a.phoneNumberList)
	handle(a, to, operation(http.MethodGet, "/v1/phone-numbers/{id}", "get-phone-number", tagPhoneNumbers, "Get a phone number",
		"One of your own numbers or a default one.", http.StatusNotFound), a.phoneNumberGet)
	remove := operation(http.MethodDelete, "/v1/phone-numbers/{id}", "delete-phone-number", tagPhoneNumbers, "Return a phone number",
		"Returns an ordered number to the carrier. 409 `conflict` while an assistant is linked, and for a number of a SIP connection, which goes with its connection; 400 `invalid_parameters` for a default number.", http.StatusNotFound, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.phoneNumberDelete)
}

func (a *API) phoneNumberList(ctx context.Context, in *phoneNumberListInput) (*middleware.List[PhoneNumber], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	total, err := queries.PhoneNumberCount(ctx, a.DB, &dbsqlc.PhoneNumberCountParams{AccountID: &who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("phone number", err)
	}
	rows, err := queries.PhoneNumberList(ctx, a.DB, &dbsqlc.PhoneNumberListParams{AccountID: who.AccountID, Before: in.Before(),
		Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset)})
	if err != nil {
		return nil, apierror.FromDB("phone number", err)
	}
	render := func(row *dbsqlc.PhoneNumberListRow) PhoneNumber {
		return renderPhoneNumber(&row.PhoneNumber, row.AssistantID)
	}
	where := func(row *dbsqlc.PhoneNumberListRow) middleware.Position {
		return middleware.Position{ID: row.PhoneNumber.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

func (a *API) phoneNumberGet(ctx context.Context, in *PhoneNumberPath) (*phoneNumberOutput, error) {
	row, err := dbsqlc.New().PhoneNumberGet(ctx, a.DB, &dbsqlc.PhoneNumberGetParams{AccountID: middleware.CallerOf(ctx).AccountID,
		ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("phone number", err)
	}
	return &phoneNumberOutput{Body: renderPhoneNumber(&row.PhoneNumber, row.AssistantID)}, nil
}

// phoneNumberDelete removes the number from the account at once; a job returns it to the carrier. The lock prevents a
// link meanwhile.
func (a *API) phoneNumberDelete(ctx context.Context, in *PhoneNumberPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		number, err := queries.PhoneNumberGetForUpdate(ctx, tx,
			&dbsqlc.PhoneNumberGetForUpdateParams{AccountID: &who.AccountID, ID: in.ID})
		if err != nil {
			return apierror.FromDB("phone number", err)
		}
		linked, err := queries.PhoneNumberIsLinked(ctx, tx, &dbsqlc.PhoneNumberIsLinkedParams{ID: in.ID})
		switch {
		case err != nil:
			return fmt.Errorf("look for link: %w", err)
		case number.Origin != "custom":
			return apierror.New(http.StatusBadRequest, "invalid_parameters", "A default number is shared and cannot be given back.")
		case linked:
			return apierror.Conflict("An assistant is linked to this phone number.")
		case number.PhoneNumberOrderID == nil:
			return apierror.Conflict("This phone number belongs to a SIP connection and goes with it.")
		}
		if _, err := queries.PhoneNumberSetReleasing(ctx, tx,
			&dbsqlc.PhoneNumberSetReleasingParams{AccountID: &who.AccountID, ID: in.ID}); err != nil {
			return fmt.Errorf("set phone number releasing: %w", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.ReleasePhoneNumberArgs{PhoneNumberID: in.ID}, nil); err != nil {
			return fmt.Errorf("enqueue release: %w", err)
		}
		return nil
	})
}

func renderPhoneNumber(row *dbsqlc.PhoneNumber, assistantID *uuid.UUID) PhoneNumber {
	return PhoneNumber{
		ID: row.ID, Number: row.Number, Type: row.Type, Locality: row.Locality, Origin: row.Origin, Status: row.Status,
		AssistantID: assistantID, CreatedAt: row.CreatedAt.UTC(),
	}
}
