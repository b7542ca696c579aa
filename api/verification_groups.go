package api

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
)

// GroupFields are what a customer states about a business.
type GroupFields struct {
	Name                   string  `json:"name" maxLength:"200" example:"Amsterdam practice"`
	BusinessName           string  `json:"business_name" maxLength:"200" doc:"As the company registration shows it." example:"Linden Dental BV"`
	ContactPersonFirstName string  `json:"contact_person_first_name" maxLength:"100" example:"Jan"`
	ContactPersonLastName  string  `json:"contact_person_last_name" maxLength:"100" example:"Jansen"`
	ContactPersonPhone     string  `json:"contact_person_phone" maxLength:"64" doc:"A Dutch number, with or without its country code." example:"+31612345678"`
	City                   string  `json:"city" maxLength:"100" example:"Amsterdam"`
	StreetName             string  `json:"street_name" maxLength:"200" example:"Damrak"`
	HouseNumber            string  `json:"house_number" maxLength:"20" doc:"With its suffix." example:"1a"`
	PostalCode             string  `json:"postal_code" maxLength:"20" doc:"Four digits and two letters, in any spacing and case." example:"1012LG"`
	Province               string  `json:"province" maxLength:"100" example:"Noord-Holland"`
	Description            *string `json:"description,omitempty" maxLength:"5000"`
}

// VerificationGroup is a business that a regulator checks before it may have numbers.
type VerificationGroup struct {
	VerificationGroupID    uuid.UUID `json:"verification_group_id"`
	Name                   string    `json:"name"`
	BusinessName           string    `json:"business_name"`
	ContactPersonFirstName string    `json:"contact_person_first_name"`
	ContactPersonLastName  string    `json:"contact_person_last_name"`
	ContactPersonPhone     string    `json:"contact_person_phone" example:"+31612345678"`
	City                   string    `json:"city"`
	StreetName             string    `json:"street_name"`
	HouseNumber            string    `json:"house_number"`
	PostalCode             string    `json:"postal_code" example:"1012LG"`
	Province               string    `json:"province"`
	Description            *string   `json:"description"`

	Status          string     `json:"status" enum:"pending,approved,rejected" doc:"pending until it is submitted and decided."`
	SubmittedAt     *time.Time `json:"submitted_at"`
	ReviewedAt      *time.Time `json:"reviewed_at"`
	RejectionReason *string    `json:"rejection_reason"`

	ExternalCompanyRegistrationFileID *string                `json:"external_company_registration_file_id"`
	ExternalIdentificationFileID      *string                `json:"external_identification_file_id"`
	ExternalProofOfAddressFileID      *string                `json:"external_proof_of_address_file_id"`
	ExternalAddressID                 *string                `json:"external_address_id"`
	AddressError                      *string                `json:"address_error" doc:"Why the carrier refused the address."`
	Documents                         []VerificationDocument `json:"documents" nullable:"false"`
	CreatedAt                         time.Time              `json:"created_at"`
	UpdatedAt                         time.Time              `json:"updated_at"`
}

type groupCreateInput struct {
	middleware.Idempotency
	Body GroupFields
}

// GroupPath is the path of a group.
type GroupPath struct {
	ID uuid.UUID `path:"verification_group_id" format:"uuid" doc:"Id of the verification group."`
}

type groupSubmitInput struct {
	middleware.Idempotency
	GroupPath
}

type groupListInput struct {
	middleware.Page10
	Status string `query:"status" enum:"pending,approved,rejected" doc:"Groups in this state."`
}

type groupOutput struct{ Body VerificationGroup }

func (a *API) registerVerificationGroups(to huma.API) {
	const path = "/v1/verification-groups/{verification_group_id}"
	handle(a, to, operation(http.MethodGet, "/v1/verification-groups", "list-verification-groups", tagVerification,
		"List verification groups", "Your groups, newest first."), a.groupList)
	handle(a, to, creates("/v1/verification-groups", "create-verification-group", tagVerification, "Create a verification group",
		"The group's address is sent to the carrier; then upload its documents and submit it. 409 `limit_reached` with 100 groups."), a.groupCreate)
	handle(a, to, operation(http.MethodGet, path, "get-verification-group", tagVerification, "Get a verification group",
		"One group with its documents.", http.StatusNotFound), a.groupGet)
	remove := operation(http.MethodDelete, path, "delete-verification-group", tagVerification, "Delete a verification group",
		"409 while it has documents (delete them first), is under review, or an order through it is pending. Personal data in it is erased.", http.StatusNotFound, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.groupDelete)
	submit := creates(path+"/submit-for-approval", "submit-verification-group", tagVerification, "Submit a verification group",
		"Submits the group for review. 400 `invalid_status` names each of the four external items that is missing; 409 when it is under review or approved. A rejected group can change its documents and submit again.", http.StatusNotFound)
	submit.DefaultStatus = http.StatusOK
	handle(a, to, submit, a.groupSubmit)
}

func (a *API) groupList(ctx context.Context, in *groupListInput) (*middleware.List[VerificationGroup], error) {
	who, queries, status := middleware.CallerOf(ctx), dbsqlc.New(), nonEmpty(in.Status)
	total, err := queries.VerificationGroupCount(ctx, a.DB,
		&dbsqlc.VerificationGroupCountParams{AccountID: who.AccountID, Status: status})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	rows, err := queries.VerificationGroupList(ctx, a.DB, &dbsqlc.VerificationGroupListParams{
		AccountID: who.AccountID, Status: status, Before: in.Before(), Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	documents, err := documentsOf(ctx, a.DB, rows...)
	if err != nil {
		return nil, err
	}
	render := func(row *dbsqlc.VerificationGroup) VerificationGroup { return renderGroup(row, documents[row.ID]) }
	where := func(row *dbsqlc.VerificationGroup) middleware.Position { return middleware.Position{ID: row.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

// maxGroups is how many an account may have, each with 60 MiB of documents.
const maxGroups = 100

func (a *API) groupCreate(ctx context.Context, in *groupCreateInput) (*middleware.Response[VerificationGroup], error) {
	params, err := in.Body.params(middleware.CallerOf(ctx))
	if err != nil {
		return nil, err
	}
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[VerificationGroup], error) {
		queries := dbsqlc.New()
		if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: params.AccountID}); err != nil {
			return nil, fmt.Errorf("lock account: %w", err)
		}
		count, err := queries.VerificationGroupCount(ctx, tx, &dbsqlc.VerificationGroupCountParams{AccountID: params.AccountID})
		if err != nil {
			return nil, fmt.Errorf("count verification groups: %w", err)
		}
		if count >= maxGroups {
			return nil, limitReached(fmt.Sprintf("You have %d verification groups; delete one first.", maxGroups))
		}
		row, err := queries.VerificationGroupInsert(ctx, tx, params)
		if err != nil {
			return nil, apierror.FromDB("verification group", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.CreateVerificationAddressArgs{VerificationGroupID: row.ID}, nil); err != nil {
			return nil, fmt.Errorf("enqueue address: %w", err)
		}
		return middleware.Respond(http.StatusCreated, renderGroup(row, nil)), nil
	})
}

var dutchPostalCode = regexp.MustCompile(`^[1-9][0-9]{3}[A-Z]{2}$`)

// params checks the fields by the Dutch rules and returns them as they are stored.
func (f *GroupFields) params(who middleware.Caller) (*dbsqlc.VerificationGroupInsertParams, error) {
	wrong := apierror.Invalid()
	for name, value := range map[string]*string{
		"name": &f.Name, "business_name": &f.BusinessName, "contact_person_first_name": &f.ContactPersonFirstName,
		"contact_person_last_name": &f.ContactPersonLastName, "city": &f.City, "street_name": &f.StreetName,
		"house_number": &f.HouseNumber, "province": &f.Province,
	} {
		if *value = strings.TrimSpace(*value); *value == "" {
			wrong.With(name, "is empty")
		}
	}
	phone, err := phonenumbers.Parse(f.ContactPersonPhone, "NL")
	if err != nil || !phonenumbers.IsValidNumberForRegion(phone, "NL") {
		wrong.With("contact_person_phone", "is not a valid Dutch phone number")
	}
	postalCode := strings.ToUpper(strings.Join(strings.Fields(f.PostalCode), ""))
	if !dutchPostalCode.MatchString(postalCode) {
		wrong.With("postal_code", "is not four digits and two letters, such as 1012LG")
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return &dbsqlc.VerificationGroupInsertParams{
		ID: newID(), AccountID: who.AccountID, Simulated: who.Simulated, Name: f.Name, BusinessName: f.BusinessName,
		ContactPersonFirstName: f.ContactPersonFirstName, ContactPersonLastName: f.ContactPersonLastName,
		ContactPersonPhone: phonenumbers.Format(phone, phonenumbers.E164), City: f.City, StreetName: f.StreetName,
		HouseNumber: f.HouseNumber,
		PostalCode:  postalCode, Province: f.Province, Description: f.Description,
	}, nil
}

func (a *API) groupGet(ctx context.Context, in *GroupPath) (*groupOutput, error) {
	row, err := dbsqlc.New().VerificationGroupGet(ctx, a.DB,
		&dbsqlc.VerificationGroupGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	documents, err := documentsOf(ctx, a.DB, row)
	if err != nil {
		return nil, err
	}
	return &groupOutput{Body: renderGroup(row, documents[row.ID])}, nil
}

// lockGroup returns a group for a change that depends on its state, under its lock.
func lockGroup(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*dbsqlc.VerificationGroup, error) {
	row, err := dbsqlc.New().VerificationGroupGetForUpdate(ctx, tx,
		&dbsqlc.VerificationGroupGetForUpdateParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: id})
	return row, apierror.FromDB("verification group", err)
}

func underReview(row *dbsqlc.VerificationGroup) bool {
	return row.Status == "pending" && row.SubmittedAt != nil
}

func (a *API) groupSubmit(ctx context.Context, in *groupSubmitInput) (*middleware.Response[VerificationGroup], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[VerificationGroup], error) {
		row, err := lockGroup(ctx, tx, in.ID)
		if err != nil {
			return nil, err
		}
		if err := submittable(row); err != nil {
			return nil, err
		}
		row, err = dbsqlc.New().VerificationGroupSubmit(ctx, tx,
			&dbsqlc.VerificationGroupSubmitParams{AccountID: row.AccountID, ID: row.ID})
		if err != nil {
			return nil, fmt.Errorf("submit verification group: %w", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.ReviewVerificationGroupArgs{VerificationGroupID: row.ID,
			Submission: row.Submission}, nil); err != nil {
			return nil, fmt.Errorf("enqueue review: %w", err)
		}
		documents, err := documentsOf(ctx, tx, row)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusOK, renderGroup(row, documents[row.ID])), nil
	})
}

func submittable(row *dbsqlc.VerificationGroup) error {
	switch {
	case underReview(row):
		return apierror.Conflict("The verification group is under review.")
	case row.Status == "approved":
		return apierror.Conflict("The verification group is approved.")
	}
	missing := apierror.New(http.StatusBadRequest, "invalid_status", "The verification group is not complete.")
	for name, id := range map[string]*string{
		"external_company_registration_file_id": row.ExternalCompanyRegistrationFileID,
		"external_identification_file_id":       row.ExternalIdentificationFileID,
		"external_proof_of_address_file_id":     row.ExternalProofOfAddressFileID, "external_address_id": row.ExternalAddressID,
	} {
		if id == nil {
			missing.With(name, "is missing")
		}
	}
	if len(missing.Body.Details) > 0 {
		return missing
	}
	return nil
}

func (a *API) groupDelete(ctx context.Context, in *GroupPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		row, err := lockGroup(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		documents, err := documentsOf(ctx, tx, row)
		if err != nil {
			return err
		}
		ordering, err := dbsqlc.New().PhoneNumberOrderPendingInGroup(ctx, tx,
			&dbsqlc.PhoneNumberOrderPendingInGroupParams{AccountID: row.AccountID, VerificationGroupID: row.ID})
		switch {
		case err != nil:
			return fmt.Errorf("look for orders: %w", err)
		case len(documents[row.ID]) > 0:
			return apierror.Conflict("The verification group has documents: delete them first.")
		case underReview(row):
			return apierror.Conflict("The verification group is under review.")
		case ordering:
			return apierror.Conflict("An order through the verification group is pending.")
		}
		return dbsqlc.New().VerificationGroupDelete(ctx, tx,
			&dbsqlc.VerificationGroupDeleteParams{AccountID: row.AccountID, ID: row.ID})
	})
}

// documentsOf returns the documents of all groups, by one query.
func documentsOf(ctx context.Context, tx dbsqlc.DBTX,
	groups ...*dbsqlc.VerificationGroup) (map[uuid.UUID][]VerificationDocument, error) {
	params := &dbsqlc.VerificationDocumentListForGroupsParams{AccountID: middleware.CallerOf(ctx).AccountID}
	for _, group := range groups {
		params.VerificationGroupIds = append(params.VerificationGroupIds, group.ID)
	}
	rows, err := dbsqlc.New().VerificationDocumentListForGroups(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("list verification documents: %w", err)
	}
	documents := map[uuid.UUID][]VerificationDocument{}
	for _, row := range rows {
		documents[row.VerificationGroupID] = append(documents[row.VerificationGroupID], renderDocument(row))
	}
	return documents, nil
}

func renderGroup(row *dbsqlc.VerificationGroup, documents []VerificationDocument) VerificationGroup {
	if documents == nil {
		documents = []VerificationDocument{}
	}
	return VerificationGroup{
		VerificationGroupID: row.ID, Name: row.Name, BusinessName: row.BusinessName, ContactPersonFirstName: row.ContactPersonFirstName,
		ContactPersonLastName: row.ContactPersonLastName, ContactPersonPhone: row.ContactPersonPhone, City: row.City,
		StreetName:  row.StreetName,
		HouseNumber: row.HouseNumber, PostalCode: row.PostalCode, Province: row.Province, Description: row.Description,
		Status:      row.Status,
		SubmittedAt: utc(row.SubmittedAt), ReviewedAt: utc(row.ReviewedAt), RejectionReason: row.RejectionReason,
		ExternalCompanyRegistrationFileID: row.ExternalCompanyRegistrationFileID,
		ExternalIdentificationFileID:      row.ExternalIdentificationFileID,
		ExternalProofOfAddressFileID:      row.ExternalProofOfAddressFileID, ExternalAddressID: row.ExternalAddressID,
		AddressError: row.AddressError,
		Documents:    documents, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
	}
}
