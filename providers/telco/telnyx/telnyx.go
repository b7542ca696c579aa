// Package telnyx is the carrier Telnyx over its REST API v2.
//
// It knows Telnyx's paths, fields and states. It must not know accounts or credits, nor when something is asked again.
// Telnyx has no idempotency keys: all that is made carries our reference as customer_reference and is looked up by it
// first.
package telnyx

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/telco"
)

const (
	name        = "telnyx"
	defaultURL  = "https://api.telnyx.com/v2"
	defaultWait = 20 * time.Second
	uploadWait  = 2 * time.Minute
)

// Config is an account at Telnyx.
type Config struct {
	BaseURL      string // empty: the public one
	APIKey       string
	ConnectionID string        // of the SIP connection that bought numbers are bound to; empty: none
	Wait         time.Duration // for one answer; 0: 20 s
	HTTP         *http.Client
}

// Carrier is an account at Telnyx.
type Carrier struct {
	baseURL      string
	apiKey       string
	connectionID string
	wait         time.Duration
	http         *http.Client
	dutch        *telco.Dutch
}

var _ telco.Carrier = (*Carrier)(nil)

// New makes the carrier.
func New(cfg Config, dutch *telco.Dutch) *Carrier {
	c := &Carrier{
		baseURL: strings.TrimRight(cfg.BaseURL, "/"), apiKey: cfg.APIKey, connectionID: cfg.ConnectionID, wait: cfg.Wait, http: cfg.HTTP, dutch: dutch,
	}
	if c.baseURL == "" {
		c.baseURL = defaultURL
	}
	if c.wait == 0 {
		c.wait = defaultWait
	}
	return c
}

// Search implements telco.Carrier. Telnyx does not echo the type, so a search for any type asks for each.
func (c *Carrier) Search(ctx context.Context, search telco.Search) ([]telco.Number, error) {
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
			return nil, err
		}
		numbers = append(numbers, found...)
	}
	return numbers, nil
}

func (c *Carrier) searchType(ctx context.Context, search telco.Search, limit int) ([]telco.Number, error) {
	areaCode, locality := search.AreaCode, search.Locality
	if search.Type != telco.Local {
		areaCode, locality = "", ""
	}
	var answer envelope[[]struct {
		PhoneNumber string `json:"phone_number"`
	}]
	err := c.ask(ctx, http.MethodGet, "/available_phone_numbers"+query(
		"filter[country_code]", search.Country, "filter[phone_number_type]", search.Type, "filter[national_destination_code]", areaCode,
		"filter[locality]", locality, "filter[features]", "voice", "filter[limit]", strconv.Itoa(limit)), nil, &answer)
	if err != nil {
		return nil, err
	}
	var numbers []telco.Number
	for _, found := range answer.Data[:min(len(answer.Data), limit)] {
		number := telco.Number{PhoneNumber: found.PhoneNumber, Type: search.Type, Country: search.Country}
		if _, place, ok := c.dutch.Type(found.PhoneNumber); ok {
			number.Locality = place
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// made is anything that Telnyx keeps.
type made struct {
	ID string `json:"id"`
}

// find answers the id of what was made under a reference; empty when nothing was.
func (c *Carrier) find(ctx context.Context, path, filter, reference string) (string, error) {
	var answer envelope[[]made]
	if err := c.ask(ctx, http.MethodGet, path+query(filter, reference), nil, &answer); err != nil {
		return "", err
	}
	if len(answer.Data) == 0 {
		return "", nil
	}
	return answer.Data[0].ID, nil
}
