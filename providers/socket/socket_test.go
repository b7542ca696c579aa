package socket_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/socket"
	"github.com/callwright/callwright/traces"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func dial(t *testing.T, talk func(ctx context.Context, conn *websocket.Conn, r *http.Request)) *socket.Conn {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	endpoint := socket.Endpoint{Provider: "acme", URL: faulttest.ServeSocket(t, talk), HTTP: client, MaxMessage: 1000}
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := endpoint.Dial(ctx, faulttest.Wait)
	cancel() // the connection stays
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn
}

func echo(ctx context.Context, conn *websocket.Conn, _ *http.Request) {
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			data = []byte("sound")
		}
		conn.Write(ctx, websocket.MessageText, data)
	}
}

func TestMessagesAfterTheDialling(t *testing.T) {
	t.Parallel()
	conn := dial(t, echo)
	require.NoError(t, conn.SendJSON(t.Context(), map[string]int{"a": 1}))
	require.NoError(t, conn.SendBinary(t.Context(), []byte{1, 2}))
	for _, want := range []string{`{"a":1}`, "sound"} {
		got, err := conn.Receive(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	faulttest.Require(t, fault.Refused, conn.SendJSON(t.Context(), func() {}))
}

func TestTheServersReasonIsToldToTheSender(t *testing.T) {
	t.Parallel()
	conn := dial(t, func(_ context.Context, conn *websocket.Conn, _ *http.Request) {
		conn.Close(3000, "who are you?")
	})
	_, received := conn.Receive(t.Context())
	faulttest.Require(t, fault.Denied, received)
	sent := conn.SendBinary(t.Context(), []byte{1})
	require.Equal(t, received, sent)
}

func TestTheEndOfAContextIsNoFault(t *testing.T) {
	t.Parallel()
	conn := dial(t, echo)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := conn.Receive(ctx)
	require.ErrorIs(t, err, context.Canceled)
	late, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	_, err = dial(t, echo).Receive(late)
	faulttest.Require(t, fault.Timeout, err)
}

// Servers offer HTTP/2 to a client that can speak it, over which nothing can be upgraded.
func TestAServerThatPrefersHTTP2(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		echo(r.Context(), conn, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	client.Transport.(*traces.Transport).TLSClientConfig = &tls.Config{
		RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	ordinary, err := client.Get(server.URL) // a connection that must not be used again
	require.NoError(t, err)
	require.Equal(t, 2, ordinary.ProtoMajor)
	require.NoError(t, ordinary.Body.Close())
	endpoint := socket.Endpoint{Provider: "acme", URL: server.URL, HTTP: client, MaxMessage: 1000}
	conn, err := endpoint.Dial(t.Context(), 5*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SendJSON(t.Context(), "hello"))
	got, err := conn.Receive(t.Context())
	require.NoError(t, err)
	require.Equal(t, `"hello"`, string(got))
}

func TestURL(t *testing.T) {
	t.Parallel()
	got, err := url.Parse(socket.URL("https://acme.example/v1/?a=own&c=3", "listen",
		map[string]string{"a": "1", "b": "x y", "d": ""}))
	require.NoError(t, err)
	require.Equal(t, "https://acme.example/v1/listen", got.Scheme+"://"+got.Host+got.Path)
	require.Equal(t, url.Values{"a": {"own"}, "b": {"x y"}, "c": {"3"}}, got.Query())
	require.Empty(t, socket.URL("http://bad host/", "listen", nil))
	_, err = (&socket.Endpoint{Provider: "acme", HTTP: http.DefaultClient}).Dial(t.Context(), time.Second)
	faulttest.Require(t, fault.Refused, err)
}
