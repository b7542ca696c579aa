package api

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/middleware"
)

// TestDatabaseAway asks an API whose database is not there.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()

	pool, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/none") // it connects when it is used
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	handler := New(&API{DB: pool, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Ready: pool.Ping})
	key := middleware.NewKey(false)
	for _, request := range [][2]string{
		{http.MethodGet, "/v1/contacts"}, {http.MethodPost, "/v1/calls/direct"}, {http.MethodGet, "/contacts"},
		{http.MethodGet, "/readyz"},
	} {
		response := ask(handler, request[0], request[1], "Authorization", "Bearer "+key.Text)
		require.Equal(t, http.StatusServiceUnavailable, response.Code, "%s: %s", request[1], response.Body)
		require.Equal(t, "2", response.Header().Get("Retry-After"), request[1])
		require.JSONEq(t,
			`{"error":{"code":"unavailable","message":"This request cannot be served now. Repeat it in a moment.","details":{}}}`,
			response.Body.String())
	}
	require.Equal(t, http.StatusOK, ask(handler, http.MethodGet, "/healthz").Code, "a restart repairs no database")
}
