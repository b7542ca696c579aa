package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// maxMessage bounds what is kept of a provider's own words, in runes.
const maxMessage = 300

// FromHTTP turns an answer that is not a success into a fault. body is what was read of
// it; the response's own body is not touched.
func FromHTTP(provider string, resp *http.Response, body []byte) *Error {
	message, code := Explain(body)
	if message == "" {
		message = http.StatusText(resp.StatusCode)
	}
	kind := kindOfStatus(resp.StatusCode)
	if code == "insufficient_quota" {
		kind = Denied // sent as 429, but waiting does not fill an account
	}
	return &Error{
		Kind: kind, Provider: provider, Message: message, StatusCode: resp.StatusCode,
		RetryAfter: RetryAfter(resp.Header, time.Now()),
	}
}

// FromNet turns the error of a connection, or of reading from one, into a fault. What
// already is a fault, and a cancellation by the caller, stay what they are.
func FromNet(provider string, err error) error {
	var fault *Error
	var netErr net.Error
	switch {
	case errors.As(err, &fault):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", provider, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &netErr) && netErr.Timeout():
		return &Error{Kind: Timeout, Provider: provider, Message: "no answer in time", Err: err}
	default:
		return &Error{Kind: Unavailable, Provider: provider, Message: "connection failed", Err: err}
	}
}

// RetryAfter reads the header of that name, in either form of RFC 9110; 0: none, or past.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 { // not for NaN
		const day = 24 * 60 * 60
		return time.Duration(min(seconds, day) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

func kindOfStatus(status int) Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return Denied
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return Timeout
	case http.StatusTooEarly, http.StatusTooManyRequests:
		return Unavailable
	}
	if status >= 500 {
		return Unavailable
	}
	return Refused
}

// Explain finds message and code in the error bodies that servers are known to send:
// {"error": {"message", "code"}}, {"error": "…"}, {"detail": …}, {"message"} or plain text. The message is one bounded line.
func Explain(body []byte) (message, code string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return "", "" // an HTML page of something in between
		}
		return clip(string(body)), ""
	}
	for _, name := range []string{"error", "detail", "message", "err_msg"} {
		if raw, ok := fields[name]; ok {
			return explainField(raw)
		}
	}
	return "", ""
}

func explainField(raw json.RawMessage) (message, code string) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return clip(text), ""
	}
	var object struct {
		Message string          `json:"message"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"` // some servers send a number
	}
	if json.Unmarshal(raw, &object) == nil && (object.Message != "" || object.Status != "") {
		message = object.Message
		if message == "" {
			message = object.Status
		}
		return clip(message), strings.Trim(string(object.Code), `"`)
	}
	return clip(string(raw)), ""
}

// clip makes one bounded line of text.
func clip(text string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	if len(line) > maxMessage {
		return string(line[:maxMessage]) + "…"
	}
	return string(line)
}
