// Package socket is the part of WebSocket interfaces that speech vendors share: handshake, timeouts, size limits, and
// what a failure of the handshake, of a message or of the connection means.
//
// It knows HTTP upgrades, close codes and faults. It must not know the content of messages.
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/callwright/callwright/providers/fault"
)

const (
	maxExplanation = 1 << 10 // bytes read of a response without an upgrade; the library keeps no more
	partingLimit   = 200 * time.Millisecond
)

var (
	errTooSlow  = errors.New("the response took too long")
	errTooLarge = errors.New("the message is too large")
	errBinary   = errors.New("a binary message where text was expected")
)

// Endpoint is a server and our credentials there.
type Endpoint struct {
	Provider   string // name in faults
	URL        string // absolute, of scheme http, https, ws or wss
	Header     http.Header
	HTTP       *http.Client // follows no redirect
	MaxMessage int64        // that may be received, in bytes
}

// URL returns path below base, with base's query and those of params that are neither empty nor in it. It returns "" if
// base is no URL, which Dial refuses.
func URL(base, path string, params map[string]string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	query := u.Query()
	for name, value := range params {
		if value != "" && !query.Has(name) {
			query.Set(name, value)
		}
	}
	u.RawQuery = query.Encode()
	return u.JoinPath(path).String()
}

// Dial connects within wait. The connection does not end with ctx.
func (e *Endpoint) Dial(ctx context.Context, wait time.Duration) (*Conn, error) {
	if u, err := url.Parse(e.URL); err != nil || u.Host == "" {
		return nil, &fault.Error{Kind: fault.Refused, Provider: e.Provider, Message: "bad base URL", Err: err}
	}
	limited, cancel := context.WithTimeoutCause(ctx, wait, errTooSlow)
	defer cancel()
	conn, resp, err := websocket.Dial(limited, e.URL, &websocket.DialOptions{HTTPClient: e.HTTP, HTTPHeader: e.Header}) //nolint:bodyclose // the library has
	if err != nil {
		return nil, e.refusal(ctx, limited, resp, err)
	}
	conn.SetReadLimit(e.MaxMessage)
	return &Conn{provider: e.Provider, conn: conn, over: make(chan struct{})}, nil
}

// refusal returns the fault of a handshake.
func (e *Endpoint) refusal(ctx, limited context.Context, resp *http.Response, err error) error {
	switch {
	case ctx.Err() != nil:
		return fault.FromNet(e.Provider, ctx.Err())
	case resp == nil && errors.Is(context.Cause(limited), errTooSlow):
		return &fault.Error{Kind: fault.Timeout, Provider: e.Provider, Err: errTooSlow}
	case resp == nil:
		return fault.FromNet(e.Provider, err)
	case resp.StatusCode < 300:
		return &fault.Error{Kind: fault.Unavailable, Provider: e.Provider, StatusCode: resp.StatusCode,
			Message: "it did not open a WebSocket", Err: err}
	}
	explanation, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
	if err != nil {
		return fault.FromNet(e.Provider, err)
	}
	return fault.FromHTTP(e.Provider, resp, explanation)
}

// Conn is a connection. One goroutine may receive while another one sends. Its errors are *fault.Error unless the
// caller's context was canceled. After an error, and after the context of a call has ended, the connection must not be
// used any more.
type Conn struct {
	provider string
	conn     *websocket.Conn
	once     sync.Once
	over     chan struct{} // closed when nothing more will be received, for this reason:
	reason   error
}

// Receive returns the next text message.
func (c *Conn) Receive(ctx context.Context) ([]byte, error) {
	kind, message, err := c.conn.Read(ctx)
	switch {
	case err != nil:
		err = c.fault(ctx, err)
	case kind != websocket.MessageText:
		err = c.Garbled(errBinary)
	default:
		return message, nil
	}
	c.once.Do(func() {
		c.reason = err
		close(c.over)
	})
	return nil, err
}

// SendBinary sends a binary message.
func (c *Conn) SendBinary(ctx context.Context, message []byte) error {
	return c.send(ctx, websocket.MessageBinary, message)
}

// SendJSON sends a text message.
func (c *Conn) SendJSON(ctx context.Context, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: c.provider, Message: "message cannot be written", Err: err}
	}
	return c.send(ctx, websocket.MessageText, text)
}

func (c *Conn) send(ctx context.Context, kind websocket.MessageType, message []byte) error {
	err := c.conn.Write(ctx, kind, message)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.FromNet(c.provider, ctx.Err())
	}
	select { // Receive may just have got the reason
	case <-c.over:
		return c.reason
	case <-time.After(partingLimit):
		return c.fault(ctx, err)
	}
}

// Garbled returns the fault for a message that cannot be parsed.
func (c *Conn) Garbled(err error) error {
	return &fault.Error{Kind: fault.Unavailable, Provider: c.provider, Message: "message cannot be read", Err: err}
}

// Close closes the connection at once. Concurrent calls fail.
func (c *Conn) Close() {
	c.conn.CloseNow() //nolint:errcheck // the connection is not used any more
}

// Leave sends a last message, without waiting for a response, and closes. It needs no context: it is called when that of
// the conversation has ended, and takes at most partingLimit.
func (c *Conn) Leave(message any) {
	ctx, cancel := context.WithTimeout(context.Background(), partingLimit)
	defer cancel()
	c.SendJSON(ctx, message) //nolint:errcheck // the server may have closed already
	c.Close()
}

func (c *Conn) fault(ctx context.Context, err error) error {
	closed, isClose := errors.AsType[websocket.CloseError](err)
	switch {
	case ctx.Err() != nil:
		return fault.FromNet(c.provider, ctx.Err())
	case errors.Is(err, websocket.ErrMessageTooBig):
		return &fault.Error{Kind: fault.Unavailable, Provider: c.provider, Err: errTooLarge}
	case isClose:
		return &fault.Error{Kind: kindOfClose(closed.Code), Provider: c.provider,
			Message: fmt.Sprintf("it closed the connection with code %d: %q", closed.Code, closed.Reason)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // never io.EOF, which readers take for a regular end
		return &fault.Error{Kind: fault.Unavailable, Provider: c.provider, Message: "the connection was cut", Err: io.ErrUnexpectedEOF}
	}
	return fault.FromNet(c.provider, err)
}

// Codes of the WebSocket close code registry without a name in the library.
const (
	closeUnauthorized = 3000
	closeForbidden    = 3003
	closeTimeout      = 3008
)

// kindOfClose returns the kind of fault for a close code. A server that closes first is unavailable, unless the code
// blames us.
func kindOfClose(code websocket.StatusCode) fault.Kind {
	switch code {
	case websocket.StatusUnsupportedData, websocket.StatusInvalidFramePayloadData,
		websocket.StatusPolicyViolation, websocket.StatusMessageTooBig:
		return fault.Refused
	case closeUnauthorized, closeForbidden:
		return fault.Denied
	case closeTimeout:
		return fault.Timeout
	}
	return fault.Unavailable
}
