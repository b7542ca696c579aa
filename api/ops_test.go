package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/health"
	"github.com/callwright/callwright/jobs/overview"
)

func TestOverviewPage(t *testing.T) {
	t.Parallel()

	ready := error(nil)
	server := apitest.New(t, func(a *api.API) {
		a.OperatorPassword, a.Ops = "right", http.NotFoundHandler()
		a.Overview = &overview.Reader{DB: a.DB, Now: func() time.Time { return time.Now().Add(time.Hour) }}
		a.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("callwright_up 1")) })
		a.Ready = func(context.Context) error { return ready }
	})
	ask := func(path, password string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		request.SetBasicAuth("operator", password)
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, request)
		return recorder
	}
	_, err := server.Tx.Exec(t.Context(), `INSERT INTO process_lease
		(process_id, boot_id, pid_namespace, pid, pid_started, version, places) VALUES
		('<b>host</b>-1', '', '', 0, 0, 'v1.2.3', 250), ('host-2', '', '', 0, 0, 'v1.2.3', 0)`)
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(),
		`INSERT INTO river_job (kind, args, max_attempts, queue, state, scheduled_at) VALUES
		('place_call', '{}', 3, 'calls', 'available', now() - interval '5 seconds'),
		('finish_call', '{}', 3, 'calls', 'scheduled', now() + interval '1 day')`)
	require.NoError(t, err)
	for _, path := range []string{"/ops/", "/metrics"} {
		require.Equal(t, http.StatusUnauthorized, ask(path, "wrong").Code, path)
	}
	page := ask("/ops/", "right")
	require.Equal(t, http.StatusOK, page.Code)
	require.Contains(t, page.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
	text := page.Body.String()
	for _, part := range []string{
		"version <b>test</b>", "PostgreSQL ",
		"&lt;b&gt;host&lt;/b&gt;-1<td>v1.2.3<td class=\"n\">0\n<td class=\"n\">250<td",
		"host-2<td>v1.2.3<td class=\"n\">0\n<td class=\"n\">no more<td",
		`href="/ops/jobs?kind=place_call&amp;state=available">place_call</a>`,
		`href="/ops/jobs?state=discarded"`,
		`href="/ops/jobs?kind=place_call%2cstart_scheduled_call%2cfinish_call&amp;state=running"`,
	} {
		require.Contains(t, text, part)
	}
	require.Regexp(t, `>place_call</a><td>available<td class="n">1\n<td class="n">5\.\d s\n`, text)
	require.Regexp(t, `>finish_call</a><td>scheduled<td class="n">1\n<td class="n">\n`, text, "it is not due")
	require.NotContains(t, text, "Not ready")
	ready = &health.Problem{Words: "the database is away", Err: context.DeadlineExceeded}
	require.Contains(t, ask("/ops", "right").Body.String(), "Not ready: the database is away.")
	require.Equal(t, "callwright_up 1", ask("/metrics", "right").Body.String())

	response := server.Do(t, http.MethodGet, "/readyz", nil)
	require.Equal(t, http.StatusServiceUnavailable, response.Status)
	require.Equal(t, "Not ready: the database is away.", apitest.Decode[apitest.Error](t, response).Error.Message,
		"in words, and no more")
}

// River UI's pages have the link, and nothing else of it is changed.
func TestWayBackFromRiverUI(t *testing.T) {
	t.Parallel()

	const page = "<!doctype html><body><div id=\"root\"></div></body></html>"
	server := apitest.New(t, func(a *api.API) {
		a.OperatorPassword = "right"
		a.Ops = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			types := map[string]string{"/ops/jobs": "text/html; charset=utf-8", "/ops/api/jobs": "application/json"}
			w.Header().Set("Content-Type", types[r.URL.Path])
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
		})
	})
	web := httptest.NewServer(server.Handler)
	t.Cleanup(web.Close)
	ask := func(method, path string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, http.NoBody)
		require.NoError(t, err)
		request.SetBasicAuth("operator", "right")
		response, err := web.Client().Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	require.Regexp(t, `^<!doctype html><body><div id="root"></div><a href="/ops/"[^>]*>Callwright: overview</a></body></html>$`,
		ask(http.MethodGet, "/ops/jobs"))
	require.Empty(t, ask(http.MethodHead, "/ops/jobs"))
	require.Equal(t, page, ask(http.MethodGet, "/ops/api/jobs"))
}
