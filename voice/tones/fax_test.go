package tones

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
)

// faxesIn returns how long a sound had lasted when a fax was found in it, each time.
func faxesIn(pcm []int16) (at []time.Duration) {
	var d Fax
	for i := 0; i+audio.FrameLen <= len(pcm); i += audio.FrameLen {
		if d.Detect(pcm[i : i+audio.FrameLen]) {
			at = append(at, audio.Duration(i+audio.FrameLen))
		}
	}
	return at
}

func TestFaxes(t *testing.T) {
	t.Parallel()

	tone := audio.Tone(3*time.Second, -20, 2100)
	turned := append([]int16(nil), tone...) // its phase, each 450 ms, as of a fax that wants no echo cancelled
	for i := range turned {
		if i/audio.Samples(450*time.Millisecond)%2 == 1 {
			turned[i] = -turned[i]
		}
	}
	for name, sound := range map[string][]int16{"steady": tone, "turned": turned} {
		at := faxesIn(audiotest.Telephone(audiotest.Overlay(sound, audiotest.Noise(3, 3*time.Second, -40))))
		require.NotEmpty(t, at, name)
		require.InDelta(t, 1.2, at[0].Seconds(), 0.3, name)
	}
	for name, sound := range map[string][]int16{
		"speech":       audiotest.Recording(t, "../vad/testdata/utterance.wav"),
		"a beep":       audio.Tone(3*time.Second, -10, 1000),
		"a short tone": audio.Tone(time.Second, -10, 2100),
		"noise":        audiotest.Noise(2, 3*time.Second, -20),
		"too quiet":    audio.Tone(3*time.Second, -60, 2100),
	} {
		require.Empty(t, faxesIn(audiotest.Telephone(sound)), name)
	}
}
