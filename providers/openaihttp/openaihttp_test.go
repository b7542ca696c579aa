package openaihttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/openaihttp"
)

// A server that sends headers without end fails, and not when memory does. Vendors send a few kilobytes.
func TestHeadersOfResponsesAreLimited(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Padding", strings.Repeat("x", map[string]int{"/long": 1 << 20, "/short": 32 << 10}[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	endpoint := openaihttp.NewEndpoint("vendor", server.URL, "", nil)
	t.Cleanup(endpoint.HTTP.CloseIdleConnections)
	reply, err := endpoint.Post(t.Context(), openaihttp.Request{Path: "/short", Wait: 20 * time.Second})
	require.NoError(t, err)
	reply.Close()
	_, err = endpoint.Post(t.Context(), openaihttp.Request{Path: "/long", Wait: 20 * time.Second})
	require.ErrorContains(t, err, "header")
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind)
}
