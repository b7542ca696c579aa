package wire

import (
	"strings"

	siplib "github.com/emiago/sipgo/sip"
)

// TransportOf returns the transport that a request came or goes by.
func TransportOf(req *siplib.Request) Transport {
	if t := Transport(req.Transport()); t.Reliable() {
		return t
	}
	return UDP
}

// HeaderValues lists the values of a header, whether they came in one line or in several.
func HeaderValues(msg siplib.Message, name string) []string {
	var values []string
	for _, h := range msg.GetHeaders(name) {
		var bracketed, quoted, escaped bool
		fields := strings.FieldsFunc(h.Value(), func(c rune) bool {
			switch {
			case quoted && escaped:
				escaped = false
			case quoted:
				escaped, quoted = c == '\\', c != '"'
			case c == '"':
				quoted = !bracketed
			case c == '<':
				bracketed = true
			case c == '>':
				bracketed = false
			}
			return c == ',' && !bracketed && !quoted
		})
		for _, field := range fields {
			values = append(values, strings.TrimSpace(field))
		}
	}
	return values
}
