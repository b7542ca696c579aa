package worker

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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
)

// TestAReceiverComesBack has events of several calls fail at an address where nobody listens, and more follow. When somebody
// listens again, one is sent before its time, and then the others, each once and those of a call in their order, while two
// processes send them.
func TestAReceiverComesBack(t *testing.T) {
	t.Parallel()

	const callCount, perCall = 12, 4
	pool := dbtest.Pool(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	account := dbfactory.Account(t, pool).ID
	_, err = dbsqlc.New().WebhookEndpointPut(t.Context(), pool, &dbsqlc.WebhookEndpointPutParams{
		AccountID: account, URL: new("http://" + address), Events: []string{callstate.EventStatusUpdate}, Enabled: true,
	})
	require.NoError(t, err)

	startWebhooks(t, pool, 20)
	startWebhooks(t, pool, 20)
	calls := make([]uuid.UUID, callCount)
	for i := range calls {
		calls[i] = uuid.New()
	}
	expected := map[string][]string{}
	for range perCall {
		for _, call := range calls {
			expected[call.String()] = append(expected[call.String()], happenIn(t, pool, account, call))
		}
	}
	count := func(query string) (n int) {
		require.NoError(t, pool.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool {
		return count("SELECT count(*) FROM event WHERE waits_for IS NOT NULL AND job_id IS NOT NULL") == callCount*perCall
	}, 20*time.Second, 20*time.Millisecond, "all wait")
	logged := count("SELECT count(*) FROM delivery_attempt")
	require.Equal(t, logged, count("SELECT sum(attempts) FROM event"))

	var mu sync.Mutex
	received := map[string][]string{}
	listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		var body struct{ Message struct{ Call string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		received[body.Message.Call] = append(received[body.Message.Call], r.Header.Get("webhook-id"))
	})}}
	server.Start()
	t.Cleanup(server.Close)
	_, err = pool.Exec(t.Context(), "UPDATE webhook_endpoint SET retry_at = now() WHERE retry_at IS NOT NULL")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "UPDATE event SET wake_at = now() WHERE waits_for IS NOT NULL")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return count("SELECT count(*) FROM event WHERE delivery = 'delivered'") == callCount*perCall
	}, time.Minute, 20*time.Millisecond, "all arrive")
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, expected, received)
	require.Zero(t, count("SELECT count(*) FROM event WHERE waits_for IS NOT NULL"))
}

// happenIn writes an event of a call.
func happenIn(t *testing.T, pool *pgxpool.Pool, account, call uuid.UUID) string {
	t.Helper()
	id := dbfactory.ID(t)
	message := dbfactory.Packed(t, `{"call": "`+call.String()+`"}`)
	require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := dbsqlc.New().EventInsertMany(t.Context(), tx, &dbsqlc.EventInsertManyParams{
			Ids: []uuid.UUID{id}, AccountIds: []uuid.UUID{account}, Types: []string{callstate.EventStatusUpdate},
			CallIds:  []uuid.UUID{call},
			Messages: [][]byte{message}, AssistantIds: []uuid.UUID{uuid.Nil}, Optional: []bool{false},
		})
		return errors.Join(err, db.Notify(t.Context(), tx, events.DeliveryChannel, ""))
	}))
	return strings.ToLower(id.String())
}
