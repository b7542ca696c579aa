package sdp

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
)

// Negotiation is the state of offers and answers in one call. Its methods may be called from any goroutine.
type Negotiation struct {
	mu       sync.Mutex
	agree    func(*rtp.Route)
	local    local
	holding  bool          // we have the far end on hold
	offering bool          // our offer has no answer yet
	sequence uint32        // of the far end's latest offer
	required bool          // a far end that does not encrypt is refused
	agreed   *media.Format // what we send; nil: nothing was agreed on
	keys     rtp.Keyring
}

// Wishes are what a first offer asks for beside G.711 and telephone-events.
type Wishes struct {
	Captions bool // text beside the sound, as t140c (RFC 4351)
	Wideband bool // G.722 rather than G.711; without it, it is not taken either
	Encrypt  bool // SRTP, which is left out where the far end does not want it
	Require  bool // SRTP, without which there is no call
}

// New returns a negotiation about media that we receive at addr. Each agreement is told to agree, one after the other.
func New(addr netip.AddrPort, wishes Wishes, agree func(*rtp.Route)) *Negotiation {
	n := &Negotiation{agree: agree, local: newLocal(addr, wishes.Captions, wishes.Wideband), required: wishes.Require}
	if wishes.Encrypt || wishes.Require {
		// An optional key stands beside the plain profile, where those who do not know it overlook it.
		n.local.crypto, n.local.secure = &crypto{1, n.keys.Own()}, wishes.Require
	}
	return n
}

// Answer takes an offer that came in with the given sequence number, and returns our answer.
func (n *Negotiation) Answer(offer []byte, sequence uint32) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.offering {
		return nil, ErrGlare
	}
	if sequence < n.sequence {
		return nil, ErrOutdated
	}
	far, err := n.describe(offer)
	if err != nil {
		return nil, err
	}
	if far.crypto == nil && n.required {
		return nil, ErrNotEncrypted
	}
	n.sequence = sequence
	n.local.answerTo(far, n.wish(), &n.keys)
	r, err := n.settle(far)
	if err != nil {
		return nil, err
	}
	n.agree(r)
	return n.next()
}

// Offer returns the first offer, or one that the far end asked for. Accept takes its answer.
func (n *Negotiation) Offer() ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.offering {
		return nil, ErrGlare
	}
	n.offering = true
	return n.offer()
}

// Refresh returns an offer of what was agreed on already. undo is for when the far end refuses.
func (n *Negotiation) Refresh() (offer []byte, undo func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.change(n.holding)
}

// Hold returns an offer that the far end stop sending (on) or go on (off). undo is for when the far end refuses.
func (n *Negotiation) Hold(on bool) (offer []byte, undo func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.change(on)
}

func (n *Negotiation) change(holding bool) (offer []byte, undo func(), err error) {
	if n.offering {
		return nil, nil, ErrGlare
	}
	before := n.holding
	n.offering, n.holding = true, holding
	offer, err = n.offer()
	return offer, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.offering, n.holding = false, before
	}, err
}

// Accept takes the far end's answer to our offer.
func (n *Negotiation) Accept(answer []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.offering = false
	far, err := n.describe(answer)
	if err != nil {
		return err
	}
	if far.crypto != nil && (n.local.crypto == nil || far.crypto.tag != n.local.crypto.tag) {
		far.crypto = nil // it answers nothing
	}
	if far.crypto == nil {
		if n.local.secure || n.required {
			return ErrNotEncrypted
		}
		n.local.crypto = nil
	}
	n.local.mux = n.local.mux && far.mux
	r, err := n.settle(far)
	if err != nil {
		return err
	}
	n.agree(r)
	return nil
}

// describe reads a far end's description as far as we take it.
func (n *Negotiation) describe(body []byte) (*description, error) {
	far, err := describe(body)
	if err != nil || n.local.wideband {
		return far, err
	}
	far.formats = slices.DeleteFunc(far.formats, func(f media.Format) bool { return f.Codec == media.G722 })
	if len(far.formats) == 0 {
		return nil, fmt.Errorf("parse sdp: %w", errNoCodec)
	}
	return far, nil
}

// formats returns what is offered now. The codec of a call stays: it comes first, and G.722 is not asked for again.
func (n *Negotiation) formats() []media.Format {
	if n.agreed == nil {
		return ourFormats(n.local.wideband)
	}
	formats := ourFormats(n.agreed.Codec == media.G722)
	slices.SortStableFunc(formats, func(a, b media.Format) int { return n.strange(a) - n.strange(b) })
	return formats
}

// strange is 0 for the codec that was agreed on, else 1.
func (n *Negotiation) strange(f media.Format) int {
	if f.Codec == n.agreed.Codec {
		return 0
	}
	return 1
}

// offer describes what we would like now.
func (n *Negotiation) offer() ([]byte, error) {
	n.local.formats, n.local.direction = n.formats(), n.wish() // streams once refused stay in the list
	if n.local.events == media.NoPayload {
		n.local.events = payloadEvents
	}
	return n.next()
}

// next returns the body of our next description.
func (n *Negotiation) next() ([]byte, error) {
	n.local.version++
	return n.local.marshal()
}

// wish returns the direction we want: while we hold, the far end is not heard.
func (n *Negotiation) wish() direction {
	if n.holding {
		return sendOnly
	}
	return sendRecv
}

// settle returns the route that follows from a far end's description and ours, which the answer has made agree.
func (n *Negotiation) settle(far *description) (*rtp.Route, error) {
	r := settle(far, n.wish(), n.local.wideband)
	r.Mux = n.local.mux
	n.agreed = &r.Send
	if far.crypto == nil {
		return r, nil
	}
	var err error
	r.Cipher, err = n.keys.Agree(far.crypto.key)
	return r, err
}

// settle returns the route that follows from a far end's description and our direction beside it.
func settle(far *description, ours direction, wideband bool) *rtp.Route {
	r := &rtp.Route{
		Remote: far.remote, Control: far.control,
		Formats: media.Formats{
			Send: far.formats[0], Accept: slices.Clone(far.formats), Events: far.events, Text: far.text,
			Sends:   ours.sends() && far.direction.receives(),
			Expects: ours.receives() && far.direction.sends(),
		},
	}
	for _, f := range ourFormats(wideband) { // the fixed payload types are understood even when the far end named one only
		if !slices.ContainsFunc(r.Accept, func(a media.Format) bool { return a.Payload == f.Payload }) {
			r.Accept = append(r.Accept, f)
		}
	}
	return r
}
