package sip

import (
	"errors"
	"fmt"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// ErrReferRefused is the error of a transfer that the far end, or the carrier before it, does not do at all: nobody was rung for
// it.
var ErrReferRefused = errors.New("the far end does not transfer")

// Address has the INVITE go to a SIP URI, and to no account that others have.
func (d *Dial) Address(uri string) error {
	var to siplib.Uri
	if err := siplib.ParseUri(uri, &to); err != nil {
		return fmt.Errorf("read SIP URI: %w", err)
	}
	if err := wire.CheckURI(&to); err != nil {
		return fmt.Errorf("read SIP URI: %w", err)
	}
	d.To, d.Domain, d.SIPS = to.User, to.Host, to.Scheme == "sips"
	d.Username, d.Password, d.Headers, d.Transport = "", "", nil, ""
	return nil
}
