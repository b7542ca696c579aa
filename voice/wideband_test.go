package voice

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/vad"
)

// detected returns what the detector finds in narrow frames.
func detected(t *testing.T, frames [][]int16) (events []vad.Event) {
	t.Helper()
	silero, err := vad.NewSilero()
	require.NoError(t, err)
	stream, err := vad.NewStream(vad.NewForeground(silero), vad.DefaultGate())
	require.NoError(t, err)
	for _, frame := range frames {
		stream.Push(frame, func(e vad.Event) { events = append(events, e) })
	}
	return events
}

// The detector hears the lower half of G.722 as it hears G.711.
func TestVoiceActivityInWideband(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	for i, text := range []string{"She sells sea shells by the shore.", "Yes.", "I would like to book a table for two."} {
		req := tts.Request{Text: text, Voice: flite.Slt, Band: audio.Wide}
		said, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), req)
		require.NoError(t, err)
		wide := make([]int16, 50*audio.Wide.FrameLen(), 200*audio.Wide.FrameLen())
		wide = append(append(wide, said...), make([]int16, 60*audio.Wide.FrameLen()-len(said)%audio.Wide.FrameLen())...)
		for k := range wide {
			wide[k] = audio.Clamp(float64(wide[k]) + random.NormFloat64()*float64(10*i))
		}
		narrow, err := audio.Resample(wide, audio.Wide.Rate(), audio.Rate)
		require.NoError(t, err)
		narrow = audio.Mu.Decode(nil, audio.Mu.Encode(nil, narrow))
		wide = audio.NewG722Decoder().Decode(nil, audio.NewG722Encoder().Encode(nil, wide))
		var telephone, wideband [][]int16
		lower := newWideband()
		for at := 0; at+audio.FrameLen <= len(narrow); at += audio.FrameLen {
			telephone = append(telephone, narrow[at:at+audio.FrameLen])
			wideband = append(wideband, append([]int16(nil), lower.narrow(wide[2*at:][:audio.Wide.FrameLen()])...))
		}
		want, got := detected(t, telephone), detected(t, wideband)
		require.Len(t, got, len(want), text)
		for k := range want {
			require.Equal(t, want[k].Kind, got[k].Kind)
			near := 2 * vad.FrameSize
			if want[k].Kind != vad.SpeechStart {
				near = 6 * vad.FrameSize // ends scatter that far when the same sound comes 5 ms later
			}
			require.InDelta(t, want[k].At, got[k].At, float64(near), "%s, change %d", text, k)
		}
	}
}
