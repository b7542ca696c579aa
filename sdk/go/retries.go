package callwright

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 8 * time.Second
	longestAsked   = time.Minute // a server that asks for more gets no retry
)

// sender sends requests, again where that is safe: every method may be repeated, because a POST carries one Idempotency-Key in
// all its attempts. A body that can be read only once is sent once.
type sender struct {
	http *http.Client
	key  string
	most int
}

// Do implements api.HttpRequestDoer. A response that is no success is an *APIError.
func (s *sender) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("User-Agent", "callwright-go/"+Version)
	if req.Method == http.MethodPost && req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", crand.Text())
	}
	for attempt := 1; ; attempt++ {
		resp, err := s.once(req)
		if err == nil || req.Context().Err() != nil {
			return resp, err
		}
		wait, again := waitBefore(attempt, s.most, err)
		if !again || !rewind(req) {
			return nil, err
		}
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// once sends a request once. It reads JSON to its end: a response is lost as well when its connection breaks in the middle.
func (s *sender) once(req *http.Request) (*http.Response, error) {
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, &ConnectionError{req.URL.Host, err}
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		defer resp.Body.Close()
		return nil, fromResponse(resp)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, &ConnectionError{req.URL.Host, err}
		}
		resp.Body = io.NopCloser(bytes.NewReader(text))
	}
	return resp, nil
}

// waitBefore returns how long to wait before the retry that is numbered attempt, from 1, and whether there is one.
func waitBefore(attempt, most int, err error) (time.Duration, bool) {
	if attempt > most || !temporary(err) {
		return 0, false
	}
	if refused, is := errors.AsType[*APIError](err); is && refused.RetryAfter != nil {
		return *refused.RetryAfter, *refused.RetryAfter <= longestAsked
	}
	return backoff(attempt), true
}

func temporary(err error) bool {
	if refused, is := errors.AsType[*APIError](err); is {
		return refused.Temporary()
	}
	_, lost := errors.AsType[*ConnectionError](err)
	return lost
}

// backoff returns how long to wait where the server does not say it.
func backoff(attempt int) time.Duration {
	most := min(longestBackoff, firstBackoff<<min(attempt-1, 16))
	return most/2 + rand.N(most/2)
}

// rewind gives a request its body again, and reports whether it could.
func rewind(req *http.Request) bool {
	if req.Body == nil || req.Body == http.NoBody {
		return true
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	req.Body = body
	return err == nil
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait before retry: %w", ctx.Err())
	}
}
