// Package faulttest has the suite of failures that every provider over HTTP or WebSocket must pass: it runs a server
// that fails in many ways, and checks the fault that the provider returns.
//
// It knows package fault, HTTP and WebSocket. It must not know any provider.
package faulttest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
)

const (
	// Key is the API key that the provider under test must use.
	Key = "sk-faulttest-do-not-tell"
	// Wait is the timeout of the provider under test, for the response and between its parts.
	Wait = 750 * time.Millisecond
	// prompt is the time within which a canceled call must return.
	prompt = 5 * time.Second
)

// Call makes one request to the server at baseURL, with Key and Wait, reads the whole response and returns its error.
type Call func(ctx context.Context, baseURL string) error

// Adapter is the provider under test.
type Adapter struct {
	Call        Call
	ContentType string                   // of a valid response
	Begin       string                   // the beginning of a valid response
	Endless     string                   // may follow Begin any number of times, without an end
	Authorized  func(*http.Request) bool // whether a request has Key; nil: Key is a bearer token
}

// Run checks every failure.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	authorized := a.Authorized
	if authorized == nil {
		authorized = bearer
	}
	reach(t, a.Call, authorized)
	t.Run("responses", func(t *testing.T) { responses(t, a) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, a) })
}

// reach checks failures before a response.
func reach(t *testing.T, call Call, authorized func(*http.Request) bool) {
	t.Helper()
	t.Run("statuses", func(t *testing.T) { statuses(t, call, authorized) })
	t.Run("retry after", func(t *testing.T) { retryAfter(t, call) })
	t.Run("connections", func(t *testing.T) { connections(t, call) })
	t.Run("redirect", func(t *testing.T) { redirect(t, call) })
}

func bearer(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+Key }

// Serve runs handler until the test is over.
func Serve(t *testing.T, handler http.HandlerFunc) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// Require requires that err is a fault of that kind which does not hold Key.
func Require(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	_ = check(t, want, err)
}

func check(t *testing.T, want fault.Kind, err error) *fault.Error {
	t.Helper()
	var got *fault.Error
	require.ErrorAs(t, err, &got)
	require.Equal(t, want, got.Kind, "%v", err)
	require.NotContains(t, err.Error(), Key)
	require.NotEmpty(t, got.Provider)
	return got
}

func statuses(t *testing.T, call Call, authorized func(*http.Request) bool) {
	t.Helper()
	for status, want := range map[int]fault.Kind{
		400: fault.Refused, 404: fault.Refused, 422: fault.Refused,
		401: fault.Denied, 402: fault.Denied, 403: fault.Denied,
		408: fault.Timeout, 504: fault.Timeout,
		429: fault.Unavailable, 500: fault.Unavailable, 502: fault.Unavailable, 503: fault.Unavailable,
	} {
		url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !authorized(r) {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, `{"error":{"message":"as the server says","type":"x","code":null}}`)
		})
		got := check(t, want, call(t.Context(), url))
		require.Equal(t, status, got.StatusCode)
		require.Equal(t, "as the server says", got.Message)
	}
}

func retryAfter(t *testing.T, call Call) {
	t.Helper()
	url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	got := check(t, fault.Unavailable, call(t.Context(), url))
	require.Equal(t, 7*time.Second, got.RetryAfter)
}

func connections(t *testing.T, call Call) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := "http://" + listener.Addr().String() + "/v1"
	require.NoError(t, listener.Close())
	Require(t, fault.Unavailable, call(t.Context(), closed))
	Require(t, fault.Refused, call(t.Context(), "http://bad host/v1"))

	dropped := Serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	Require(t, fault.Unavailable, call(t.Context(), dropped))

	hang := Serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnects
		<-r.Context().Done()
	})
	Require(t, fault.Timeout, call(t.Context(), hang))
}

func responses(t *testing.T, a Adapter) {
	t.Helper()
	for name, c := range map[string]struct {
		want        fault.Kind
		contentType string
		body        func(w io.Writer, r *http.Request)
	}{
		"cut off": {fault.Unavailable, a.ContentType, func(w io.Writer, _ *http.Request) {
			io.WriteString(w, a.Begin)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		"stops in the middle": {fault.Timeout, a.ContentType, func(w io.Writer, r *http.Request) {
			io.WriteString(w, a.Begin)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		"never begins": {fault.Timeout, a.ContentType, func(w io.Writer, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		"never ends": {fault.Unavailable, a.ContentType, func(w io.Writer, r *http.Request) {
			_, err := io.WriteString(w, a.Begin)
			for err == nil && r.Context().Err() == nil {
				_, err = io.WriteString(w, a.Endless)
			}
		}},
		"empty":    {fault.Unavailable, a.ContentType, func(io.Writer, *http.Request) {}},
		"web page": {fault.Unavailable, "text/html", func(w io.Writer, _ *http.Request) { io.WriteString(w, "<html>") }},
		"garbage":  {fault.Unavailable, "application/json", func(w io.Writer, _ *http.Request) { io.WriteString(w, "{]") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", c.contentType)
				c.body(w, r)
			})
			Require(t, c.want, a.Call(t.Context(), url))
		})
	}
}

func redirect(t *testing.T, call Call) {
	t.Helper()
	elsewhere := Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	})
	Require(t, fault.Refused, call(t.Context(), url))
}

func cancelled(t *testing.T, a Adapter) {
	t.Helper()
	for name, begin := range map[string]string{"before the response": "", "in the response": a.Begin} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if begin != "" {
					w.Header().Set("Content-Type", a.ContentType)
					io.WriteString(w, begin)
					w.(http.Flusher).Flush()
				}
				cancel()
				<-r.Context().Done()
			})
			started := time.Now()
			err := a.Call(ctx, url)
			require.ErrorIs(t, err, context.Canceled)
			_, isFault := fault.Of(err)
			require.False(t, isFault, "%v", err)
			require.Less(t, time.Since(started), prompt)
		})
	}
}
