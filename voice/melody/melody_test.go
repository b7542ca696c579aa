package melody

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// hum is a voice whose pitch moves from one value to another, in hertz, with the overtones of a voice.
func hum(d time.Duration, from, to float64) []int16 {
	pcm := make([]int16, audio.Samples(d))
	phase := 0.0
	for i := range pcm {
		part := float64(i) / float64(len(pcm))
		phase += 2 * math.Pi * from * math.Pow(to/from, part) / audio.Rate
		var v float64
		for overtone := 1.0; overtone <= 6; overtone++ {
			v += math.Sin(phase*overtone) / overtone
		}
		pcm[i] = audio.Clamp(3000 * v)
	}
	return pcm
}

func TestEnding(t *testing.T) {
	t.Parallel()

	const silence = 160 * time.Millisecond
	for name, tt := range map[string]struct {
		last     []int16
		from, to float64
	}{
		"it falls":               {hum(300*time.Millisecond, 120, 85), -1, -0.8},
		"it falls fast":          {hum(120*time.Millisecond, 120, 65), -1, -0.8},
		"it stays":               {hum(300*time.Millisecond, 120, 118), 0.7, 1},
		"it rises":               {hum(300*time.Millisecond, 120, 160), 1, 1},
		"in between":             {hum(300*time.Millisecond, 120, 106), -0.4, 0.4},
		"a hiss tells nothing":   {make([]int16, audio.Samples(time.Second)), 0, 0},
		"a high voice that ends": {append(hum(12*time.Second, 230, 200), hum(300*time.Millisecond, 200, 160)...), -1, -0.6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tracker Tracker
			sound := append(hum(2*time.Second, 130, 115), tt.last...)
			sound = append(sound, make([]int16, audio.Samples(silence))...)
			for at := 0; at+audio.FrameLen <= len(sound); at += audio.FrameLen {
				tracker.Push(sound[at : at+audio.FrameLen])
			}
			ending := tracker.Ending(int(silence / audio.FrameDuration))
			require.GreaterOrEqual(t, ending, tt.from)
			require.LessOrEqual(t, ending, tt.to)
		})
	}
}

// A last consonant is no voice, and goes on behind it.
func TestTail(t *testing.T) {
	t.Parallel()

	var tracker Tracker
	push := func(sound []int16) {
		for at := 0; at+audio.FrameLen <= len(sound); at += audio.FrameLen {
			tracker.Push(sound[at : at+audio.FrameLen])
		}
	}
	hiss := hum(100*time.Millisecond, 3000, 3000)
	for i := range hiss {
		hiss[i] /= 20
	}
	push(make([]int16, audio.Samples(100*time.Millisecond)))
	push(append(hum(time.Second, 130, 115), hiss...))
	require.True(t, tracker.Sounds())
	push(make([]int16, audio.Samples(60*time.Millisecond)))
	require.False(t, tracker.Sounds())
	require.Equal(t, 5, tracker.Tail(8))
	require.Zero(t, tracker.Tail(3))
}

// What was said before does not count, as if it had been silent since.
func TestSpeechAfterRest(t *testing.T) {
	t.Parallel()

	endings := func(between func(*Tracker)) (endings [2]float64) {
		var tracker Tracker
		for i, said := range [2][]int16{hum(time.Second, 130, 110), hum(400*time.Millisecond, 150, 120)} {
			for _, sound := range [][]int16{said, make([]int16, 20*audio.FrameLen)} {
				for at := 0; at < len(sound); at += audio.FrameLen {
					tracker.Push(sound[at : at+audio.FrameLen])
				}
			}
			endings[i] = tracker.Ending(20)
			between(&tracker)
		}
		return endings
	}
	kept, rested := endings(func(*Tracker) {}), endings((*Tracker).Rest)
	require.NotZero(t, kept[1])
	require.Equal(t, kept, rested)

	var tracker Tracker
	tracker.Rest()
	tracker.Push(hum(audio.FrameDuration, 130, 130))
	tracker.Rest()
	tracker.Rest()
	require.Zero(t, tracker.Ending(0))
}

func TestEndingOfNobody(t *testing.T) {
	t.Parallel()

	var tracker Tracker
	require.Zero(t, tracker.Ending(0))
	for range 100 {
		tracker.Push(make([]int16, audio.FrameLen))
	}
	require.Zero(t, tracker.Ending(8))
	require.Zero(t, tracker.Ending(1000))
}

func BenchmarkPush(b *testing.B) {
	var tracker Tracker
	sound := hum(time.Second, 100, 130)
	for i := range b.N {
		at := i % 50 * audio.FrameLen
		tracker.Push(sound[at : at+audio.FrameLen])
	}
}
