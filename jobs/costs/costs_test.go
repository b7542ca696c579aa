package costs_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
)

// longAgo is from when the prices of tests hold.
var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func usd(t *testing.T, text string) jsonb.USD {
	t.Helper()
	amount, err := jsonb.ParseUSD(text)
	require.NoError(t, err)
	return amount
}

func setPrices(t *testing.T, f *jobstest.Fixture, prices ...costs.Price) {
	t.Helper()
	for i := range prices {
		if prices[i].ValidFrom.IsZero() {
			prices[i].ValidFrom = longAgo
		}
	}
	require.NoError(t, costs.SetPrices(t.Context(), f.Tx, prices...))
}

// add adds what a call used and returns all that it used by now.
func add(t *testing.T, f *jobstest.Fixture, callID uuid.UUID, items ...jsonb.UsageItem) jsonb.Usage {
	t.Helper()
	_, err := costs.Add(t.Context(), f.Tx, costs.Use{CallID: callID, Usage: items})
	require.NoError(t, err)
	used, err := costs.List(t.Context(), f.Tx, f.Account.ID, callID)
	require.NoError(t, err)
	return used[callID]
}

func prompt(provider, model string, tokens int64) jsonb.UsageItem {
	return jsonb.UsageItem{Type: jsonb.CostModel, Provider: provider, Model: model, Kind: jsonb.KindPrompt, Quantity: tokens}
}

// transport returns what the time of a call costs that was as row says.
func transport(t *testing.T, f *jobstest.Fixture, row *dbsqlc.Call, lasted time.Duration) jsonb.UsageItem {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(),
		`UPDATE call SET started_at = ended_at - $2::interval, direction = $3, contact_phone_number = $4, phone_number = $5, simulated = $6
		WHERE id = $1`, row.ID, lasted, row.Direction, row.ContactPhoneNumber, row.PhoneNumber, row.Simulated)
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "DELETE FROM call_usage WHERE call_id = $1", row.ID)
	require.NoError(t, err)
	_, err = costs.Add(t.Context(), f.Tx, costs.Use{CallID: row.ID, Ended: true})
	require.NoError(t, err)
	used, err := costs.List(t.Context(), f.Tx, f.Account.ID, row.ID)
	require.NoError(t, err)
	require.Len(t, used[row.ID], 1)
	return used[row.ID][0]
}

func TestWhichPriceHolds(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	started := *call.StartedAt
	setPrices(t, f,
		costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", USD: usd(t, "9")},
		costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", Model: "small", USD: usd(t, "5")},
		costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", Model: "small", ValidFrom: started, USD: usd(t, "0.15")},
		costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", Model: "small", ValidFrom: started.Add(time.Microsecond),
			USD: usd(t, "7")},
		costs.Price{Kind: jsonb.KindCompletion, Provider: "maker", Model: "small", ValidFrom: started.Add(time.Hour), USD: usd(t, "1")},
		costs.Price{Kind: jsonb.KindCached, Provider: "maker", Model: "cachy", USD: usd(t, "0.5")},
		costs.Price{Kind: jsonb.KindCharacters, Provider: "", USD: usd(t, "2")},
		costs.Price{Kind: jsonb.KindCharacters, Provider: "cheap", USD: usd(t, "1")},
	)
	item := func(kind, provider, model string) jsonb.UsageItem {
		return jsonb.UsageItem{Type: jsonb.CostModel, Provider: provider, Model: model, Kind: kind, Quantity: 1_000_000}
	}
	for name, test := range map[string]struct {
		item   jsonb.UsageItem
		want   string
		priced bool
	}{
		"of the model, from the instant of the call's start on": {item(jsonb.KindPrompt, "maker", "small"), "0.15", true},
		"of the provider, for a model without its own":          {item(jsonb.KindPrompt, "maker", "large"), "9", true},
		"of cached tokens":                         {item(jsonb.KindCached, "maker", "cachy"), "0.5", true},
		"of cached tokens as of others":            {item(jsonb.KindCached, "maker", "small"), "0.15", true},
		"of any provider":                          {item(jsonb.KindCharacters, "unheard of", "x"), "2", true},
		"of a provider before that of any":         {item(jsonb.KindCharacters, "cheap", ""), "1", true},
		"none of what comes later":                 {item(jsonb.KindCompletion, "maker", "small"), "0", false},
		"none of another provider":                 {item(jsonb.KindPrompt, "other", "small"), "0", false},
		"nothing for what runs on our own machine": {item(jsonb.KindPrompt, "scripted", ""), "0", true},
	} {
		t.Run(name, func(t *testing.T) {
			used := add(t, f, call.ID, test.item)
			require.Equal(t, int64(usd(t, test.want)), used[0].Cost, "the last is the first")
			require.Equal(t, test.priced, used[0].Price != nil)
		})
	}
}

func TestMinutesByNumber(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	setPrices(t, f,
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", USD: usd(t, "1")},
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", Model: "31", USD: usd(t, "0.006")},
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", Model: "316", USD: usd(t, "0.018")},
		costs.Price{Kind: jsonb.KindOutbound, Provider: "trunk", Model: "3161", ValidFrom: time.Now().Add(time.Hour), USD: usd(t, "9")},
		costs.Price{Kind: jsonb.KindInbound, Provider: "trunk", Model: "3185", USD: usd(t, "0.004")},
	)
	for name, test := range map[string]struct {
		direction, caller, called string
		simulated                 bool
		lasted                    time.Duration
		want, of                  string
	}{
		"a mobile number":            {"outbound", "+31612345600", "+31850000000", false, time.Minute, "0.018", "316"},
		"five seconds":               {"outbound", "+31612345600", "+31850000000", false, 5 * time.Second, "0.0015", "316"},
		"half a micro-cent":          {"outbound", "+31201234567", "+31850000000", false, 5 * time.Millisecond, "0.0000005", "31"},
		"a landline":                 {"outbound", "+31201234567", "+31850000000", false, time.Minute, "0.006", "31"},
		"another country":            {"outbound", "+49301234567", "+31850000000", false, time.Minute, "1", ""},
		"a person who was erased":    {"outbound", "", "+31850000000", false, time.Minute, "1", ""},
		"a call that comes in":       {"inbound", "+31612345600", "+31851234567", false, time.Minute, "0.004", "3185"},
		"a caller without a number":  {"inbound", "anonymous", "+31851234567", false, 2 * time.Minute, "0.008", "3185"},
		"the simulated network":      {"outbound", "+31612345600", "+31850000000", true, time.Minute, "0", ""},
		"one that ended as it began": {"outbound", "+31612345600", "+31850000000", false, 0, "0", "316"},
	} {
		t.Run(name, func(t *testing.T) {
			row := &dbsqlc.Call{ID: call.ID, Direction: test.direction, ContactPhoneNumber: test.caller, PhoneNumber: test.called,
				Simulated: test.simulated}
			item := transport(t, f, row, test.lasted)
			require.Equal(t, test.want, jsonb.USD(item.Cost).String())
			require.Equal(t, test.of, item.PriceOf)
			require.Equal(t, test.lasted.Milliseconds(), item.Quantity)
			require.NotNil(t, item.Price)
		})
	}
}

// TestCostsStay has prices change after a call: what it cost stays, and what it used later costs what it did at its start.
func TestCostsStay(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	price := costs.Price{Kind: jsonb.KindPrompt, Provider: "maker", Model: "small", USD: usd(t, "0.15")}
	setPrices(t, f, price)
	before := add(t, f, call.ID, prompt("maker", "small", 1000))
	price.ValidFrom, price.USD = time.Now().Add(time.Minute), usd(t, "99")
	setPrices(t, f, price)
	after := add(t, f, call.ID, prompt("maker", "small", 2000))
	require.Equal(t, before, after[len(after)-len(before):])
	require.Equal(t, 2*before[0].Cost, after[0].Cost)

	price.ValidFrom = longAgo // which takes the place of the first
	setPrices(t, f, price)
	require.Equal(t, after, add(t, f, call.ID))
}

// TestRounding compares what random quantities cost at random prices with exact fractions, rounded item by item.
func TestRounding(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	var items jsonb.Usage
	var want, total int64
	for _, kind := range []string{jsonb.KindPrompt, jsonb.KindCharacters, jsonb.KindTranscriber, jsonb.KindMail} {
		for range 50 {
			model, amount, quantity := uuid.NewString(), random.Int64N(1<<random.IntN(40)), 1+random.Int64N(1<<random.IntN(20))
			setPrices(t, f, costs.Price{Kind: kind, Provider: "maker", Model: model, USD: jsonb.USD(amount)})
			items = append(items, jsonb.UsageItem{Type: jsonb.CostModel, Provider: "maker", Model: model, Kind: kind, Quantity: quantity})
			want += exact(quantity, amount, map[string]int64{jsonb.KindTranscriber: 60_000, jsonb.KindMail: 1}[kind])
		}
	}
	for _, item := range add(t, f, call.ID, items...) {
		total += item.Cost
	}
	require.Equal(t, want, total)
	var stored, month int64
	row := f.Tx.QueryRow(t.Context(),
		"SELECT cost, (SELECT sum(cost) FROM monthly_spending WHERE account_id = $2)::bigint FROM call_usage WHERE call_id = $1",
		call.ID, f.Account.ID)
	require.NoError(t, row.Scan(&stored, &month))
	require.Equal(t, want, stored)
	require.Equal(t, want, month)
}

// exact returns quantity × amount / unit, half a micro-cent up, and at most what anything costs; unit 0 is a million.
func exact(quantity, amount, unit int64) int64 {
	if unit == 0 {
		unit = 1_000_000
	}
	cost := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(quantity), big.NewInt(amount)), big.NewInt(unit))
	cost.Add(cost, big.NewRat(1, 2))
	return min(new(big.Int).Quo(cost.Num(), cost.Denom()).Int64(), 1e15)
}
