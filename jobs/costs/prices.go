package costs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// Price is what something costs from an instant on. Kind says what it is and for how much of it the amount is: a million tokens
// or characters, a minute, a message.
type Price struct {
	Kind      string    `json:"kind"`
	Provider  string    `json:"provider"` // empty: every one without a price of its own
	Model     string    `json:"model"`    // or the first digits of numbers; empty: all without a price of their own
	ValidFrom time.Time `json:"valid_from"`
	USD       jsonb.USD `json:"usd"`
}

// mostUSD is the highest price.
const mostUSD = 1_000_000

// check returns why a price cannot be set.
func (p *Price) check() error {
	most, err := jsonb.ParseUSD(fmt.Sprint(mostUSD))
	switch {
	case err != nil:
		return err
	case !slices.Contains(jsonb.PriceKinds(), p.Kind):
		return fmt.Errorf("kind: %q is none of %s", p.Kind, strings.Join(jsonb.PriceKinds(), ", "))
	case p.USD < 0 || p.USD > most:
		return fmt.Errorf("usd: %s is not between 0 and %d dollars", p.USD, mostUSD)
	case byNumber(p.Kind) && strings.Trim(p.Model, "0123456789") != "":
		return fmt.Errorf("model: %q are not the first digits of numbers, such as 31 or 316", p.Model)
	case byNumber(p.Kind) && len(p.Model) > maxDigits:
		return fmt.Errorf("model: %q is longer than a number", p.Model)
	case db.Storable(p.Provider) != p.Provider:
		return fmt.Errorf("provider: %q is not text in UTF-8", p.Provider)
	case db.Storable(p.Model) != p.Model:
		return fmt.Errorf("model: %q is not text in UTF-8", p.Model)
	}
	return nil
}

const maxDigits = 15 // of a number in E.164

// byNumber reports whether a kind is priced by the first digits of numbers.
func byNumber(kind string) bool {
	return kind == jsonb.KindOutbound || kind == jsonb.KindInbound || kind == jsonb.KindSMS
}

// SetPrices sets prices, all or none. One that is set for the same thing and instant takes its place. Calls that were priced keep
// their costs.
func SetPrices(ctx context.Context, conn dbsqlc.DBTX, prices ...Price) error {
	params := &dbsqlc.PriceSetManyParams{}
	for i := range prices {
		price := &prices[i]
		if err := price.check(); err != nil {
			return fmt.Errorf("price %d: %w", i+1, err)
		}
		params.Kinds, params.Providers, params.Models = append(params.Kinds, price.Kind), append(params.Providers, price.Provider),
			append(params.Models, price.Model)
		params.ValidFrom, params.Amounts = append(params.ValidFrom, price.ValidFrom), append(params.Amounts, int64(price.USD))
	}
	if _, err := dbsqlc.New().PriceSetMany(ctx, conn, params); err != nil {
		return fmt.Errorf("set prices: %w", err)
	}
	return nil
}

// ListPrices returns the prices of a kind and of a provider; empty: of all.
func ListPrices(ctx context.Context, conn dbsqlc.DBTX, kind, provider string) ([]Price, error) {
	rows, err := dbsqlc.New().PriceList(ctx, conn, &dbsqlc.PriceListParams{Kind: kind, Provider: provider})
	if err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	prices := make([]Price, len(rows))
	for i, row := range rows {
		prices[i] = Price{row.Kind, row.Provider, row.Model, row.ValidFrom.UTC(), jsonb.USD(row.Amount)}
	}
	return prices, nil
}

// ParseValidFrom reads from when a price holds: an instant, a day in UTC, or now where it is empty.
func ParseValidFrom(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither a day, such as 2026-11-01, nor an instant, such as 2026-11-01T09:00:00Z", text)
}

// UnitOf says for how much of a kind a price is.
func UnitOf(kind string) string {
	switch kind {
	case jsonb.KindCharacters:
		return "1,000,000 characters"
	case jsonb.KindTranscriber, jsonb.KindOutbound, jsonb.KindInbound:
		return "minute"
	case jsonb.KindSMS, jsonb.KindMail:
		return "message"
	}
	return "1,000,000 tokens"
}

// Missing is something that calls of the last week used for which there is no price.
type Missing struct {
	Kind, Provider, Model string
}

// ListMissing returns what recent calls used that has no price. set reports whether any price above 0 is set at all: a deployment
// without any does not ask what calls cost.
func ListMissing(ctx context.Context, conn dbsqlc.DBTX) (missing []Missing, set bool, err error) {
	if set, err = dbsqlc.New().PriceIsAnySet(ctx, conn); err != nil {
		return nil, false, fmt.Errorf("look for prices: %w", err)
	}
	rows, err := dbsqlc.New().PriceListMissing(ctx, conn)
	if err != nil {
		return nil, false, fmt.Errorf("list missing prices: %w", err)
	}
	for _, row := range rows {
		missing = append(missing, Missing{row.Kind, row.Provider, row.Model})
	}
	return missing, set, nil
}
