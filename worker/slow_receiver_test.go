package worker

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/hook"
)

// startWebhooks is a worker that only delivers.
func startWebhooks(t *testing.T, pool *pgxpool.Pool, slots int) *Worker {
	t.Helper()
	speech, err := all.New(all.Speech{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	running, err := Start(t.Context(), Config{
		Pool: pool, Queues: map[string]int{queue.Webhooks: slots}, Seal: jobstest.Unsealed{}, Logger: slog.New(slog.DiscardHandler),
		Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), Drain: 100 * time.Millisecond,
		Phone: PhoneConfig{Speech: speech},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second) // hanging attempts are given up
		defer cancel()
		_ = running.Stop(ctx)
	})
	return running
}

// customerAt is an account whose events go to a server.
func customerAt(t *testing.T, pool *pgxpool.Pool, handler http.HandlerFunc) uuid.UUID {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	account := dbfactory.Account(t, pool)
	_, err := dbsqlc.New().WebhookEndpointPut(t.Context(), pool, &dbsqlc.WebhookEndpointPutParams{
		AccountID: account.ID, URL: &server.URL, Events: []string{callstate.EventStatusUpdate}, Enabled: true,
	})
	require.NoError(t, err)
	return account.ID
}

// happen writes events of an account.
func happen(t *testing.T, pool *pgxpool.Pool, account uuid.UUID, count int) {
	t.Helper()
	happenTo(t, pool, account, uuid.Nil, count)
}

// happenTo writes events, each of a call of its own where calls has them.
func happenTo(t *testing.T, pool *pgxpool.Pool, account, assistant uuid.UUID, count int, calls ...uuid.UUID) {
	t.Helper()
	params := &dbsqlc.EventInsertManyParams{}
	for i := range count {
		id, call := dbfactory.ID(t), uuid.New()
		if i < len(calls) {
			call = calls[i]
		}
		params.Ids, params.AccountIds = append(params.Ids, id), append(params.AccountIds, account)
		params.Types, params.CallIds = append(params.Types, callstate.EventStatusUpdate), append(params.CallIds, call)
		params.Messages, params.AssistantIds = append(params.Messages, dbfactory.Packed(t, `{}`)), append(params.AssistantIds, assistant)
		params.Optional = append(params.Optional, false)
	}
	require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		require.NoError(t, db.Notify(t.Context(), tx, events.DeliveryChannel, ""))
		_, err := dbsqlc.New().EventInsertMany(t.Context(), tx, params)
		return err
	}))
}

// TestOneSilentServerDelaysNobodyElse fills the queue with events for a server that never answers. Those of another server
// still all arrive, long before any of the silent one's attempts can have timed out.
func TestOneSilentServerDelaysNobodyElse(t *testing.T) {
	t.Parallel()

	const slots, silent, prompt = 40, 200, 50
	pool := dbtest.Pool(t)
	var mu sync.Mutex
	inside := 0
	ended := make(chan struct{})
	hanging := customerAt(t, pool, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		inside++
		mu.Unlock()
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(ended) })
	arrived := make(chan struct{}, prompt)
	answering := customerAt(t, pool, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })

	startWebhooks(t, pool, slots)
	happen(t, pool, hanging, silent)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return inside >= 25
	}, 10*time.Second, 5*time.Millisecond, "the silent server has as many as it may")
	began := time.Now()
	happen(t, pool, answering, prompt)
	for range prompt {
		select {
		case <-arrived:
		case <-time.After(10 * time.Second):
			t.Fatal("an event for a server that answers waits for one that does not")
		}
	}
	require.Less(t, time.Since(began), 10*time.Second)
	mu.Lock()
	defer mu.Unlock()
	require.LessOrEqual(t, inside, 25, "and it gets no more meanwhile")
}

// TestManySilentServersOfOneAccountDelayNobodyElse is the same of an account whose assistants have servers of their own, which may be
// one host: together they would have had every place.
func TestManySilentServersOfOneAccountDelayNobodyElse(t *testing.T) {
	t.Parallel()

	const slots, assistants, each, most = 80, 8, 20, 50
	pool := dbtest.Pool(t)
	ended, entered := make(chan struct{}), make(chan struct{}, assistants*each)
	hanging := customerAt(t, pool, func(_ http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(ended) })
	endpoint, err := dbsqlc.New().WebhookEndpointGetForAccount(t.Context(), pool,
		&dbsqlc.WebhookEndpointGetForAccountParams{AccountID: hanging})
	require.NoError(t, err)
	number, silent := dbfactory.Number(t, pool, hanging), map[uuid.UUID][]uuid.UUID{}
	for range assistants {
		assistant := dbfactory.Assistant(t, pool, hanging)
		_, err := dbsqlc.New().WebhookEndpointInsert(t.Context(), pool, &dbsqlc.WebhookEndpointInsertParams{
			ID: dbfactory.ID(t), AccountID: hanging, AssistantID: &assistant.ID, URL: endpoint.URL,
		})
		require.NoError(t, err)
		for range each {
			call := dbfactory.ID(t)
			_, err := pool.Exec(t.Context(), `INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name,
				contact_phone_number, phone_number_id, phone_number)
				VALUES ($1, $2, 'outbound', 'completed', true, $3, 'Ava', '+31612345678', $4, $5)`,
				call, hanging, assistant.ID, number.ID, number.Number)
			require.NoError(t, err)
			silent[assistant.ID] = append(silent[assistant.ID], call)
		}
	}
	arrived := make(chan struct{}, 1)
	answering := customerAt(t, pool, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })

	startWebhooks(t, pool, slots)
	for assistant, calls := range silent {
		happenTo(t, pool, hanging, assistant, each, calls...)
	}
	for range most {
		<-entered
	}
	happen(t, pool, answering, 1)
	select {
	case <-arrived:
	case <-time.After(10 * time.Second): // none of the others has ended by then
		t.Fatal("an event for a server that answers waits for those that do not")
	}
	require.Empty(t, entered, "and they get no more meanwhile")
}
