package sip

import (
	"fmt"

	"github.com/callwright/callwright/voice/sdp"
)

// SRTP tells whether the media of a call is to be encrypted, with keys agreed on in SDP (RFC 4568). Those are as secret
// as the SIP that carries them, so encryption belongs with TLS.
type SRTP string

// What a Dial can ask for. Calls that come in are encrypted where the caller offers it.
const (
	SRTPOff      SRTP = ""
	SRTPOptional SRTP = "optional" // offered, and left out where the far end does not want it
	SRTPRequired SRTP = "required" // a far end that does not encrypt is not talked to
)

func (s SRTP) check() error {
	switch s {
	case SRTPOff, SRTPOptional, SRTPRequired:
		return nil
	}
	return fmt.Errorf("%q is no encryption setting", string(s))
}

// wishes returns what a first offer asks for.
func (s SRTP) wishes(captions bool) sdp.Wishes {
	return sdp.Wishes{Captions: captions, Encrypt: s != SRTPOff, Require: s == SRTPRequired}
}
