// Package telnyx is the carrier Telnyx over its REST API v2.
//
// It knows Telnyx's paths, fields and states. It must not know accounts or credits, nor when a request is repeated.
// Telnyx has no idempotency keys: whatever is created has our reference as customer_reference, by which it is looked up
// first.
package telnyx

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/callwright/callwright/providers/jsonhttp"
	"github.com/callwright/callwright/providers/telco"
)

const (
	name       = "telnyx"
	defaultURL = "https://api.telnyx.com/v2"
	uploadWait = 2 * time.Minute
)

// Config is an account at Telnyx.
type Config struct {
	BaseURL      string // empty: the public API
	APIKey       string
	ConnectionID string        // of the SIP connection for ordered numbers; empty: none
	Wait         time.Duration // for one response; 0: 20 s
	HTTP         *http.Client
}

// Carrier is an account at Telnyx.
type Carrier struct {
	endpoint     jsonhttp.Endpoint
	connectionID string
	dutch        *telco.Dutch
}

var _ telco.Carrier = (*Carrier)(nil)

// New returns the carrier.
func New(cfg Config, dutch *telco.Dutch) *Carrier {
	return &Carrier{connectionID: cfg.ConnectionID, dutch: dutch, endpoint: jsonhttp.Endpoint{
		Provider: name, BaseURL: cmp.Or(cfg.BaseURL, defaultURL), Wait: cfg.Wait, MaxBytes: maxResponse, HTTP: cfg.HTTP,
		Explain:   explain,
		Authorize: func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+cfg.APIKey) },
	}}
}

// Search implements telco.Carrier. Telnyx does not return the type, so a search for any type queries each of them.
func (c *Carrier) Search(ctx context.Context, search telco.Search) (telco.Stock, error) {
	types := []string{telco.Local, telco.Mobile, telco.National}
	if search.Type != "" {
		types = []string{search.Type}
	}
	numbers := []telco.Number{}
	for _, numberType := range types {
		if len(numbers) >= search.Limit {
			break
		}
		search.Type = numberType
		found, err := c.searchType(ctx, search, search.Limit-len(numbers))
		if err != nil {
			return telco.Stock{}, err
		}
		numbers = append(numbers, found...)
	}
	return telco.Stock{Numbers: numbers}, nil // its total_results counts what it returned
}

func (c *Carrier) searchType(ctx context.Context, search telco.Search, limit int) ([]telco.Number, error) {
	areaCode, locality := search.AreaCode, search.Locality
	if search.Type != telco.Local {
		areaCode, locality = "", ""
	}
	var response envelope[[]struct {
		PhoneNumber string `json:"phone_number"`
	}]
	err := c.ask(ctx, http.MethodGet, "/available_phone_numbers"+query(
		"filter[country_code]", search.Country, "filter[phone_number_type]", search.Type, "filter[national_destination_code]", areaCode,
		"filter[locality]", locality, "filter[features]", "voice", "filter[limit]", strconv.Itoa(limit)), nil, &response)
	if err != nil {
		return nil, err
	}
	var numbers []telco.Number
	for _, found := range response.Data[:min(len(response.Data), limit)] {
		number := telco.Number{PhoneNumber: found.PhoneNumber, Type: search.Type, Country: search.Country}
		if _, place, ok := c.dutch.Type(found.PhoneNumber); ok {
			number.Locality = place
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// made is any object at Telnyx.
type made struct {
	ID string `json:"id"`
}

// find returns the id of the object with a reference; empty if there is none.
func (c *Carrier) find(ctx context.Context, path, filter, reference string) (string, error) {
	var response envelope[[]made]
	if err := c.ask(ctx, http.MethodGet, path+query(filter, reference), nil, &response); err != nil {
		return "", err
	}
	if len(response.Data) == 0 {
		return "", nil
	}
	return response.Data[0].ID, nil
}
