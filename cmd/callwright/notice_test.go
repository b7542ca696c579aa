package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestNotice asks an API process to end: while balancers may not know yet it says that it stops, and serves those who ask, once
// each.
func TestNotice(t *testing.T) {
	t.Parallel()

	env := []string{
		"DATABASE_URL=" + dbtest.DSN(t), "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_OPERATOR_PASSWORD=operator-password",
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_NOTICE=1m",
	}
	p := start(t, env, "api", "--listen=127.0.0.1:0")
	url := "http://" + p.waitFor(`"serving","address":"([^"]+)"`)
	get := func(path string) *http.Response {
		resp, err := http.Get(url + path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp
	}
	require.Equal(t, http.StatusOK, get("/readyz").StatusCode)
	p.signal(syscall.SIGTERM)
	require.Eventually(t, func() bool { return get("/readyz").StatusCode == http.StatusServiceUnavailable }, 30*time.Second,
		10*time.Millisecond)
	served := get("/openapi.json")
	require.Equal(t, http.StatusOK, served.StatusCode)
	require.True(t, served.Close, "the balancer keeps no connection to a process that ends")
}

func TestOutlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		later, stop := outlive(ctx, time.Minute)
		defer stop()
		kept := func() bool {
			recorder := httptest.NewRecorder()
			closeAfter(ctx, http.NotFoundHandler()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
			return recorder.Header().Get("Connection") != "close"
		}
		require.True(t, kept())
		cancel()
		time.Sleep(59 * time.Second)
		require.NoError(t, later.Err())
		require.False(t, kept())
		time.Sleep(2 * time.Second)
		require.Error(t, later.Err())
	})
}
