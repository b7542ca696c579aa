package api_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/jsonb"
)

// usedCall is what a call of a test used.
type usedCall struct {
	at        time.Time
	assistant uuid.UUID
	number    string
	cost      int64
}

// addUsed writes random calls around the days on which clocks change in Amsterdam.
func addUsed(t *testing.T, server *apitest.Server, count int) []usedCall {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	from := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)
	assistants := []uuid.UUID{uuid.New(), uuid.New(), uuid.Nil}
	used := make([]usedCall, count)
	for i := range used {
		used[i] = usedCall{
			at:        from.Add(time.Duration(random.Int64N(int64(12 * 24 * time.Hour)))).Truncate(time.Microsecond),
			assistant: assistants[random.IntN(3)],
			number:    fmt.Sprintf("+3185000000%d", random.IntN(2)), cost: random.Int64N(1 << random.IntN(50)),
		}
		_, err := server.Tx.Exec(t.Context(),
			`INSERT INTO call_usage (call_id, account_id, at, assistant_id, assistant_name, phone_number, direction, simulated, unpriced,
				cost, call_ms, transcriber_ms, prompt_tokens, cached_tokens, completion_tokens, embedding_tokens, characters, sms, mail, items)
			VALUES ($1, $2, $3, nullif($4, '00000000-0000-0000-0000-000000000000'::uuid), '=Ava', $5, 'inbound', $7, $7, $6, 30000, 1, 2, 1, 3, 4, 5, 6, 7, '[]')`,
			uuid.New(), server.Account.ID, used[i].at, used[i].assistant, used[i].number, used[i].cost, false)
		require.NoError(t, err)
	}
	return used
}

type usageRead struct {
	Groups []struct {
		Key, Name string
		Calls     int
		Cost      jsonb.USD
	}
	Total struct {
		Calls          int
		Cost           jsonb.USD
		InboundMinutes float64 `json:"inbound_minutes"`
	}
}

// TestUsageIsTheSumOfCalls compares the sums of random calls with exact ones, by day in a zone whose clocks change, by assistant
// and by number.
func TestUsageIsTheSumOfCalls(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	used := addUsed(t, server, 300)
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	since, before := time.Date(2026, 10, 24, 0, 0, 0, 0, amsterdam), time.Date(2026, 10, 27, 0, 0, 0, 0, amsterdam)
	for group, keyOf := range map[string]func(usedCall) string{
		"day": func(c usedCall) string { return c.at.In(amsterdam).Format(time.DateOnly) },
		"assistant": func(c usedCall) string {
			if c.assistant == uuid.Nil {
				return ""
			}
			return c.assistant.String()
		},
		"number": func(c usedCall) string { return c.number },
	} {
		sums, counts, total, calls := map[string]jsonb.USD{}, map[string]int{}, jsonb.USD(0), 0
		for _, call := range used {
			if !call.at.Before(since) && call.at.Before(before) {
				sums[keyOf(call)] += jsonb.USD(call.cost)
				counts[keyOf(call)]++
				total, calls = total+jsonb.USD(call.cost), calls+1
			}
		}
		response := server.Do(t, http.MethodGet, "/v1/usage?from=2026-10-24&to=2026-10-27&tz=Europe/Amsterdam&group_by="+group, nil)
		require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
		var read usageRead
		require.NoError(t, json.Unmarshal(response.Body, &read))
		require.Len(t, read.Groups, len(sums))
		for _, one := range read.Groups {
			require.Equal(t, sums[one.Key], one.Cost, "%s %s", group, one.Key)
			require.Equal(t, counts[one.Key], one.Calls)
		}
		require.Equal(t, total, read.Total.Cost)
		require.Equal(t, calls, read.Total.Calls)
		require.InDelta(t, float64(calls)/2, read.Total.InboundMinutes, 1e-9)
	}
}

func TestUsageAsCSV(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	addUsed(t, server, 20)
	const path = "/v1/usage?from=2026-10-01&to=2026-11-30&group_by=assistant"
	response := server.Do(t, http.MethodGet, path+"&format=csv", nil)
	require.Equal(t, http.StatusOK, response.Status)
	lines, err := csv.NewReader(strings.NewReader(string(response.Body))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 4)
	require.Equal(t, []string{"key", "name", "calls", "cost"}, lines[0][:4])
	require.Equal(t, "'=Ava", lines[1][1], "a spreadsheet takes no name for a formula")
	asked := server.Do(t, http.MethodGet, path, nil, "Accept", "text/csv, application/json")
	require.Equal(t, string(response.Body), string(asked.Body))
	require.Contains(t, asked.Header.Get("Content-Type"), "text/csv")
}

func TestUsageInvalid(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for query, field := range map[string]string{
		"from=2026-10-01&to=2026-09-30":         "to",
		"from=2026-10-01&to=2028-10-01":         "to",
		"from=soon&to=2026-10-01":               "from",
		"from=2026-10-01&to=2026-10-02&tz=Mars": "tz",
	} {
		refused := server.Do(t, http.MethodGet, "/v1/usage?"+query, nil)
		refused.WantError(t, http.StatusBadRequest, "invalid_request")
		require.Contains(t, string(refused.Body), `"`+field+`"`)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	read := server.Do(t, http.MethodGet, "/v1/user/budget", nil)
	require.Equal(t, http.StatusOK, read.Status)
	require.Contains(t, string(read.Body), `"monthly":null`)
	for body, field := range map[string]string{`{"monthly":-1}`: "monthly", `{"monthly":1,"time_zone":"Mars"}`: "time_zone",
		`{}`: "monthly"} {
		refused := server.Do(t, http.MethodPut, "/v1/user/budget", json.RawMessage(body))
		refused.WantError(t, http.StatusBadRequest, "invalid_request")
		require.Contains(t, string(refused.Body), field)
	}
	set := server.Do(t, http.MethodPut, "/v1/user/budget", json.RawMessage(`{"monthly":0.00000001,"time_zone":"Europe/Amsterdam"}`))
	require.Equal(t, http.StatusOK, set.Status, "%s", set.Body)
	require.Contains(t, string(set.Body), `"monthly":0.00000001`)
	require.Contains(t, string(set.Body), `"exhausted":false`)
	again := server.Do(t, http.MethodPut, "/v1/user/budget", json.RawMessage(`{"monthly":0}`))
	require.Contains(t, string(again.Body), `"time_zone":"Europe/Amsterdam"`)
	require.Contains(t, string(again.Body), `"exhausted":true`)
}
