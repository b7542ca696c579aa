package media

import "github.com/callwright/callwright/voice/audio"

// Codec is how the sound of a stream travels. Each has a byte for each tick of the clock of 8 kHz that timestamps count. That of
// G.722 stands for two samples: RFC 3551 section 4.5.2 keeps a clock rate that an earlier one named by mistake.
type Codec uint8

// The codecs that we speak.
const (
	PCMU Codec = iota
	PCMA
	G722
)

// String returns the name of the codec in SDP (RFC 3551).
func (c Codec) String() string {
	if c == G722 {
		return "G722"
	}
	return c.law().String()
}

// Band returns what the codec carries.
func (c Codec) Band() audio.Band {
	if c == G722 {
		return audio.Wide
	}
	return audio.Narrow
}

// law is for those of G.711.
func (c Codec) law() audio.Law {
	if c == PCMA {
		return audio.A
	}
	return audio.Mu
}

// decoder makes the band of a stream of what comes in any codec. It belongs to the clock.
type decoder struct {
	band      audio.Band
	g722      *audio.G722Decoder // nil: none was needed
	converter *audio.Converter   // from the other band; nil: none was needed
	foreign   []int16            // what it takes
}

func (d *decoder) decode(pcm []int16, codec Codec, data []byte) []int16 {
	if codec.Band() == d.band {
		return d.unpack(pcm, codec, data)
	}
	if d.converter == nil {
		d.converter = audio.NewConverter(codec.Band(), d.band)
	}
	d.foreign = d.unpack(d.foreign[:0], codec, data)
	return d.converter.Push(pcm, d.foreign)
}

func (d *decoder) unpack(pcm []int16, codec Codec, data []byte) []int16 {
	if codec != G722 {
		return codec.law().Decode(pcm, data)
	}
	if d.g722 == nil {
		d.g722 = audio.NewG722Decoder()
	}
	return d.g722.Decode(pcm, data)
}

// encoder packs what has the band of a stream into any codec. It belongs to the clock.
type encoder struct {
	band      audio.Band
	g722      *audio.G722Encoder // nil: none was needed
	converter *audio.Converter   // to the other band; nil: none was needed
	foreign   []int16            // what it gives
}

func (e *encoder) encode(data []byte, codec Codec, pcm []int16) []byte {
	if codec.Band() != e.band {
		if e.converter == nil {
			e.converter = audio.NewConverter(e.band, codec.Band())
		}
		e.foreign = e.converter.Push(e.foreign[:0], pcm)
		pcm = e.foreign
	}
	if codec != G722 {
		return codec.law().Encode(data, pcm)
	}
	if e.g722 == nil {
		e.g722 = audio.NewG722Encoder()
	}
	return e.g722.Encode(data, pcm)
}
