package middleware_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

func TestNewKey(t *testing.T) {
	t.Parallel()

	for mode, test := range map[string]bool{"live": false, "test": true} {
		key := middleware.NewKey(test)
		require.Regexp(t, `^cw_`+mode+`_[0-9A-Za-z]{32}$`, key.Text)
		require.Equal(t, mode, key.Mode)
		require.Equal(t, key.Text[:12], key.Prefix)
		require.Equal(t, middleware.HashKey(key.Text), key.Hash)
		require.NotEqual(t, key.Text, middleware.NewKey(test).Text)
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	expired, _ := dbfactory.APIKey(
		t,
		server.Tx,
		server.Account.ID,
		func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(-time.Minute)) },
	)
	later, _ := dbfactory.APIKey(
		t,
		server.Tx,
		server.Account.ID,
		func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(time.Hour)) },
	)
	revoked, row := dbfactory.APIKey(t, server.Tx, server.Account.ID)
	_, err := dbsqlc.New().
		APIKeyRevoke(t.Context(), server.Tx, &dbsqlc.APIKeyRevokeParams{AccountID: server.Account.ID, ID: row.ID})
	require.NoError(t, err)

	unknown := middleware.NewKey(false).Text
	for name, authorization := range map[string]string{
		"Missing": "", "Empty": "Bearer ", "NoScheme": server.Key, "OtherScheme": "Basic " + server.Key, "Unknown": "Bearer " + unknown,
		"Short": "Bearer " + server.Key[:20], "Long": "Bearer " + server.Key + "x", "OtherPrefix": "Bearer cx" + server.Key[2:],
		"OtherAlphabet": "Bearer " + server.Key[:len(server.Key)-1] + "ä", "Expired": "Bearer " + expired,
		"Revoked": "Bearer " + revoked,
		"NUL":     "Bearer " + server.Key[:len(server.Key)-1] + "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			response := server.DoAs(t, "", http.MethodGet, "/v1/contacts", nil, "Authorization", authorization)
			require.Empty(t, response.WantError(t, http.StatusUnauthorized, "unauthorized"))
			require.Empty(t, response.Header.Get("X-RateLimit-Limit"), "an unknown caller has no limit")
		})
	}
	for name, authorization := range map[string]string{"Bearer": "Bearer " + server.Key, "LowerCase": "bearer " + server.Key,
		"Spaces": "Bearer   " + server.Key, "NotExpired": "Bearer " + later} {
		t.Run(name, func(t *testing.T) {
			response := server.DoAs(t, "", http.MethodGet, "/v1/contacts", nil, "Authorization", authorization)
			require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
			require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		})
	}
	t.Run("BeforeAnythingElse", func(t *testing.T) {
		server.DoAs(t, "", http.MethodPost, "/v1/contacts", `{"wrong": }`).WantError(t, http.StatusUnauthorized, "unauthorized")
	})
}

func TestTestKeysAreSimulated(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	testKey, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" })
	for key, simulated := range map[string]bool{server.Key: false, testKey: true} {
		response := server.DoAs(
			t,
			key,
			http.MethodPost,
			"/v1/calls/direct",
			map[string]any{"assistant_id": assistant.ID, "contact_phone_number": "+31612345600"},
		)
		require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
		var stored bool
		id := apitest.Decode[map[string]any](t, response)["call_id"]
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT simulated FROM call WHERE id = $1", id).Scan(&stored))
		require.Equal(t, simulated, stored)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()

	var now time.Time
	server := apitest.New(t, func(a *api.API) { a.Now = func() time.Time { return now } })
	key, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.RequestsPerMinute = 3 })
	// The whole test runs in one transaction, at one time of the database's clock.
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT now()").Scan(&now))
	reset := strconv.FormatInt(now.Truncate(time.Minute).Add(time.Minute).Unix(), 10)

	for i, path := range []string{"/v1/contacts", "/v1/contacts/no-id", "/v1/contacts?limit=0"} { // errors count and show it too
		response := server.DoAs(t, key, http.MethodGet, path, nil)
		require.Equal(t, []int{200, 404, 400}[i], response.Status)
		require.Equal(t, "3", response.Header.Get("X-RateLimit-Limit"))
		require.Equal(t, strconv.Itoa(2-i), response.Header.Get("X-RateLimit-Remaining"))
		require.Equal(t, reset, response.Header.Get("X-RateLimit-Reset"))
	}
	for range 3 {
		response := server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil)
		response.WantError(t, http.StatusTooManyRequests, "rate_limited")
		require.Equal(t, "3", response.Header.Get("X-RateLimit-Limit"))
		require.Equal(t, "0", response.Header.Get("X-RateLimit-Remaining"))
		require.Equal(t, reset, response.Header.Get("X-RateLimit-Reset"))
		wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
		require.NoError(t, err)
		require.True(t, wait >= 1 && wait <= 60, wait)
	}
	var hits int
	require.NoError(
		t,
		server.Tx.QueryRow(t.Context(), "SELECT hits FROM rate_window JOIN api_key ON api_key.id = api_key_id WHERE hash = $1",
			middleware.HashKey(key)).
			Scan(&hits),
	)
	require.Equal(t, 4, hits, "later refusals of a window never reach the database")

	require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/v1/contacts", nil).Status, "other keys are not affected")
}

func TestRateLimitForgetsRefusals(t *testing.T) {
	t.Parallel()

	var now time.Time
	server := apitest.New(t, func(a *api.API) { a.Now = func() time.Time { return now } })
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT now()").Scan(&now))
	key, row := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.RequestsPerMinute = 1 })
	require.Equal(t, http.StatusOK, server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil).Status)
	require.Equal(t, http.StatusTooManyRequests, server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil).Status)

	now = now.Add(time.Minute)
	_, err := server.Tx.Exec(
		t.Context(),
		"UPDATE rate_window SET window_start = window_start - interval '1 minute' WHERE api_key_id = $1",
		row.ID,
	)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil).Status)
}

// Three API processes, called concurrently, admit exactly the limit.
func TestRateLimitIsExactOverAllProcesses(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	servers := []*apitest.Server{apitest.NewOn(t, pool), apitest.NewOn(t, pool), apitest.NewOn(t, pool)}
	key, _ := dbfactory.APIKey(t, pool, servers[0].Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.RequestsPerMinute = 100 })
	// The minute may turn between two requests, and then each of both has its own limit.
	for range 3 {
		began := time.Now().Truncate(time.Minute)
		var let, refused atomic.Int32
		var clients sync.WaitGroup
		for i := range 300 {
			clients.Go(func() {
				switch servers[i%len(servers)].DoAs(t, key, http.MethodGet, "/v1/user/profile", nil).Status {
				case http.StatusOK:
					let.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				}
			})
		}
		clients.Wait()
		require.EqualValues(t, 300, let.Load()+refused.Load())
		if time.Now().Truncate(time.Minute).Equal(began) {
			require.EqualValues(t, 100, let.Load())
			return
		}
		_, err := pool.Exec(t.Context(), "DELETE FROM rate_window")
		require.NoError(t, err)
		for i := range servers { // refusals are remembered by the process
			servers[i] = apitest.NewOn(t, pool)
		}
	}
	t.Fatal("the minute turned in each of three runs of well under a second")
}

func TestRecordsOfOtherAccountsAreNotFound(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	foreign, foreignKey := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, foreign.ID)
	contact := dbfactory.Contact(t, server.Tx, foreign.ID)
	number := dbfactory.Number(t, server.Tx, foreign.ID)
	call := apitest.Decode[map[string]any](
		t,
		server.DoAs(
			t,
			foreignKey,
			http.MethodPost,
			"/v1/calls/direct",
			map[string]any{"assistant_id": assistant.ID, "contact_id": contact.ID},
		),
	)
	scheduled := apitest.Decode[map[string]any](t, server.DoAs(t, foreignKey, http.MethodPost, "/v1/scheduled-calls",
		map[string]any{"assistant_id": assistant.ID, "contact_id": contact.ID, "scheduled_time": "2026-12-01T10:00:00Z"}))
	var event string
	require.NoError(
		t,
		server.Tx.QueryRow(t.Context(), "UPDATE event SET sequence = 1 WHERE account_id = $1 RETURNING id", foreign.ID).
			Scan(&event),
	)

	mineAssistant, mineContact := dbfactory.LinkedAssistant(
		t,
		server.Tx,
		server.Account.ID,
	), dbfactory.Contact(
		t,
		server.Tx,
		server.Account.ID,
	)
	a, c, n, k, s := assistant.ID.String(), contact.ID.String(), number.ID.String(), call["call_id"].(string),
		scheduled["id"].(string)
	for _, test := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/v1/assistants/" + a, nil}, {"PUT", "/v1/assistants/" + a, `{"assistant_name": "Mine"}`},
		{"PATCH", "/v1/assistants/" + a, `{}`}, {"DELETE", "/v1/assistants/" + a, nil},
		{"GET", "/v1/assistants/" + a + "/phone-number", nil}, {"DELETE", "/v1/assistants/" + a + "/phone-number", nil},
		{"POST", "/v1/assistants/" + a + "/phone-number", map[string]any{"phone_number_id": n}},
		{"GET", "/v1/contacts/" + c, nil}, {"PUT", "/v1/contacts/" + c, `{}`}, {"PATCH", "/v1/contacts/" + c, `{}`},
		{"DELETE", "/v1/contacts/" + c, nil},
		{"GET", "/v1/calls/" + k, nil}, {"GET", "/v1/calls/" + k + "/recording", nil},
		{"GET", "/v1/scheduled-calls/" + s, nil}, {"PUT", "/v1/scheduled-calls/" + s, `{}`},
		{"DELETE", "/v1/scheduled-calls/" + s, nil},
		{"GET", "/v1/phone-numbers/" + n, nil}, {"GET", "/v1/events/" + event + "/deliveries", nil},
		{"POST", "/v1/calls/direct", map[string]any{"assistant_id": a, "contact_phone_number": "+31612345678"}},
		{"POST", "/v1/calls/direct", map[string]any{"assistant_id": mineAssistant.ID, "contact_id": c}},
		{"POST", "/v1/scheduled-calls", map[string]any{"assistant_id": a, "contact_id": mineContact.ID,
			"scheduled_time": "2026-12-01T10:00:00Z"}},
		{"POST", "/v1/scheduled-calls", map[string]any{"assistant_id": mineAssistant.ID, "contact_id": c,
			"scheduled_time": "2026-12-01T10:00:00Z"}},
	} {
		t.Run(strings.ReplaceAll(test.method+" "+test.path, "/", "_"), func(t *testing.T) {
			server.WantError(t, http.StatusNotFound, "not_found", test.method, test.path, test.body)
		})
	}
	for _, path := range []string{"/v1/calls", "/v1/scheduled-calls", "/v1/events", "/v1/phone-numbers"} {
		list := apitest.Want[map[string]any](t, server, http.StatusOK, http.MethodGet, path, nil)
		for _, entry := range list["data"].([]any) {
			require.NotContains(t, []any{n, k, s, event}, entry.(map[string]any)["id"])
		}
	}
	kept := server.DoAs(t, foreignKey, http.MethodGet, "/v1/assistants/"+a, nil)
	require.Equal(t, http.StatusOK, kept.Status)
	require.Equal(t, "Ava", apitest.Decode[map[string]any](t, kept)["assistant_name"])
}
