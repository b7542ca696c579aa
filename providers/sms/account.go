package sms

import (
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
	maxResponse    = 256 << 10 // bytes
	maxExplanation = 16 << 10  // bytes read of an error response
)

// Account is an account at a carrier with an HTTP interface that returns JSON.
type Account struct {
	Provider  string // name in faults
	BaseURL   string
	Authorize func(*http.Request)
	Wait      time.Duration // for one response; 0: 20 s
	HTTP      *http.Client
}

// Post sends a body and decodes the response into out. explain may add the carrier's own message to the fault of an
// error response; it may be nil.
func (a *Account) Post(ctx context.Context, path, contentType, body string, out any, explain func(*fault.Error, []byte)) error {
	wait := a.Wait
	if wait == 0 {
		wait = defaultWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(a.BaseURL, "/")+path, strings.NewReader(body))
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: a.Provider, Message: "bad base URL", Err: err}
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json")
	a.Authorize(req)
	resp, err := a.HTTP.Do(req)
	if err != nil {
		return fault.FromNet(a.Provider, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		explanation, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
		if err != nil && ctx.Err() != nil {
			return fault.FromNet(a.Provider, err)
		}
		failed := fault.FromHTTP(a.Provider, resp, explanation)
		if explain != nil {
			explain(failed, explanation)
		}
		return failed
	}
	return a.read(resp.Body, out)
}

func (a *Account) read(body io.Reader, out any) error {
	text, err := io.ReadAll(io.LimitReader(body, maxResponse+1))
	switch {
	case err != nil:
		return fault.FromNet(a.Provider, err)
	case len(text) > maxResponse:
		return fault.New(fault.Unavailable, a.Provider, "the response is too large")
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Provider: a.Provider, Message: "the response is not the documented JSON", Err: errors.New("decode response")}
	}
	return nil
}
