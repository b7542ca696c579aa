package telnyx

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/jsonhttp"
)

const maxResponse = 4 << 20 // bytes

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
	request := jsonhttp.Request{Method: method, Path: path}
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return &fault.Error{Kind: fault.Refused, Provider: name, Message: "encode request", Err: err}
		}
		request.Body, request.ContentType = bytes.NewReader(text), "application/json"
	}
	return c.endpoint.Do(ctx, request, out)
}

// Codes of errors that mean something else than their status.
var errorKinds = map[string]fault.Kind{
	"10036": fault.Unavailable, // being processed
	"10037": fault.Unavailable, // service unavailable
	"10038": fault.Denied,      // feature not permitted at account level
	"20100": fault.Denied,      // insufficient funds
}

// explain parses {"errors": [{"code", "title", "detail" or "description"}]}.
func explain(failed *fault.Error, resp *http.Response, body []byte) {
	var response struct {
		Errors []struct{ Code, Title, Detail, Description string }
	}
	if json.Unmarshal(body, &response) == nil && len(response.Errors) > 0 {
		var words []string
		for _, one := range response.Errors {
			if kind, known := errorKinds[one.Code]; known && resp.StatusCode < 500 {
				failed.Kind = kind
			}
			words = append(words, strings.Join(strings.Fields(one.Title+": "+one.Detail+one.Description), " "))
		}
		failed.Message = clip(strings.Join(words, "; "))
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("X-Ratelimit-Reset")); failed.RetryAfter == 0 &&
		resp.StatusCode == http.StatusTooManyRequests && err == nil {
		failed.RetryAfter = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
}

// clip limits the length of the carrier's message, which customers read.
func clip(text string) string {
	line := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	if len(line) > 500 {
		return string(line[:500]) + "…"
	}
	return string(line)
}
