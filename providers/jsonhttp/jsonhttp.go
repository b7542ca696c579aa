// Package jsonhttp is the part of HTTP interfaces with JSON that carriers share: timeout, size limit, and what a failure
// means.
//
// It knows HTTP and faults. It must not know the content of requests and responses.
package jsonhttp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

const (
	defaultWait    = 20 * time.Second
	maxExplanation = 16 << 10 // bytes read of an error response
)

// Endpoint is a server and an account on it.
type Endpoint struct {
	Provider  string // name in faults
	BaseURL   string
	Authorize func(*http.Request)
	MaxBytes  int           // of a response
	Wait      time.Duration // for a response; 0: 20 s
	HTTP      *http.Client

	// Explain completes the fault of an error response. It may be nil.
	Explain func(failed *fault.Error, resp *http.Response, body []byte)
}

// Request is a request to an Endpoint.
type Request struct {
	Method      string
	Path        string // below BaseURL, with the query
	ContentType string
	Body        io.Reader     // nil: none
	Wait        time.Duration // for the response; 0: the endpoint's
}

// Do sends r and decodes the JSON of a successful response into out; nil: it is dropped. Errors are *fault.Error unless
// ctx was canceled.
func (e *Endpoint) Do(ctx context.Context, r Request, out any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Wait, e.Wait, defaultWait))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimRight(e.BaseURL, "/")+r.Path, r.Body)
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: e.Provider, Message: "bad base URL", Err: err}
	}
	req.Header.Set("Accept", "application/json")
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	e.Authorize(req)
	resp, err := e.HTTP.Do(req)
	if err != nil {
		return fault.FromNet(e.Provider, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return e.failed(ctx, resp)
	}
	return e.read(resp.Body, out)
}

func (e *Endpoint) failed(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
	if err != nil && ctx.Err() != nil {
		return fault.FromNet(e.Provider, err)
	}
	failed := fault.FromHTTP(e.Provider, resp, body)
	if e.Explain != nil {
		e.Explain(failed, resp, body)
	}
	return failed
}

func (e *Endpoint) read(body io.Reader, out any) error {
	text, err := io.ReadAll(io.LimitReader(body, int64(e.MaxBytes)+1))
	switch {
	case err != nil:
		return fault.FromNet(e.Provider, err)
	case len(text) > e.MaxBytes:
		return fault.New(fault.Unavailable, e.Provider, "the response is too large")
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil { // its text may hold parts of the response
		return &fault.Error{Kind: fault.Unavailable, Provider: e.Provider, Message: "the response is not the documented JSON",
			Err: errors.New("decode response")}
	}
	return nil
}
