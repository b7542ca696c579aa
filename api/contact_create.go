package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

type contactCreateInput struct {
	middleware.Idempotency
	Body struct {
		PhoneNumber string `json:"phone_number" maxLength:"64" doc:"E.164." example:"+31612345678"`
		ContactFields
		OrgID Opt[string] `json:"org_id,omitzero" maxLength:"200"`
	}
}

// Resolve implements huma.Resolver.
func (in *contactCreateInput) Resolve(ctx huma.Context) []error {
	return append(in.Idempotency.Resolve(ctx), brokenRules(ctx, in)...)
}

// newContact is a contact that is asked for.
type newContact struct {
	id, accountID uuid.UUID
	test          bool
	phoneNumber   string
	details       json.RawMessage // a jsonb.ContactDetails
}

func (a *API) contactCreate(ctx context.Context, in *contactCreateInput) (*middleware.Response[Contact], error) {
	body := &in.Body
	number, lastInteractionAt, err := in.read()
	if err != nil {
		return nil, err
	}
	if lastInteractionAt != nil { // as Postgres stores it
		lastInteractionAt = new(lastInteractionAt.UTC().Truncate(time.Microsecond))
	}
	details, err := json.Marshal(jsonb.ContactDetails{
		FullName: body.FullName.value(), Email: body.Email.value(), Address: body.Address.value(), OrgID: body.OrgID.value(),
		LastInteractionAt: lastInteractionAt, LastInteractionSummary: body.LastInteractionSummary.value(),
	})
	if err != nil {
		return nil, fmt.Errorf("encode contact: %w", err)
	}
	who := middleware.CallerOf(ctx)
	return a.newContacts.Do(ctx, &in.Idempotency, &newContact{newID(), who.AccountID, who.Test, number, details})
}

// read reads what the schema does not express.
func (in *contactCreateInput) read() (number string, lastInteractionAt *time.Time, err error) {
	wrong := apierror.Invalid()
	number = requireNumber(wrong, "phone_number", in.Body.PhoneNumber)
	checkContact(wrong, &in.Body.ContactFields)
	lastInteractionAt = readOptionalTime(wrong, "last_interaction_at", in.Body.LastInteractionAt)
	return number, lastInteractionAt, wrong.OrNil()
}

// makeContacts makes the contacts that share a transaction.
func (a *API) makeContacts(ctx context.Context, tx pgx.Tx,
	asked []*newContact) ([]*middleware.Response[Contact], []error, error) {
	params := &dbsqlc.ContactInsertManyParams{}
	for _, one := range asked {
		params.Ids, params.AccountIds, params.Tests = append(params.Ids, one.id), append(params.AccountIds, one.accountID),
			append(params.Tests, one.test)
		params.PhoneNumbers, params.Details = append(params.PhoneNumbers, one.phoneNumber), append(params.Details, one.details)
	}
	rows, err := dbsqlc.New().ContactInsertMany(ctx, tx, params)
	if err != nil {
		return nil, nil, apierror.FromDB("contact", err)
	}
	made := make(map[uuid.UUID]*dbsqlc.Contact, len(rows))
	for _, row := range rows {
		made[row.ID] = row
	}
	responses, refusals := make([]*middleware.Response[Contact], len(asked)), make([]error, len(asked))
	for i, one := range asked {
		if row := made[one.id]; row != nil {
			responses[i] = middleware.Respond(http.StatusCreated, renderContact(row))
		} else {
			refusals[i] = contactExists()
		}
	}
	return responses, refusals, nil
}
