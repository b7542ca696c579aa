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
	maxAnswer      = 256 << 10 // bytes
	maxExplanation = 16 << 10  // bytes read of an answer that is no success
)

// Account is an account at a carrier that is asked by HTTP and answers in JSON.
type Account struct {
	Provider  string // name in faults
	BaseURL   string
	Authorize func(*http.Request)
	Wait      time.Duration // for one answer; 0: 20 s
	HTTP      *http.Client
}

// Post sends a body and reads the answer into out. explain may add to the fault of an answer that is no success what the
// carrier says in its own form; nil: nothing.
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
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return fault.FromNet(a.Provider, err)
	case len(text) > maxAnswer:
		return fault.New(fault.Unavailable, a.Provider, "the answer is too large")
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Provider: a.Provider, Message: "the answer is no JSON of the kind that is documented", Err: errors.New("decode answer")}
	}
	return nil
}
