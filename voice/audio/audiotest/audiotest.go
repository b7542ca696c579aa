// Package audiotest has the sounds that tests of hearing compare: recorded speech, noise, and a telephone between them.
//
// It knows package audio and nothing of what is tested with it.
package audiotest

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// Recording returns the samples of an 8 kHz WAV file with a plain header.
func Recording(t *testing.T, path string) []int16 {
	t.Helper()
	wav, err := os.ReadFile(path)
	require.NoError(t, err)
	pcm := make([]int16, (len(wav)-44)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(wav[44+2*i:]))
	}
	return pcm
}

// Noise returns white noise at a level in dBFS, the same for every seed.
func Noise(seed uint64, d time.Duration, level float64) []int16 {
	random := rand.New(rand.NewPCG(seed, 1))
	pcm := make([]int16, audio.Samples(d))
	for i := range pcm {
		pcm[i] = int16(random.NormFloat64() * 32767 * audio.Gain(level))
	}
	return pcm
}

// Overlay returns the sum of two sounds, as long as the first.
func Overlay(a, b []int16) []int16 {
	out := append([]int16(nil), a...)
	for i := range min(len(a), len(b)) {
		out[i] = audio.Clamp(float64(a[i]) + float64(b[i]))
	}
	return out
}

// Telephone returns a sound as G.711 leaves it.
func Telephone(pcm []int16) []int16 {
	return audio.Mu.Decode(nil, audio.Mu.Encode(nil, pcm))
}

// Louder returns a sound with a gain in decibels.
func Louder(pcm []int16, gain float64) []int16 {
	out := make([]int16, len(pcm))
	for i, v := range pcm {
		out[i] = audio.Clamp(float64(v) * audio.Gain(gain))
	}
	return out
}
