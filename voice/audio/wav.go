package audio

import (
	"encoding/binary"
	"errors"
	"math"
)

const (
	wavHeaderLen   = 44
	wavPCM         = 1
	wavExtensible  = 0xfffe
	wavUnknownSize = math.MaxUint32 // what a header says while the file is still being written
	wavMaxFormat   = 1 << 10        // a longer fmt chunk is no fmt chunk
	wavMaxChannels = 8
	wavMaxRate     = 384_000
)

// ErrNotWAV is wrapped by the errors of reading what is not 16-bit PCM in a WAV container.
var ErrNotWAV = errors.New("not a 16-bit PCM WAV file")

// WAV is a whole recording in memory.
type WAV struct {
	Rate     int       // hertz
	Channels [][]int16 // one slice per channel, all of one length
}

// Mono returns the recording as one channel: the mean of all.
func (w *WAV) Mono() []int16 {
	if len(w.Channels) == 1 {
		return w.Channels[0]
	}
	mono := make([]int16, len(w.Channels[0]))
	for i := range mono {
		var sum int
		for _, channel := range w.Channels {
			sum += int(channel[i])
		}
		mono[i] = int16(sum / len(w.Channels))
	}
	return mono
}

// EncodeWAV returns a file of mono samples of a band.
func EncodeWAV(pcm []int16, band Band) []byte {
	file := wavFormat{band.Rate(), 1}.appendHeader(make([]byte, 0, wavHeaderLen+2*len(pcm)), 2*int64(len(pcm)))
	return appendSamples(file, pcm)
}

// wavFormat is what a header says about the samples behind it.
type wavFormat struct {
	rate     int // hertz
	channels int
}

// appendHeader appends the header of a file with size bytes of samples.
func (f wavFormat) appendHeader(b []byte, size int64) []byte {
	data := uint32(min(size, wavUnknownSize))
	riff := uint32(min(size+wavHeaderLen-8, wavUnknownSize))
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, riff)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, wavPCM)
	b = binary.LittleEndian.AppendUint16(b, uint16(f.channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.rate*f.channels*2))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.channels*2))
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	return binary.LittleEndian.AppendUint32(b, data)
}

func appendSamples(b []byte, pcm []int16) []byte {
	for _, s := range pcm {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	return b
}
