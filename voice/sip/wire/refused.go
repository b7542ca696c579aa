package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// Refused is the final answer of a far end that did not take a call. Where no answer came at all, Code is the one
// that RFC 3261 section 8.1.3.1 has us assume: 408 for silence, 503 for a broken transport.
type Refused struct {
	Code       int
	Reason     string
	RetryAfter time.Duration // when the far end named one
	MovedTo    string        // of a redirection (3xx): the URI to call instead, which is not done unasked
}

// Error names the answer.
func (r *Refused) Error() string {
	if r.Code >= 300 && r.Code < 400 {
		return fmt.Sprintf("refused with %d %s, a redirection that is not followed", r.Code, r.Reason)
	}
	return fmt.Sprintf("refused with %d %s", r.Code, r.Reason)
}

// RefusedBy reads a final answer that is no success.
func RefusedBy(res *siplib.Response) *Refused {
	r := &Refused{Code: res.StatusCode, Reason: res.Reason}
	if contacts := HeaderValues(res, "Contact"); res.IsRedirection() && len(contacts) > 0 {
		var uri siplib.Uri
		if _, err := siplib.ParseAddressValue(contacts[0], &uri, &siplib.HeaderParams{}); err == nil && CheckURI(&uri) == nil {
			r.MovedTo = uri.String()
		}
	}
	if h := res.GetHeader("Retry-After"); h != nil {
		number, _, _ := strings.Cut(h.Value(), " ") // a comment or parameters may follow
		number, _, _ = strings.Cut(number, ";")
		if seconds, err := strconv.Atoi(number); err == nil && seconds > 0 {
			r.RetryAfter = time.Duration(seconds) * time.Second
		}
	}
	return r
}
