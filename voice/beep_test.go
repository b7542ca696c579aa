package voice

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// utterance is recorded speech at 8 kHz.
func utterance(t *testing.T) []int16 {
	t.Helper()
	wav, err := os.ReadFile("vad/testdata/utterance.wav")
	require.NoError(t, err)
	pcm := make([]int16, (len(wav)-44)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(wav[44+2*i:]))
	}
	return pcm
}

// noise is white, at a level in dBFS.
func noise(seed uint64, d time.Duration, level float64) []int16 {
	random := rand.New(rand.NewPCG(seed, 1))
	pcm := make([]int16, audio.Samples(d))
	for i := range pcm {
		pcm[i] = int16(random.NormFloat64() * 32767 * decibels(level))
	}
	return pcm
}

// overlay is the sum of two sounds, as long as the first.
func overlay(a, b []int16) []int16 {
	out := append([]int16(nil), a...)
	for i := range min(len(a), len(b)) {
		out[i] = saturate(float64(a[i]) + float64(b[i]))
	}
	return out
}

// telephone sends sound through G.711.
func telephone(pcm []int16) []int16 {
	return audio.Mu.Decode(nil, audio.Mu.Encode(nil, pcm))
}

func beepsIn(pcm []int16) (at []time.Duration) {
	var d beepDetector
	for i := 0; i+audio.FrameLen <= len(pcm); i += audio.FrameLen {
		if d.hear(pcm[i : i+audio.FrameLen]) {
			at = append(at, audio.Duration(i))
		}
	}
	return at
}

func TestBeeps(t *testing.T) {
	t.Parallel()

	silence := make([]int16, audio.Samples(500*time.Millisecond))
	surrounded := func(sound []int16) []int16 {
		return telephone(append(append(append([]int16(nil), silence...), sound...), silence...))
	}
	for _, pitch := range []float64{400, 440, 850, 1000, 1400, 1950} {
		for _, level := range []float64{-10, -25, -35} {
			for _, length := range []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
				sound := surrounded(audio.Tone(length, level, pitch))
				at := beepsIn(overlay(sound, noise(1, 5*time.Second, level-18)))
				require.Len(t, at, 1, "%v Hz %v dBFS %v", pitch, level, length)
				require.InDelta(t, (500*time.Millisecond + length).Seconds(), at[0].Seconds(), 0.021)
			}
		}
	}
	for name, sound := range map[string][]int16{
		"speech":      utterance(t),
		"a key":       audio.Keys("1590"),
		"noise":       noise(2, 3*time.Second, -20),
		"a click":     audio.Tone(60*time.Millisecond, -10, 1000),
		"a dial tone": audio.Tone(5*time.Second, -10, 425),
		"a fax":       audio.Tone(2*time.Second, -10, 2100),
		"too quiet":   audio.Tone(500*time.Millisecond, -60, 1000),
		"silence":     silence,
	} {
		require.Empty(t, beepsIn(surrounded(sound)), name)
	}
}
