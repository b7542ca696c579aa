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

// maxMessage limits what is kept of a provider's message, in runes.
const maxMessage = 300

// FromHTTP returns the fault for a response that is not a success. body is what was read of its body, which is not
// touched.
func FromHTTP(provider string, resp *http.Response, body []byte) *Error {
	message, code := Explain(body)
	if message == "" {
		message = http.StatusText(resp.StatusCode)
	}
	kind := kindOfStatus(resp.StatusCode)
	if code == "insufficient_quota" {
		kind = Denied // sent as 429, but waiting does not help
	}
	return &Error{
		Kind: kind, Provider: provider, Message: message, StatusCode: resp.StatusCode,
		RetryAfter: RetryAfter(resp.Header, time.Now()),
	}
}

// FromNet returns the fault for an error of a connection, or of reading from it. A fault, or a cancellation by the
// caller, is returned unchanged.
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
		return &Error{Kind: Timeout, Provider: provider, Message: "no response in time", Err: err}
	default:
		return &Error{Kind: Unavailable, Provider: provider, Message: "connection failed", Err: err}
	}
}

// RetryAfter parses the header of that name, in either form of RFC 9110; 0: there is none, or it is past.
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

// Explain returns message and code from the known shapes of error bodies: {"error": {"message", "code"}}, {"error":
// "…"}, {"detail": …}, {"message"} or plain text. The message is one line of limited length.
func Explain(body []byte) (message, code string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return "", "" // an HTML page of a proxy
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

// clip returns one line of text, of limited length.
func clip(text string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	if len(line) > maxMessage {
		return string(line[:maxMessage]) + "…"
	}
	return string(line)
}
