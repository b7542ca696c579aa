package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	firstPause  = 500 * time.Millisecond // before the second attempt; it doubles
	longestWait = 90 * time.Second       // a Retry-After of a rate limit is below a minute
	maxAnswer   = 64 << 20
	maxRefusal  = 64 << 10
)

// Client calls an API. The zero values of its options are good.
type Client struct {
	URL       string // of the server, without /v1
	Key       string
	UserAgent string
	Transport http.RoundTripper // nil: http.DefaultTransport
	Attempts  int               // of one request, at least 1
}

// Refusal is a response that is not a success.
type Refusal struct {
	Status        int
	Code, Message string
	Details       map[string]string // by field
	RequestID     string
	RetryAfter    time.Duration // what the server asks for; 0: nothing
}

// Error is one line: what the server says, the wrong fields, and the request's id where the fault is the server's.
func (r *Refusal) Error() string {
	parts := []string{fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message)}
	for _, field := range slices.Sorted(maps.Keys(r.Details)) {
		parts = append(parts, field+": "+r.Details[field]+".")
	}
	if r.Status >= http.StatusInternalServerError && r.RequestID != "" {
		parts = append(parts, "(request "+r.RequestID+")")
	}
	return strings.Join(parts, " ")
}

// UnreachableError is a server that did not respond.
type UnreachableError struct {
	URL   string
	cause error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s does not respond: %v", e.URL, e.cause)
}
func (e *UnreachableError) Unwrap() error { return e.cause }

// Call calls an operation and returns the JSON of its response; nil when there is none.
func (c *Client) Call(ctx context.Context, op *Operation, arguments Arguments) (json.RawMessage, error) {
	response, err := c.Open(ctx, op, arguments)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, &UnreachableError{c.URL, err}
	}
	if len(text) == 0 {
		return nil, nil
	}
	return text, nil
}

// Open calls an operation and returns its response, a success, for the caller to read and close. A request that may be repeated
// is sent again after a lost connection, 429, 502, 503 and 504; a POST keeps its Idempotency-Key, which is made where none is
// given.
func (c *Client) Open(ctx context.Context, op *Operation, arguments Arguments) (*http.Response, error) {
	made, err := op.prepare(arguments)
	if err != nil {
		return nil, err
	}
	made.header.Set("Authorization", "Bearer "+c.Key)
	made.header.Set("User-Agent", c.UserAgent)
	if op.Idempotent() && made.header.Get(IdempotencyHeader) == "" {
		made.header.Set(IdempotencyHeader, uuid.NewString())
	}
	sending := &sending{client: c, message: made, repeatable: op.Method != http.MethodPost || op.Idempotent()}
	return sending.run(ctx)
}

// sending is a request on its way.
type sending struct {
	client     *Client
	message    *message
	repeatable bool
	lost       bool // an attempt may have been carried out, though its response did not arrive
}

func (s *sending) run(ctx context.Context) (*http.Response, error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		response, err := s.try(ctx)
		if err == nil || ctx.Err() != nil || attempt >= s.client.Attempts {
			return response, err
		}
		wait, again := s.again(err, pause)
		if !again {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
		pause *= 2
	}
}

// try sends the request once.
func (s *sending) try(ctx context.Context) (*http.Response, error) {
	request, err := s.message.request(ctx, s.client.URL)
	if err != nil {
		return nil, err
	}
	httpClient := http.Client{Transport: s.client.Transport, CheckRedirect: refuseRedirect}
	response, err := httpClient.Do(request)
	if err != nil {
		s.lost = true
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &UnreachableError{s.client.URL, withoutURL(err)}
	}
	if response.StatusCode < http.StatusMultipleChoices {
		return response, nil
	}
	defer response.Body.Close()
	refused := readRefusal(response)
	if refused.Status == http.StatusNotFound && request.Method == http.MethodDelete && s.lost {
		// the lost attempt deleted it
		return &http.Response{StatusCode: http.StatusNoContent, Header: response.Header, Body: http.NoBody}, nil
	}
	return nil, refused
}

// refuseRedirect keeps the key from other servers.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withoutURL takes the request out of an error of net/http: the caller names the server.
func withoutURL(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// again returns how long to wait before another attempt, and whether there may be one.
func (s *sending) again(err error, pause time.Duration) (time.Duration, bool) {
	jittered := pause/2 + rand.N(pause)
	if _, unreachable := errors.AsType[*UnreachableError](err); unreachable {
		return jittered, s.repeatable
	}
	refused, ok := errors.AsType[*Refusal](err)
	if !ok {
		return 0, false
	}
	wait := max(refused.RetryAfter, jittered)
	switch {
	case wait > longestWait:
		return 0, false
	case refused.Status == http.StatusTooManyRequests:
		return wait, true // it was not carried out
	case refused.Status == http.StatusBadGateway, refused.Status == http.StatusServiceUnavailable, refused.Status == http.StatusGatewayTimeout:
		s.lost = true
		return wait, s.repeatable
	case refused.Code == "idempotency_in_progress":
		return wait, s.lost // our own first attempt still runs
	}
	return 0, false
}

func readRefusal(response *http.Response) *Refusal {
	refused := &Refusal{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(response.Header)}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	var body struct {
		Error *struct {
			Code, Message string
			Details       map[string]string
		}
	}
	if err == nil && json.Unmarshal(text, &body) == nil && body.Error != nil {
		refused.Code, refused.Message, refused.Details = body.Error.Code, body.Error.Message, body.Error.Details
		return refused
	}
	refused.Code = strings.ToLower(strings.ReplaceAll(http.StatusText(refused.Status), " ", "_"))
	refused.Message = "The response is not one of this API; is the address right?"
	return refused
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
