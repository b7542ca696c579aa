package middleware_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

const idempotencyKey = "Idempotency-Key"

func TestIdempotency(t *testing.T) {
	t.Parallel()

	const body = `{"phone_number": "+31612345678", "full_name": "Jan"}`
	count := func(t *testing.T, server *apitest.Server) int {
		t.Helper()
		var count int
		require.NoError(
			t,
			server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM contact WHERE account_id = $1", server.Account.ID).Scan(&count),
		)
		return count
	}

	t.Run("RepeatsTheAnswer", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		first := server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1")
		require.Equal(t, http.StatusCreated, first.Status)
		require.Empty(t, first.Header.Get("Idempotent-Replayed"))
		again := server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1")
		require.Equal(t, http.StatusCreated, again.Status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.JSONEq(t, string(first.Body), string(again.Body))
		require.Equal(t, 1, count(t, server))
	})
	t.Run("RefusesAnotherBodyOrPath", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1").Status,
		)
		server.WantError(
			t,
			http.StatusConflict,
			"idempotency_conflict",
			http.MethodPost,
			"/v1/contacts",
			`{"phone_number": "+31612345679"}`,
			idempotencyKey,
			"order-1",
		)
		server.WantError(
			t,
			http.StatusConflict,
			"idempotency_conflict",
			http.MethodPost,
			"/v1/assistants",
			`{"assistant_name": "Ava"}`,
			idempotencyKey,
			"order-1",
		)
		require.Equal(t, 1, count(t, server))
	})
	t.Run("TheAliasIsTheSamePath", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1").Status,
		)
		require.Equal(
			t,
			"true",
			server.Do(t, http.MethodPost, "/contacts", body, idempotencyKey, "order-1").Header.Get("Idempotent-Replayed"),
		)
	})
	t.Run("IsPerAccount", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1").Status,
		)
		response := server.DoAs(t, other, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1")
		require.Equal(t, http.StatusCreated, response.Status)
		require.Empty(t, response.Header.Get("Idempotent-Replayed"))
	})
	t.Run("KeepsNoFailure", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		contact := dbfactory.Contact(
			t,
			server.Tx,
			server.Account.ID,
			func(c *dbsqlc.Contact) { c.PhoneNumber = "+31612345678" },
		)
		server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1")
		require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/contacts/"+contact.ID.String(), nil).Status)
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, "order-1").Status,
		)
	})
	t.Run("ForgetsAfterADay", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/assistants", `{"assistant_name": "Ava"}`, idempotencyKey, "order-1").Status,
		)
		_, err := server.Tx.Exec(t.Context(), "UPDATE idempotency_key SET created_at = created_at - interval '24 hours'")
		require.NoError(t, err)
		response := server.Do(t, http.MethodPost, "/v1/assistants", `{"assistant_name": "Ben"}`, idempotencyKey, "order-1")
		require.Equal(t, http.StatusCreated, response.Status)
		require.Empty(t, response.Header.Get("Idempotent-Replayed"))
		response = server.Do(t, http.MethodPost, "/v1/assistants", `{"assistant_name": "Ben"}`, idempotencyKey, "order-1")
		require.Equal(t, "true", response.Header.Get("Idempotent-Replayed"))
	})
	t.Run("TakesPlainKeysOnly", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		for _, key := range []string{strings.Repeat("a", 256), "ä", "a\x00b"} {
			details := server.WantError(
				t,
				http.StatusBadRequest,
				"invalid_request",
				http.MethodPost,
				"/v1/contacts",
				body,
				idempotencyKey,
				key,
			)
			require.Contains(t, details, idempotencyKey)
		}
		require.Equal(
			t,
			http.StatusCreated,
			server.Do(t, http.MethodPost, "/v1/contacts", body, idempotencyKey, strings.Repeat("a", 255)).Status,
		)
	})
	t.Run("KeepsSecretsSealed", func(t *testing.T) {
		t.Parallel()
		server := apitest.New(t)
		first := server.Do(t, http.MethodPost, "/v1/user/webhook/rotate-secret", nil, idempotencyKey, "rotation-1")
		require.Equal(t, http.StatusOK, first.Status, "%s", first.Body)
		secret := apitest.Decode[map[string]string](t, first)["secret"]
		require.NotEmpty(t, secret)
		again := server.Do(t, http.MethodPost, "/v1/user/webhook/rotate-secret", nil, idempotencyKey, "rotation-1")
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.JSONEq(t, string(first.Body), string(again.Body))
		var stored string
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT body FROM idempotency_key").Scan(&stored))
		require.NotContains(t, stored, strings.TrimPrefix(secret, "whsec_"))
	})
}

// Fifty equal concurrent requests make one row. Those that come while the first one runs get 409.
func TestIdempotencyUnderConcurrency(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	body := map[string]any{"assistant_id": assistant.ID, "contact_phone_number": "+31612345600"}
	responses := make([]*apitest.Response, 50)
	var clients sync.WaitGroup
	for i := range responses {
		clients.Go(func() {
			responses[i] = server.Do(t, http.MethodPost, "/v1/calls/direct", body, idempotencyKey, "call-1")
		})
	}
	clients.Wait()

	ids, made := map[any]bool{}, 0
	for _, response := range responses {
		if response.Status == http.StatusConflict {
			response.WantError(t, http.StatusConflict, "idempotency_in_progress")
			continue
		}
		require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
		ids[apitest.Decode[map[string]any](t, response)["call_id"]] = true
		if response.Header.Get("Idempotent-Replayed") == "" {
			made++
		}
	}
	require.Equal(t, 1, made)
	require.Len(t, ids, 1)
	for table, want := range map[string]int{"call": 1, "event": 1, "river_job": 1} {
		var count int
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&count))
		require.Equal(t, want, count, table)
	}
}

// TestSlowRequests has requests with a key take longer than their bodies may take to be read, one after the other on one
// connection.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	const limit = 20 * time.Millisecond
	server := httptest.NewServer(middleware.FingerprintRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit)))
		_, err := io.Copy(io.Discard, r.Body)
		assert.NoError(t, err)
		select {
		case <-r.Context().Done():
			w.WriteHeader(http.StatusTeapot)
		case <-time.After(2 * limit):
		}
	})))
	defer server.Close()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
		require.NoError(t, err)
		req.Header.Set(idempotencyKey, "one")
		resp, err := server.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode)
	}
}

// unread is a body that nobody may read.
type unread struct{ t *testing.T }

// Read implements io.Reader.
func (u unread) Read([]byte) (int, error) {
	assert.Fail(u.t, "the body was read")
	return 0, io.EOF
}

// TestUnauthenticatedBodies: the body of somebody whose key nobody knows is neither waited for nor held in memory, whatever its headers.
func TestUnauthenticatedBodies(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/calls/direct", unread{t})
	request.Header.Set(idempotencyKey, "one")
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	server.Handler.ServeHTTP(response, request)
	require.Equal(t, http.StatusUnauthorized, response.Code)
}
