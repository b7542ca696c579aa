package api

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
)

// A browser shows the operations, and the policy of the page, which allows no other host, refuses it nothing.
func TestDocsInBrowser(t *testing.T) {
	t.Parallel()
	browser := peertest.Require(t, "chromium")
	server := onlyHost("docs.localhost", pagesOf(nil))
	t.Cleanup(server.Close)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
		"--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--proxy-server="+server.URL, "--proxy-bypass-list=<-loopback>",
		"--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
		"http://docs.localhost/docs/reference/operations/list-contacts")
	command.WaitDelay = time.Second
	var shown, said bytes.Buffer
	command.Stdout, command.Stderr = &shown, &said
	require.NoError(t, command.Run(), "%s", &said)

	require.Contains(t, shown.String(), "<title>Callwright</title>")
	for _, part := range []string{"List contacts", "/v1/contacts", "Send API Request", "Token", "full_name"} {
		require.Contains(t, shown.String(), part)
	}
	require.NotContains(t, said.String(), "Content Security Policy", "the page wants what its policy refuses")
}

// onlyHost is the proxy of a browser that serves one host itself. Others get nothing: browsers call home.
func onlyHost(host string, handler http.Handler) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			http.Error(w, "no such host", http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	}))
}
