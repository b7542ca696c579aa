package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
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
	"github.com/callwright/callwright/jobs/numbers"
)

func sipConnectionBody(change object) object {
	body := object{
		"phone_number": "31201234567", "sip_username": "alice", "sip_password": "s3cret", "sip_proxy": "SIP.provider.example",
		"provider_name": "Provider",
	}
	maps.Copy(body, change)
	return body
}

func TestSIPConnectionCreate(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	response := server.Do(t, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	require.NotContains(t, string(response.Body), "s3cret")
	made := apitest.Decode[object](t, response)
	require.Equal(t, "+31201234567", made["phone_number"])
	require.Equal(t, "sip.provider.example", made["sip_proxy"])
	require.Equal(t, "alice", made["sip_username"])
	require.Equal(t, "registering", made["status"])
	for _, field := range []string{"last_error", "sip_code", "registered_until"} {
		require.Nil(t, made[field])
		require.Contains(t, made, field)
	}

	id := uuid.MustParse(made["id"].(string))
	var sealed string
	var simulated bool
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT sip_password, simulated FROM sip_connection WHERE id = $1",
		id).Scan(&sealed, &simulated))
	require.NotContains(t, sealed, "s3cret")
	require.False(t, simulated)
	opened, err := server.API.Seal.Open(sealed, numbers.SIPPasswordContext(id))
	require.NoError(t, err)
	require.Equal(t, "s3cret", opened)
	var enqueued int
	require.NoError(t,
		server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'register_sip_connection'").Scan(&enqueued))
	require.Equal(t, 1, enqueued)

	number := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/phone-numbers/"+made["phone_number_id"].(string),
		nil)
	require.Equal(t, "custom", number["origin"])
	path := "/v1/sip-connections/" + made["id"].(string)
	require.Equal(t, made, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil))
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/sip-connections", nil)
	require.Equal(t, []any{made}, list["data"])
	require.EqualValues(t, 20, list["pagination"].(object)["limit"])

	details := server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/sip-connections",
		sipConnectionBody(object{"phone_number": "+31 20 1234567"}))
	require.Contains(t, details, "phone_number")
}

// The operator's carrier is nobody's SIP provider: it may know the deployment by its address.
func TestSIPConnectionAtTheCarrier(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	prefix := netip.MustParsePrefix
	server.API.Trunk = api.Trunk{Proxy: "LOCALHOST:5070", Peers: []netip.Prefix{prefix("8.8.8.0/24"), prefix("10.1.0.0/16")},
		Allow: []netip.Prefix{prefix("10.0.0.0/8"), prefix("127.0.0.0/8")}}
	for _, proxy := range []string{"localhost:5070", "127.0.0.1:5070", "[::ffff:127.0.0.1]:5070", "8.8.8.8", "8.8.8.9:5080"} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/sip-connections",
			sipConnectionBody(object{"sip_proxy": proxy}))
		require.Contains(t, details["sip_proxy"], "carrier", proxy)
	}
	for i, proxy := range []string{"127.0.0.1:5080", "10.1.2.3", "9.9.9.9", "no-such-host.invalid"} {
		require.Equal(t, http.StatusCreated, server.Do(t, http.MethodPost, "/v1/sip-connections",
			sipConnectionBody(object{"sip_proxy": proxy, "phone_number": fmt.Sprint(31201234567 + i)})).Status, proxy)
	}
}

func TestSIPConnectionTransfer(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))
	path := "/v1/sip-connections/" + made["id"].(string)
	require.Equal(t, "auto", made["transfer"])
	made["transfer"] = "bridge"
	require.Equal(t, made, apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, object{"transfer": "bridge"}))
	require.Equal(t, made, apitest.Want[object](t, server, http.StatusOK, http.MethodPatch, path, object{}))
	require.Equal(t, made, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil))
	require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPatch, path,
		object{"transfer": "pigeon"}), "transfer")
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPatch, "/v1/sip-connections/"+uuid.NewString(),
		object{"transfer": "refer"})
}

func TestSIPConnectionDelete(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))
	assistant, contact := dbfactory.Assistant(t, server.Tx, server.Account.ID), dbfactory.Contact(t, server.Tx, server.Account.ID)
	path, link := "/v1/sip-connections/"+made["id"].(string), "/v1/assistants/"+assistant.ID.String()+"/phone-number"
	apitest.Want[object](t, server, http.StatusOK, http.MethodPost, link, object{"phone_number_id": made["phone_number_id"]})
	call := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_id": contact.ID})
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path, nil)
	apitest.Want[object](t, server, http.StatusOK, http.MethodDelete, link, nil)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/phone-numbers/"+made["phone_number_id"].(string), nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, link, object{"phone_number_id": made["phone_number_id"]})
	past := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/calls/"+call["call_id"].(string), nil)
	require.Equal(t, "+31201234567", past["phone_number"])
	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	require.Equal(t, http.StatusCreated, server.DoAs(t, other, http.MethodPost, "/v1/sip-connections",
		sipConnectionBody(nil)).Status, "the number is free again")
}

func TestSIPConnectionsOfOthers(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))
	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	path := "/v1/sip-connections/" + made["id"].(string)
	for method, path := range map[string]string{http.MethodGet: path, http.MethodDelete: path, http.MethodPost: path + "/test"} {
		server.DoAs(t, other, method, path, nil).WantError(t, http.StatusNotFound, "not_found")
	}
	require.Empty(t, apitest.Decode[object](t, server.DoAs(t, other, http.MethodGet, "/v1/sip-connections", nil))["data"])
	require.Equal(t, made, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil))
}

func TestSIPConnectionInput(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for name, test := range map[string]struct {
		change object
		wrong  []string
	}{
		"NoNumber":        {object{"phone_number": "0201234567"}, []string{"phone_number"}},
		"Words":           {object{"phone_number": "reception"}, []string{"phone_number"}},
		"UserWithDomain":  {object{"sip_username": "alice@provider.example"}, []string{"sip_username"}},
		"HeaderInUser":    {object{"sip_username": "alice>\r\nX: y"}, []string{"sip_username"}},
		"EmptyUser":       {object{"sip_username": ""}, []string{"sip_username"}},
		"LinesInPassword": {object{"sip_password": "a\r\nb"}, []string{"sip_password"}},
		"LongPassword":    {object{"sip_password": strings.Repeat("a", 257)}, []string{"sip_password"}},
		"ProxyURI":        {object{"sip_proxy": "sip:provider.example"}, []string{"sip_proxy"}},
		"ProxyWithUser":   {object{"sip_proxy": "a@provider.example"}, []string{"sip_proxy"}},
		"ProxyPort":       {object{"sip_proxy": "provider.example:70000"}, []string{"sip_proxy"}},
		"ProxyNoPort":     {object{"sip_proxy": "provider.example:"}, []string{"sip_proxy"}},
		"ProxyParameters": {object{"sip_proxy": "provider.example;transport=tcp"}, []string{"sip_proxy"}},
		"ProxyHeader":     {object{"sip_proxy": "provider.example>\r\nX: y"}, []string{"sip_proxy"}},
		"ProxyZone":       {object{"sip_proxy": "[fe80::1%eth0]"}, []string{"sip_proxy"}},
		"NUL":             {object{"provider_name": "a\x00b"}, []string{"provider_name"}},
		"Unknown":         {object{"status": "registered"}, []string{"status"}},
		"EveryWrongIsNamed": {object{"phone_number": "x", "sip_username": "a b", "sip_proxy": "a b"},
			[]string{"phone_number", "sip_username", "sip_proxy"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/sip-connections",
				sipConnectionBody(test.change))
			require.Len(t, details, len(test.wrong))
			for _, field := range test.wrong {
				require.Contains(t, details, field)
			}
		})
	}
	for i, proxy := range []string{"10.0.0.1", "[2001:db8::1]:5061", "2001:db8::1", "localhost:5060", "a-b.example"} {
		apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/sip-connections",
			sipConnectionBody(object{"phone_number": "3120123456" + string(rune('0'+i)), "sip_proxy": proxy}))
	}
}

// An account has 20 connections, five at one proxy whatever its port, also when it asks for more at once.
func TestSIPConnectionLimits(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	race := func(count int, proxyOf func(i int) string) (made int) {
		responses := make([]*apitest.Response, count)
		var clients sync.WaitGroup
		for i := range responses {
			clients.Go(func() {
				body := sipConnectionBody(object{"phone_number": fmt.Sprintf("3120%07d", 2_000_000+int(connectionNumbers.Add(1))),
					"sip_proxy": proxyOf(i)})
				responses[i] = server.Do(t, http.MethodPost, "/v1/sip-connections", body)
			})
		}
		clients.Wait()
		for _, response := range responses {
			if response.Status == http.StatusCreated {
				made++
				continue
			}
			response.WantError(t, http.StatusConflict, "limit_reached")
		}
		return made
	}
	require.Equal(t, 5, race(8, func(i int) string { return fmt.Sprintf("sip.provider.example:%d", 5060+i) }))
	require.Equal(t, 15, race(20, func(i int) string { return fmt.Sprintf("sip%d.provider.example", i%10) }))
	refused := server.Do(t, http.MethodPost, "/v1/sip-connections", sipConnectionBody(object{"sip_proxy": "another.example"}))
	refused.WantError(t, http.StatusConflict, "limit_reached")
	require.Contains(t, string(refused.Body), "at most 20 SIP connections")
	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	require.Equal(t, http.StatusCreated, server.DoAs(t, other, http.MethodPost, "/v1/sip-connections",
		sipConnectionBody(nil)).Status)
}

var connectionNumbers atomic.Int32

// A number is pending, and open to others, until its proxy has registered it. Real numbers and those of test keys are apart.
func TestSIPConnectionClaims(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))
	path := "/v1/phone-numbers/" + made["phone_number_id"].(string)
	require.Equal(t, "pending", apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["status"])
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil))

	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	rival := apitest.Decode[object](t, server.DoAs(t, other, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil)))
	_, err := server.Tx.Exec(t.Context(), "UPDATE phone_number SET status = 'active' WHERE id = $1", rival["phone_number_id"])
	require.NoError(t, err)
	third, thirdKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	details := server.DoAs(t, thirdKey, http.MethodPost, "/v1/sip-connections", sipConnectionBody(nil)).WantError(t,
		http.StatusConflict, "conflict")
	require.Contains(t, details, "phone_number")
	testKey, _ := dbfactory.APIKey(t, server.Tx, third.ID, func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" })
	require.Equal(t, http.StatusCreated, server.DoAs(t, testKey, http.MethodPost, "/v1/sip-connections",
		sipConnectionBody(nil)).Status)
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path, nil)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/sip-connections/"+made["id"].(string), nil).Status)
}
