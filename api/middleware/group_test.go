package middleware_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
)

// TestRequestsTogether has calls of two customers wait for the transaction of a first one, so that they share the next: each has its own
// response, refusal and Idempotency-Key.
func TestRequestsTogether(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	server := apitest.NewOn(t, pool)
	account, key := apitest.NewCustomer(t, pool, server.API.Seal)
	own, theirs := dbfactory.LinkedAssistant(t, pool, server.Account.ID), dbfactory.LinkedAssistant(t, pool, account.ID)
	body := func(assistant any, number string) map[string]any {
		return map[string]any{"assistant_id": assistant, "contact_phone_number": number}
	}
	blocker, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = blocker.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = blocker.Exec(t.Context(), "SELECT FROM assistant WHERE id = $1 FOR UPDATE", own.ID)
	require.NoError(t, err)

	var clients sync.WaitGroup
	ask := func(key string, body map[string]any, headers ...string) *apitest.Response {
		response := new(apitest.Response)
		clients.Go(func() { *response = *server.DoAs(t, key, http.MethodPost, "/v1/calls/direct", body, headers...) })
		return response
	}
	first := ask(server.Key, body(own.ID, "+31612345600"))
	waitForLock(t, pool)
	called := []*apitest.Response{
		ask(server.Key, body(own.ID, "+31612345601"), idempotencyKey, "one"), ask(key, body(theirs.ID, "+31612345602"), idempotencyKey, "one"), ask(key, body(theirs.ID, "+31612345603")),
	}
	foreign, premium := ask(key, body(own.ID, "+31612345604")), ask(server.Key, body(own.ID, "+31900123456"), idempotencyKey, "two")
	require.NoError(t, blocker.Rollback(t.Context()))
	clients.Wait()

	ids := map[any]bool{}
	for i, response := range append(called, first) {
		require.Equal(t, http.StatusCreated, response.Status, "%d: %s", i, response.Body)
		ids[apitest.Decode[map[string]any](t, response)["call_id"]] = true
	}
	require.Len(t, ids, 4)
	foreign.WantError(t, http.StatusNotFound, "not_found")
	premium.WantError(t, http.StatusForbidden, "destination_not_allowed")
	again := server.DoAs(t, key, http.MethodPost, "/v1/calls/direct", body(theirs.ID, "+31612345602"), idempotencyKey, "one")
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.JSONEq(t, string(called[1].Body), string(again.Body), "the other customer used the same key")
	allowed := server.Do(t, http.MethodPost, "/v1/calls/direct", body(own.ID, "+31612345605"), idempotencyKey, "two")
	require.Equal(t, http.StatusCreated, allowed.Status, "a refusal keeps no key: %s", allowed.Body)
}

// waitForLock returns when a session waits for a lock.
func waitForLock(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waits bool
		err := pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())").Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond)
}
