package traces

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The tracer is the process's: what is tested of it is one test. That spans leave and hang together, TestMonitoring of the
// program shows.
func TestTraces(t *testing.T) { //nolint:paralleltest // it counts allocations
	var seen string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		seen = r.Header.Get("traceparent")
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &Transport{&http.Transport{}}}
	t.Cleanup(client.CloseIdleConnections)
	ask := func(ctx context.Context) string {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Empty(t, request.Header, "the caller's request stays as it was")
		return seen
	}
	log := &bytes.Buffer{}
	logger := slog.New(LogHandler(slog.NewJSONHandler(log, nil)))
	row := [16]byte{0x01, 0xa2, 8: 0xb3}
	parent := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

	off := Continue(t.Context(), &parent, row)
	require.Equal(t, t.Context(), off, "off it is free")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ctx, span := Begin(off, "step")
		span.Set("key", "value")
		Past(ctx, "past", time.Time{}, time.Time{}, nil)
		span.End("")
	}))
	require.Empty(t, ask(off))
	require.Equal(t, off, Below(off, off))

	stop, err := Start(t.Context(), Config{Endpoint: "http://127.0.0.1:1"})
	require.NoError(t, err)
	ctx := Continue(t.Context(), &parent, row)
	require.Equal(t, parent, Parent(ctx))
	inside, span := Within(ctx, "step")
	require.Regexp(t, "^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$", ask(inside))
	require.NotEqual(t, parent, seen, "it stands below the step")
	logger.InfoContext(inside, "line")
	span.End("refused")
	require.Contains(t, log.String(), `"trace_id":"0af7651916cd43dd8448eb211c80319c"`)
	for _, without := range []*string{nil, new("")} {
		require.Equal(t, "00-01a2000000000000b300000000000000-b300000000000000-01", Parent(Continue(t.Context(), without, row)),
			"the row's id is its trace's")
	}
	over, cancelOver := context.WithCancel(inside)
	cancelOver()
	below := Below(t.Context(), over)
	require.Equal(t, Parent(inside), Parent(below))
	require.NoError(t, below.Err(), "it outlives the other")
	nowhere, _ := Within(t.Context(), "step")
	require.Empty(t, Parent(nowhere))
	theirs := http.Header{"Traceparent": {parent}}
	asked, _ := Request(t.Context(), theirs, "GET")
	require.NotContains(t, Parent(asked), "0af7651916cd43dd8448eb211c80319c", "nobody outside chooses our ids")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, stop(ended), "nobody collects")
	require.Empty(t, Parent(ctx))
}
