package sip

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/callwright/callwright/voice/audio"
)

// Payload types of our own offers. 0 and 8 are fixed by RFC 3551, the others are dynamic.
const (
	payloadPCMU   = 0
	payloadPCMA   = 8
	payloadEvents = 101 // telephone-event, RFC 4733
	payloadText   = 98  // t140c, RFC 4351
	noPayload     = 0xff
)

// direction of a media stream as one side describes it (RFC 3264).
type direction string

const (
	sendRecv direction = "sendrecv"
	sendOnly direction = "sendonly"
	recvOnly direction = "recvonly"
	inactive direction = "inactive"
)

// reverse is the same direction as the other side describes it.
func (d direction) reverse() direction {
	switch d {
	case sendOnly:
		return recvOnly
	case recvOnly:
		return sendOnly
	}
	return d
}

func (d direction) sends() bool    { return d == sendRecv || d == sendOnly }
func (d direction) receives() bool { return d == sendRecv || d == recvOnly }

// format is a payload type bound to a law of G.711.
type format struct {
	payload uint8
	law     audio.Law
}

// description is what an SDP body says about the one audio stream we take part in.
type description struct {
	remote    netip.AddrPort
	formats   []format       // what both sides can do, in the order of the description
	events    uint8          // payload type of telephone-event, or noPayload
	text      uint8          // payload type of t140c, or noPayload
	control   netip.AddrPort // where reports go
	mux       bool           // reports may share the port of the media
	secure    bool           // the profile is RTP/SAVP
	crypto    *crypto        // how the writer encrypts; nil: not at all, or not in a way we know
	direction direction
	streams   []stream // every m= line, because an answer has to mention each (RFC 3264 section 6)
	audio     int      // which of them is ours
}

var (
	errNoAudio = errors.New("no usable audio stream")
	errNoCodec = errors.New("no common codec")
)

// consider makes a stream ours if it is usable and better than the one before: the first audio stream, but rather an
// encrypted one.
func (d *description) consider(index int, s *section) {
	if s.media != "audio" || s.port == 0 {
		return
	}
	switch {
	case strings.EqualFold(s.profile, "RTP/AVP") && d.audio < 0:
		d.audio = index
	case strings.EqualFold(s.profile, "RTP/SAVP") && !d.secure && findCrypto(s) != nil:
		d.audio, d.secure = index, true
	}
}

// findCrypto is the first usable key of a stream, or nil.
func findCrypto(s *section) *crypto {
	for _, a := range s.attributes {
		if a.key == "crypto" {
			if c := parseCrypto(a.value); c != nil {
				return c
			}
		}
	}
	return nil
}

// parseSDP reads the audio stream that suits us best.
func parseSDP(body []byte) (*description, error) {
	head, streams, err := readSections(body)
	if err != nil {
		return nil, fmt.Errorf("parse sdp: %w", err)
	}
	d := &description{events: noPayload, text: noPayload, direction: sendRecv, audio: -1}
	for i := range streams {
		d.streams = append(d.streams, streams[i].stream)
		d.consider(i, &streams[i])
	}
	if d.audio < 0 {
		return nil, fmt.Errorf("parse sdp: %w", errNoAudio)
	}
	own := &streams[d.audio]
	d.crypto = findCrypto(own)
	if err := d.readAddress(&head, own); err != nil {
		return nil, fmt.Errorf("parse sdp: %w", err)
	}
	d.readDirection(&head, own)
	d.readFormats(own)
	if len(d.formats) == 0 {
		return nil, fmt.Errorf("parse sdp: %w", errNoCodec)
	}
	return d, nil
}

// readAddress takes "IN IP4" and an address, after which a TTL may follow.
func (d *description) readAddress(head, own *section) error {
	fields := strings.Fields(cmp.Or(own.connection, head.connection))
	if len(fields) < 3 {
		return errors.New("no connection address")
	}
	host, _, _ := strings.Cut(fields[2], "/")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("connection address: %w", err)
	}
	d.remote = netip.AddrPortFrom(ip.Unmap(), uint16(own.port))
	d.readControl(own)
	return nil
}

// readControl finds where reports go: to the next port, unless an attribute says otherwise (RFC 3605, RFC 5761).
func (d *description) readControl(own *section) {
	d.control = netip.AddrPortFrom(d.remote.Addr(), d.remote.Port()+1)
	for _, a := range own.attributes {
		switch a.key {
		case "rtcp-mux":
			d.mux = true
		case "rtcp":
			d.readControlAddress(strings.Fields(a.value))
		}
	}
}

// readControlAddress takes a port, which "IN IP4" and an address may follow.
func (d *description) readControlAddress(fields []string) {
	if len(fields) != 1 && len(fields) != 4 {
		return
	}
	port, err := strconv.ParseUint(fields[0], 10, 16)
	if err != nil {
		return
	}
	ip := d.remote.Addr()
	if len(fields) == 4 {
		if ip, err = netip.ParseAddr(fields[3]); err != nil {
			return
		}
	}
	d.control = netip.AddrPortFrom(ip.Unmap(), uint16(port))
}

func (d *description) readDirection(head, own *section) {
	for _, attributes := range [][]attribute{head.attributes, own.attributes} {
		for _, a := range attributes {
			switch v := direction(a.key); v {
			case sendRecv, sendOnly, recvOnly, inactive:
				d.direction = v
			}
		}
	}
	if d.remote.Addr().IsUnspecified() {
		d.direction = inactive // hold as RFC 2543 wrote it
	}
}

func (d *description) readFormats(own *section) {
	encodings := map[int]string{payloadPCMU: "PCMU/8000", payloadPCMA: "PCMA/8000"}
	for _, a := range own.attributes {
		if payload, encoding, ok := strings.Cut(a.value, " "); ok && a.key == "rtpmap" {
			if n, err := strconv.Atoi(payload); err == nil {
				encodings[n] = strings.ToUpper(strings.TrimSpace(encoding))
			}
		}
	}
	for _, f := range own.formats {
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 || n > 127 {
			continue
		}
		switch strings.TrimSuffix(encodings[n], "/1") { // one channel may be written out
		case "PCMU/8000":
			d.formats = append(d.formats, format{uint8(n), audio.Mu})
		case "PCMA/8000":
			d.formats = append(d.formats, format{uint8(n), audio.A})
		case "TELEPHONE-EVENT/8000":
			d.events = uint8(n)
		case "T140C/8000":
			d.text = uint8(n)
		}
	}
}

// localSDP is our half of an offer and answer. The zero port of a stream refuses it.
type localSDP struct {
	addr      netip.AddrPort // where we receive RTP
	session   uint64         // stays the same for the life of a call
	version   uint64         // grows with every body sent
	formats   []format
	events    uint8
	text      uint8
	mux       bool    // reports share the port of the media
	secure    bool    // the profile is RTP/SAVP, which leaves no choice
	crypto    *crypto // how we encrypt; nil: not at all
	direction direction
	streams   []stream // of the far end's latest offer; nil: there was none, and ours is the only one
	audio     int
}

// marshal writes the body. It is written by hand, short, because SIP over UDP has little room.
func (l *localSDP) marshal() []byte {
	var b strings.Builder
	family := "IP4"
	if l.addr.Addr().Is6() {
		family = "IP6"
	}
	ip := l.addr.Addr()
	fmt.Fprintf(&b, "v=0\r\no=- %d %d IN %s %s\r\ns=-\r\nc=IN %s %s\r\nt=0 0\r\n", l.session, l.version, family, ip, family, ip)
	if l.streams == nil {
		l.marshalAudio(&b)
		return []byte(b.String())
	}
	for i, s := range l.streams {
		if i == l.audio {
			l.marshalAudio(&b)
			continue
		}
		fmt.Fprintf(&b, "m=%s 0 %s\r\n", s.media, strings.Join(append([]string{s.profile}, s.formats...), " "))
	}
	return []byte(b.String())
}

func (l *localSDP) marshalAudio(b *strings.Builder) {
	var payloads, maps strings.Builder
	add := func(payload uint8, encoding string) {
		fmt.Fprintf(&payloads, " %d", payload)
		fmt.Fprintf(&maps, "a=rtpmap:%d %s/8000\r\n", payload, encoding)
	}
	for _, f := range l.formats {
		add(f.payload, f.law.String())
	}
	if l.events != noPayload {
		add(l.events, "telephone-event")
		fmt.Fprintf(&maps, "a=fmtp:%d 0-15\r\n", l.events)
	}
	if l.text != noPayload {
		add(l.text, "t140c")
	}
	profile := "RTP/AVP"
	if l.secure {
		profile = "RTP/SAVP"
	}
	if l.crypto != nil {
		fmt.Fprintf(&maps, "a=crypto:%s\r\n", l.crypto)
	}
	if l.mux {
		maps.WriteString("a=rtcp-mux\r\n")
	}
	fmt.Fprintf(b, "m=audio %d %s%s\r\n%sa=ptime:20\r\na=%s\r\n", l.addr.Port(), profile, payloads.String(), maps.String(), l.direction)
}
