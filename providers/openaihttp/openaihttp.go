// Package openaihttp is the part of the OpenAI-compatible HTTP interface that chat, transcription and speech share:
// URL, key, timeouts, size limits, and what a failure means.
//
// It knows HTTP and faults. It must not know the content of requests and responses.
package openaihttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/traces"
)

const (
	defaultName    = "openai"
	defaultBaseURL = "https://api.openai.com/v1"

	maxExplanation = 16 << 10 // bytes read of an error response
	dialTimeout    = 5 * time.Second
	idleTimeout    = 90 * time.Second
	maxIdlePerHost = 64
	maxHeaderBytes = 64 << 10 // of a response
)

var (
	errTooSlow  = errors.New("the response took too long")
	errTooLarge = errors.New("the response is too large")
)

// Endpoint is a server and an account on it.
type Endpoint struct {
	Provider string // name in faults
	BaseURL  string // up to and including the version, e.g. "https://api.openai.com/v1"
	APIKey   string // empty: none is sent
	HTTP     *http.Client
}

// NewEndpoint returns an endpoint. Empty fields default to OpenAI's, a nil client to a new one.
func NewEndpoint(provider, baseURL, apiKey string, client *http.Client) Endpoint {
	if client == nil {
		client = NewClient()
	}
	return Endpoint{Provider: cmp.Or(provider, defaultName), BaseURL: cmp.Or(baseURL, defaultBaseURL), APIKey: apiKey, HTTP: client}
}

// NewClient returns the HTTP client that endpoints share. It follows no redirect: that would send the key and the
// conversation to another server.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &traces.Transport{Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    dialTimeout,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2:      true,
		}},
	}
}

// Request is a POST.
type Request struct {
	Path        string // below BaseURL, e.g. "/chat/completions"
	ContentType string
	Body        []byte
	Wait        time.Duration // until the response must have begun: see Reply.Allow
	MaxBytes    int64         // of the response
}

// Reply is a successful response that is being read. Its errors are *fault.Error unless the caller's context was
// canceled, io.EOF excepted.
type Reply struct {
	MediaType string // of Content-Type, in lower case, without parameters; empty: none
	provider  string
	parent    context.Context
	own       context.Context
	cancel    context.CancelCauseFunc
	timer     *time.Timer
	body      io.ReadCloser
	left      int64
}

// Post sends r and waits for the beginning of a successful response. The caller must close it.
func (e *Endpoint) Post(ctx context.Context, r Request) (*Reply, error) {
	own, cancel := context.WithCancelCause(ctx)
	reply := &Reply{provider: e.Provider, parent: ctx, own: own, cancel: cancel, left: r.MaxBytes}
	reply.timer = time.AfterFunc(r.Wait, func() { cancel(errTooSlow) })
	resp, err := e.send(own, r) //nolint:bodyclose // Reply.Close does
	if err != nil {
		err = reply.fault(err)
		reply.end()
		return nil, err
	}
	reply.body = resp.Body
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer reply.Close()
		explanation, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
		if err != nil && ctx.Err() != nil {
			return nil, reply.fault(err)
		}
		return nil, fault.FromHTTP(e.Provider, resp, explanation)
	}
	if mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil {
		reply.MediaType = mediaType
	}
	return reply, nil
}

func (e *Endpoint) send(ctx context.Context, r Request) (*http.Response, error) {
	url := strings.TrimRight(e.BaseURL, "/") + r.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(r.Body))
	if err != nil {
		return nil, &fault.Error{Kind: fault.Refused, Provider: e.Provider, Message: "bad base URL", Err: err}
	}
	req.Header.Set("Content-Type", r.ContentType)
	if e.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+e.APIKey)
	}
	return e.HTTP.Do(req)
}

// Allow gives the server d from now until the next Allow or Pause.
func (r *Reply) Allow(d time.Duration) { r.timer.Reset(d) }

// Pause stops the timer while the caller is busy.
func (r *Reply) Pause() { r.timer.Stop() }

// Read reads the body.
func (r *Reply) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, &fault.Error{Kind: fault.Unavailable, Provider: r.provider, Err: errTooLarge}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.fault(err)
	}
	return n, err
}

// Close discards what was not read, and closes the connection.
func (r *Reply) Close() {
	r.end()
	r.body.Close()
}

// end releases the timer and the context.
func (r *Reply) end() {
	r.timer.Stop()
	r.cancel(nil)
}

func (r *Reply) fault(err error) error {
	switch {
	case r.parent.Err() != nil:
		return fault.FromNet(r.provider, r.parent.Err())
	case errors.Is(context.Cause(r.own), errTooSlow):
		return &fault.Error{Kind: fault.Timeout, Provider: r.provider, Err: errTooSlow}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault.Error{Kind: fault.Unavailable, Provider: r.provider, Message: "the response was truncated", Err: err}
	}
	return fault.FromNet(r.provider, err)
}
