package faulttest

import (
	"context"
	"crypto/sha1" //nolint:gosec // RFC 6455 has it
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
)

// Socket is a provider under test that uses a WebSocket.
type Socket struct {
	Call Call
	// Authorized reports whether a handshake has Key.
	Authorized func(*http.Request) bool
	// Asked receives what the provider sends until a response is due.
	Asked func(ctx context.Context, conn *websocket.Conn) error
	Begin string // the beginning of a valid response: one message
	// Endless may follow Begin any number of times, without an end; EndlessKind is the fault for it.
	Endless     string
	EndlessKind fault.Kind
}

// RunSocket checks every failure.
func RunSocket(t *testing.T, s Socket) {
	t.Helper()
	reach(t, s.Call, s.Authorized)
	t.Run("no socket", func(t *testing.T) { noSocket(t, s) })
	t.Run("closed", func(t *testing.T) { closed(t, s) })
	t.Run("messages", func(t *testing.T) { messages(t, s) })
	t.Run("frames", func(t *testing.T) { frames(t, s) })
	t.Run("cancelled", func(t *testing.T) { socketCancelled(t, s) })
}

// ServeSocket accepts WebSockets until the test is over. The connection is cut when talk returns.
func ServeSocket(t *testing.T, talk func(ctx context.Context, conn *websocket.Conn, r *http.Request)) (baseURL string) {
	t.Helper()
	return Serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		talk(r.Context(), conn, r)
	})
}

// AwaitClose waits until the peer has closed the connection.
func AwaitClose(ctx context.Context, conn *websocket.Conn) {
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			return
		}
	}
}

// responding serves what comes when a response is due.
func (s Socket) responding(t *testing.T, talk func(ctx context.Context, conn *websocket.Conn)) (baseURL string) {
	t.Helper()
	return ServeSocket(t, func(ctx context.Context, conn *websocket.Conn, _ *http.Request) {
		if s.Asked(ctx, conn) == nil {
			talk(ctx, conn)
		}
	})
}

func noSocket(t *testing.T, s Socket) {
	t.Helper()
	page := Serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") })
	Require(t, fault.Unavailable, s.Call(t.Context(), page))
	other := Serve(t, func(w http.ResponseWriter, _ *http.Request) { upgrade(w, "of another key", "\x81\x02{}", false) })
	Require(t, fault.Unavailable, s.Call(t.Context(), other))
}

func closed(t *testing.T, s Socket) {
	t.Helper()
	for code, want := range map[websocket.StatusCode]fault.Kind{
		websocket.StatusNormalClosure: fault.Unavailable, websocket.StatusGoingAway: fault.Unavailable,
		websocket.StatusInternalError: fault.Unavailable, websocket.StatusTryAgainLater: fault.Unavailable,
		websocket.StatusProtocolError: fault.Unavailable, websocket.StatusInvalidFramePayloadData: fault.Refused,
		websocket.StatusPolicyViolation: fault.Refused, 3000: fault.Denied, 3008: fault.Timeout,
	} {
		url := s.responding(t, func(_ context.Context, conn *websocket.Conn) { conn.Close(code, "as the server says") })
		got := check(t, want, s.Call(t.Context(), url))
		require.Contains(t, got.Message, "as the server says")
	}
	atOnce := ServeSocket(t, func(context.Context, *websocket.Conn, *http.Request) {})
	Require(t, fault.Unavailable, s.Call(t.Context(), atOnce))
}

func messages(t *testing.T, s Socket) {
	t.Helper()
	text := func(parts ...string) func(context.Context, *websocket.Conn) {
		return func(ctx context.Context, conn *websocket.Conn) {
			for _, part := range parts {
				conn.Write(ctx, websocket.MessageText, []byte(part))
			}
			AwaitClose(ctx, conn)
		}
	}
	for name, c := range map[string]struct {
		want fault.Kind
		talk func(context.Context, *websocket.Conn)
	}{
		"never begins":        {fault.Timeout, text()},
		"stops in the middle": {fault.Timeout, text(s.Begin)},
		"something unknown":   {fault.Timeout, text(`{"type":"Novelty","novelty":[1]}`, `{}`)},
		"garbage":             {fault.Unavailable, text(s.Begin, "{]")},
		"nothing":             {fault.Unavailable, text("")},
		"no object":           {fault.Unavailable, text(`"` + Key + `"`)},
		"too large":           {fault.Unavailable, text(`{"type":"` + strings.Repeat("x", 8<<20) + `"}`)},
		"cut off": {fault.Unavailable, func(ctx context.Context, conn *websocket.Conn) {
			conn.Write(ctx, websocket.MessageText, []byte(s.Begin))
		}},
		"binary": {fault.Unavailable, func(ctx context.Context, conn *websocket.Conn) {
			conn.Write(ctx, websocket.MessageBinary, []byte(s.Begin))
			AwaitClose(ctx, conn)
		}},
		"never ends": {s.EndlessKind, func(ctx context.Context, conn *websocket.Conn) {
			err := conn.Write(ctx, websocket.MessageText, []byte(s.Begin))
			for err == nil {
				err = conn.Write(ctx, websocket.MessageText, []byte(s.Endless))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Require(t, c.want, s.Call(t.Context(), s.responding(t, c.talk)))
		})
	}
}

// frames sends bytes that are no valid frames of a server.
func frames(t *testing.T, s Socket) {
	t.Helper()
	for name, bytes := range map[string]string{
		"reserved bits": "\xf1\x02{}", "unknown opcode": "\x83\x02{}", "long ping": "\x89\x7e\x00\x80" + strings.Repeat("x", 128),
		"continued from nothing": "\x80\x02{}", "bad close": "\x88\x01x", "half a frame": "\x81\x7e\x10",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
				sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // RFC 6455 has it
				upgrade(w, base64.StdEncoding.EncodeToString(sum[:]), bytes, name != "half a frame")
			})
			Require(t, fault.Unavailable, s.Call(t.Context(), url))
		})
	}
}

// upgrade responds to a handshake, sends bytes, and if stay waits until the peer closes.
func upgrade(w http.ResponseWriter, accept, bytes string, stay bool) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Accept: " + accept + "\r\n\r\n" + bytes)
	buffered.Flush()
	if stay {
		io.Copy(io.Discard, buffered)
	}
}

func socketCancelled(t *testing.T, s Socket) {
	t.Helper()
	for name, moment := range map[string]func(cancel func()) http.HandlerFunc{
		"before the handshake": func(cancel func()) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}
		},
		"before the response": func(cancel func()) http.HandlerFunc { return s.until("", cancel) },
		"in the response":     func(cancel func()) http.HandlerFunc { return s.until(s.Begin, cancel) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			url := Serve(t, moment(cancel))
			started := time.Now()
			err := s.Call(ctx, url)
			require.ErrorIs(t, err, context.Canceled)
			_, isFault := fault.Of(err)
			require.False(t, isFault, "%v", err)
			require.Less(t, time.Since(started), prompt)
		})
	}
}

// until responds with begin, then calls cancel.
func (s Socket) until(begin string, cancel func()) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		if s.Asked(r.Context(), conn) != nil {
			return
		}
		if begin != "" {
			conn.Write(r.Context(), websocket.MessageText, []byte(begin))
		}
		cancel()
		AwaitClose(r.Context(), conn)
	}
}
