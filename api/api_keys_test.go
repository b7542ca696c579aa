package api_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

const keysPath = "/v1/api-keys"

func statusAs(t *testing.T, server *apitest.Server, key string) int {
	t.Helper()
	return server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil).Status
}

func TestAPIKeyCreate(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath,
		object{"name": "Booking", "expires_at": "2099-01-01T01:00+0100"})
	text := made["key"].(string)
	require.Regexp(t, `^cw_live_[0-9A-Za-z]{32}$`, text)
	for field, value := range map[string]any{
		"name": "Booking", "mode": "live", "prefix": text[:12], "requests_per_minute": 100.0, "expires_at": "2099-01-01T00:00:00Z",
		"replaced_by": nil, "last_used_at": nil,
	} {
		require.Equal(t, value, made[field], field)
	}
	require.Equal(t, http.StatusOK, statusAs(t, server, text))
	var stored int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM api_key WHERE api_key::text LIKE '%' || $1 || '%'",
		text[12:]).Scan(&stored))
	require.Zero(t, stored, "only the hash is kept")

	test := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath, `{"mode": "test"}`)
	require.Regexp(t, `^cw_test_`, test["key"])
	for body, field := range map[string]string{
		`{"mode": "production"}`: "mode", `{"expires_at": "2020-01-01T00:00:00Z"}`: "expires_at",
		`{"expires_at": "soon"}`: "expires_at", `{"expires_at": "2020-01-01"}`: "expires_at",
		`{"name": "` + strings.Repeat("a", 101) + `"}`: "name", `{"requests_per_minute": 1000}`: "requests_per_minute",
	} {
		require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, keysPath, body), field)
	}
}

func TestAPIKeyList(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	dbfactory.APIKey(t, server.Tx, dbfactory.Account(t, server.Tx).ID)
	_, expired := dbfactory.APIKey(t, server.Tx, server.Account.ID,
		func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(-time.Hour)) })
	list := apitest.Want[struct {
		Data       []object
		Pagination object
	}](t, server, http.StatusOK, http.MethodGet, keysPath, nil)
	require.Len(t, list.Data, 2)
	require.EqualValues(t, 2, list.Pagination["total"])
	require.Equal(t, expired.ID.String(), list.Data[0]["id"], "newest first")
	require.Nil(t, list.Data[0]["last_used_at"])
	require.NotNil(t, list.Data[1]["last_used_at"], "it is in use")
	for _, key := range list.Data {
		require.NotContains(t, key, "key")
		require.NotContains(t, key, "hash")
	}
}

func TestAPIKeyRotate(t *testing.T) {
	t.Parallel()

	t.Run("TheOldOneHasADayOfGrace", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		old, row := dbfactory.APIKey(t, server.Tx, server.Account.ID,
			func(k *dbsqlc.APIKeyInsertParams) { k.Name, k.RequestsPerMinute = "Booking", 7000 })
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate", nil)
		require.Equal(t, "Booking", made["name"])
		require.EqualValues(t, 7000, made["requests_per_minute"])
		require.Nil(t, made["expires_at"])
		require.Equal(t, http.StatusOK, statusAs(t, server, made["key"].(string)))
		require.Equal(t, http.StatusOK, statusAs(t, server, old), "the old one still works")
		var seconds float64
		var replacedBy string
		require.NoError(t,
			server.Tx.QueryRow(t.Context(),
				"SELECT extract(epoch FROM expires_at - now())::float8, replaced_by FROM api_key WHERE id = $1", row.ID).Scan(&seconds,
				&replacedBy))
		require.InDelta(t, 24*60*60, seconds, 1)
		require.Equal(t, made["id"], replacedBy)
		server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate", nil)
		_, err := server.Tx.Exec(t.Context(), "UPDATE api_key SET expires_at = now() WHERE id = $1", row.ID)
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, statusAs(t, server, old))
	})
	t.Run("OrEndsAtOnce", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		old, row := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" })
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate",
			`{"revoke_now": true, "expires_at": "2099-01-01T00:00:00Z"}`)
		require.Equal(t, "test", made["mode"])
		require.Equal(t, "2099-01-01T00:00:00Z", made["expires_at"])
		require.Equal(t, http.StatusUnauthorized, statusAs(t, server, old))
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate", nil)
	})
	t.Run("AnEndIsNeverMovedLater", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		_, row := dbfactory.APIKey(t, server.Tx, server.Account.ID,
			func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(time.Hour).Truncate(time.Second)) })
		made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate", `{}`)
		require.Equal(t, row.ExpiresAt.UTC().Format(time.RFC3339), made["expires_at"])
		var kept time.Time
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT expires_at FROM api_key WHERE id = $1", row.ID).Scan(&kept))
		require.True(t, row.ExpiresAt.Equal(kept))
	})
	t.Run("NotAfterItsEnd", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		_, row := dbfactory.APIKey(t, server.Tx, server.Account.ID,
			func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(-time.Hour)) })
		server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, keysPath+"/"+row.ID.String()+"/rotate",
			`{"expires_at": "2099-01-01T00:00:00Z"}`)
	})
}

// A revoked key ends at once in every process: none remembers that it was good.
func TestAPIKeyRevoke(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	server, other := apitest.NewOn(t, pool), apitest.NewOn(t, pool)
	text, row := dbfactory.APIKey(t, pool, server.Account.ID)
	require.Equal(t, http.StatusOK, statusAs(t, other, text))
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, keysPath+"/"+row.ID.String(), nil).Status)
	require.Equal(t, http.StatusUnauthorized, statusAs(t, other, text))
	require.Equal(t, http.StatusUnauthorized, statusAs(t, server, text))
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, keysPath+"/"+row.ID.String(), nil)
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, keysPath, nil)
	require.Len(t, list["data"], 1)
}

func TestAPIKeysAreTheAccountsOwn(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	text, foreign := dbfactory.APIKey(t, server.Tx, dbfactory.Account(t, server.Tx).ID)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, keysPath+"/"+foreign.ID.String()+"/rotate", nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, keysPath+"/"+foreign.ID.String(), nil)
	require.Equal(t, http.StatusOK, statusAs(t, server, text))
}

func TestAPIKeyRepetitionsAnswerTheSameText(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	first := server.Do(t, http.MethodPost, keysPath, `{"name": "Booking"}`, "Idempotency-Key", "key-1")
	again := server.Do(t, http.MethodPost, keysPath, `{"name": "Booking"}`, "Idempotency-Key", "key-1")
	require.Equal(t, http.StatusCreated, first.Status, "%s", first.Body)
	require.JSONEq(t, string(first.Body), string(again.Body))
	var stored string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT body FROM idempotency_key WHERE account_id = $1",
		server.Account.ID).Scan(&stored))
	require.NotContains(t, stored, apitest.Decode[map[string]any](t, first)["key"].(string)[12:], "kept sealed")
}

// Two requests at once for the last free place get one key; two rotations at once of one key make one.
func TestAPIKeysUnderConcurrency(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	for range 98 {
		dbfactory.APIKey(t, server.Tx, server.Account.ID)
	}
	race := func(path string, clients int) (made int32) {
		var count atomic.Int32
		var running sync.WaitGroup
		for range clients {
			running.Go(func() {
				response := server.Do(t, http.MethodPost, path, `{}`)
				if response.Status == http.StatusCreated {
					count.Add(1)
					return
				}
				response.WantError(t, http.StatusConflict, "conflict")
			})
		}
		running.Wait()
		return count.Load()
	}
	require.EqualValues(t, 1, race(keysPath, 5), "99 keys work, 100 may")
	_, err := server.Tx.Exec(t.Context(), "UPDATE api_key SET revoked_at = now() WHERE name = 'Key' AND hash <> $1",
		middleware.HashKey(server.Key))
	require.NoError(t, err)
	_, row := dbfactory.APIKey(t, server.Tx, server.Account.ID)
	require.EqualValues(t, 1, race(keysPath+"/"+row.ID.String()+"/rotate", 5))
}
