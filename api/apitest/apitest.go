// Package apitest serves the API on a test database, for tests that call it as a customer does. It knows how to create
// a customer and how to decode a response. Only tests may import it.
package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/telco/simulated"
)

// Server is the API and one customer.
type Server struct {
	API     *api.API
	Handler http.Handler
	Tx      db.Beginner // a transaction that is rolled back, unless the test gave something else
	Account *dbsqlc.Account
	Key     string // a live key of Account
}

// New serves the API in a transaction that is rolled back after the test. It serves one request at a time.
func New(tb testing.TB, change ...func(*api.API)) *Server {
	tb.Helper()
	return NewOn(tb, dbtest.Tx(tb), change...)
}

// NewOn serves the API on beginner. On a database of the test's own, requests may run concurrently.
func NewOn(tb testing.TB, beginner db.Beginner, change ...func(*api.API)) *Server {
	tb.Helper()
	server := &Server{Tx: beginner}
	server.API = NewAPI(tb, beginner, change...)
	server.Handler = api.New(server.API)
	tb.Cleanup(server.API.Close)
	server.Account, server.Key = NewCustomer(tb, beginner, server.API.Seal)
	return server
}

// NewAPI returns an API like that of a deployment, with its own sealing key and a discarded log.
func NewAPI(tb testing.TB, beginner db.Beginner, change ...func(*api.API)) *api.API {
	tb.Helper()
	inserter, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	require.NoError(tb, err)
	keys, err := seal.New(seal.GenerateKey(seal.NewKeyID()))
	require.NoError(tb, err)
	// Not db.UseSealKeys: several of these may share a database, each with a key of its own.
	err = dbsqlc.New().SealKeyInsert(tb.Context(), beginner,
		&dbsqlc.SealKeyInsertParams{ID: keys.KeyID(), Canary: keys.Seal("", "")})
	require.NoError(tb, err)
	store, err := dir.Open(tb.TempDir())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, store.Close()) })
	carrier := simulated.New(beginner, time.Now, telco.NewDutch())
	made := &api.API{
		DB: beginner, Jobs: inserter, Seal: keys, Files: store, Carriers: telco.Carriers{Live: carrier, Simulated: carrier},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Version: "test",
		Events: api.NewEventListener(nil, slog.New(slog.DiscardHandler)),
	}
	for _, change := range change {
		change(made)
	}
	return made
}

// NewCustomer creates an account with a sealed webhook secret, and returns it with the text of a key.
func NewCustomer(tb testing.TB, tx dbsqlc.DBTX, sealer seal.Sealer) (*dbsqlc.Account, string) {
	tb.Helper()
	account := dbfactory.Account(tb, tx)
	rows, err := tx.Query(tb.Context(), "SELECT id FROM webhook_endpoint WHERE account_id = $1", account.ID)
	require.NoError(tb, err)
	id, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[uuid.UUID])
	require.NoError(tb, err)
	_, err = tx.Exec(tb.Context(), "UPDATE webhook_endpoint SET secret = $2 WHERE id = $1", id,
		sealer.Seal(dbfactory.WebhookSecret, events.SecretContext(id)))
	require.NoError(tb, err)
	key, _ := dbfactory.APIKey(tb, tx, account.ID)
	return account, key
}

// Response is a response of the API.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Decode decodes the body.
func Decode[T any](tb testing.TB, response *Response) T {
	tb.Helper()
	var into T
	require.NoError(tb, json.Unmarshal(response.Body, &into), "%s", response.Body)
	return into
}

// Error is the body of a response with a status of 400 or above.
type Error struct {
	Error struct {
		Code    string            `json:"code"`
		Message string            `json:"message"`
		Details map[string]string `json:"details"`
	} `json:"error"`
}

// Do makes a request with the customer's key. A body that is neither text nor bytes is sent as JSON; headers are names
// and values in turn.
func (s *Server) Do(tb testing.TB, method, path string, body any, headers ...string) *Response {
	tb.Helper()
	return s.DoAs(tb, s.Key, method, path, body, headers...)
}

// DoAs is Do with another key, with a session, which goes into the cookie, or with none.
func (s *Server) DoAs(tb testing.TB, key, method, path string, body any, headers ...string) *Response {
	tb.Helper()
	request := httptest.NewRequestWithContext(tb.Context(), method, path, reader(tb, body))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(key, "cw_session_") {
		request.AddCookie(&http.Cookie{Name: "callwright_session", Value: key})
	} else if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	s.Handler.ServeHTTP(recorder, request)
	document, err := apifuzz.Served()
	require.NoError(tb, err)
	answer := &apifuzz.Answer{Status: recorder.Code, Header: recorder.Result().Header, Body: recorder.Body.Bytes()}
	require.NoError(tb, document.Body(method, path, answer), "%s %s: %s", method, path, recorder.Body)
	return &Response{Status: recorder.Code, Header: recorder.Result().Header, Body: recorder.Body.Bytes()}
}

// Want makes a request, requires the status of its response, and decodes its body.
func Want[T any](tb testing.TB, s *Server, status int, method, path string, body any, headers ...string) T {
	tb.Helper()
	response := s.Do(tb, method, path, body, headers...)
	require.Equal(tb, status, response.Status, "%s %s: %s", method, path, response.Body)
	return Decode[T](tb, response)
}

// WantError makes a request that must be refused with the status and code, and returns the details of the error.
func (s *Server) WantError(tb testing.TB, status int, code, method, path string, body any, headers ...string) map[string]string {
	tb.Helper()
	response := s.Do(tb, method, path, body, headers...)
	return response.WantError(tb, status, code)
}

// WantError requires that r is an error with the status and code, and returns its details.
func (a *Response) WantError(tb testing.TB, status int, code string) map[string]string {
	tb.Helper()
	require.Equal(tb, status, a.Status, "%s", a.Body)
	require.Equal(tb, "application/json", a.Header.Get("Content-Type"))
	require.NotEmpty(tb, a.Header.Get("X-Request-Id"))
	response := Decode[Error](tb, a)
	require.Equal(tb, code, response.Error.Code, "%s", a.Body)
	require.NotEmpty(tb, response.Error.Message)
	require.NotNil(tb, response.Error.Details, "details are an object, empty when there is nothing to say")
	return response.Error.Details
}

func reader(tb testing.TB, body any) io.Reader {
	tb.Helper()
	switch body := body.(type) {
	case nil:
		return http.NoBody
	case string:
		return bytes.NewReader([]byte(body))
	case []byte:
		return bytes.NewReader(body)
	case io.Reader:
		return body
	}
	text, err := json.Marshal(body)
	require.NoError(tb, err)
	return bytes.NewReader(text)
}
