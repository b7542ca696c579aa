package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

const (
	somewhere = "+31612345678"
	premium   = "+31900123456"
	somalia   = "+252612345678"
)

// spender is a customer with an assistant on a number of its own.
type spender struct {
	*apitest.Server
	assistant *dbsqlc.Assistant
	testKey   string
}

func newSpender(t *testing.T) *spender {
	t.Helper()
	return spenderOn(t, apitest.New(t))
}

func spenderOn(t *testing.T, server *apitest.Server) *spender {
	t.Helper()
	testKey, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(p *dbsqlc.APIKeyInsertParams) { p.Mode = "test" })
	return &spender{server, dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID), testKey}
}

// call asks for a call and returns the rule that refuses it; empty: it is made.
func (s *spender) call(t *testing.T, key string, body object, headers ...string) string {
	t.Helper()
	body["assistant_id"] = s.assistant.ID
	return refusalOf(t, s.DoAs(t, key, http.MethodPost, "/v1/calls/direct", body, headers...), body)
}

func refusalOf(t *testing.T, response *apitest.Response, body object) string {
	t.Helper()
	if response.Status < http.StatusBadRequest {
		return ""
	}
	require.Equal(t, http.StatusForbidden, response.Status, "%s", response.Body)
	refused := apitest.Decode[apitest.Error](t, response).Error
	require.Equal(t, "destination_not_allowed", refused.Code)
	require.True(t, strings.HasPrefix(refused.Message, "The destination "), refused.Message)
	require.Len(t, refused.Details, 2)
	for field := range refused.Details {
		require.True(t, field == "reason" || body[field] != nil, "%s was not given", field)
	}
	return refused.Details["reason"]
}

func (s *spender) set(t *testing.T, params *dbsqlc.AccountSetLimitsParams) {
	t.Helper()
	params.ID = s.Account.ID
	_, err := dbsqlc.New().AccountSetLimits(t.Context(), s.Tx, params)
	require.NoError(t, err)
}

func (s *spender) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.Tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (s *spender) count(t *testing.T, sql string) (n int) {
	t.Helper()
	require.NoError(t, s.Tx.QueryRow(t.Context(), sql, s.Account.ID).Scan(&n))
	return n
}

func (s *spender) limits(t *testing.T) object {
	t.Helper()
	return apitest.Want[object](t, s.Server, http.StatusOK, http.MethodGet, "/v1/user/limits", nil)
}

func TestDestinations(t *testing.T) {
	t.Parallel()

	t.Run("TheRules", func(t *testing.T) {
		t.Parallel()
		s := newSpender(t)
		own, shared := dbfactory.Number(t, s.Tx, s.Account.ID).Number, dbfactory.DefaultNumber(t, s.Tx).Number
		other := dbfactory.Number(t, s.Tx, dbfactory.Account(t, s.Tx).ID).Number
		for _, key := range []string{s.Key, s.testKey} {
			for number, want := range map[string]string{
				somewhere: "", "+4915112345678": "", other: "", "+3197010123456": "",
				somalia: "country", "+12025550123": "country", "+12685551234": "country",
				premium: "number_type", "+8821612345678": "number_type", "+881612345678": "number_type", "+4918051234567": "number_type",
				"+979123456789": "number_type",
				own:             "own_number", shared: "own_number",
			} {
				require.Equal(t, want, s.call(t, key, object{"contact_phone_number": number}), number)
			}
		}
		require.Equal(t, 8, s.count(t, "SELECT count(*) FROM call WHERE account_id = $1"), "a refused call leaves nothing")
		require.Equal(t, 8, s.count(t, "SELECT count(*) FROM event WHERE account_id = $1"))
		require.Equal(t, object{"country": 6.0, "number_type": 10.0, "own_number": 4.0}, s.limits(t)["refused_today"])

		contact := dbfactory.Contact(t, s.Tx, s.Account.ID, func(p *dbsqlc.Contact) { p.PhoneNumber = premium })
		require.Equal(t, "number_type", s.call(t, s.Key, object{"contact_id": contact.ID.String()}))
		scheduled := object{"assistant_id": s.assistant.ID, "contact_id": contact.ID.String(), "scheduled_time": "2026-01-01T10:00:00Z"}
		require.Equal(t, "number_type", refusalOf(t, s.Do(t, http.MethodPost, "/v1/scheduled-calls", scheduled), scheduled))
		require.Zero(t, s.count(t, "SELECT count(*) FROM scheduled_call WHERE account_id = $1"))
	})

	t.Run("Countries", func(t *testing.T) {
		t.Parallel()
		s := newSpender(t)
		ask := func(number string) string {
			t.Helper()
			return s.call(t, s.Key, object{"contact_phone_number": number})
		}
		// Anyone can claim a number for a SIP connection, which brings no country for calls from other numbers.
		claimed := dbfactory.Number(t, s.Tx, s.Account.ID, func(p *dbsqlc.PhoneNumberInsertParams) { p.Number = "+252612345600" })
		require.Equal(t, "country", ask(somalia))
		other := s.assistant
		s.assistant = dbfactory.Assistant(t, s.Tx, s.Account.ID)
		dbfactory.Link(t, s.Tx, s.assistant, claimed)
		require.Empty(t, ask(somalia), "over the connection itself")
		s.assistant = other

		require.Equal(t, "country", ask("+12025550123"))
		dbfactory.DefaultNumber(t, s.Tx, func(p *dbsqlc.PhoneNumberInsertParams) { p.Number = "+12025550199" })
		require.Empty(t, ask("+12025550123"), "the operator has numbers there")
		require.Contains(t, s.limits(t)["destinations"].(object)["countries"], "US")
		require.Equal(t, "country", ask("+18765551234"), "the calling code is the same")

		s.set(t, &dbsqlc.AccountSetLimitsParams{SetAllowedCountries: true, AllowedCountries: []string{"SO"}})
		require.Empty(t, ask(somalia))
		require.Equal(t, "country", ask(somewhere))
		require.Equal(t, object{"countries": []any{"SO"}, "default": false,
			"refused_types": []any{"premium", "shared-cost", "satellite", "personal"}}, s.limits(t)["destinations"])
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetAllowedCountries: true, AllowedCountries: []string{}})
		require.Equal(t, "country", ask(somalia))
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetAllowedCountries: true})
		require.Empty(t, ask(somewhere))
	})

	t.Run("CallsPerNumber", func(t *testing.T) {
		t.Parallel()
		s := newSpender(t)
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(2))})
		ask := func(key, number string, headers ...string) string {
			t.Helper()
			return s.call(t, key, object{"contact_phone_number": number}, headers...)
		}
		for range 3 { // one call, however often it is asked for
			require.Empty(t, ask(s.Key, somewhere, "Idempotency-Key", "one"))
		}
		require.Empty(t, ask(s.Key, somewhere))
		require.Equal(t, "calls_per_number", ask(s.Key, somewhere))
		require.Equal(t, "calls_per_number", ask(s.Key, "+31 6 1234 5678"), "in any spelling")
		require.Empty(t, ask(s.Key, "+31612345679"))
		for range 3 {
			require.Empty(t, ask(s.testKey, somewhere), "a test call rings nobody")
		}
		s.exec(t,
			"UPDATE dialed_number SET dialed_at = ARRAY[now() - interval '61 minutes', now() - interval '59 minutes'] WHERE account_id = $1 AND phone_number = $2", s.Account.ID, somewhere)
		require.Empty(t, ask(s.Key, somewhere))
		require.Equal(t, "calls_per_number", ask(s.Key, somewhere), "any hour, not that of the clock")
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(0))})
		require.Equal(t, "calls_per_number", ask(s.Key, "+31612345670"))
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true})
		require.Empty(t, ask(s.Key, somewhere))
		require.Equal(t, object{"calls_per_number": 4.0}, s.limits(t)["refused_today"])
		require.Equal(t, object{"limit": nil}, s.limits(t)["calls_per_number"])
	})

	t.Run("DailyMinutes", func(t *testing.T) {
		t.Parallel()
		s := newSpender(t)
		s.set(t, &dbsqlc.AccountSetLimitsParams{SetMaxDailyMinutes: true, MaxDailyMinutes: new(int32(10))})
		s.exec(t,
			"INSERT INTO daily_spending (account_id, day, kind, n) VALUES ($1, utc_day(now()), 'call_seconds', 540), ($1, utc_day(now()) - 1, 'call_seconds', 9000)", s.Account.ID)
		require.Empty(t, s.call(t, s.Key, object{"contact_phone_number": somewhere}))
		s.exec(t, "UPDATE daily_spending SET n = 541 WHERE account_id = $1 AND day = utc_day(now())", s.Account.ID)
		require.Equal(t, "daily_minutes", s.call(t, s.Key, object{"contact_phone_number": somewhere}), "less than a minute is left")
		require.Empty(t, s.call(t, s.testKey, object{"contact_phone_number": somewhere}))
		minutes := s.limits(t)["daily_minutes"].(object)
		require.Equal(t, 10.0, minutes["limit"])
		require.InDelta(t, 9.017, minutes["used"], 0.001)
	})

	t.Run("ATransferIsADestination", func(t *testing.T) {
		t.Parallel()
		s := newSpender(t)
		path := liveCall(t, s.Server, "in-progress") + "/messages"
		for number, want := range map[string]string{somewhere: "", premium: "number_type", somalia: "country"} {
			body := object{"type": "transfer", "phone_number": number}
			require.Equal(t, want, refusalOf(t, s.Do(t, http.MethodPost, path, body), body), number)
		}
		require.Equal(t, 1, s.count(t, "SELECT count(*) FROM call_command WHERE account_id = $1"))
	})
}

// TestCallsPerNumberAtOnce has two API processes asked for more calls to one number at the same time than there may be.
func TestCallsPerNumberAtOnce(t *testing.T) {
	t.Parallel()
	const most, asked = 5, 40
	pool := dbtest.Pool(t)
	s := spenderOn(t, apitest.NewOn(t, pool))
	processes := []*apitest.Server{s.Server, {Tx: pool, Account: s.Account, Key: s.Key, Handler: apitest.NewOn(t, pool).Handler}}
	s.set(t, &dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(most))})
	statuses, all := make([]int, asked), sync.WaitGroup{}
	for i := range asked {
		all.Go(func() {
			statuses[i] = processes[i%2].Do(t, http.MethodPost, "/v1/calls/direct",
				object{"assistant_id": s.assistant.ID, "contact_phone_number": somewhere}).Status
		})
	}
	all.Wait()
	counts := map[int]int{}
	for _, status := range statuses {
		counts[status]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: most, http.StatusForbidden: asked - most}, counts)
	require.Equal(t, most, s.count(t, "SELECT count(*) FROM call WHERE account_id = $1"))
	require.Equal(t, object{"calls_per_number": float64(asked - most)}, s.limits(t)["refused_today"])
}
