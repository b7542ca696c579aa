package media

import (
	"math/rand/v2"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	resyncAfter = 200 * time.Millisecond // a clock later than this starts anew instead of sending a burst
	starveAfter = 60 * time.Millisecond  // sound missing for longer than this is delivered as silence
)

// Carrier sends a packet. It completes the header: the stream sets the payload type, the timestamp and the marker. The
// payload is reused after the call.
type Carrier interface {
	Send(header rtp.Header, payload []byte) error
}

// sender is the state of our stream. It belongs to the clock.
type sender struct {
	*state
	timestamp uint32
	pulsed    time.Duration // when the last frame was sent
	marker    bool          // the next sound begins a talkspurt
	encoder   encoder
}

func newSender(s *state) sender {
	return sender{state: s, marker: true, timestamp: rand.Uint32()}
}

// pulse sends the frame that was due at a time.
func (s *sender) pulse(due time.Time, scratch *Scratch, carrier Carrier) {
	now := s.Now()
	s.Counts.tick(now - due.Sub(s.epoch))
	if now-s.pulsed > resyncAfter {
		s.marker = true
	}
	s.pulsed = now
	s.frame(now, scratch, carrier)
}

// frame does what belongs into these 20 ms.
func (s *sender) frame(now time.Duration, scratch *Scratch, carrier Carrier) {
	f := s.formats.Load()
	s.life.check(f, s.Counts.PacketsIn.Load() > 0, now)
	if now-time.Duration(s.sounded.Load()) > starveAfter {
		s.Counts.Filled.Add(1)
		s.starved.Add(1)
		s.incoming.sound(silent(s.band))
	}
	if f.Sends {
		s.Counts.sent(s.sendSound(f, scratch, carrier))
		s.Counts.sent(s.sendText(f, scratch, carrier))
	} else {
		s.marker = true
		s.tap.sent(silent(s.band))
	}
	s.timestamp += audio.FrameLen // in every codec
}

// sendSound sends a frame, or a key in its place.
func (s *sender) sendSound(f *Formats, scratch *Scratch, carrier Carrier) error {
	s.mu.Lock()
	e, start, pressing := s.keys.tick(s.timestamp)
	s.mu.Unlock()
	if pressing {
		s.tap.sent(silent(s.band))
		scratch.payload = e.append(scratch.payload[:0])
		first := e.duration == audio.FrameLen && !e.end
		return carrier.Send(rtp.Header{PayloadType: f.Events, Timestamp: start, Marker: first}, scratch.payload)
	}
	frame := scratch.frame[:s.band.FrameLen()]
	s.playout.take(frame)
	s.tap.sent(frame)
	scratch.payload = s.encoder.encode(scratch.payload[:0], f.Send.Codec, frame)
	marker := s.marker
	s.marker = false
	return carrier.Send(rtp.Header{PayloadType: f.Send.Payload, Timestamp: s.timestamp, Marker: marker}, scratch.payload)
}

func (s *sender) sendText(f *Formats, scratch *Scratch, carrier Carrier) error {
	s.mu.Lock()
	payload, ok := s.text.tick(scratch.payload[:0])
	s.mu.Unlock()
	if !ok || f.Text == NoPayload {
		return nil
	}
	scratch.payload = payload
	return carrier.Send(rtp.Header{PayloadType: f.Text, Timestamp: s.timestamp}, payload)
}
