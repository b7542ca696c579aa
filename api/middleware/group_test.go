package middleware_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

// TestRequestsTogether has calls of two customers wait for the transaction of a first one, so that they share the next: each has
// its own response, refusal and Idempotency-Key.
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
		ask(server.Key, body(own.ID, "+31612345601"), idempotencyKey, "one"),
		ask(key, body(theirs.ID, "+31612345602"), idempotencyKey, "one"), ask(key, body(theirs.ID, "+31612345603")),
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

// TestContactsTogether has contacts of two customers wait for the transaction of a first one, bad ones among them.
func TestContactsTogether(t *testing.T) {
	t.Parallel()
	const each = 20
	pool := dbtest.Pool(t)
	server := apitest.NewOn(t, pool)
	account, key := apitest.NewCustomer(t, pool, server.API.Seal)
	mine, theirs := &crowd{server: server, key: server.Key, path: "/v1/contacts"},
		&crowd{server: server, key: key, path: "/v1/contacts"}
	body := func(i int) map[string]any {
		return map[string]any{"phone_number": fmt.Sprintf("+316123456%02d", i), "full_name": ""}
	}
	taken := dbfactory.Contact(t, pool, account.ID)
	blocker, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = blocker.Rollback(context.WithoutCancel(t.Context())) }()
	dbfactory.Contact(t, blocker, server.Account.ID, func(c *dbsqlc.Contact) { c.PhoneNumber = body(0)["phone_number"].(string) })

	mine.ask(t, body(0))
	waitForLock(t, pool)
	for i := range each {
		mine.ask(t, body(i+1), idempotencyKey, fmt.Sprint(i))
		theirs.ask(t, body(i+1), idempotencyKey, fmt.Sprint(i))
	}
	same, again := &crowd{server: server, key: key, path: "/v1/contacts"}, &crowd{server: server, key: key, path: "/v1/contacts"}
	for range 3 {
		same.ask(t, body(50))
		again.ask(t, body(51), idempotencyKey, "again")
	}
	refused := &crowd{server: server, key: key, path: "/v1/contacts"}
	refused.ask(t, map[string]any{"phone_number": taken.PhoneNumber}, idempotencyKey, "refused")
	require.NoError(t, blocker.Rollback(t.Context()))

	require.Len(t, mine.made(t, "contact_id"), each+1)
	require.Len(t, theirs.made(t, "contact_id"), each)
	refused.wait()[0].WantError(t, http.StatusConflict, "conflict")
	statuses := map[int]int{}
	for _, response := range same.wait() {
		statuses[response.Status]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: 2}, statuses, "one of three with the same number")
	require.Len(t, again.repeated(t, "contact_id"), 1, "one of three with the same key")
	require.Equal(t, each+1, count(t, pool, "contact", server.Account.ID))
	require.Equal(t, each+3, count(t, pool, "contact", account.ID))
	free := server.DoAs(t, key, http.MethodPost, "/v1/contacts", body(52), idempotencyKey, "refused")
	require.Equal(t, http.StatusCreated, free.Status, "a refusal keeps no key: %s", free.Body)
	require.Contains(t, string(free.Body), `"full_name":""`, "an empty name is one")
}

// TestScheduledCallsTogether has scheduled calls of two customers wait for the transaction of a first one, bad ones among them.
func TestScheduledCallsTogether(t *testing.T) {
	t.Parallel()
	const each = 20
	pool := dbtest.Pool(t)
	server := apitest.NewOn(t, pool)
	account, key := apitest.NewCustomer(t, pool, server.API.Seal)
	own, foreign := dbfactory.LinkedAssistant(t, pool, server.Account.ID), dbfactory.LinkedAssistant(t, pool, account.ID)
	person, other := dbfactory.Contact(t, pool, server.Account.ID), dbfactory.Contact(t, pool, account.ID)
	premium := dbfactory.Contact(t, pool, account.ID, func(c *dbsqlc.Contact) { c.PhoneNumber = "+31900123456" })
	const path = "/v1/scheduled-calls"
	mine, theirs, again := &crowd{server: server, key: server.Key, path: path}, &crowd{server: server, key: key, path: path},
		&crowd{server: server, key: key, path: path}
	body := func(assistant, contact any) map[string]any {
		return map[string]any{"assistant_id": assistant, "contact_id": contact, "scheduled_time": "2027-01-01T09:00:00Z",
			"variables": map[string]any{"day": "Monday"}}
	}
	blocker, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = blocker.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = blocker.Exec(t.Context(), "SELECT FROM assistant WHERE id = $1 FOR UPDATE", own.ID)
	require.NoError(t, err)

	mine.ask(t, body(own.ID, person.ID))
	waitForLock(t, pool)
	refused := &crowd{server: server, key: key, path: path}
	refused.ask(t, body(own.ID, other.ID), idempotencyKey, "foreign assistant")
	refused.ask(t, body(foreign.ID, person.ID), idempotencyKey, "foreign contact")
	refused.ask(t, body(foreign.ID, premium.ID), idempotencyKey, "premium")
	for i := range each {
		mine.ask(t, body(own.ID, person.ID), idempotencyKey, fmt.Sprint(i))
		theirs.ask(t, body(foreign.ID, other.ID), idempotencyKey, fmt.Sprint(i))
	}
	for range 3 {
		again.ask(t, body(foreign.ID, other.ID), idempotencyKey, "again")
	}
	require.NoError(t, blocker.Rollback(t.Context()))

	require.Len(t, mine.made(t, "id"), each+1)
	require.Len(t, theirs.made(t, "id"), each)
	require.Len(t, again.repeated(t, "id"), 1, "one of three with the same key")
	responses := refused.wait()
	require.Contains(t, responses[0].WantError(t, http.StatusNotFound, "not_found"), "assistant_id")
	require.Contains(t, responses[1].WantError(t, http.StatusNotFound, "not_found"), "contact_id")
	require.Contains(t, responses[2].WantError(t, http.StatusForbidden, "destination_not_allowed"), "contact_id")
	require.Equal(t, each+1, count(t, pool, "scheduled_call", server.Account.ID))
	require.Equal(t, each+1, count(t, pool, "scheduled_call", account.ID))
	var alarms int
	require.NoError(t,
		pool.QueryRow(t.Context(),
			`SELECT count(*) FROM river_job JOIN scheduled_call ON river_job.args ->> 'scheduled_call_id' = scheduled_call.id::text
		WHERE river_job.scheduled_at < scheduled_call.scheduled_time`).Scan(&alarms))
	require.Equal(t, 2*each+2, alarms)
	free := server.DoAs(t, key, http.MethodPost, path, body(foreign.ID, other.ID), idempotencyKey, "premium")
	require.Equal(t, http.StatusCreated, free.Status, "a refusal keeps no key: %s", free.Body)
}

// crowd is requests of one customer that are made at the same time.
type crowd struct {
	server    *apitest.Server
	key, path string
	clients   sync.WaitGroup
	responses []*apitest.Response
}

func (c *crowd) ask(t *testing.T, body any, headers ...string) {
	t.Helper()
	response := new(apitest.Response)
	c.responses = append(c.responses, response)
	c.clients.Go(func() { *response = *c.server.DoAs(t, c.key, http.MethodPost, c.path, body, headers...) })
}

func (c *crowd) wait() []*apitest.Response {
	c.clients.Wait()
	return c.responses
}

// made returns the different ids of what was made; every request must have made something.
func (c *crowd) made(t *testing.T, field string) map[any]bool {
	t.Helper()
	ids := map[any]bool{}
	for i, response := range c.wait() {
		require.Equal(t, http.StatusCreated, response.Status, "%d: %s", i, response.Body)
		ids[apitest.Decode[map[string]any](t, response)[field]] = true
	}
	return ids
}

// repeated is made of requests with one Idempotency-Key, of which those that came while the first ran are told so.
func (c *crowd) repeated(t *testing.T, field string) map[any]bool {
	t.Helper()
	ids := map[any]bool{}
	for _, response := range c.wait() {
		if response.Status == http.StatusCreated {
			ids[apitest.Decode[map[string]any](t, response)[field]] = true
		} else {
			response.WantError(t, http.StatusConflict, "idempotency_in_progress")
		}
	}
	return ids
}

func count(t *testing.T, pool *pgxpool.Pool, table string, accountID uuid.UUID) int {
	t.Helper()
	var rows int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE account_id = $1", accountID).Scan(&rows))
	return rows
}

// waitForLock returns when a session waits for a lock.
func waitForLock(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waits bool
		err := pool.QueryRow(t.Context(),
			"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())").Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond)
}
