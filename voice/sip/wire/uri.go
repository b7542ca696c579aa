package wire

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	siplib "github.com/emiago/sipgo/sip"
)

// ErrInvalidURI refuses a message with an address that is none. What the far end writes there would be read by others when we
// write it back, in request lines and routes.
var ErrInvalidURI = errors.New("the message holds an invalid uri")

// ErrControls refuses a message whose lines hold control characters, in which others might see more lines.
var ErrControls = errors.New("the message holds control characters")

const maxURI = 1024 // bytes

// CheckURI returns an error for a URI that must not be written into a message of ours.
func CheckURI(uri *siplib.Uri) error {
	text := uri.String()
	if len(text) > maxURI || strings.ContainsFunc(text, isForeign) {
		return fmt.Errorf("%w: %.40q", ErrInvalidURI, text)
	}
	switch uri.Scheme {
	case "sip", "sips", "":
		if !isHost(uri.Host) || uri.Port < 0 || uri.Port > 65535 {
			return fmt.Errorf("%w: no host in %.40q", ErrInvalidURI, text)
		}
	case "tel":
	default:
		return fmt.Errorf("%w: scheme %.10q", ErrInvalidURI, uri.Scheme)
	}
	return nil
}

// isForeign reports whether a character belongs in no URI (RFC 3261 section 25.1; carriers do write # in numbers).
func isForeign(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("<>\"\\`{}|^", c) }

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// isHost reports whether a text is an address or could be a name in DNS.
func isHost(host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host != "" && len(host) < 256 && !strings.ContainsFunc(host, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !strings.ContainsRune("-._", c)
	})
}

// checkTarget is CheckURI for an address that requests are sent to.
func checkTarget(uri *siplib.Uri) error {
	if uri.Scheme == "tel" {
		return fmt.Errorf("%w: nobody is reached at a tel uri", ErrInvalidURI)
	}
	return CheckURI(uri)
}

// Check returns an error for a request that must not be handled: ErrControls, or ErrInvalidURI.
func Check(req *siplib.Request) error {
	if strings.ContainsFunc(req.StartLine(), isControl) {
		return ErrControls
	}
	if err := checkHeaders(req.Headers()); err != nil {
		return err
	}
	if contact := req.Contact(); contact != nil && !contact.Address.Wildcard {
		if err := checkTarget(&contact.Address); err != nil {
			return err
		}
	}
	_, err := routeSet(req)
	return err
}

// checkHeaders returns an error for headers that must not be read.
func checkHeaders(headers []siplib.Header) error {
	for _, h := range headers {
		if strings.ContainsFunc(h.Name(), isControl) || strings.ContainsFunc(h.Value(), isControl) {
			return ErrControls
		}
	}
	for _, h := range headers {
		var err error
		switch h := h.(type) {
		case *siplib.FromHeader:
			err = checkParty(&h.Address, h.Params)
		case *siplib.ToHeader:
			err = checkParty(&h.Address, h.Params)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkParty checks one end of a dialog, whose tag is a token.
func checkParty(uri *siplib.Uri, params siplib.HeaderParams) error {
	if tag := params.GetOr("tag", ""); len(tag) > maxURI || strings.ContainsFunc(tag, isForeign) {
		return fmt.Errorf("%w: tag %.40q", ErrInvalidURI, tag)
	}
	return CheckURI(uri)
}

// routeSet returns the URIs of Record-Route as Route headers name them (RFC 3261 section 12.1), in the order of the message.
func routeSet(msg siplib.Message) ([]string, error) {
	values := HeaderValues(msg, "Record-Route")
	for i, value := range values {
		var uri siplib.Uri
		if _, err := siplib.ParseAddressValue(value, &uri, &siplib.HeaderParams{}); err != nil {
			return nil, fmt.Errorf("%w: record-route: %w", ErrInvalidURI, err)
		}
		if err := checkTarget(&uri); err != nil {
			return nil, err
		}
		values[i] = "<" + uri.String() + ">"
	}
	return slices.Clip(values), nil
}
