package sip

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/audio"
)

// ourFormats is what we can send and hear, in our order of preference.
func ourFormats() []format {
	return []format{{payloadPCMU, audio.Mu}, {payloadPCMA, audio.A}}
}

// errGlare means that both sides offered at once (RFC 3261 section 14.1).
var errGlare = errors.New("another offer is pending")

// errOutdated refuses an offer that a later one overtook.
var errOutdated = errors.New("a later offer came before")

// negotiation is the state of offers and answers in one call.
type negotiation struct {
	mu       sync.Mutex
	local    localSDP
	holding  bool   // we have the far end on hold
	offering bool   // our offer has no answer yet
	sequence uint32 // of the far end's latest offer
	srtp     SRTP   // what we asked for
	keys     keyring
}

// newOffer describes what we would like before anything is known about the far end.
func newOffer(addr netip.AddrPort, captions bool) localSDP {
	l := localSDP{
		addr: addr, session: uint64(rand.Uint32()), formats: ourFormats(),
		events: payloadEvents, text: noPayload, direction: sendRecv,
	}
	if captions {
		l.text = payloadText
	}
	return l
}

// settle is the route that follows from a far end's description and our direction beside it.
func settle(far *description, ours direction) *route {
	r := &route{
		remote: far.remote, control: far.control, send: far.formats[0], accept: slices.Clone(far.formats), events: far.events, text: far.text,
		sends:   ours.sends() && far.direction.receives(),
		expects: ours.receives() && far.direction.sends(),
	}
	for _, f := range ourFormats() { // the fixed payload types are understood even when the far end named one only
		if !slices.ContainsFunc(r.accept, func(a format) bool { return a.payload == f.payload }) {
			r.accept = append(r.accept, f)
		}
	}
	return r
}

// answerTo makes our description an answer to a far end's offer.
func (l *localSDP) answerTo(far *description, ours direction, keys *keyring) {
	l.mux, l.secure, l.crypto = far.mux, far.secure, nil
	if far.crypto != nil {
		l.crypto = &crypto{far.crypto.tag, keys.ownKey()}
	}
	l.formats, l.events, l.text = far.formats[:1], far.events, far.text
	l.streams, l.audio = far.streams, far.audio
	reply := far.direction.reverse()
	l.direction = meet(reply.sends() && ours.sends(), reply.receives() && ours.receives())
}

func meet(sends, receives bool) direction {
	switch {
	case sends && receives:
		return sendRecv
	case sends:
		return sendOnly
	case receives:
		return recvOnly
	}
	return inactive
}

// wish is the direction we want: while we hold, the far end is not heard.
func (n *negotiation) wish() direction {
	if n.holding {
		return sendOnly
	}
	return sendRecv
}

// next is the body of our next description.
func (n *negotiation) next() []byte {
	n.local.version++
	return n.local.marshal()
}

// takeOffer answers an offer that came in with the given sequence number and applies it.
func (l *Leg) takeOffer(body []byte, sequence uint32) ([]byte, error) {
	n := &l.offers
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.offering {
		return nil, errGlare
	}
	if sequence < n.sequence {
		return nil, errOutdated
	}
	far, err := parseSDP(body)
	if err != nil {
		return nil, err
	}
	if far.crypto == nil && n.srtp == SRTPRequired {
		return nil, errNotEncrypted
	}
	n.sequence = sequence
	n.local.answerTo(far, n.wish(), &n.keys)
	r, err := n.settle(far)
	if err != nil {
		return nil, err
	}
	l.media.agree(r)
	return n.next(), nil
}

// lateOffer is our offer to a far end that asked for one. Its answer comes in the ACK.
func (l *Leg) lateOffer() ([]byte, error) {
	n := &l.offers
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.offering {
		return nil, errGlare
	}
	n.offering = true
	return n.offer(), nil
}

// offer describes what we would like now.
func (n *negotiation) offer() []byte {
	n.local.formats, n.local.direction = ourFormats(), n.wish() // streams once refused stay in the list
	if n.local.events == noPayload {
		n.local.events = payloadEvents
	}
	return n.next()
}

// takeAnswerIn applies the answer in a message.
func (l *Leg) takeAnswerIn(msg siplib.Message) error {
	body, err := sessionIn(msg)
	if err != nil {
		return err
	}
	return l.takeAnswer(body)
}

// takeAnswer applies the far end's answer to our offer.
func (l *Leg) takeAnswer(body []byte) error {
	n := &l.offers
	n.mu.Lock()
	defer n.mu.Unlock()
	n.offering = false
	far, err := parseSDP(body)
	if err != nil {
		return err
	}
	if far.crypto != nil && (n.local.crypto == nil || far.crypto.tag != n.local.crypto.tag) {
		far.crypto = nil // it answers nothing
	}
	if far.crypto == nil {
		if n.local.secure || n.srtp == SRTPRequired {
			return errNotEncrypted
		}
		n.local.crypto = nil
	}
	n.local.mux = n.local.mux && far.mux
	r, err := n.settle(far)
	if err != nil {
		return err
	}
	l.media.agree(r)
	return nil
}

// settle is the route that follows from a far end's description and ours, which the answer has made agree.
func (n *negotiation) settle(far *description) (*route, error) {
	r := settle(far, n.wish())
	r.mux = n.local.mux
	if far.crypto == nil {
		return r, nil
	}
	var err error
	r.guard, err = n.keys.agree(far.crypto.key)
	return r, err
}

// Hold asks the far end to stop sending (on) or to go on (off). We keep sending what is played.
func (l *Leg) Hold(ctx context.Context, on bool) error {
	if err := l.renegotiate(ctx, func(n *negotiation) { n.holding = on }); err != nil {
		return fmt.Errorf("hold call: %w", err)
	}
	return nil
}

// renegotiate offers anew what we want after a change, which is taken back when the far end refuses.
func (l *Leg) renegotiate(ctx context.Context, change func(*negotiation)) error {
	n := &l.offers
	n.mu.Lock()
	if n.offering {
		n.mu.Unlock()
		return errGlare
	}
	before := n.holding
	n.offering = true
	change(n)
	offer := n.offer()
	n.mu.Unlock()
	err := l.reinvite(ctx, offer)
	if err != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.offering, n.holding = false, before
	}
	return err
}

// reinvite sends an offer and applies the answer.
func (l *Leg) reinvite(ctx context.Context, body []byte) error {
	interval, _ := l.session.state()
	done, err := l.exchange(ctx, siplib.INVITE, func(req *siplib.Request) {
		req.AppendHeader(l.contact())
		askSession(req, interval, 0)
		setSDP(req, body)
	})
	if err != nil {
		return err
	}
	if !done.res.IsSuccess() {
		return refusedBy(done.res)
	}
	l.dialog.retarget(done.res.Contact())
	if interval > 0 {
		l.takeSession(done.res)
	}
	if err := l.confirm(done); err != nil {
		return err
	}
	return l.takeAnswerIn(done.res)
}

func setSDP(msg interface {
	AppendHeader(siplib.Header)
	SetBody([]byte)
}, body []byte) {
	kind := siplib.ContentTypeHeader(sdpMediaType)
	msg.AppendHeader(&kind)
	msg.SetBody(body)
}
