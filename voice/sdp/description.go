package sdp

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pion/sdp/v3"

	"github.com/callwright/callwright/voice/media"
)

// description is what an SDP body says about the one audio stream we take part in.
type description struct {
	remote    netip.AddrPort
	formats   []media.Format // what both sides can do, in the order of the description
	events    uint8          // payload type of telephone-event, or media.NoPayload
	text      uint8          // payload type of t140c, or media.NoPayload
	control   netip.AddrPort // where reports go
	mux       bool           // reports may share the port of the media
	secure    bool           // the profile is RTP/SAVP
	crypto    *crypto        // how the writer encrypts; nil: not at all, or not in a way we know
	direction direction
	streams   []stream // every m= line, because an answer has to mention each (RFC 3264 section 6)
	audio     int      // which of them is ours
}

// Validate returns an error for a body that describes no audio stream we could take part in.
func Validate(body []byte) error {
	_, err := describe(body)
	return err
}

// describe reads the audio stream that suits us best.
func describe(body []byte) (*description, error) {
	parsed, names, err := parse(body)
	if err != nil {
		return nil, fmt.Errorf("parse sdp: %w", err)
	}
	d := &description{events: media.NoPayload, text: media.NoPayload, direction: sendRecv, streams: names, audio: -1}
	for i, stream := range parsed.MediaDescriptions {
		d.consider(i, stream)
	}
	if d.audio < 0 {
		return nil, fmt.Errorf("parse sdp: %w", errNoAudio)
	}
	own := parsed.MediaDescriptions[d.audio]
	d.crypto = findCrypto(own)
	if err := d.readAddress(parsed, own); err != nil {
		return nil, fmt.Errorf("parse sdp: %w", err)
	}
	d.readDirection(parsed, own)
	d.readFormats(own)
	if len(d.formats) == 0 {
		return nil, fmt.Errorf("parse sdp: %w", errNoCodec)
	}
	return d, nil
}

// consider makes a stream ours if it is usable and better than the one before: the first audio stream, but rather an
// encrypted one.
func (d *description) consider(index int, s *sdp.MediaDescription) {
	if s.MediaName.Media != "audio" || s.MediaName.Port.Value == 0 {
		return
	}
	switch profile := strings.Join(s.MediaName.Protos, "/"); {
	case profile == profilePlain && d.audio < 0:
		d.audio = index
	case profile == profileSecure && !d.secure && findCrypto(s) != nil:
		d.audio, d.secure = index, true
	}
}

// findCrypto returns the first usable key of a stream, or nil.
func findCrypto(s *sdp.MediaDescription) *crypto {
	for _, a := range s.Attributes {
		if a.Key == "crypto" {
			if c := parseCrypto(a.Value); c != nil {
				return c
			}
		}
	}
	return nil
}

// readAddress takes the address of the stream, or else that of the session. A TTL may follow it.
func (d *description) readAddress(all *sdp.SessionDescription, own *sdp.MediaDescription) error {
	connection := own.ConnectionInformation
	if connection == nil {
		connection = all.ConnectionInformation
	}
	if connection == nil || connection.Address == nil {
		return errors.New("no connection address")
	}
	host, _, _ := strings.Cut(connection.Address.Address, "/")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("connection address: %w", err)
	}
	port := own.MediaName.Port.Value
	if port > 65535 { // one more than which the parser takes
		return fmt.Errorf("port %d", port)
	}
	d.remote = netip.AddrPortFrom(ip.Unmap(), uint16(port))
	d.readControl(own)
	return nil
}

// readControl finds where reports go: to the next port, unless an attribute says otherwise (RFC 3605, RFC 5761).
func (d *description) readControl(own *sdp.MediaDescription) {
	d.control = netip.AddrPortFrom(d.remote.Addr(), d.remote.Port()+1)
	for _, a := range own.Attributes {
		switch a.Key {
		case "rtcp-mux":
			d.mux = true
		case "rtcp":
			d.readControlAddress(strings.Fields(a.Value))
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

func (d *description) readDirection(all *sdp.SessionDescription, own *sdp.MediaDescription) {
	for _, attributes := range [][]sdp.Attribute{all.Attributes, own.Attributes} {
		for _, a := range attributes {
			switch v := direction(a.Key); v {
			case sendRecv, sendOnly, recvOnly, inactive:
				d.direction = v
			}
		}
	}
	if d.remote.Addr().IsUnspecified() {
		d.direction = inactive // hold as RFC 2543 wrote it
	}
}

func (d *description) readFormats(own *sdp.MediaDescription) {
	encodings := map[int]string{payloadPCMU: "PCMU/8000", payloadPCMA: "PCMA/8000", payloadG722: "G722/8000"}
	for _, a := range own.Attributes {
		payload, encoding, ok := strings.Cut(strings.TrimSpace(a.Value), " ")
		if !ok || a.Key != "rtpmap" {
			continue
		}
		if n, err := strconv.Atoi(payload); err == nil {
			encodings[n] = strings.ToUpper(strings.TrimSpace(encoding))
		}
	}
	for _, f := range own.MediaName.Formats {
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 || n > 127 {
			continue
		}
		switch strings.TrimSuffix(encodings[n], "/1") { // one channel may be written out
		case "PCMU/8000":
			d.formats = append(d.formats, media.Format{Payload: uint8(n), Codec: media.PCMU})
		case "PCMA/8000":
			d.formats = append(d.formats, media.Format{Payload: uint8(n), Codec: media.PCMA})
		case "G722/8000": // the clock of its timestamps, not of its samples
			d.formats = append(d.formats, media.Format{Payload: uint8(n), Codec: media.G722})
		case "TELEPHONE-EVENT/8000":
			d.events = uint8(n)
		case "T140C/8000":
			d.text = uint8(n)
		}
	}
}
