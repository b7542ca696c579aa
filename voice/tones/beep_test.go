package tones

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
)

func beepsIn(pcm []int16) (at []time.Duration) {
	var d Beep
	for i := 0; i+audio.FrameLen <= len(pcm); i += audio.FrameLen {
		if d.Detect(pcm[i : i+audio.FrameLen]) {
			at = append(at, audio.Duration(i))
		}
	}
	return at
}

func TestBeeps(t *testing.T) {
	t.Parallel()

	silence := make([]int16, audio.Samples(500*time.Millisecond))
	surrounded := func(sound []int16) []int16 {
		return audiotest.Telephone(append(append(append([]int16(nil), silence...), sound...), silence...))
	}
	for _, pitch := range []float64{400, 440, 850, 1000, 1400, 1950} {
		for _, level := range []float64{-10, -25, -35} {
			for _, length := range []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
				sound := surrounded(audio.Tone(length, level, pitch))
				at := beepsIn(audiotest.Overlay(sound, audiotest.Noise(1, 5*time.Second, level-18)))
				require.Len(t, at, 1, "%v Hz %v dBFS %v", pitch, level, length)
				require.InDelta(t, (500*time.Millisecond + length).Seconds(), at[0].Seconds(), 0.021)
			}
		}
	}
	for name, sound := range map[string][]int16{
		"speech":      audiotest.Recording(t, "../vad/testdata/utterance.wav"),
		"a key":       audio.Keys("1590"),
		"noise":       audiotest.Noise(2, 3*time.Second, -20),
		"a click":     audio.Tone(60*time.Millisecond, -10, 1000),
		"a dial tone": audio.Tone(5*time.Second, -10, 425),
		"a fax":       audio.Tone(2*time.Second, -10, 2100),
		"too quiet":   audio.Tone(500*time.Millisecond, -60, 1000),
		"silence":     silence,
	} {
		require.Empty(t, beepsIn(surrounded(sound)), name)
	}
}
