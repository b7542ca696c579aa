package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
)

// streaming is an API whose streams are woken by Postgres.
type streaming struct {
	*apitest.Server
	Pool *pgxpool.Pool
	url  string
	stop context.CancelFunc // of the listener
}

func newStreaming(t *testing.T) *streaming {
	t.Helper()
	pool := dbtest.Pool(t)
	listener := api.NewEventListener(pool.Config().ConnConfig, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	server := apitest.NewOn(t, pool, func(a *api.API) { a.Events = listener })
	served := httptest.NewServer(server.Handler)
	t.Cleanup(func() {
		cancel()
		running.Wait()
		served.Close()
	})
	return &streaming{server, pool, served.URL, cancel}
}

// open opens a stream; next returns the id and type of its next event, and false when it has ended.
func (s *streaming) open(t *testing.T, key, query string, headers ...string) (response *http.Response,
	next func() (id int64, kind, data string, ok bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events/stream?"+query, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err = http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	return response, func() (id int64, kind, data string, ok bool) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id, err = strconv.ParseInt(value, 10, 64)
				require.NoError(t, err)
			case "event":
				kind = value
			case "data":
				data = value
			case "":
				if data != "" {
					return id, kind, data, true
				}
			}
		}
		return 0, "", "", false
	}
}

// TestEventStreamMissesNothing has many transactions write events while a client connects again and again.
func TestEventStreamMissesNothing(t *testing.T) {
	t.Parallel()

	const writers, each = 4, 40
	server := newStreaming(t)
	account := server.Account.ID
	foreign, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for range each {
				makeEvents(t, server.Tx, account, uuid.New(), "status-update")
				makeEvents(t, server.Tx, foreign.ID, uuid.New(), "status-update")
				if err := events.Number(t.Context(), server.Tx, account, foreign.ID); err != nil {
					t.Error(err)
				}
			}
		})
	}
	response, next := server.open(t, server.Key, "after=0")
	for want := int64(1); want <= writers*each; want++ {
		if want%17 == 0 {
			require.NoError(t, response.Body.Close())
			require.Eventually(t, func() bool { // the stream before counts until its end is noticed
				response, next = server.open(t, server.Key, "after=0", "Last-Event-ID", strconv.FormatInt(want-1, 10))
				return response.StatusCode == http.StatusOK
			}, 10*time.Second, 10*time.Millisecond)
		}
		id, kind, data, ok := next()
		require.True(t, ok)
		require.Equal(t, want, id, "none is missing, none comes twice")
		require.Equal(t, "status-update", kind)
		require.Contains(t, data, `"sequence":`+strconv.FormatInt(want, 10)+",")
	}
	writing.Wait()
}

func TestEventStream(t *testing.T) {
	t.Parallel()

	server := newStreaming(t)
	account, call := server.Account.ID, uuid.New()
	makeEvents(t, server.Tx, account, call, "status-update")
	number(t, server.Tx, account)

	response, fromNow := server.open(t, server.Key, "")
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	require.NotEmpty(t, response.Header.Get("X-RateLimit-Remaining"))
	_, ofType := server.open(t, server.Key, "type=transcript&after=0")
	_, ofCall := server.open(t, server.Key, "call_id="+call.String()+"&after=0")
	makeEvents(t, server.Tx, account, uuid.New(), "status-update", "transcript")
	number(t, server.Tx, account)
	for name, test := range map[string]struct {
		next func() (int64, string, string, bool)
		want int64
	}{"FromNow": {fromNow, 2}, "OfType": {ofType, 3}, "OfCall": {ofCall, 1}} {
		id, _, _, ok := test.next()
		require.True(t, ok, name)
		require.Equal(t, test.want, id, name)
	}

	_, fourth := server.open(t, server.Key, "after=3")
	_, fifth := server.open(t, server.Key, "after=3")
	full, _ := server.open(t, server.Key, "")
	require.Equal(t, http.StatusTooManyRequests, full.StatusCode, "a key has five streams at most")
	for _, header := range []string{"x", "-1", "1.5"} {
		wrong, _ := server.open(t, server.Key, "", "Last-Event-ID", header)
		require.Equal(t, http.StatusBadRequest, wrong.StatusCode, header)
	}
	unknown, _ := server.open(t, "cw_live_"+strings.Repeat("x", 32), "")
	require.Equal(t, http.StatusUnauthorized, unknown.StatusCode)
	json, _ := server.open(t, server.Key, "", "Accept", "application/json")
	require.Equal(t, http.StatusNotAcceptable, json.StatusCode)

	server.stop()
	for _, next := range []func() (int64, string, string, bool){fourth, fifth} {
		_, _, _, ok := next()
		require.False(t, ok, "streams end when the server does")
	}
}

// TestEventListenerReconnects has Postgres end the connection that listens.
// A stream ends with the key that opened it, and with the session, also where nothing happens.
func TestEventStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"Revoked": "UPDATE api_key SET revoked_at = now() WHERE account_id = $1",
		"Expired": "UPDATE api_key SET expires_at = now() WHERE account_id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newStreaming(t)
			response, _ := server.open(t, server.Key, "")
			_, err := server.Pool.Exec(t.Context(), end, server.Account.ID)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err, "the server ends it")
		})
	}
}

func TestEventListenerReconnects(t *testing.T) {
	t.Parallel()

	server := newStreaming(t)
	_, next := server.open(t, server.Key, "after=0")
	for round := int64(1); round <= 2; round++ {
		makeEvents(t, server.Tx, server.Account.ID, uuid.New(), "status-update")
		number(t, server.Tx, server.Account.ID)
		id, _, _, ok := next()
		require.True(t, ok)
		require.Equal(t, round, id)
		_, err := server.Tx.(dbsqlc.DBTX).Exec(t.Context(),
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
		require.NoError(t, err)
	}
}

// TestWatchedCall has a client watch a call in which somebody speaks, before it came and while it is there, and hears of no
// other.
func TestWatchedCall(t *testing.T) {
	t.Parallel()

	server := newStreaming(t)
	watched, other := talkingCall(t, server.Server), talkingCall(t, server.Server)
	say := func(call *dbsqlc.Call, position int32, text string, asked bool) {
		t.Helper()
		turn := &calls.Turn{Call: call, Position: position, Role: "user", Text: text, Speaker: calls.SpeakerOperator}
		if asked {
			require.NoError(t, db.InTx(t.Context(), server.Pool, func(tx pgx.Tx) error { return calls.AddTurns(t.Context(), tx, turn) }))
			return
		}
		held, err := calls.AddUnaskedTurns(t.Context(), server.Pool, "worker", turn)
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{call.ID}, held)
	}
	say(watched, 0, "Before.", false)
	listening, err := pgx.ConnectConfig(t.Context(), server.Pool.Config().ConnConfig.Copy())
	require.NoError(t, err)
	defer func() { require.NoError(t, listening.Close(context.WithoutCancel(t.Context()))) }()
	_, err = listening.Exec(t.Context(), "LISTEN "+calls.TurnChannel)
	require.NoError(t, err)

	_, next := server.open(t, server.Key, "watch_call_id="+watched.ID.String())
	require.Equal(t, api.CallTurn{Type: "call-turn", CallID: watched.ID,
		Turn: api.TranscriptTurn{Role: "user", Speaker: "operator", Text: "Before."}}, nextTurn(t, next))
	say(other, 0, "Unheard.", false)
	for position, text := range []string{"Unasked.", "Asked."} {
		say(watched, int32(position)+1, text, text == "Asked.")
		notification, err := listening.WaitForNotification(t.Context())
		require.NoError(t, err)
		require.Equal(t, watched.ID.String(), notification.Payload, "only of a call that is watched anything is told")
		turn := nextTurn(t, next)
		require.Equal(t, text, turn.Turn.Text)
		require.Equal(t, int32(position)+1, turn.Position)
	}

	_, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	foreign, _ := server.open(t, key, "watch_call_id="+watched.ID.String())
	require.Equal(t, http.StatusNotFound, foreign.StatusCode)
	unknown, _ := server.open(t, server.Key, "watch_call_id="+uuid.NewString())
	require.Equal(t, http.StatusNotFound, unknown.StatusCode)
}

// talkingCall is one that "worker" holds.
func talkingCall(t *testing.T, server *apitest.Server) *dbsqlc.Call {
	t.Helper()
	id := uuid.MustParse(finishedCall(t, server, nil))
	_, err := server.Tx.Exec(t.Context(), "DELETE FROM call_turn WHERE call_id = $1", id)
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		"UPDATE call SET status = 'in-progress', worker_id = 'worker', started_at = now(), ended_at = NULL WHERE id = $1", id)
	require.NoError(t, err)
	return &dbsqlc.Call{ID: id, AccountID: server.Account.ID}
}

func nextTurn(t *testing.T, next func() (int64, string, string, bool)) api.CallTurn {
	t.Helper()
	for {
		_, kind, data, ok := next()
		require.True(t, ok, "the stream ended")
		if kind == "call-turn" {
			var turn api.CallTurn
			require.NoError(t, json.Unmarshal([]byte(data), &turn))
			return turn
		}
	}
}
