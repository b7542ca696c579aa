// Package sdp is how the two ends of a call agree on its media: it parses and writes session descriptions (RFC 8866), and
// keeps the state of offers and answers (RFC 3264), of which routes of voice/rtp follow.
//
// It must not know which messages carry the descriptions, nor when.
package sdp

import (
	"errors"

	"github.com/callwright/callwright/voice/media"
)

// MediaType is what a body with a description is announced as.
const MediaType = "application/sdp"

// Payload types of our own offers. 0, 8 and 9 are fixed by RFC 3551, the others are dynamic.
const (
	payloadPCMU   = 0
	payloadPCMA   = 8
	payloadG722   = 9
	payloadEvents = 101 // telephone-event, RFC 4733
	payloadText   = 98  // t140c, RFC 4351
)

// The errors of descriptions that are understood and not taken.
var (
	ErrGlare        = errors.New("another offer is pending") // both sides offered at once (RFC 3261 section 14.1)
	ErrOutdated     = errors.New("a later offer came before")
	ErrNotEncrypted = errors.New("the far end does not encrypt its media")

	errNoAudio = errors.New("no usable audio stream")
	errNoCodec = errors.New("no common codec")
)

// ourFormats returns what we can send and decode, in our order of preference.
func ourFormats(wideband bool) []media.Format {
	formats := []media.Format{
		{Payload: payloadG722, Codec: media.G722}, {Payload: payloadPCMU, Codec: media.PCMU}, {Payload: payloadPCMA, Codec: media.PCMA},
	}
	if !wideband {
		return formats[1:]
	}
	return formats
}

// The profiles of streams that can be ours.
const (
	profilePlain  = "RTP/AVP"
	profileSecure = "RTP/SAVP"
)
