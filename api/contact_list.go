package api

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

type contactListInput struct {
	middleware.Page10
	OrgID       string `query:"org_id" maxLength:"200" doc:"Contacts of this organisation."`
	FullName    string `query:"full_name" maxLength:"200" doc:"Part of the name, in any case."`
	Email       string `query:"email" maxLength:"320" doc:"The whole address."`
	PhoneNumber string `query:"phone_number" maxLength:"64" doc:"The whole number, in any E.164 spelling."`
}

// The name index is by trigrams. A page is found faster by looking up matches one by one, up to fewContacts of them,
// than by walking through all contacts until the page is full; the total is counted faster by looking them up, up to
// someContacts, than by reading the names of all in the index. Only short texts match more.
const (
	fewContacts  = 1000
	someContacts = 20_000
)

func (a *API) contactList(ctx context.Context, in *contactListInput) (*middleware.List[Contact], error) {
	filter := contactFilter{accountID: middleware.CallerOf(ctx).AccountID, orgID: nonEmpty(in.OrgID), email: nonEmpty(in.Email),
		text: in.FullName, name: nonEmpty(likePattern(in.FullName))}
	if in.PhoneNumber != "" {
		number, err := numberInQuery(in.PhoneNumber)
		if err != nil {
			return nil, apierror.Invalid().With("phone_number", err.Error())
		}
		filter.phoneNumber = &number
	}
	conn := db.PlanEach(a.DB)
	total, err := filter.count(ctx, conn)
	if err != nil {
		return nil, apierror.FromDB("contact", err)
	}
	rows, err := filter.page(ctx, conn, in.Before(), middleware.QueryLimit(in.Limit), int32(in.Offset))
	if err != nil {
		return nil, apierror.FromDB("contact", err)
	}
	where := func(row *dbsqlc.Contact) middleware.Position { return middleware.Position{ID: row.ID} }
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderContact, where)
}

// contactFilter selects the contacts of a list.
type contactFilter struct {
	accountID                 uuid.UUID
	orgID, email, phoneNumber *string
	text                      string  // a part of the name
	name                      *string // LIKE pattern of text

	fewHaveName bool // set by count
}

// count returns the number of matching contacts, on all pages. It must be called before page.
func (f *contactFilter) count(ctx context.Context, conn dbsqlc.DBTX) (int64, error) {
	queries := dbsqlc.New()
	switch {
	case f.phoneNumber != nil || f.email != nil:
		return queries.ContactCountByAddress(ctx, conn, &dbsqlc.ContactCountByAddressParams{
			AccountID: f.accountID, PhoneNumber: f.phoneNumber, Email: f.email, OrgID: f.orgID, Name: f.name,
		})
	case f.name == nil:
		return queries.ContactCount(ctx, conn, &dbsqlc.ContactCountParams{AccountID: f.accountID, OrgID: f.orgID})
	}
	rarest, err := queries.ContactCountByRarestGram(ctx, conn,
		&dbsqlc.ContactCountByRarestGramParams{AccountID: f.accountID, Text: f.text})
	if err != nil {
		return 0, err
	}
	f.fewHaveName = rarest.Most <= fewContacts
	switch {
	case rarest.Exact && f.orgID == nil:
		return rarest.Most, nil
	case f.fewHaveName || f.orgID == nil && rarest.Most <= someContacts:
		return queries.ContactCountByName(ctx, conn, &dbsqlc.ContactCountByNameParams{AccountID: f.accountID, Text: f.text,
			Name: *f.name, OrgID: f.orgID})
	}
	return queries.ContactCountByScan(ctx, conn, &dbsqlc.ContactCountByScanParams{AccountID: f.accountID, Name: *f.name,
		OrgID: f.orgID})
}

// page returns a page of contacts, by the query that suits the filter.
func (f *contactFilter) page(ctx context.Context, conn dbsqlc.DBTX, before uuid.UUID, most,
	skip int32) ([]*dbsqlc.Contact, error) {
	queries := dbsqlc.New()
	switch {
	case f.phoneNumber != nil || f.email != nil:
		return queries.ContactListByAddress(ctx, conn, &dbsqlc.ContactListByAddressParams{
			AccountID: f.accountID, PhoneNumber: f.phoneNumber, Email: f.email, OrgID: f.orgID, Name: f.name, Before: before, Max: most,
			Skip: skip,
		})
	case f.fewHaveName:
		return queries.ContactListByName(ctx, conn, &dbsqlc.ContactListByNameParams{
			AccountID: f.accountID, Text: f.text, Name: *f.name, OrgID: f.orgID, Before: before, Max: most, Skip: skip,
		})
	}
	return queries.ContactList(ctx, conn, &dbsqlc.ContactListParams{
		AccountID: f.accountID, OrgID: f.orgID, Name: f.name, Before: before, Max: most, Skip: skip,
	})
}

// likePattern returns the LIKE pattern of texts that contain text.
func likePattern(text string) string {
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
