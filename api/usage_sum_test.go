package api_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/jobstest"
)

// pricedCall is a call as far as it says what it cost.
type pricedCall struct {
	ID        uuid.UUID `json:"call_id"`
	Cost      jsonb.USD
	Costs     []jsonb.Cost
	Breakdown jsonb.CostBreakdown `json:"cost_breakdown"`
}

// useRandomly ends calls that used random quantities of what has random prices, some of which come later than the calls.
func useRandomly(t *testing.T, f *jobstest.Fixture, random *rand.Rand, count int) []uuid.UUID {
	t.Helper()
	kinds := jsonb.PriceKinds()
	start := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)
	for _, kind := range kinds {
		for range 4 {
			price := costs.Price{Kind: kind, ValidFrom: start.Add(time.Duration(random.IntN(8*24)) * time.Hour),
				USD: jsonb.USD(random.Int64N(1 << random.IntN(36)))}
			price.Provider = []string{"", "maker", "trunk"}[random.IntN(3)]
			require.NoError(t, costs.SetPrices(t.Context(), f.Tx, price))
		}
	}
	assistants := []uuid.UUID{f.Assistant.ID, dbfactory.Assistant(t, f.Tx, f.Account.ID).ID}
	ids := make([]uuid.UUID, count)
	for i := range ids {
		ids[i] = f.EndedCall(t).ID
		_, err := f.Tx.Exec(t.Context(),
			`UPDATE call SET started_at = $2::timestamptz, ended_at = $2::timestamptz + $3::interval, direction = $4, phone_number = $5, assistant_id = $6, simulated = false WHERE id = $1`,
			ids[i], start.Add(time.Duration(random.Int64N(int64(20*24*time.Hour)))), time.Duration(random.Int64N(int64(time.Hour))),
			[]string{"inbound", "outbound"}[random.IntN(2)], fmt.Sprintf("+3185000000%d", random.IntN(3)), assistants[random.IntN(2)])
		require.NoError(t, err)
	}
	_, err := f.Tx.Exec(t.Context(),
		"WITH gone AS (DELETE FROM monthly_spending WHERE account_id = $1) DELETE FROM call_usage WHERE account_id = $1", f.Account.ID)
	require.NoError(t, err)
	for _, id := range ids {
		for more := range 1 + random.IntN(3) { // the first with the end, others behind it
			var used jsonb.Usage
			for range random.IntN(6) {
				used = used.Add(jsonb.UsageItem{
					Type: jsonb.CostModel, Provider: []string{"maker", "other"}[random.IntN(2)], Kind: kinds[random.IntN(len(kinds))],
					Quantity: random.Int64N(1 << random.IntN(30)),
				})
			}
			_, err := costs.Add(t.Context(), f.Tx, costs.Use{CallID: id, Usage: used, Ended: more == 0})
			require.NoError(t, err)
		}
	}
	return ids
}

// TestSumsAreThoseOfCalls compares what random calls cost, one by one, in lists, by each group of the usage, as CSV and by month:
// to the micro-cent.
func TestSumsAreThoseOfCalls(t *testing.T) {
	t.Parallel()
	const seed, count = 20, 40
	random := rand.New(rand.NewPCG(seed, seed))
	tx := dbtest.Tx(t)
	server, f := apitest.NewOn(t, tx), jobstest.NewIn(t, tx)
	key, _ := dbfactory.APIKey(t, f.Tx, f.Account.ID)
	ids := useRandomly(t, f, random, count)

	var total jsonb.USD
	byID := map[uuid.UUID]jsonb.USD{}
	for _, id := range ids {
		response := server.DoAs(t, key, http.MethodGet, "/v1/calls/"+id.String(), nil)
		call := apitest.Decode[pricedCall](t, response)
		var sum jsonb.USD
		for _, cost := range call.Costs {
			sum += cost.Cost
		}
		require.Equal(t, call.Cost, sum, "costs of %s", id)
		require.Equal(t, call.Cost, call.Breakdown.Total)
		total, byID[id] = total+call.Cost, call.Cost
	}
	require.Positive(t, total)
	listed := apitest.Decode[struct{ Data []pricedCall }](t, server.DoAs(t, key, http.MethodGet, "/v1/calls?limit=100", nil))
	require.Len(t, listed.Data, count)
	for _, call := range listed.Data {
		require.Equal(t, byID[call.ID], call.Cost)
	}
	for _, group := range []string{"day", "assistant", "number"} {
		path := "/v1/usage?from=2026-10-01&to=2026-11-30&tz=Europe/Amsterdam&group_by=" + group
		read := apitest.Decode[usageRead](t, server.DoAs(t, key, http.MethodGet, path, nil))
		require.Equal(t, total, read.Total.Cost, group)
		require.Equal(t, count, read.Total.Calls)
		var sum jsonb.USD
		for _, one := range read.Groups {
			sum += one.Cost
		}
		require.Equal(t, total, sum, group)
		require.Equal(t, total, sumOfCSV(t, server.DoAs(t, key, http.MethodGet, path+"&format=csv", nil)), group)
	}
	var months int64
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT sum(cost)::bigint FROM monthly_spending WHERE account_id = $1",
		f.Account.ID).Scan(&months))
	require.Equal(t, total, jsonb.USD(months))
}

// sumOfCSV adds up the costs of a table.
func sumOfCSV(t *testing.T, response *apitest.Response) jsonb.USD {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(string(response.Body))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "cost", lines[0][3])
	var sum jsonb.USD
	for _, line := range lines[1:] {
		cost, err := jsonb.ParseUSD(line[3])
		require.NoError(t, err)
		sum += cost
	}
	return sum
}
