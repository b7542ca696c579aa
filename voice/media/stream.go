package media

import (
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

// Stream is the sound of one leg in both directions. Receive and Send belong to the goroutine of one clock; the other
// methods may be called from any goroutine.
type Stream struct {
	state
	receiver receiver
	sender   sender
}

// NewStream returns a stream that has agreed on nothing yet.
func NewStream() *Stream {
	s := &Stream{state: state{epoch: time.Now(), incoming: newIncoming()}}
	s.receiver.state = &s.state
	s.receiver.order.deliver = s.receiver.deliver
	s.sender = newSender(&s.state)
	return s
}

// Epoch returns when the stream was made, from which Now counts.
func (s *Stream) Epoch() time.Time { return s.epoch }

// Watch has onDead called when the far end sends nothing: for first before its first packet, for gap after it. Zero means
// never. It must be called before Start.
func (s *Stream) Watch(first, gap time.Duration, onDead func()) {
	s.life.firstWait, s.life.gapWait, s.life.onDead = first, gap, onDead
}

// Agree takes what was negotiated, which counts as a sign of the far end.
func (s *Stream) Agree(f *Formats) {
	s.formats.Store(f)
	s.Alive(s.Now())
}

// Alive notes a sign of the far end, such as a report, at a time counted like Now.
func (s *Stream) Alive(at time.Duration) { s.life.heard.Store(int64(at)) }

// Start begins the time in which sound is expected. The formats have to be agreed on before: they decide the band of what is
// played and heard from now on. What is agreed on later, in a codec of another band, is converted.
func (s *Stream) Start() {
	s.setBand(s.formats.Load().Send.Codec.Band())
	now := s.Now()
	s.Alive(now)
	s.sounded.Store(int64(now))
	s.sender.pulsed = now
}

func (s *Stream) setBand(band audio.Band) {
	s.band, s.playout.band, s.tap.band = band, band, band
	s.receiver.decoder.band, s.receiver.gaps.Band, s.sender.encoder.band = band, band, band
}

// Band returns the band of what is played, heard and recorded, which does not change once Start was called.
func (s *Stream) Band() audio.Band { return s.band }

// Receive takes a packet of the far end and when it came, counted like Now. Nothing of p is kept.
func (s *Stream) Receive(p *rtp.Packet, at time.Duration, scratch *Scratch) {
	s.receiver.take(p, at, scratch)
}

// Send sends the frame that was due at a time, and delivers silence in place of sound that does not come. A packet that
// carrier cannot send is counted and given up, as the next one is 20 ms away.
func (s *Stream) Send(due time.Time, scratch *Scratch, carrier Carrier) {
	s.sender.pulse(due, scratch, carrier)
}

// Prefetch fetches what Receive and Send read that is so many pointers away from the stream. It belongs to the clock.
func (s *Stream) Prefetch(depth int) {
	switch depth {
	case 0:
		prefetch.Of(s)
	case 1:
		prefetch.Of(s.incoming)
		prefetch.Of(s.formats.Load())
		prefetch.Of(s.tap.sink.Load())
		s.playout.prefetch(0)
	case 2:
		s.tap.prefetch()
		s.playout.prefetch(1)
	}
}

// Announce has ready of Notify called for the sound that Receive and Send have put into Incoming since. It belongs to the clock.
func (s *Stream) Announce() { s.incoming.announce() }

// Timestamp returns the RTP timestamp of the frame that Send sends next. It belongs to the clock.
func (s *Stream) Timestamp() uint32 { return s.sender.timestamp }

// Close closes Incoming. It may be called twice.
func (s *Stream) Close() { s.incoming.close() }

// Incoming returns what the far end sends, in order, with silence where it sends nothing, so it advances in real time. A
// reader that falls behind by two seconds loses the oldest sound, never keys or captions. A caption longer than 1,000 bytes
// arrives in several parts.
func (s *Stream) Incoming() <-chan audio.Incoming { return s.incoming.items }

// Notify has ready called, which must not block, when something was put into Incoming, and when that is closed; also now, for
// what was put in before. For sound it is called by Announce, once per frame.
func (s *Stream) Notify(ready func()) { s.incoming.notify(ready) }

// Play appends samples to the playout queue, which keeps them: nobody may write to them any more.
func (s *Stream) Play(pcm []int16) { s.playout.push(pcm) }

// Flush drops what was not sent yet and returns how much that was.
func (s *Stream) Flush() time.Duration { return s.playout.flush() }

// Queued returns how much was not sent yet.
func (s *Stream) Queued() time.Duration { return s.playout.queued() }

// Press sends keys as telephone-events, or as tones to a far end that knows no events.
func (s *Stream) Press(digits string) {
	if s.formats.Load().Events == NoPayload {
		s.playout.push(s.band.Widen(audio.Keys(digits)))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys.queue(digits)
}

// DeliverKey delivers a key that came beside the packets, as in a SIP INFO.
func (s *Stream) DeliverKey(key byte) { s.incoming.key(key) }

// DeliverCaption delivers text that came beside the packets.
func (s *Stream) DeliverCaption(text string) { s.incoming.caption(text) }

// DeliverTyped delivers what somebody wrote to be taken as said.
func (s *Stream) DeliverTyped(text string) { s.incoming.typed(text) }

// Captioned reports whether text can travel beside the sound.
func (s *Stream) Captioned() bool { return s.formats.Load().Text != NoPayload }

// Caption sends text beside the sound at once, where that was negotiated, and else does nothing.
func (s *Stream) Caption(text string) {
	if !s.Captioned() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.queue(text)
}

// Record has sink called once per 20 ms with what was received and what was sent in it, on one clock. The slices are
// reused after the call. sink must not block. nil stops recording.
func (s *Stream) Record(sink func(far, near []int16)) { s.tap.record(sink) }

// Stats returns a snapshot of what happened to the stream.
func (s *Stream) Stats() Stats {
	stats := s.Counts.snapshot()
	stats.Dropped = s.incoming.drops()
	if f := s.formats.Load(); f != nil {
		stats.Codec = f.Send.Codec.String()
	}
	return stats
}
