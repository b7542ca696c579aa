package vapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Client speaks to one of the two APIs.
type Client struct {
	URL  string
	Key  string
	HTTP *http.Client
}

const (
	maxAnswer  = 64 << 20
	mostTries  = 5
	longestGap = time.Minute
)

type request struct {
	method, path string
	body         any    // nil: none
	once         string // the Idempotency-Key; empty: none
}

// Refused is an answer that is not a success.
type Refused struct {
	Request string
	Status  int
	Message string
	Details map[string]string
}

// Error implements error.
func (r *Refused) Error() string { return fmt.Sprintf("%s: %d: %s", r.Request, r.Status, r.Message) }

// do makes a request and reads its answer into out, which may be nil. It is made again while there are too many, or the server is
// away: what makes something has a key.
func (c *Client) do(ctx context.Context, req *request, out any) error {
	for try := 1; ; try++ {
		answer, wait, err := c.try(ctx, req)
		switch {
		case err == nil && out == nil:
			return nil
		case err == nil:
			if err := json.Unmarshal(answer, out); err != nil {
				return fmt.Errorf("%s %s: decode answer: %w", req.method, req.path, err)
			}
			return nil
		case wait == 0 || try == mostTries:
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(min(wait, longestGap)):
		}
	}
}

// try makes a request once. wait is when it is worth another try; 0: it is not.
func (c *Client) try(ctx context.Context, asked *request) (answer []byte, wait time.Duration, err error) {
	var body io.Reader
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return nil, 0, fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, asked.method, strings.TrimSuffix(c.URL, "/")+asked.path, body)
	if err != nil {
		return nil, 0, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	if asked.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if asked.once != "" {
		req.Header.Set("Idempotency-Key", asked.once)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w", asked.method, asked.path, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it is read
	if answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w", asked.method, asked.path, err)
	}
	if resp.StatusCode < 300 {
		return answer, 0, nil
	}
	return nil, waitOf(resp), refused(asked, resp.StatusCode, answer)
}

func waitOf(resp *http.Response) time.Duration {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway:
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			return time.Duration(seconds) * time.Second
		}
		return time.Second
	}
	return 0
}

// refused reads an error of either API.
func refused(asked *request, status int, answer []byte) *Refused {
	var body struct {
		Message any `json:"message"` // of Vapi: a text or a list of them
		Error   any `json:"error"`
	}
	made := &Refused{Request: asked.method + " " + asked.path, Status: status, Message: http.StatusText(status),
		Details: map[string]string{}}
	if json.Unmarshal(answer, &body) != nil {
		return made
	}
	if ours, ok := body.Error.(map[string]any); ok {
		made.Message, _ = ours["message"].(string)
		details, _ := ours["details"].(map[string]any)
		for path, why := range details {
			made.Details[path] = fmt.Sprint(why)
		}
	} else if body.Message != nil {
		made.Message = fmt.Sprint(body.Message)
	}
	return made
}
