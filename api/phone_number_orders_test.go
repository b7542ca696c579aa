package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/telco"
)

func approvedGroup(t *testing.T, server *apitest.Server) string {
	t.Helper()
	group := makeGroup(t, server)
	complete(t, server, group)
	decideGroup(t, server, group, "approved")
	return group
}

func balance(t *testing.T, server *apitest.Server) int {
	t.Helper()
	return int(apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/user/credits", nil)["balance"].(float64))
}

func TestOrderNumber(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := approvedGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 25)
	number := uniqueNumber()
	ordered := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, groupsPath+"/"+group+"/order-number",
		object{"phone_number": number})
	require.NotEmpty(t, ordered["message"])
	data := ordered["data"].(object)
	id := data["order_id"].(string)
	require.Equal(t, object{
		"order_id": id, "phone_number": number, "number_type": "local", "status": "pending",
		"verification_group": object{"id": group, "name": "Practice"}, "credits_used": 10.0, "remaining_credits": 15.0,
	}, data)
	require.Equal(t, 15, balance(t, server))
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-number-orders/"+id, nil)
	require.Equal(t, number, shown["phone_number"])
	require.Nil(t, shown["failure_reason"])
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-number-orders", nil)
	require.Len(t, list["data"], 1)
	require.EqualValues(t, 20, list["pagination"].(object)["limit"])
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-number-orders?status=completed",
		nil)["data"])
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/phone-number-orders?status=open", nil)

	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": number, "verification_group_id": group})
	second := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": uniqueNumber(), "verification_group_id": group})
	require.EqualValues(t, 5, second["remaining_credits"])
	server.WantError(t, http.StatusPaymentRequired, "insufficient_credits", http.MethodPost, groupsPath+"/"+group+"/order-number",
		object{"phone_number": uniqueNumber()})
	require.Equal(t, 5, balance(t, server))
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, groupsPath+"/"+group, nil)
}

// uniqueNumber is one that no other test's transaction orders.
func uniqueNumber() string {
	return "+3120" + strings.Map(func(r rune) rune { return '0' + r%10 }, uuid.NewString()[:7])
}

func TestOrdersThatAreRefused(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group, pending := approvedGroup(t, server), makeGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 100)
	owned := dbfactory.Number(t, server.Tx, dbfactory.Account(t, server.Tx).ID).Number
	path := groupsPath + "/" + group + "/order-number"
	for _, number := range []any{"", "abc", "020123", "+32470123456", "+31900123456", "+3120", 5, nil, strings.Repeat("1", 65)} {
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPost, path,
			object{"phone_number": number}), "phone_number")
	}
	server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPost, path, `{}`)
	server.WantError(t, http.StatusBadRequest, "invalid_status", http.MethodPost, groupsPath+"/"+pending+"/order-number",
		object{"phone_number": "+31201234567"})
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, groupsPath+"/"+uuid.NewString()+"/order-number",
		object{"phone_number": "+31201234567"})
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, path, object{"phone_number": owned})
	body := object{"phone_number": uniqueNumber(), "verification_group_id": group}
	server.WantError(t, http.StatusForbidden, "subscription_required", http.MethodPost, "/v1/phone-numbers", body)
	for _, wrong := range []any{"x", nil} {
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPost, "/v1/phone-number-orders",
			object{"phone_number": "+31201234567", "verification_group_id": wrong}), "verification_group_id")
	}
	testKey, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(p *dbsqlc.APIKeyInsertParams) { p.Mode = "test" })
	server.DoAs(t, testKey, http.MethodPost, "/v1/phone-number-orders", body).WantError(t, http.StatusBadRequest, "invalid_status")
	require.Equal(t, 100, balance(t, server))

	_, err := dbsqlc.New().AccountSetSubscription(t.Context(), server.Tx,
		&dbsqlc.AccountSetSubscriptionParams{ID: server.Account.ID, SubscriptionStatus: "active"})
	require.NoError(t, err)
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/phone-numbers", body)
	require.Equal(t, 90, balance(t, server))
}

func TestOrdersAreTenantSafe(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := approvedGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 10)
	order := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": uniqueNumber(), "verification_group_id": group})["order_id"].(string)
	number := dbfactory.Number(t, server.Tx, server.Account.ID).ID.String()
	_, foreign := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	for _, request := range [][2]string{{http.MethodGet, "/v1/phone-number-orders/" + order},
		{http.MethodDelete, "/v1/phone-numbers/" + number}} {
		server.DoAs(t, foreign, request[0], request[1], nil).WantError(t, http.StatusNotFound, "not_found")
	}
	server.DoAs(t, foreign, http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": uniqueNumber(), "verification_group_id": group}).WantError(t, http.StatusNotFound, "not_found")
	require.Empty(t, apitest.Decode[object](t, server.DoAs(t, foreign, http.MethodGet, "/v1/phone-number-orders", nil))["data"])
}

// Fifty orders at once with credits for three: three are taken. Fifty at once of one number: one is.
func TestOrdersAtOnce(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	group := approvedGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 35)
	race := func(number func(i int) string) (made, conflicts, poor int32) {
		var counts [3]atomic.Int32
		var orders sync.WaitGroup
		for i := range 50 {
			orders.Go(func() {
				body := `{"phone_number": "` + number(i) + `", "verification_group_id": "` + group + `"}`
				request := httptest.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, "/v1/phone-number-orders",
					strings.NewReader(body))
				request.Header.Set("Authorization", "Bearer "+server.Key)
				request.Header.Set("Content-Type", "application/json")
				recorder := httptest.NewRecorder()
				server.Handler.ServeHTTP(recorder, request)
				switch recorder.Code {
				case http.StatusCreated:
					counts[0].Add(1)
				case http.StatusConflict:
					counts[1].Add(1)
				case http.StatusPaymentRequired:
					counts[2].Add(1)
				default:
					t.Errorf("status %d: %s", recorder.Code, recorder.Body)
				}
			})
		}
		orders.Wait()
		return counts[0].Load(), counts[1].Load(), counts[2].Load()
	}
	made, conflicts, poor := race(func(i int) string { return "+312000000" + string(rune('0'+i/10)) + string(rune('0'+i%10)) })
	require.Equal(t, []int32{3, 0, 47}, []int32{made, conflicts, poor})
	require.Equal(t, 5, balance(t, server))
	dbfactory.Credits(t, server.Tx, server.Account.ID, 1000)
	made, conflicts, poor = race(func(int) string { return "+31200000099" })
	require.Equal(t, []int32{1, 49, 0}, []int32{made, conflicts, poor})
	require.Equal(t, 995, balance(t, server))
}

func TestAvailableNumbers(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	for path, want := range map[string]object{
		groupsPath + "/" + group + "/available-phone-numbers?limit=1":  {"type": "local", "locality": "Amsterdam", "prefix": "+3120"},
		"/v1/available-phone-numbers?limit=1":                          {"type": "local", "locality": "Amsterdam", "prefix": "+3120"},
		"/v1/available-phone-numbers?limit=1&locality=Goes":            {"type": "local", "locality": "Goes", "prefix": "+31113"},
		"/v1/available-phone-numbers?limit=1&type=mobile":              {"type": "mobile", "locality": nil, "prefix": "+316"},
		"/v1/available-phone-numbers?limit=1&type=national&country=NL": {"type": "national", "locality": nil, "prefix": "+3184"},
		"/v1/phone-numbers/available?limit=1":                          {"type": "local", "locality": "Amsterdam", "prefix": "+3120"},
		"/phone-numbers/available?limit=1&locality=%27s-Hertogenbosch": {"type": "local", "locality": "'s-Hertogenbosch",
			"prefix": "+3173"},
	} {
		list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)
		require.Len(t, list["data"], 1, path)
		number := list["data"].([]any)[0].(object)
		require.Equal(t, want["type"], number["type"], path)
		require.Equal(t, want["locality"], number["locality"], path)
		require.True(t, strings.HasPrefix(number["phone_number"].(string), want["prefix"].(string)), path)
		require.Equal(t, "NL", number["country"])
		require.EqualValues(t, 10, number["monthly_cost_credits"])
	}
	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/available-phone-numbers", nil)["data"], 10)
	page := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/available-phone-numbers?limit=2&offset=3", nil)
	require.Equal(t, object{"limit": 2.0, "offset": 3.0, "total": 10000.0, "has_more": true}, page["pagination"])
	require.Equal(t, "+31200000003", page["data"].([]any)[0].(object)["phone_number"])
	for _, query := range []string{"?type=premium", "?country=BE", "?limit=0", "?limit=101", "?offset=1001", "?locality=%00"} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/available-phone-numbers"+query, nil)
	}
}

// failing is a carrier that fails in one way.
type failing struct {
	telco.Carrier
	err error
}

func (f failing) Search(context.Context, telco.Search) (telco.Stock, error) {
	return telco.Stock{}, f.err
}

func TestCarrierFailsWhileAsked(t *testing.T) {
	t.Parallel()

	for kind, want := range map[fault.Kind]struct {
		status int
		code   string
	}{
		fault.Unavailable: {http.StatusBadGateway, "upstream_error"}, fault.Timeout: {http.StatusGatewayTimeout, "upstream_timeout"},
		fault.Denied: {http.StatusInternalServerError, "internal_error"},
	} {
		server := apitest.New(t, func(a *api.API) { a.Carriers.Live = failing{err: fault.New(kind, "carrier", "its own words")} })
		response := server.Do(t, http.MethodGet, "/v1/available-phone-numbers", nil)
		response.WantError(t, want.status, want.code)
		require.NotContains(t, string(response.Body), "its own words")
	}
}

func TestGiveBackNumber(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := approvedGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 20)
	text := uniqueNumber()
	order := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": text, "verification_group_id": group})["order_id"].(string)
	number, err := dbsqlc.New().PhoneNumberInsertOrdered(t.Context(), server.Tx, &dbsqlc.PhoneNumberInsertOrderedParams{
		ID: dbfactory.ID(t), AccountID: &server.Account.ID, Number: text, Type: new("local"),
		PhoneNumberOrderID: new(uuid.MustParse(order)), CarrierNumberID: new("n1"),
	})
	require.NoError(t, err)
	_, err = dbsqlc.New().PhoneNumberOrderComplete(t.Context(), server.Tx,
		&dbsqlc.PhoneNumberOrderCompleteParams{ID: uuid.MustParse(order), PhoneNumberID: &number.ID})
	require.NoError(t, err)
	path := "/v1/phone-numbers/" + number.ID.String()
	assistant := dbfactory.Assistant(t, server.Tx, server.Account.ID)
	dbfactory.Link(t, server.Tx, assistant, number)
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path, nil)
	require.Equal(t, http.StatusOK, server.Do(t, http.MethodDelete, "/v1/assistants/"+assistant.ID.String()+"/phone-number",
		nil).Status)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/assistants/"+assistant.ID.String()+"/phone-number",
		object{"phone_number_id": number.ID})
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": text, "verification_group_id": group})

	shared := dbfactory.DefaultNumber(t, server.Tx)
	server.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodDelete, "/v1/phone-numbers/"+shared.ID.String(), nil)
	connected := dbfactory.Number(t, server.Tx, server.Account.ID)
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, "/v1/phone-numbers/"+connected.ID.String(), nil)
}
