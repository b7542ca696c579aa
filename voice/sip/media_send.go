package sip

import (
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	resyncAfter = 200 * time.Millisecond // a clock later than this starts anew instead of sending a burst
	starveAfter = 60 * time.Millisecond  // sound missing for longer than this is heard as silence
	packetLen   = 1400
)

// sender is the state of our RTP stream. One goroutine owns it.
type sender struct {
	*media
	sequence  uint16
	timestamp uint32
	packets   uint32 // sent so far
	octets    uint32 // of payload in them
	reported  uint32 // packets sent when we last reported
	reportDue time.Duration
	marker    bool // the next sound begins a talkspurt
	frame     [audio.FrameLen]int16
	payload   []byte
	packet    [packetLen]byte
	sealed    []byte
	header    rtp.Header
}

var silence [audio.FrameLen]int16

// sendLoop is the clock of the call: one frame every 20 ms, whatever happens, so that the far end, the recording and
// the reader of Incoming never see time stand still.
func (m *media) sendLoop() {
	s := newSender(m)
	next := time.Now()
	timer := time.NewTimer(audio.FrameDuration)
	defer timer.Stop()
	for {
		next = next.Add(audio.FrameDuration)
		timer.Reset(time.Until(next))
		select {
		case <-m.stop:
			return
		case <-timer.C:
		}
		late := time.Since(next)
		m.counts.clock(late)
		if late > resyncAfter {
			next = time.Now()
			s.marker = true
		}
		if err := s.tick(); errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

func newSender(m *media) *sender {
	s := &sender{
		media: m, marker: true, payload: make([]byte, 0, packetLen), sealed: make([]byte, 0, packetLen),
		sequence: uint16(rand.Uint32()), timestamp: rand.Uint32(),
	}
	s.reportDue = s.nextReport()
	return s
}

// tick sends what belongs into these 20 ms.
func (s *sender) tick() error {
	r := s.route.Load()
	s.checkLife(r)
	if s.now()-time.Duration(s.sounded.Load()) > starveAfter {
		s.counts.filled.Add(1)
		s.starved.Add(1)
		s.inbox.sound(silence[:])
	}
	defer func() { s.timestamp += audio.FrameLen }()
	if s.now() >= s.reportDue {
		s.reportDue = s.nextReport()
		if err := s.report(r); err != nil {
			s.counts.sendErrors.Add(1)
		}
	}
	if !r.sends {
		s.marker = true
		clear(s.frame[:])
		s.tape.turn(s.frame[:])
		return nil
	}
	err := s.sendSound(r)
	return errors.Join(err, s.sendText(r))
}

// sendSound sends a frame, or a key in its place.
func (s *sender) sendSound(r *route) error {
	s.mu.Lock()
	e, start, pressing := s.keys.tick(s.timestamp)
	s.mu.Unlock()
	if pressing {
		clear(s.frame[:])
		s.tape.turn(s.frame[:])
		s.payload = e.append(s.payload[:0])
		first := e.duration == audio.FrameLen && !e.end
		return s.send(r, rtp.Header{PayloadType: r.events, Timestamp: start, Marker: first})
	}
	s.playout.take(s.frame[:])
	s.tape.turn(s.frame[:])
	s.payload = r.send.law.Encode(s.payload[:0], s.frame[:])
	marker := s.marker
	s.marker = false
	return s.send(r, rtp.Header{PayloadType: r.send.payload, Timestamp: s.timestamp, Marker: marker})
}

func (s *sender) sendText(r *route) error {
	s.mu.Lock()
	payload, ok := s.text.tick(s.payload[:0])
	s.mu.Unlock()
	if !ok || r.text == noPayload {
		return nil
	}
	s.payload = payload
	return s.send(r, rtp.Header{PayloadType: r.text, Timestamp: s.timestamp})
}

// send completes the header and sends s.payload under it.
func (s *sender) send(r *route, h rtp.Header) error {
	to, ok := s.destination(r)
	if !ok {
		return nil
	}
	h.Version, h.SSRC, h.SequenceNumber = 2, s.ssrc, s.sequence
	n, err := h.MarshalTo(s.packet[:])
	if err != nil {
		return err
	}
	n += copy(s.packet[n:], s.payload)
	s.sequence++
	datagram := s.packet[:n]
	if r.guard != nil {
		if s.sealed, err = r.guard.seal(s.sealed[:0], datagram, &s.header); err != nil {
			s.counts.sendErrors.Add(1)
			return err
		}
		datagram = s.sealed
	}
	if _, err := s.ports.rtp.WriteToUDPAddrPort(datagram, to); err != nil {
		s.counts.sendErrors.Add(1)
		return err
	}
	s.packets++
	s.octets += uint32(len(s.payload))
	s.counts.packetsOut.Add(1)
	return nil
}
