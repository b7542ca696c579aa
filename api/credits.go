package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
)

// CreditEntry is one entry of the ledger.
type CreditEntry struct {
	ID                 uuid.UUID  `json:"id"`
	Kind               string     `json:"kind" enum:"grant,order,refund" doc:"grant: by the operator; order: paid for a number; refund: given back for an order that failed."`
	Amount             int32      `json:"amount" example:"-10"`
	Balance            int32      `json:"balance" doc:"After this entry." example:"90"`
	Reason             string     `json:"reason"`
	PhoneNumberOrderID *uuid.UUID `json:"phone_number_order_id"`
	CreatedAt          time.Time  `json:"created_at"`
}

// CreditsBalance is the balance and the entries that it is the sum of.
type CreditsBalance struct {
	Balance    int32                 `json:"balance" example:"90"`
	Entries    []CreditEntry         `json:"entries" nullable:"false"`
	Pagination middleware.Pagination `json:"pagination"`
}

type creditsInput struct{ middleware.Page }

type creditsOutput struct{ Body CreditsBalance }

func (a *API) registerCredits(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/user/credits", "get-credits", tagUser, "Get your credits",
		"The balance and its ledger, newest entry first. The ledger is only ever added to, and the balance is its sum."), a.creditsGet)
}

func (a *API) creditsGet(ctx context.Context, in *creditsInput) (*creditsOutput, error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	account, err := queries.AccountGet(ctx, a.DB, &dbsqlc.AccountGetParams{ID: who.AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	// Entries are numbered without gaps: the page is found by number, and entries that are added meanwhile do not
	// shift it.
	newest := account.CreditEntries - int32(in.Offset)
	if in.Cursor != "" {
		newest = int32(in.After().Number) - 1
	}
	rows, err := queries.CreditEntryList(ctx, a.DB, &dbsqlc.CreditEntryListParams{AccountID: who.AccountID, Newest: newest,
		Max: middleware.QueryLimit(in.Limit)})
	if err != nil {
		return nil, apierror.FromDB("credit entry", err)
	}
	where := func(row *dbsqlc.CreditEntry) middleware.Position {
		return middleware.Position{Number: int64(row.Sequence)}
	}
	list, err := middleware.NewList(in.Limit, &in.Place, rows, int64(account.CreditEntries), renderCreditEntry, where)
	if err != nil {
		return nil, err
	}
	return &creditsOutput{Body: CreditsBalance{Balance: account.Credits, Entries: list.Body.Data, Pagination: list.Body.Pagination}},
		nil
}

func renderCreditEntry(row *dbsqlc.CreditEntry) CreditEntry {
	return CreditEntry{
		ID: row.ID, Kind: row.Kind, Amount: row.Amount, Balance: row.Balance, Reason: row.Reason,
		PhoneNumberOrderID: row.PhoneNumberOrderID, CreatedAt: row.CreatedAt.UTC(),
	}
}
