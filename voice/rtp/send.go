package rtp

import (
	"fmt"

	"github.com/pion/rtp"
)

// sender sends our stream. It belongs to the clock.
type sender struct {
	*state
	sequence uint16
	packets  uint32 // sent so far
	octets   uint32 // of payload in them
}

// Send implements media.Carrier.
func (s *sender) Send(h rtp.Header, payload []byte) error {
	r := s.route.Load()
	to, ok := s.destination(r)
	if !ok {
		return nil
	}
	scratch := s.scratch
	h.Version, h.SSRC, h.SequenceNumber = 2, s.ssrc, s.sequence
	n, err := h.MarshalTo(scratch.packet[:])
	if err != nil {
		return fmt.Errorf("write packet: %w", err)
	}
	n += copy(scratch.packet[n:], payload)
	s.sequence++
	datagram := scratch.packet[:n]
	if r.Cipher != nil {
		if scratch.sealed, err = r.Cipher.seal(scratch.sealed[:0], datagram, &scratch.header); err != nil {
			return fmt.Errorf("encrypt packet: %w", err)
		}
		datagram = scratch.sealed
	}
	if err := s.sockets.rtp.send(datagram, to); err != nil {
		return fmt.Errorf("send packet: %w", err)
	}
	s.packets++
	s.octets += uint32(len(payload))
	s.stream.Counts.PacketsOut.Add(1)
	return nil
}
