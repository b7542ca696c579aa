package sip

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	resyncAfter = 200 * time.Millisecond // a clock later than this starts anew instead of sending a burst
	starveAfter = 60 * time.Millisecond  // sound missing for longer than this is heard as silence
	packetLen   = 1400
)

// sender is the state of our RTP stream. It belongs to the clock.
type sender struct {
	*media
	bench     *bench
	sequence  uint16
	timestamp uint32
	packets   uint32 // sent so far
	octets    uint32 // of payload in them
	reported  uint32 // packets sent when we last reported
	reportDue time.Duration
	pulsed    time.Duration // when the last frame was sent
	frames    int
	marker    bool // the next sound begins a talkspurt
}

var silence [audio.FrameLen]int16

func newSender(m *media) *sender {
	s := &sender{
		media: m, bench: m.clock.bench, marker: true, sequence: uint16(rand.Uint32()), timestamp: rand.Uint32(), pulsed: m.now(),
	}
	s.reportDue = s.nextReport(s.pulsed)
	return s
}

// pulse sends the frame that is due.
func (s *sender) pulse(due time.Time) {
	now := s.now()
	s.counts.clock(now - due.Sub(s.epoch))
	if now-s.pulsed > resyncAfter {
		s.marker = true
	}
	s.pulsed = now
	if s.frames++; s.frames%reportLook == 0 {
		s.lookForReports()
	}
	s.tick(now)
}

// tick sends what belongs into these 20 ms.
func (s *sender) tick(now time.Duration) {
	r := s.route.Load()
	s.checkLife(r, now)
	if now-time.Duration(s.sounded.Load()) > starveAfter {
		s.counts.filled.Add(1)
		s.starved.Add(1)
		s.inbox.sound(silence[:])
	}
	if now >= s.reportDue {
		s.reportDue = s.nextReport(now)
		s.count(s.report(r, now))
	}
	if r.sends {
		s.count(s.sendSound(r))
		s.count(s.sendText(r))
	} else {
		s.marker = true
		s.tape.turn(silence[:])
	}
	s.timestamp += audio.FrameLen
}

// count counts a packet that could not be sent: the next one is 20 ms away.
func (s *sender) count(err error) {
	if err != nil {
		s.counts.sendErrors.Add(1)
	}
}

// sendSound sends a frame, or a key in its place.
func (s *sender) sendSound(r *route) error {
	s.mu.Lock()
	e, start, pressing := s.keys.tick(s.timestamp)
	s.mu.Unlock()
	if pressing {
		s.tape.turn(silence[:])
		s.bench.payload = e.append(s.bench.payload[:0])
		first := e.duration == audio.FrameLen && !e.end
		return s.send(r, rtp.Header{PayloadType: r.events, Timestamp: start, Marker: first})
	}
	frame := s.bench.frame[:]
	s.playout.take(frame)
	s.tape.turn(frame)
	s.bench.payload = r.send.law.Encode(s.bench.payload[:0], frame)
	marker := s.marker
	s.marker = false
	return s.send(r, rtp.Header{PayloadType: r.send.payload, Timestamp: s.timestamp, Marker: marker})
}

func (s *sender) sendText(r *route) error {
	s.mu.Lock()
	payload, ok := s.text.tick(s.bench.payload[:0])
	s.mu.Unlock()
	if !ok || r.text == noPayload {
		return nil
	}
	s.bench.payload = payload
	return s.send(r, rtp.Header{PayloadType: r.text, Timestamp: s.timestamp})
}

// send completes the header and sends the payload on the bench under it.
func (s *sender) send(r *route, h rtp.Header) error {
	to, ok := s.destination(r)
	if !ok {
		return nil
	}
	b := s.bench
	h.Version, h.SSRC, h.SequenceNumber = 2, s.ssrc, s.sequence
	n, err := h.MarshalTo(b.packet[:])
	if err != nil {
		return fmt.Errorf("write packet: %w", err)
	}
	n += copy(b.packet[n:], b.payload)
	s.sequence++
	datagram := b.packet[:n]
	if r.guard != nil {
		if b.sealed, err = r.guard.seal(b.sealed[:0], datagram, &b.header); err != nil {
			return fmt.Errorf("encrypt packet: %w", err)
		}
		datagram = b.sealed
	}
	if err := s.ports.rtp.send(datagram, to); err != nil {
		return fmt.Errorf("send packet: %w", err)
	}
	s.packets++
	s.octets += uint32(len(b.payload))
	s.counts.packetsOut.Add(1)
	return nil
}
