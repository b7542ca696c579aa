// Package faulttest is how every adapter that speaks HTTP or WebSocket has to fail: it plays
// a server that goes wrong in all the ways that servers do, and checks the fault that comes
// back.
//
// It knows package fault, HTTP and WebSocket. It must not know any adapter.
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
	// Key is the API key that the adapter under test has to use.
	Key = "sk-faulttest-do-not-tell"
	// Wait is how long the adapter under test should be told to wait, at most, for the
	// answer and between its parts.
	Wait = 750 * time.Millisecond
	// prompt is within what time a cancelled call must have come back.
	prompt = 5 * time.Second
)

// Call makes one request to the server at baseURL, with Key and Wait, reads the whole
// answer and returns how that ended.
type Call func(ctx context.Context, baseURL string) error

// Adapter is what is under test.
type Adapter struct {
	Call        Call
	ContentType string                   // of a good answer
	Begin       string                   // how a good answer begins; not a whole one
	Endless     string                   // what may follow Begin any number of times, without an end
	Authorized  func(*http.Request) bool // whether a request carries Key; nil: as a bearer token does
}

// Run lets the server fail in every way.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	authorized := a.Authorized
	if authorized == nil {
		authorized = bearer
	}
	reach(t, a.Call, authorized)
	t.Run("answers", func(t *testing.T) { answers(t, a) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, a) })
}

// reach fails before there is an answer.
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

// Require checks that err is a fault of that kind which does not tell Key.
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
		io.Copy(io.Discard, r.Body) // else the server does not see the client leave
		<-r.Context().Done()
	})
	Require(t, fault.Timeout, call(t.Context(), hang))
}

func answers(t *testing.T, a Adapter) {
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
	for name, begin := range map[string]string{"before the answer": "", "in the answer": a.Begin} {
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
