package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
)

func TestFromHTTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		body    string
		kind    fault.Kind
		message string
	}{
		{400, `{"error":{"message":"bad model","type":"invalid_request_error","code":null}}`, fault.Refused, "bad model"},
		{404, `{"error":"no such model"}`, fault.Refused, "no such model"},
		{401, `{"error":{"code":401,"message":"who?","type":"authentication_error"}}`, fault.Denied, "who?"},
		{403, `{"detail":"missing key"}`, fault.Denied, "missing key"},
		{402, ``, fault.Denied, "Payment Required"},
		{408, ``, fault.Timeout, "Request Timeout"},
		{422, `{"detail":[{"loc":["x"],"msg":"y"}]}`, fault.Refused, `[{"loc":["x"],"msg":"y"}]`},
		{429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, fault.Unavailable, "slow down"},
		{429, `{"error":{"message":"no money","code":"insufficient_quota"}}`, fault.Denied, "no money"},
		{401, `{"detail":{"status":"quota_exceeded"}}`, fault.Denied, "quota_exceeded"},
		{401, `{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials.","request_id":"r"}`, fault.Denied, "Invalid credentials."},
		{400, `{"category":"INVALID_JSON","message":"Bad model.","details":"d","request_id":"r"}`, fault.Refused, "Bad model."},
		{429, `{"detail":{"status":"system_busy","message":"Try again."}}`, fault.Unavailable, "Try again."},
		{500, "plain\n text", fault.Unavailable, "plain text"},
		{502, "<html><body>nginx</body></html>", fault.Unavailable, "Bad Gateway"},
		{503, `{"other":1}`, fault.Unavailable, "Service Unavailable"},
		{504, ``, fault.Timeout, "Gateway Timeout"},
		{302, ``, fault.Refused, "Found"},
	} {
		err := fault.FromHTTP("acme", &http.Response{StatusCode: c.status, Header: http.Header{}}, []byte(c.body))
		require.Equal(t, c.kind, err.Kind, "%d %s", c.status, c.body)
		require.Equal(t, c.message, err.Message, "%d %s", c.status, c.body)
		require.Equal(t, c.status, err.StatusCode)
		require.Zero(t, err.RetryAfter)
	}
}

func TestFromHTTPBoundsTheMessage(t *testing.T) {
	t.Parallel()
	err := fault.FromHTTP("acme", &http.Response{StatusCode: http.StatusInternalServerError}, []byte(strings.Repeat("é", 10_000)))
	require.Len(t, []rune(err.Message), 301)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0,
		"99999999999":                   24 * time.Hour,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute,
		"Fri, 02 Jan 2026 03:00:00 GMT": 0,
	} {
		header := http.Header{"Retry-After": []string{value}}
		require.Equal(t, want, fault.RetryAfter(header, now), value)
	}
}

func TestFromNet(t *testing.T) {
	t.Parallel()
	kind, _ := fault.Of(fault.FromNet("acme", io.ErrUnexpectedEOF))
	require.Equal(t, fault.Unavailable, kind)
	kind, _ = fault.Of(fault.FromNet("acme", fmt.Errorf("dial: %w", context.DeadlineExceeded)))
	require.Equal(t, fault.Timeout, kind)
	refused := fault.New(fault.Refused, "guard", "no")
	require.Same(t, refused, fault.FromNet("acme", refused))
	cancelled := fault.FromNet("acme", context.Canceled)
	require.ErrorIs(t, cancelled, context.Canceled)
	_, isFault := fault.Of(cancelled)
	require.False(t, isFault)
}

func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("reset")
	err := fmt.Errorf("ask: %w", &fault.Error{
		Kind: fault.Unavailable, Provider: "acme", Message: "busy", StatusCode: 503, Err: cause})
	require.EqualError(t, err, "ask: acme: unavailable (status 503): busy: reset")
	require.ErrorIs(t, err, cause)
	require.True(t, fault.Elsewhere(err))
	require.False(t, fault.Elsewhere(fault.New(fault.Refused, "acme", "")))
	require.False(t, fault.Elsewhere(cause))
	require.False(t, fault.Elsewhere(nil))
}
