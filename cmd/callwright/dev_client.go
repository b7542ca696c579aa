package main

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

// devClient speaks to the public API.
type devClient struct{ url, key string }

// refusal is an answer of the API that is not a success.
type refusal struct {
	request string
	status  int
	body    string
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %d: %s", r.request, r.status, r.body) }

func isNotFound(err error) bool {
	refused, ok := errors.AsType[*refusal](err)
	return ok && refused.status == http.StatusNotFound
}

// devCall is a call as the demo reads it.
type devCall struct {
	ID          string     `json:"call_id"`
	Status      string     `json:"call_status"`
	EndedReason *string    `json:"ended_reason"`
	EndedFault  *string    `json:"ended_fault"`
	Explanation *string    `json:"explanation"`
	EndedAt     *time.Time `json:"ended_at"`
}

// describe says how far a call is, or how it ended, as an error.
func (c *devCall) describe() error {
	details := []string{"it is " + c.Status}
	for _, detail := range []*string{c.EndedReason, c.EndedFault, c.Explanation} {
		if detail != nil && *detail != "" {
			details = append(details, *detail)
		}
	}
	return fmt.Errorf("%s (GET /v1/calls/%s)", strings.Join(details, ", "), c.ID)
}

func (c *devClient) call(ctx context.Context, id string) (*devCall, error) {
	var call devCall
	err := c.do(ctx, http.MethodGet, "/v1/calls/"+id, nil, &call)
	if isNotFound(err) {
		return nil, errors.New("somebody deleted it")
	}
	return &call, err
}

// setServer names the server of an assistant's events; nil: there is none, and they go to the account's own.
func (c *devClient) setServer(ctx context.Context, assistantID string, receiver *devReceiver) error {
	var server any
	if receiver != nil {
		server = map[string]any{
			"url": receiver.url, "secret": receiver.secret, "events": []string{"status-update", "transcript", "end-of-call-report"},
		}
	}
	return c.do(ctx, http.MethodPatch, "/v1/assistants/"+assistantID, map[string]any{"server": server}, nil)
}

// do makes one request, again where there were too many, and reads its JSON answer into out.
func (c *devClient) do(ctx context.Context, method, path string, in, out any) error {
	for {
		answer, again, err := c.try(ctx, method, path, in)
		switch {
		case err != nil:
			return err
		case again > 0:
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s %s: too many requests: %w", method, path, context.Cause(ctx))
			case <-time.After(again):
			}
		case out == nil:
			return nil
		default:
			if err := json.Unmarshal(answer, out); err != nil {
				return fmt.Errorf("%s %s: decode answer: %w", method, path, err)
			}
			return nil
		}
	}
}

// try makes one request. again is when to make it again, because the key made too many.
func (c *devClient) try(ctx context.Context, method, path string, in any) (answer []byte, again time.Duration, err error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, 0, fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return nil, 0, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		return nil, max(time.Duration(seconds)*time.Second, time.Second), nil
	}
	if resp.StatusCode >= 300 {
		return nil, 0, &refusal{method + " " + path, resp.StatusCode, string(answer)}
	}
	return answer, 0, nil
}
