package audio

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// trySound returns two seconds that try every part of a codec: noise of all levels, and square waves as loud as they can be.
func trySound() []int16 {
	pcm := make([]int16, 32_000)
	random := uint32(1)
	for i := range pcm {
		random = random*1664525 + 1013904223
		pcm[i] = int16(random>>16) >> (i / 1600 % 14)
		if i >= 28_000 {
			pcm[i] = 32767
			if i/(1+(i-28_000)/400)%2 == 0 {
				pcm[i] = -32768
			}
		}
	}
	return pcm
}

func sumOf(pcm []int16) uint32 {
	var data []byte
	for _, v := range pcm {
		data = binary.LittleEndian.AppendUint16(data, uint16(v))
	}
	return crc32.ChecksumIEEE(data)
}

// The sums are those of another implementation, SpanDSP 0.0.6, for the same input.
func TestG722IsExactToTheBit(t *testing.T) {
	t.Parallel()
	pcm := trySound()
	require.EqualValues(t, 3127399450, sumOf(pcm), "the input")
	code := NewG722Encoder().Encode(nil, pcm)
	require.EqualValues(t, 1910139397, crc32.ChecksumIEEE(code))
	for i := range pcm { // SpanDSP does not saturate what it decodes
		pcm[i] >>= 2
	}
	code = NewG722Encoder().Encode(nil, pcm)
	require.EqualValues(t, 3859023997, crc32.ChecksumIEEE(code))
	require.EqualValues(t, 3635866197, sumOf(NewG722Decoder().Decode(nil, code)))
}

// chord returns tones from 300 to 6,500 Hz.
func chord(samples int) []int16 {
	pcm := make([]int16, samples)
	for i := range pcm {
		var v float64
		for _, hertz := range []float64{310, 1170, 2890, 5100, 6500} {
			v += 2000 * math.Sin(2*math.Pi*hertz*float64(i)/float64(Wide.Rate()))
		}
		pcm[i] = Clamp(v)
	}
	return pcm
}

// distance returns by how many decibels two sounds are nearer than silence, the second one lag samples late.
func distance(pcm, back []int16, lag int) float64 {
	var signal, noise float64
	for i := 1000; i+lag < len(back) && i < len(pcm); i++ {
		d := float64(pcm[i]) - float64(back[i+lag])
		signal += float64(pcm[i]) * float64(pcm[i])
		noise += d * d
	}
	return 10 * math.Log10(signal/noise)
}

func TestG722KeepsBothBands(t *testing.T) {
	t.Parallel()
	pcm := chord(16_000)
	encoder, decoder := NewG722Encoder(), NewG722Decoder()
	var back []int16
	for at := 0; at < len(pcm); at += Wide.FrameLen() {
		code := encoder.Encode(nil, pcm[at:at+Wide.FrameLen()])
		require.Len(t, code, FrameLen, "64 kbit/s")
		back = decoder.Decode(back, code)
	}
	require.Len(t, back, len(pcm))
	require.Greater(t, distance(pcm, back, 22), 15.0, "dB, behind the 22 samples of the filters")
}

func TestG722OnlyAllocatesItsResult(t *testing.T) {
	pcm, code := make([]int16, MaxFrameLen), make([]byte, FrameLen)
	encoder, decoder := NewG722Encoder(), NewG722Decoder()
	require.Zero(t, testing.AllocsPerRun(10, func() {
		code = encoder.Encode(code[:0], pcm)
		pcm = decoder.Decode(pcm[:0], code)
	}))
}

func FuzzG722(f *testing.F) {
	f.Add([]byte{0, 0xff, 0x55, 0xaa, 3, 0xfc})
	f.Fuzz(func(t *testing.T, code []byte) {
		pcm := NewG722Decoder().Decode(nil, code)
		require.Len(t, pcm, 2*len(code))
		require.Len(t, NewG722Encoder().Encode(nil, pcm), len(code))
	})
}

// One operation is a second of sound in both directions.
func BenchmarkG722(b *testing.B) {
	pcm, code := chord(Wide.Rate()), make([]byte, 0, Rate)
	encoder, decoder, out := NewG722Encoder(), NewG722Decoder(), make([]int16, 0, Wide.Rate())
	b.ReportAllocs()
	for b.Loop() {
		code = encoder.Encode(code[:0], pcm)
		out = decoder.Decode(out[:0], code)
	}
}
