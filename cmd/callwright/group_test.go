package main

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

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

type object = map[string]any

func (p *platform) callTo(number string) object {
	return object{"assistant_id": p.assistantID, "contact_phone_number": number}
}

func (p *platform) callLater(contactID string) object {
	return object{"assistant_id": p.assistantID, "contact_id": contactID,
		"scheduled_time": time.Now().AddDate(0, 1, 0).Format(time.RFC3339)}
}

// requireTotals requires how many contacts and scheduled calls there are.
func (p *platform) requireTotals(contacts, scheduled int) {
	p.t.Helper()
	var listed struct{ Pagination struct{ Total int } }
	p.call(http.MethodGet, "/v1/contacts?limit=1", nil, http.StatusOK, &listed)
	require.Equal(p.t, contacts, listed.Pagination.Total)
	p.call(http.MethodGet, "/v1/scheduled-calls?limit=1", nil, http.StatusOK, &listed)
	require.Equal(p.t, scheduled, listed.Pagination.Total)
}

// TestKilledBetweenRequestsAndTheirCommit kills an API process while the transactions run that its requests share. What was not
// answered did not happen, and the same requests succeed at another process: each once.
func TestKilledBetweenRequestsAndTheirCommit(t *testing.T) {
	t.Parallel()
	long(t)

	const each = 8
	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	other := "http://" + start(t, p.env, "api").waitFor(`"serving","address":"([^"]+)"`)
	pool, err := db.Open(t.Context(), dsn, 2)
	require.NoError(t, err)
	defer pool.Close()
	var person struct {
		ContactID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", object{"phone_number": "+31612345600"}, http.StatusCreated, &person)
	later := p.callLater(person.ContactID)
	contact := func(i int) object { return object{"phone_number": fmt.Sprint("+3161234561", i)} }

	release := p.block(pool, "+31612345610")
	var clients sync.WaitGroup
	post := func(key, path string, in any) {
		clients.Go(func() {
			if status, text := p.post(p.url, key, path, in); status != 0 {
				t.Errorf("%s: %d %s", key, status, text)
			}
		})
	}
	post("contact 0", "/v1/contacts", contact(0))
	post("later 0", "/v1/scheduled-calls", later)
	requireWaiting(t, pool, 2)
	for i := range each - 1 {
		post(fmt.Sprint("contact ", i+1), "/v1/contacts", contact(i+1))
		post(fmt.Sprint("later ", i+1), "/v1/scheduled-calls", later)
	}
	p.api.kill()
	clients.Wait()
	release()

	p.url = other
	for i := range each {
		p.again(other, fmt.Sprint("contact ", i), "/v1/contacts", contact(i))
		p.again(other, fmt.Sprint("later ", i), "/v1/scheduled-calls", later)
	}
	p.requireTotals(1+each, each)
	var alarms int
	require.NoError(t,
		pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'start_scheduled_call'").Scan(&alarms))
	require.Equal(t, each, alarms)
}

// block holds the assistant, and the number of a contact that nobody made yet, until release is called.
func (p *platform) block(pool *pgxpool.Pool, number string) (release func()) {
	p.t.Helper()
	tx, err := pool.Begin(p.t.Context())
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(p.t.Context())) })
	_, err = tx.Exec(p.t.Context(), "SELECT FROM assistant WHERE id = $1 FOR UPDATE", p.assistantID)
	require.NoError(p.t, err)
	_, err = tx.Exec(p.t.Context(),
		"INSERT INTO contact (id, account_id, phone_number) SELECT $1, account_id, $2 FROM assistant WHERE id = $3",
		uuid.New(), number, p.assistantID)
	require.NoError(p.t, err)
	return func() { require.NoError(p.t, tx.Rollback(p.t.Context())) }
}

// requireWaiting returns when so many sessions wait for locks.
func requireWaiting(t *testing.T, pool *pgxpool.Pool, sessions int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := pool.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&waiting)
		return err == nil && waiting >= sessions
	}, time.Minute, 10*time.Millisecond)
}
