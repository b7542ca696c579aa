package telnyx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

const (
	maxResponse    = 4 << 20  // bytes
	maxExplanation = 16 << 10 // bytes read of an error response
)

// query returns the query of names and values in turn, without empty ones.
func query(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	return "?" + values.Encode()
}

// envelope is the outer object of all responses but those of requirement groups.
type envelope[T any] struct {
	Data T `json:"data"`
}

// ask sends a request with a JSON body, or none, and decodes the JSON response into out, or drops it.
func (c *Carrier) ask(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader = http.NoBody
	contentType := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return &fault.Error{Kind: fault.Refused, Provider: name, Message: "encode request", Err: err}
		}
		body, contentType = bytes.NewReader(text), "application/json"
	}
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	return c.send(ctx, method, path, contentType, body, out)
}

func (c *Carrier) send(ctx context.Context, method, path, contentType string, body io.Reader, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, body)
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Message: "bad base URL", Err: err}
	}
	req.Header.Set("Authorization", "Bearer "+c.apiKey)
	req.Header.Set("Accept", "application/json")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fault.FromNet(name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		explanation, err := io.ReadAll(io.LimitReader(resp.Body, maxExplanation))
		if err != nil && ctx.Err() != nil {
			return fault.FromNet(name, err)
		}
		return explain(resp, explanation)
	}
	return read(resp.Body, out)
}

func read(body io.Reader, out any) error {
	text, err := io.ReadAll(io.LimitReader(body, maxResponse+1))
	switch {
	case err != nil:
		return fault.FromNet(name, err)
	case len(text) > maxResponse:
		return fault.New(fault.Unavailable, name, "the response is too large")
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Provider: name, Message: "the response is not the documented JSON", Err: errors.New("decode response")}
	}
	return nil
}

// Codes of errors that mean something else than their status.
var errorKinds = map[string]fault.Kind{
	"10036": fault.Unavailable, // being processed
	"10037": fault.Unavailable, // service unavailable
	"10038": fault.Denied,      // feature not permitted at account level
	"20100": fault.Denied,      // insufficient funds
}

// explain parses {"errors": [{"code", "title", "detail" or "description"}]}.
func explain(resp *http.Response, body []byte) error {
	made := fault.FromHTTP(name, resp, body)
	var response struct {
		Errors []struct{ Code, Title, Detail, Description string }
	}
	if json.Unmarshal(body, &response) == nil && len(response.Errors) > 0 {
		var words []string
		for _, one := range response.Errors {
			if kind, known := errorKinds[one.Code]; known && resp.StatusCode < 500 {
				made.Kind = kind
			}
			words = append(words, strings.Join(strings.Fields(one.Title+": "+one.Detail+one.Description), " "))
		}
		made.Message = clip(strings.Join(words, "; "))
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("X-Ratelimit-Reset")); made.RetryAfter == 0 && resp.StatusCode == http.StatusTooManyRequests && err == nil {
		made.RetryAfter = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	return made
}

// clip limits the length of the carrier's message, which customers read.
func clip(text string) string {
	line := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	if len(line) > 500 {
		return string(line[:500]) + "…"
	}
	return string(line)
}
