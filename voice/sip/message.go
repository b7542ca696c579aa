package sip

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// errForeignBody refuses a body that is neither SDP nor holds any.
var errForeignBody = errors.New("the body is no session description")

// sessionIn returns the session description in a message; nil: there is none. Trunks that carry ISUP or a location put it
// among other parts (RFC 5621).
func sessionIn(msg siplib.Message) ([]byte, error) {
	body := msg.Body()
	kinds := msg.GetHeaders("Content-Type")
	if len(body) == 0 || len(kinds) == 0 {
		return body, nil
	}
	kind, params, err := mime.ParseMediaType(kinds[0].Value())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errForeignBody, err)
	case kind == sdp.MediaType:
		return body, nil
	case strings.HasPrefix(kind, "multipart/"):
		return sessionPart(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
	}
	return nil, fmt.Errorf("%w: %s", errForeignBody, kind)
}

func sessionPart(parts *multipart.Reader) ([]byte, error) {
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errForeignBody, err)
		}
		if kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type")); err != nil || kind != sdp.MediaType {
			continue
		}
		body, err := io.ReadAll(part)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errForeignBody, err)
		}
		return body, nil
	}
}

func setSDP(msg interface {
	AppendHeader(siplib.Header)
	SetBody([]byte)
}, body []byte) {
	kind := siplib.ContentTypeHeader(sdp.MediaType)
	msg.AppendHeader(&kind)
	msg.SetBody(body)
}

// number returns the user part of a SIP URI, or what a tel URI names, without parameters and escapes.
func number(uri *siplib.Uri) string {
	user := uri.User
	if user == "" {
		user = uri.Raw()
	}
	user, _, _ = strings.Cut(user, ";")
	if plain, err := url.PathUnescape(user); err == nil {
		return plain
	}
	return user
}

// seconds reads a header that counts them; zero where it is missing or no number.
func seconds(h siplib.Header) time.Duration {
	if h == nil {
		return 0
	}
	return parseSeconds(h.Value())
}

func parseSeconds(text string) time.Duration {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxExpiry)
}

// listed reports whether one of these headers lists a word.
func listed(msg siplib.Message, word string, headers ...string) bool {
	for _, name := range headers {
		if slices.ContainsFunc(wire.HeaderValues(msg, name), func(v string) bool { return strings.EqualFold(v, word) }) {
			return true
		}
	}
	return false
}
