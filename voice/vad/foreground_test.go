package vad

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// talking is a Prober for which everything is speech.
type talking struct{}

func (talking) Prob([]int16) float32 { return 1 }
func (talking) Reset()               {}

// heardPart returns how much of some seconds of sound at a level is heard.
func heardPart(f *Foreground, dBFS float64, seconds int) float64 {
	tone := audio.Tone(time.Duration(seconds)*time.Second, dBFS, 400)
	heard, all := 0, 0
	for len(tone) >= FrameSize {
		if f.Prob(tone[:FrameSize]) >= speechAtAll {
			heard++
		}
		all++
		tone = tone[FrameSize:]
	}
	return float64(heard) / float64(all)
}

func TestForegroundHearsTheSpeakerAlone(t *testing.T) {
	t.Parallel()

	f := NewForeground(talking{})
	require.Zero(t, heardPart(f, -50, 1), "somebody far away, before the speaker was heard")
	require.InDelta(t, 1, heardPart(f, -22, 3), 0.01)
	f.Hold = true
	require.InDelta(t, 0, heardPart(f, -34, 20), 0.03, "a television, 12 dB below, while the speaker listens")
	f.Hold = false
	require.InDelta(t, 1, heardPart(f, -28, 2), 0.1, "the speaker turns away, known behind the television by the sixth frame")
	require.InDelta(t, 0, heardPart(f, -40, 3), 0.03)

	f.Reset()
	require.InDelta(t, 1, heardPart(f, -40, 3), 0.01, "a soft speaker")
	require.InDelta(t, 1, heardPart(f, -20, 3), 0.01, "who gives the telephone to a louder one")
	require.Less(t, heardPart(f, -40, 10), 0.2, "and takes it back:")
	require.Greater(t, heardPart(f, -40, 10), 0.5, "after some seconds in which nobody else speaks")
}

// perhaps is a Prober for which what is loud is speech, and what is soft may be.
type perhaps struct{}

func (perhaps) Prob(frame []int16) float32 {
	if audio.Level(frame) < -45 {
		return 0.3
	}
	return 1
}

func (perhaps) Reset() {}

func TestForegroundKnowsThatOthersAreFarBehind(t *testing.T) {
	t.Parallel()

	f := NewForeground(perhaps{})
	heardPart(f, -50, 2)
	require.False(t, f.Others(), "nobody was heard yet, behind whom that could be")
	heardPart(f, -22, 1)
	require.False(t, f.Others())
	require.Zero(t, heardPart(f, -50, 1))
	require.True(t, f.Others())
}

func TestForegroundHearsTheSpeakerAfterANoisyStart(t *testing.T) {
	t.Parallel()

	f := NewForeground(talking{})
	heardPart(f, -31, 5) // a television, before anybody speaks
	require.InDelta(t, 1, heardPart(f, -24, 3), 0.01, "the speaker")
	f.Hold = true
	require.InDelta(t, 0, heardPart(f, -36, 10), 0.05, "the television, turned down")
	require.InDelta(t, 1, heardPart(f, -30, 2), 0.1, "the speaker, softer, over what the other side says")
	f.Hold = false
	require.InDelta(t, 1, heardPart(f, -30, 3), 0.01, "and behind it")
	heardPart(f, -36, 10)
	require.Greater(t, heardPart(f, -36, 5), 0.9, "and much softer, once nobody else has been heard for long")
}

// TestForegroundTakesNoLoudSyllableForTheSpeaker plays a voice 11 dB below the speaker's, whose loudest syllables are 6 dB below.
func TestForegroundTakesNoLoudSyllableForTheSpeaker(t *testing.T) {
	t.Parallel()

	f := NewForeground(talking{})
	require.InDelta(t, 1, heardPart(f, -22, 3), 0.01)
	loud, soft := audio.Tone(time.Second, -28, 400)[:FrameSize], audio.Tone(time.Second, -40, 400)[:3*FrameSize]
	heard := 0
	for range 30 {
		for pcm := slices.Concat(loud, soft); len(pcm) > 0; pcm = pcm[FrameSize:] {
			if f.Prob(pcm[:FrameSize]) >= speechAtAll {
				heard++
			}
		}
	}
	require.LessOrEqual(t, heard, 10, "frames, until it is known that there is somebody else")
	require.InDelta(t, 1, heardPart(f, -22, 1), 0.05, "the speaker, at the second frame")
}

func TestForegroundLetsTheSpeakerGoOnSofter(t *testing.T) {
	t.Parallel()

	softly := func(f *Foreground, pause time.Duration) float64 {
		heardPart(f, -22, 3)
		for pcm := audio.Tone(pause, -60, 400); len(pcm) >= FrameSize; pcm = pcm[FrameSize:] {
			f.Prob(pcm[:FrameSize])
		}
		return heardPart(f, -30.5, 1)
	}
	f := NewForeground(perhaps{})
	require.InDelta(t, 1, softly(f, 200*time.Millisecond), 0.05, "the end of a sentence")
	require.InDelta(t, 0.5, softly(f, time.Second), 0.1, "somebody else, later, known for that after half a second")
	require.Zero(t, softly(f, time.Second), "and from then on")
	require.InDelta(t, 1, heardPart(f, -22, 1), 0.05, "the speaker, at the second frame")
}
