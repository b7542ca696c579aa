package sdp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pion/sdp/v3"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
)

// local is our half of an offer and answer. The zero port of a stream refuses it.
type local struct {
	addr      netip.AddrPort // where we receive RTP
	session   uint64         // stays the same for the life of a call
	version   uint64         // grows with every body sent
	wideband  bool           // G.722 is offered and taken
	formats   []media.Format
	events    uint8
	text      uint8
	mux       bool    // reports share the port of the media
	secure    bool    // the profile is RTP/SAVP, which leaves no choice
	crypto    *crypto // how we encrypt; nil: not at all
	direction direction
	streams   []stream // of the far end's latest offer; nil: there was none, and ours is the only one
	audio     int
}

// newLocal describes what we would like before anything is known about the far end.
func newLocal(addr netip.AddrPort, captions, wideband bool) local {
	l := local{
		addr: addr, session: uint64(rand.Uint32()), wideband: wideband, formats: ourFormats(wideband),
		events: payloadEvents, text: media.NoPayload, direction: sendRecv,
	}
	if captions {
		l.text = payloadText
	}
	return l
}

// answerTo makes our description an answer to a far end's offer.
func (l *local) answerTo(far *description, ours direction, keys *rtp.Keyring) {
	l.mux, l.secure, l.crypto = far.mux, far.secure, nil
	if far.crypto != nil {
		l.crypto = &crypto{far.crypto.tag, keys.Own()}
	}
	l.formats, l.events, l.text = far.formats[:1], far.events, far.text
	l.streams, l.audio = far.streams, far.audio
	reply := far.direction.reverse()
	l.direction = meet(reply.sends() && ours.sends(), reply.receives() && ours.receives())
}

// marshal writes the body. It is kept short, because SIP over UDP has little room.
func (l *local) marshal() ([]byte, error) {
	family := "IP4"
	if l.addr.Addr().Is6() {
		family = "IP6"
	}
	ip := l.addr.Addr().String()
	body := sdp.SessionDescription{
		Origin: sdp.Origin{
			Username: "-", SessionID: l.session, SessionVersion: l.version, NetworkType: "IN", AddressType: family, UnicastAddress: ip,
		},
		SessionName:           "-",
		ConnectionInformation: &sdp.ConnectionInformation{NetworkType: "IN", AddressType: family, Address: &sdp.Address{Address: ip}},
		TimeDescriptions:      []sdp.TimeDescription{{}},
	}
	for i, s := range l.streams {
		if i == l.audio {
			body.MediaDescriptions = append(body.MediaDescriptions, l.describeAudio())
		} else {
			body.MediaDescriptions = append(body.MediaDescriptions, refuse(s))
		}
	}
	if l.streams == nil {
		body.MediaDescriptions = []*sdp.MediaDescription{l.describeAudio()}
	}
	raw, err := body.Marshal()
	if err != nil {
		return nil, fmt.Errorf("write sdp: %w", err)
	}
	return raw, nil
}

// refuse mentions a stream of the far end with the zero port.
func refuse(s stream) *sdp.MediaDescription {
	return &sdp.MediaDescription{MediaName: sdp.MediaName{
		Media: s.media, Protos: strings.Split(s.profile, "/"), Formats: s.formats,
	}}
}

func (l *local) describeAudio() *sdp.MediaDescription {
	profile := profilePlain
	if l.secure {
		profile = profileSecure
	}
	stream := &sdp.MediaDescription{MediaName: sdp.MediaName{
		Media: "audio", Port: sdp.RangedPort{Value: int(l.addr.Port())}, Protos: strings.Split(profile, "/"),
	}}
	add := func(payload uint8, encoding string) {
		number := strconv.Itoa(int(payload))
		stream.MediaName.Formats = append(stream.MediaName.Formats, number)
		stream.WithValueAttribute("rtpmap", number+" "+encoding+"/8000")
	}
	for _, f := range l.formats {
		add(f.Payload, f.Codec.String())
	}
	if l.events != media.NoPayload {
		add(l.events, "telephone-event")
		stream.WithValueAttribute("fmtp", fmt.Sprintf("%d 0-15", l.events))
	}
	if l.text != media.NoPayload {
		add(l.text, "t140c")
	}
	if l.crypto != nil {
		stream.WithValueAttribute("crypto", l.crypto.String())
	}
	if l.mux {
		stream.WithPropertyAttribute("rtcp-mux")
	}
	return stream.WithValueAttribute("ptime", "20").WithPropertyAttribute(string(l.direction))
}
