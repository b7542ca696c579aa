package echo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
	"github.com/callwright/callwright/voice/echo"
	"github.com/callwright/callwright/voice/vad"
)

// speechOf returns the voice in a recording, without the silence around it.
func speechOf(pcm []int16) []int16 {
	first, last := len(pcm), 0
	for i := 0; i+audio.FrameLen <= len(pcm); i += audio.FrameLen {
		if audio.Level(pcm[i:i+audio.FrameLen]) > -40 {
			first, last = min(first, i), i+audio.FrameLen
		}
	}
	return pcm[first:last]
}

// otherVoice returns the same speech by somebody with a shorter throat.
func otherVoice(pcm []int16) []int16 {
	out := make([]int16, len(pcm)*4/5)
	for i := range out {
		at := float64(i) * 1.25
		k := int(at)
		if k+1 < len(pcm) {
			out[i] = audio.Clamp(float64(pcm[k])*(1-(at-float64(k))) + float64(pcm[k+1])*(at-float64(k)))
		}
	}
	return out
}

// behind returns sound that begins later.
func behind(d time.Duration, pcm []int16) []int16 {
	return append(make([]int16, audio.Samples(d)), pcm...)
}

// smeared returns a sound through an echo path that smears: several reflections within some milliseconds.
func smeared(pcm []int16) []int16 {
	out := make([]int16, len(pcm))
	for i := range pcm {
		v := 0.0
		for _, tap := range []struct {
			delay int
			gain  float64
		}{{0, 0.7}, {3, -0.4}, {11, 0.35}, {27, 0.2}, {50, -0.15}} {
			if i >= tap.delay {
				v += tap.gain * float64(pcm[i-tap.delay])
			}
		}
		out[i] = audio.Clamp(v)
	}
	return out
}

// talk sends what we play and what arrives through a suppressor into a voice activity
// detector, and returns when speech was found to begin. After 3 s a packet is lost.
func talk(t *testing.T, ours, theirs []int16) (starts []time.Duration, heard []int16) {
	t.Helper()
	detector, err := vad.NewSilero()
	require.NoError(t, err)
	listener, err := vad.NewStream(detector, vad.DefaultGate())
	require.NoError(t, err)
	var suppressor echo.Suppressor
	var last time.Duration
	theirs = audiotest.Telephone(theirs)
	for i := 0; i+audio.FrameLen <= len(theirs); i += audio.FrameLen {
		at := audio.Duration(i)
		if i == 150*audio.FrameLen && len(ours) > audio.FrameLen { // a packet was lost on the way
			ours = ours[audio.FrameLen:]
		}
		played := make([]int16, audio.FrameLen)
		ours = ours[copy(played, ours):]
		suppressor.Process(theirs[i:i+audio.FrameLen], played, listener.Open(), at, func(frame []int16, then time.Duration) {
			require.Len(t, frame, audio.FrameLen)
			require.LessOrEqual(t, at-then, 500*time.Millisecond)
			if last != 0 {
				require.Equal(t, last+audio.FrameDuration, then, "no frame is lost or doubled")
			}
			last = then
			heard = append(heard, frame...)
			listener.Push(frame, func(e vad.Event) {
				if e.Kind == vad.SpeechStart {
					starts = append(starts, at)
				}
			})
		})
	}
	return starts, heard
}

func TestEchoIsNotSpeech(t *testing.T) {
	t.Parallel()

	speech := speechOf(audiotest.Recording(t, "../vad/testdata/utterance.wav"))
	ours := append(append(append([]int16(nil), speech...), behind(time.Second, otherVoice(speech))...), speech...)
	length := behind(time.Second, ours) // the echo rings on
	for _, tt := range []struct {
		delay time.Duration
		gain  float64
		echo  []int16
	}{
		{20 * time.Millisecond, -6, smeared(ours)}, {33 * time.Millisecond, -20, ours}, {120 * time.Millisecond, -12, smeared(ours)},
		{250 * time.Millisecond, -6, ours}, {400 * time.Millisecond, -20, smeared(ours)}, {400 * time.Millisecond, -6, smeared(ours)},
	} {
		t.Run(fmt.Sprintf("%v %v dB", tt.delay, tt.gain), func(t *testing.T) {
			t.Parallel()
			arrives := behind(tt.delay, audiotest.Louder(tt.echo, tt.gain))
			arrives = audiotest.Overlay(append(arrives, make([]int16, len(length)-len(ours))...), audiotest.Noise(3, 30*time.Second, -60))
			starts, _ := talk(t, ours, arrives)
			require.Empty(t, starts)
		})
	}
}

func TestSpeechOverEchoIsHeard(t *testing.T) {
	t.Parallel()

	speech := speechOf(audiotest.Recording(t, "../vad/testdata/utterance.wav"))
	ours := append(append(append([]int16(nil), speech...), speech...), speech...)
	theSame, another := speech[len(speech)/2:], otherVoice(speech)
	for _, tt := range []struct {
		delay time.Duration
		gain  float64
		voice []int16
		from  time.Duration
	}{
		{20 * time.Millisecond, -6, another, 2600 * time.Millisecond}, {120 * time.Millisecond, -12, theSame, 2600 * time.Millisecond},
		{400 * time.Millisecond, -6, theSame, 300 * time.Millisecond}, {120 * time.Millisecond, -20, another, 300 * time.Millisecond},
		{20 * time.Millisecond, -100, theSame, 300 * time.Millisecond}, {20 * time.Millisecond, -100, another, 2600 * time.Millisecond},
	} {
		t.Run(fmt.Sprintf("%v %v dB %v", tt.delay, tt.gain, tt.from), func(t *testing.T) {
			t.Parallel()
			arrives := behind(tt.delay, audiotest.Louder(smeared(ours), tt.gain))
			arrives = audiotest.Overlay(audiotest.Overlay(arrives, behind(tt.from, tt.voice)), audiotest.Noise(3, 30*time.Second, -60))
			starts, _ := talk(t, ours, arrives[:audio.Samples(tt.from+time.Second)])
			require.NotEmpty(t, starts)
			require.GreaterOrEqual(t, starts[0], tt.from)
			require.LessOrEqual(t, starts[0]-tt.from, 900*time.Millisecond)
		})
	}
}
