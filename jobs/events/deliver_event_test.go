package events_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

func deliverEvent(f *jobstest.Fixture) *events.DeliverEventWorker {
	return events.NewDeliverEventWorker(f.Sender(), f.Services.Logger)
}

// receiver is a customer's server. It answers what respond says, 204 when that is nil.
type receiver struct {
	*httptest.Server
	respond  http.HandlerFunc
	mu       sync.Mutex
	received []*http.Request
	bodies   [][]byte
}

func newReceiver(t *testing.T, respond http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{respond: respond}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		r.mu.Lock()
		r.received, r.bodies = append(r.received, req), append(r.bodies, body)
		r.mu.Unlock()
		if r.respond != nil {
			r.respond(w, req)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestDeliverEvent(t *testing.T) {
	t.Parallel()

	// pending is an event on its way to the receiver.
	pending := func(t *testing.T, f *jobstest.Fixture, url string) uuid.UUID {
		t.Helper()
		f.Webhook(t, &url, callstate.EventStatusUpdate)
		call := f.QueuedCall(t)
		var id uuid.UUID
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT id FROM event WHERE call_id = $1 AND delivery = 'pending'",
			call.ID).Scan(&id))
		return id
	}
	deliver := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) time.Duration {
		t.Helper()
		return jobstest.Work(t, f, deliverEvent(f), events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id})
	}
	state := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) (delivery string, attempts int) {
		t.Helper()
		require.NoError(t, f.Tx.QueryRow(t.Context(),
			"SELECT delivery, (SELECT count(*) FROM delivery_attempt WHERE event_id = $1) FROM event WHERE id = $1", id).Scan(&delivery,
			&attempts))
		return delivery, attempts
	}

	t.Run("SignsNumbersAndSendsOnce", func(t *testing.T) {
		t.Parallel()
		f, server := jobstest.New(t), newReceiver(t, nil)
		id := pending(t, f, server.URL)
		for range 2 {
			require.Zero(t, deliver(t, f, id))
		}
		require.Len(t, server.received, 1)
		request := server.received[0]
		verifier, err := standardwebhooks.NewWebhook(dbfactory.WebhookSecret)
		require.NoError(t, err)
		require.NoError(t, verifier.Verify(server.bodies[0], request.Header))
		require.Equal(t, id.String(), request.Header.Get("webhook-id"))

		var body struct {
			Message struct {
				EventID      uuid.UUID
				Sequence     int64
				Type, Status string
				Call         struct{ ID, Status string }
				Customer     struct{ Number string }
			}
		}
		require.NoError(t, json.Unmarshal(server.bodies[0], &body))
		require.Equal(t, id, body.Message.EventID)
		require.EqualValues(t, 1, body.Message.Sequence)
		require.Equal(t, "status-update", body.Message.Type)
		require.Equal(t, "queued", body.Message.Status)
		require.Equal(t, f.Contact.PhoneNumber, body.Message.Customer.Number)

		delivery, attempts := state(t, f, id)
		require.Equal(t, "delivered", delivery)
		require.Equal(t, 1, attempts)
	})

	t.Run("ClimbsTheLadderUntilItIsDead", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "not\x00now", http.StatusInternalServerError)
		})
		id := pending(t, f, server.URL)
		for _, step := range events.DeliveryBackoff {
			require.InDelta(t, step, deliver(t, f, id), float64(step/10+time.Second))
		}
		require.Zero(t, deliver(t, f, id))
		delivery, attempts := state(t, f, id)
		require.Equal(t, "dead", delivery)
		require.Equal(t, len(events.DeliveryBackoff)+1, attempts)
	})

	t.Run("HonoursRetryAfter", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", strconv.Itoa(3600))
			w.WriteHeader(http.StatusTooManyRequests)
		})
		id := pending(t, f, server.URL)
		require.InDelta(t, time.Hour, deliver(t, f, id), float64(time.Second))
	})

	t.Run("TriesAgainWhenNobodyListens", func(t *testing.T) {
		t.Parallel()
		f, server := jobstest.New(t), newReceiver(t, nil)
		id := pending(t, f, server.URL)
		server.Close()
		require.Positive(t, deliver(t, f, id))
		delivery, attempts := state(t, f, id)
		require.Equal(t, "pending", delivery)
		require.Equal(t, 1, attempts)
	})

	t.Run("GoneDisablesTheEndpoint", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
		id, next := pending(t, f, server.URL), pending(t, f, server.URL)
		require.Zero(t, deliver(t, f, id))
		delivery, _ := state(t, f, id)
		require.Equal(t, "dead", delivery)

		require.Zero(t, deliver(t, f, next))
		require.Len(t, server.received, 1, "nothing more is sent")
	})

	t.Run("FollowsNoRedirect", func(t *testing.T) {
		t.Parallel()
		f, elsewhere := jobstest.New(t), newReceiver(t, nil)
		server := newReceiver(t, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, elsewhere.URL, http.StatusTemporaryRedirect)
		})
		id := pending(t, f, server.URL)
		require.Positive(t, deliver(t, f, id))
		require.Empty(t, elsewhere.received)
	})
}

// TestNumber has many transactions write events of one account while several sequencers number them.
func TestNumber(t *testing.T) {
	t.Parallel()

	const writers, eventsEach, sequencers = 8, 25, 3
	pool := dbtest.Pool(t)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	f := jobstest.NewIn(t, tx)
	require.NoError(t, tx.Commit(t.Context()))

	var writing, numbering sync.WaitGroup
	stop := make(chan struct{})
	for range sequencers {
		numbering.Go(func() {
			for {
				if err := events.Number(t.Context(), pool, f.Account.ID); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	message := dbfactory.Packed(t, `{}`)
	for range writers {
		writing.Go(func() {
			for range eventsEach {
				_, err := dbsqlc.New().EventInsertMany(t.Context(), pool, &dbsqlc.EventInsertManyParams{
					Ids: []uuid.UUID{uuid.New()}, AccountIds: []uuid.UUID{f.Account.ID}, Types: []string{callstate.EventStatusUpdate},
					CallIds: []uuid.UUID{uuid.New()}, Messages: [][]byte{message}, AssistantIds: []uuid.UUID{f.Assistant.ID},
					Optional: []bool{false},
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	numbering.Wait()
	require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))

	var count, highest, distinct int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*), max(sequence), count(DISTINCT sequence) FROM event").Scan(&count,
		&highest, &distinct))
	require.Equal(t, writers*eventsEach, count)
	require.Equal(t, count, highest, "no gap")
	require.Equal(t, count, distinct, "no number twice")
}
