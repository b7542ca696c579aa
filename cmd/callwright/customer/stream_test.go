package customer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
)

// newStreaming is an API whose streams Postgres wakes.
func newStreaming(t *testing.T) *terminal {
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
	return &terminal{server: server, url: served.URL, key: server.Key, config: t.TempDir()}
}

// happen writes events and gives them their numbers.
func (c *terminal) happen(t *testing.T, types ...string) {
	t.Helper()
	account := c.server.Account.ID
	params := &dbsqlc.EventInsertManyParams{}
	for _, kind := range types {
		params.Ids = append(params.Ids, dbfactory.ID(t))
		params.AccountIds = append(params.AccountIds, account)
		params.Types = append(params.Types, kind)
		params.CallIds = append(params.CallIds, dbfactory.ID(t))
		params.Messages = append(params.Messages, dbfactory.Packed(t, `{"type": "`+kind+`", "status": "in-progress"}`))
		params.AssistantIds = append(params.AssistantIds, uuid.Nil)
		params.Optional = append(params.Optional, false)
	}
	_, err := dbsqlc.New().EventInsertMany(t.Context(), c.server.Tx, params)
	require.NoError(t, err)
	require.NoError(t, events.Number(t.Context(), c.server.Tx, account))
}

// cutting is a network that ends each response after so many bytes, as often as it is told.
type cutting struct {
	after, times int
}

func (c *cutting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && c.times > 0 && response.Header.Get("Content-Type") == "text/event-stream" {
		c.times--
		response.Body = &cutBody{response.Body, c.after}
	}
	return response, err
}

type cutBody struct {
	io.ReadCloser
	left int
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errors.New("connection reset by peer")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// TestStreamGoesOn has connections end in the middle of an event: none is missed, none comes twice.
func TestStreamGoesOn(t *testing.T) {
	t.Parallel()

	c := newStreaming(t)
	c.happen(t, "status-update", "status-update", "transcript", "status-update", "end-of-call-report")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []int64
	var told bytes.Buffer
	reading := &stream{
		streamFlags: streamFlags{After: 1}, errors: &told, operations: NewOperations(api.Document()),
		api: &client.Client{URL: c.url, Key: c.key, Transport: &cutting{after: 900, times: 2}, Attempts: attempts},
		each: func(_ context.Context, read *event) error {
			if seen = append(seen, read.Sequence); read.Sequence == 5 {
				cancel()
			}
			return nil
		},
	}
	require.NoError(t, reading.run(ctx))
	require.Equal(t, []int64{2, 3, 4, 5}, seen)
	require.Contains(t, told.String(), "connecting again after event")
}

// TestStreamEnds where no connection helps.
func TestStreamEnds(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	require.Equal(t, statusKey, c.run(t, "events", "tail", "--api", c.url, "--api-key", "cw_live_12345678901234567890123456789012"),
		c.errors)
	require.Equal(t, statusInput, c.run(t, c.here("events", "tail", "--call-id", "x", "--after", "0")...), c.errors)
}

// receiver is a developer's server.
type receiver struct {
	status int
	got    chan *http.Request
	bodies chan []byte
}

func newReceiver(t *testing.T, status int) (*receiver, string) {
	t.Helper()
	made := &receiver{status: status, got: make(chan *http.Request, 10), bodies: make(chan []byte, 10)}
	served := httptest.NewServer(made)
	t.Cleanup(served.Close)
	return made, served.URL
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.got <- request
	r.bodies <- body
	w.WriteHeader(r.status)
}

// TestListen forwards events as webhooks are delivered, and single ones again.
func TestListen(t *testing.T) {
	t.Parallel()

	c := newStreaming(t)
	c.happen(t, "status-update", "tool-calls", "end-of-call-report")
	developer, url := newReceiver(t, http.StatusNoContent)
	require.Zero(t, c.run(t, c.here("webhooks", "listen", "--forward", url, "--resend", "1,2,3")...), c.errors)
	require.Contains(t, c.errors, "     1  delivered: 204")
	require.Contains(t, c.errors, "     2  not sent: it is a question")
	secret, err := machineSecret(c.config)
	require.NoError(t, err)
	require.Contains(t, c.errors, secret)
	verifier, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	for _, sequence := range []int64{1, 3} {
		request, body := <-developer.got, <-developer.bodies
		require.NoError(t, verifier.Verify(body, request.Header))
		var message struct {
			Message struct {
				EventID  string
				Sequence int64
				Type     string
			}
		}
		require.NoError(t, json.Unmarshal(body, &message))
		require.Equal(t, sequence, message.Message.Sequence)
		require.Equal(t, request.Header.Get("webhook-id"), message.Message.EventID)
	}

	_, failing := newReceiver(t, http.StatusInternalServerError)
	require.Zero(t, c.run(t, c.here("webhooks", "listen", "--forward", failing, "--resend", "1")...), c.errors)
	require.Contains(t, c.errors, "refused with 500")
	require.Contains(t, c.errors, "again: --resend 1")
	require.Zero(t, c.run(t, c.here("webhooks", "listen", "--forward", "http://127.0.0.1:1", "--resend", "1", "--secret",
		"whsec_"+"MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0")...), c.errors)
	require.Contains(t, c.errors, "not delivered")
	require.Equal(t, statusNotFound, c.run(t, c.here("webhooks", "listen", "--forward", url, "--resend", strconv.Itoa(9))...),
		c.errors)
	require.Equal(t, statusInput, c.run(t, c.here("webhooks", "listen", "--resend", "1")...), c.errors)
	require.Equal(t, statusInput, c.run(t, c.here("webhooks", "listen", "--forward", "127.0.0.1:3000")...), c.errors)
}
