package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/telco"
)

// AvailablePhoneNumber is a number that can be ordered.
type AvailablePhoneNumber struct {
	PhoneNumber        string  `json:"phone_number" example:"+31201234567"`
	Type               string  `json:"type" enum:"local,mobile,national"`
	Locality           *string `json:"locality" example:"Amsterdam"`
	Country            string  `json:"country" example:"NL"`
	MonthlyCostCredits int     `json:"monthly_cost_credits" doc:"The order pays the first month; nothing renews yet." example:"10"`
}

// NumberPage is a page of what a carrier has. It has no cursor, because the stock is the carrier's.
type NumberPage struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Maximum number of results."`
	Offset int `query:"offset" minimum:"0" maximum:"1000" default:"0" doc:"Results to skip."`
}

// StockPagination is the position of a page in what a carrier has.
type StockPagination struct {
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
	Total   *int64 `json:"total" doc:"How many there are in all; null where the carrier does not say."`
	HasMore bool   `json:"has_more" doc:"Whether there are more."`
}

type availableNumbersOutput struct {
	Body struct {
		Data       []AvailablePhoneNumber `json:"data" nullable:"false"`
		Pagination StockPagination        `json:"pagination"`
	}
}

type groupNumbersInput struct {
	NumberPage
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the verification group."`
}

type availableNumbersInput struct {
	NumberPage
	Type     string `query:"type" enum:"local,mobile,national" default:"local" doc:"The type of the numbers."`
	Country  string `query:"country" enum:"NL" default:"NL" doc:"Their country."`
	Locality string `query:"locality" maxLength:"100" doc:"Their town, for local numbers." example:"Amsterdam"`
}

type legacyNumbersInput struct {
	NumberPage
	Country  string `query:"country" enum:"NL" default:"NL" doc:"Their country."`
	Locality string `query:"locality" maxLength:"100" doc:"Their town, for local numbers." example:"Amsterdam"`
}

func (a *API) registerAvailableNumbers(to huma.API) {
	const carrier = " The carrier is queried: 502 and 504 when it fails."
	outside := []int{http.StatusBadGateway, http.StatusGatewayTimeout}
	handle(a, to, operation(http.MethodGet, "/v1/verification-groups/{id}/available-phone-numbers", "list-group-available-numbers",
		tagPhoneNumbers,
		"List numbers for a group", "Local numbers of the area code of the group's city."+carrier,
		append(outside, http.StatusNotFound)...), a.groupNumbers)
	handle(a, to, operation(http.MethodGet, "/v1/available-phone-numbers", "list-available-numbers", tagPhoneNumbers,
		"List available numbers", "Numbers of one type that can be ordered now."+carrier, outside...), a.availableNumbers)
	legacy := operation(http.MethodGet, "/v1/phone-numbers/available", "list-available-numbers-legacy", tagPhoneNumbers,
		"List available numbers (legacy)",
		"Numbers of any type that can be ordered now. New clients use `/v1/available-phone-numbers`."+carrier, outside...)
	legacy.Deprecated = true
	handle(a, to, legacy, a.legacyNumbers)
}

func (a *API) groupNumbers(ctx context.Context, in *groupNumbersInput) (*availableNumbersOutput, error) {
	group, err := dbsqlc.New().VerificationGroupGet(ctx, a.DB,
		&dbsqlc.VerificationGroupGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	return a.searchNumbers(ctx, group.Simulated, &in.NumberPage, telco.Search{Type: telco.Local, Locality: group.City})
}

func (a *API) availableNumbers(ctx context.Context, in *availableNumbersInput) (*availableNumbersOutput, error) {
	return a.searchNumbers(ctx, middleware.CallerOf(ctx).Simulated, &in.NumberPage,
		telco.Search{Type: in.Type, Locality: in.Locality})
}

func (a *API) legacyNumbers(ctx context.Context, in *legacyNumbersInput) (*availableNumbersOutput, error) {
	return a.searchNumbers(ctx, middleware.CallerOf(ctx).Simulated, &in.NumberPage, telco.Search{Locality: in.Locality})
}

// searchNumbers searches by the town's area code if the numbering plan has it, and by its name otherwise. It asks for one number
// more than the page has, to see whether there are more.
func (a *API) searchNumbers(ctx context.Context, simulated bool, page *NumberPage,
	search telco.Search) (*availableNumbersOutput, error) {
	search.Country, search.Limit = "NL", page.Offset+page.Limit+1
	if areaCode := a.numbering.AreaCode(search.Locality); areaCode != "" {
		search.AreaCode, search.Locality = areaCode, ""
	}
	stock, err := a.Carriers.Of(simulated).Search(ctx, search)
	if err != nil {
		return nil, apierror.FromFault(err)
	}
	end := min(page.Offset+page.Limit, len(stock.Numbers))
	out := &availableNumbersOutput{}
	out.Body.Data = []AvailablePhoneNumber{}
	for _, number := range stock.Numbers[min(page.Offset, end):end] {
		out.Body.Data = append(out.Body.Data, renderAvailable(number))
	}
	out.Body.Pagination = StockPagination{Limit: page.Limit, Offset: page.Offset, Total: stock.Total,
		HasMore: len(stock.Numbers) > end}
	if stock.Total == nil && !out.Body.Pagination.HasMore {
		out.Body.Pagination.Total = new(int64(len(stock.Numbers)))
	}
	return out, nil
}

func renderAvailable(number telco.Number) AvailablePhoneNumber {
	return AvailablePhoneNumber{
		PhoneNumber: number.PhoneNumber, Type: number.Type, Locality: nonEmpty(number.Locality), Country: number.Country,
		MonthlyCostCredits: orderCredits,
	}
}
