package media

import (
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const maxFill = 3 // lost frames made up for; more is what starveAfter is for

// receiver is the state of the far end's stream. It belongs to the clock.
type receiver struct {
	*state
	scratch  *Scratch // of the packet at hand
	order    receiveBuffer
	keys     eventReader
	text     textReader
	tones    *audio.KeyDetector // nil: none was needed
	heardKey []byte
	decoder  decoder
	rest     []int16 // sound too short for a frame
	gaps     audio.Concealer
	narrower *audio.Converter // for keys among wideband sound; nil: none was needed
	narrowed []int16          // what it gives
	due      uint32           // timestamp that the next packet of sound has if nothing is lost

	transit int64   // of the previous packet of sound, in samples
	jitter  float64 // RFC 3550 section 6.4.1, in samples
}

// take takes one packet and when it came.
func (r *receiver) take(p *rtp.Packet, at time.Duration, scratch *Scratch) {
	r.scratch = scratch
	r.life.heard.Store(int64(at))
	r.Counts.PacketsIn.Add(1)
	if _, sound := r.formats.Load().codec(p.PayloadType); sound {
		r.measureJitter(p.Timestamp, at)
		r.sounded.Store(int64(at))
	}
	if !r.order.push(p) {
		r.Counts.Late.Add(1)
	}
}

func (r *receiver) measureJitter(timestamp uint32, at time.Duration) {
	transit := int64(audio.Samples(at)) - int64(timestamp)
	if r.Counts.PacketsIn.Load() > 1 {
		if d := float64(int32(transit - r.transit)); d < audio.Rate && d > -audio.Rate { // else a new stream
			r.jitter += (max(d, -d) - r.jitter) / 16
		}
	}
	r.transit = transit
	r.Counts.Jitter.Store(int64(audio.Duration(int(r.jitter*1000)) / 1000))
}

// deliver reads the packets in their right order.
func (r *receiver) deliver(p *packet, missing int) {
	r.Counts.Lost.Add(uint64(missing))
	formats := r.formats.Load()
	if !formats.Expects {
		return
	}
	codec, sound := formats.codec(p.payload)
	switch {
	case sound:
		r.decode(p, codec, missing, formats.Events == NoPayload)
	case p.payload == formats.Events:
		if key := r.keys.press(p.data, p.timestamp); key != 0 {
			r.incoming.key(key)
		}
	case p.payload == formats.Text:
		if text := r.text.read(p.data); text != "" {
			r.incoming.caption(text)
		}
	}
}

// decode makes frames of a packet of sound and of what was lost before it. tones: keys may be among the sound.
func (r *receiver) decode(p *packet, codec Codec, missing int, tones bool) {
	pcm := r.scratch.pcm[:copy(r.scratch.pcm[:], r.rest)]
	if silent := int(r.starved.Swap(0)); missing > 0 {
		pcm = r.fill(pcm, int(int32(p.timestamp-r.due))-silent*audio.FrameLen)
	}
	pcm = r.decoder.decode(pcm, codec, p.data)
	r.due = p.timestamp + uint32(len(p.data))
	if frame := r.band.FrameLen(); len(pcm) >= frame {
		r.gaps.Heard(pcm[len(pcm)-frame:])
	}
	r.rest = append(r.rest[:0], r.cut(pcm, tones)...)
}

// fill makes up for a short gap of ticks, so that words keep their length. What was delivered as silence already is not
// filled again.
func (r *receiver) fill(pcm []int16, ticks int) []int16 {
	if ticks > maxFill*audio.FrameLen {
		return pcm
	}
	frame := r.band.FrameLen()
	for samples := ticks * frame / audio.FrameLen; samples > 0; samples -= frame {
		before := len(pcm)
		pcm = r.gaps.Conceal(pcm)
		pcm = pcm[:min(before+samples, len(pcm))]
		r.Counts.Concealed.Add(1)
	}
	return pcm
}

// cut delivers whole frames and returns the rest, since a far end may send packets of any length.
func (r *receiver) cut(pcm []int16, tones bool) (rest []int16) {
	for n := r.band.FrameLen(); len(pcm) >= n; {
		frame := pcm[:n]
		pcm = pcm[n:]
		r.tap.received(frame)
		r.incoming.sound(frame)
		if tones {
			r.detectKeys(frame)
		}
	}
	return pcm
}

// detectKeys finds the keys of a far end that sends them as tones.
func (r *receiver) detectKeys(frame []int16) {
	if r.band != audio.Narrow {
		if r.narrower == nil {
			r.narrower = audio.NewConverter(r.band, audio.Narrow)
		}
		r.narrowed = r.narrower.Push(r.narrowed[:0], frame)
		frame = r.narrowed
	}
	if r.tones == nil {
		r.tones = &audio.KeyDetector{}
	}
	r.heardKey = r.tones.Push(r.heardKey[:0], frame)
	for _, key := range r.heardKey {
		r.incoming.key(key)
	}
}
