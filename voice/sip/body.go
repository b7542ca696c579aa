package sip

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
)

// errForeignBody refuses a body that is neither SDP nor holds any.
var errForeignBody = errors.New("the body is no session description")

// sessionIn is the session description in a message; nil: there is none. Trunks that carry ISUP or a location put it
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
