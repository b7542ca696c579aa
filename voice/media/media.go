// Package media is what a leg of a call does with sound, whatever carries it: packets that come are put in order, decoded,
// concealed where some are lost, and cut into frames of 20 ms; what is played waits for the clock and leaves as one packet
// per frame; keys travel as telephone-events or tones, captions as t140c; a recording tap gets both sides on one clock. It
// also names the errors with which a leg ends.
//
// It must not know sockets, addresses, encryption or signalling: a carrier, such as voice/rtp, hands it packets and sends
// those that it makes.
package media

import "errors"

// The errors with which a leg of any kind ends, other than by our own hangup.
var (
	ErrRemoteHangup = errors.New("the far end hung up")
	ErrMediaTimeout = errors.New("the far end stopped sending media")
	ErrDisconnected = errors.New("the connection to the far end was lost")
	ErrClosed       = errors.New("the phone connection is closed") // the carrier of the leg was closed under it
)

// PacketLen is the room for a packet, in bytes: an Ethernet frame without the headers below RTP.
const PacketLen = 1400

// NoPayload is the payload type of what was not negotiated.
const NoPayload = 0xff

// Format is a payload type bound to a codec.
type Format struct {
	Payload uint8
	Codec   Codec
}

// Formats is what both ends agreed to send. It is immutable: a new agreement makes a new one, and the clock swaps over
// between two packets.
type Formats struct {
	Send    Format
	Accept  []Format // in which sound may come
	Events  uint8    // payload type of telephone-event, or NoPayload
	Text    uint8    // payload type of t140c, or NoPayload
	Sends   bool     // false while the far end has us on hold
	Expects bool     // false while the far end has announced to send nothing
}

// codec returns how the sound of a payload type is encoded; ok is false for what is no sound.
func (f *Formats) codec(payload uint8) (codec Codec, ok bool) {
	for _, format := range f.Accept {
		if format.Payload == payload {
			return format.Codec, true
		}
	}
	return 0, false
}
