package hook_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client(t *testing.T, allow ...string) *hook.Client {
	t.Helper()
	cfg := hook.Config{UserAgent: "Callwright"}
	for _, prefix := range allow {
		cfg.Allow = append(cfg.Allow, netip.MustParsePrefix(prefix))
	}
	c := hook.New(cfg)
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func requireKind(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	kind, ok := fault.Of(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want, kind, "%v", err)
}

func TestPostIsSignedWithEverySecret(t *testing.T) {
	t.Parallel()
	old, current := hook.NewSecret(), hook.NewSecret()
	var header http.Header
	var body []byte
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "later")
	})
	response, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{
		URL: url, ID: "evt_1", Secrets: []string{current, old}, Body: []byte(`{"a":1}`),
		Headers: map[string]string{"X-Tenant": "7", "webhook-signature": "v1,forged", "content-type": "text/plain"},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.Status)
	require.Equal(t, "later", string(response.Body))
	require.Equal(t, 7*time.Second, response.RetryAfter)
	require.Positive(t, response.Latency)
	require.Equal(t, `{"a":1}`, string(body))
	require.Equal(t, "7", header.Get("X-Tenant"))
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.Equal(t, "Callwright", header.Get("User-Agent"))
	require.Equal(t, "evt_1", header.Get("webhook-id"))
	for _, secret := range []string{old, current} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		require.NoError(t, err)
		require.NoError(t, verifier.Verify(body, header))
	}
	stranger, err := standardwebhooks.NewWebhook(hook.NewSecret())
	require.NoError(t, err)
	require.Error(t, stranger.Verify(body, header))
}

func TestPostWithoutSecretCarriesNoSignature(t *testing.T) {
	t.Parallel()
	var header http.Header
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { header = r.Header.Clone() })
	_, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{
		URL: url, ID: "evt_1", Headers: map[string]string{"webhook-signature": "v1,forged"}})
	require.NoError(t, err)
	require.Empty(t, header.Values("webhook-signature"))
	require.Equal(t, "evt_1", header.Get("webhook-id"))
}

func TestPostNeverReachesAPrivateAddress(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was reached") })
	port := url[strings.LastIndex(url, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::1]", "[::]"} {
		_, err := client(t).Post(t.Context(), hook.Post{URL: "http://" + host + port, ID: "evt_1"})
		requireKind(t, fault.Refused, err)
	}
	_, err := client(t).HTTP().Get(url)
	requireKind(t, fault.Refused, err)
}

func TestPostDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	requests := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
	})
	response, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{URL: url, ID: "evt_1"})
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, response.Status)
	require.Equal(t, 1, requests)
}

func TestPostReadsABoundedAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return
			}
		}
	})
	response, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{URL: url, ID: "evt_1"})
	require.NoError(t, err)
	require.Len(t, response.Body, 64<<10)
}

func TestPostTimesOut(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, handler := range map[string]http.HandlerFunc{"before the header": hang, "in the body": trickle} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, "127.0.0.0/8").Post(t.Context(),
				hook.Post{URL: serve(t, handler), ID: "evt_1", Timeout: 50 * time.Millisecond})
			requireKind(t, fault.Timeout, err)
		})
	}
}

func TestPostEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := client(t, "127.0.0.0/8").Post(ctx, hook.Post{URL: url, ID: "evt_1", Timeout: time.Minute})
	require.ErrorIs(t, err, context.Canceled)
	_, isFault := fault.Of(err)
	require.False(t, isFault)
}

func TestPostMeetsABrokenServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "part")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	longHeader := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 256<<10))
	})
	for name, url := range map[string]string{"closed port": closed, "cut": cut, "long header": longHeader} {
		_, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{URL: url, ID: "evt_1"})
		requireKind(t, fault.Unavailable, err)
		require.Error(t, err, name)
	}
}

func TestPostRefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	for name, post := range map[string]hook.Post{
		"scheme":       {URL: "ftp://example.com/"},
		"relative":     {URL: "/path"},
		"broken":       {URL: "http://exa mple/"},
		"secret":       {URL: "http://127.0.0.1:1/", Secrets: []string{"whsec_%%%"}},
		"header name":  {URL: "http://127.0.0.1:1/", Headers: map[string]string{"a b": "c"}},
		"header value": {URL: "http://127.0.0.1:1/", Headers: map[string]string{"A": "b\r\nHost: c"}},
	} {
		_, err := client(t, "127.0.0.0/8").Post(t.Context(), post)
		requireKind(t, fault.Refused, err)
		require.NotContains(t, err.Error(), "%%%", name)
	}
}

func TestPostWantsAModernTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	_, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{URL: server.URL, ID: "evt_1"})
	requireKind(t, fault.Unavailable, err)
	require.ErrorContains(t, err, "protocol version")
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	secret := hook.NewSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	require.Len(t, key, 32)
	require.NotEqual(t, secret, hook.NewSecret())
}
