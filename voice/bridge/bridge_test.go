package bridge_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/voicetest"
)

func tone(band audio.Band) []int16 { return band.Widen(audio.Tone(20*time.Millisecond, -20, 1000)) }

// TestBands passes a tone on between legs of all bands.
func TestBands(t *testing.T) {
	t.Parallel()
	for _, from := range []audio.Band{audio.Narrow, audio.Wide} {
		for _, to := range []audio.Band{audio.Narrow, audio.Wide} {
			synctest.Test(t, func(t *testing.T) {
				leg := voicetest.NewLeg()
				leg.Sampled = to
				pipe := bridge.NewPipe(from, leg)
				whole := from.Widen(audio.Tone(time.Second, -20, 1000))
				for ; len(whole) > 0; whole = whole[from.FrameLen():] {
					pipe.Pass(audio.Incoming{Frame: audio.CopyFrame(whole[:from.FrameLen()])})
					time.Sleep(audio.FrameDuration)
				}
				heard := audio.NewConverter(to, audio.Narrow).Push(nil, leg.Heard())
				require.InDelta(t, audio.Samples(1040*time.Millisecond), len(heard), 0)
				require.Greater(t, audio.Purity(heard[audio.Samples(100*time.Millisecond):audio.Samples(900*time.Millisecond)], 1000), 0.99)
			})
		}
	}
}

// TestAStallIsMadeUpFor has frames come late and all at once: what is heard is soon as little late as before.
func TestAStallIsMadeUpFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leg := voicetest.NewLeg()
		pipe := bridge.NewPipe(audio.Narrow, leg)
		pass := func(frames int, frame []int16, apart time.Duration) {
			for range frames {
				pipe.Pass(audio.Incoming{Frame: audio.CopyFrame(frame)})
				time.Sleep(apart)
			}
		}
		loud, silent := tone(audio.Narrow), make([]int16, audio.FrameLen)
		pass(50, loud, audio.FrameDuration)
		require.LessOrEqual(t, leg.Queued(), 40*time.Millisecond)
		time.Sleep(300 * time.Millisecond)
		pass(8, loud, 0)
		pass(50, loud, audio.FrameDuration)
		require.Greater(t, leg.Queued(), 150*time.Millisecond, "words are not cut for a short stall")
		pass(10, silent, audio.FrameDuration)
		require.LessOrEqual(t, leg.Queued(), 100*time.Millisecond, "a pause makes up for it")
		time.Sleep(2 * time.Second)
		pass(100, loud, 0)
		pass(1, loud, 0)
		require.LessOrEqual(t, leg.Queued(), 220*time.Millisecond, "a long one is given up")
	})
}

// TestWhatWaitedIsStale drops sound that came before the legs were joined, but no key.
func TestWhatWaitedIsStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := voicetest.NewLeg(), voicetest.NewLeg()
		from.Sound(tone(audio.Narrow))
		from.Press("1")
		stop := bridge.Drain(from, to)
		require.Empty(t, to.Heard())
		from.Press("2")
		from.Sound(tone(audio.Narrow))
		stop()
		from.Press("3")
		require.Equal(t, "12", to.Digits())
		require.Greater(t, audio.Level(to.Heard()), -30.0)
		from.RemoteHangup()
	})
}

func BenchmarkPass(b *testing.B) {
	for name, bands := range map[string][2]audio.Band{
		"same": {audio.Narrow, audio.Narrow}, "widened": {audio.Narrow, audio.Wide}, "narrowed": {audio.Wide, audio.Narrow},
	} {
		b.Run(name, func(b *testing.B) {
			pipe := bridge.NewPipe(bands[0], sink(bands[1]))
			frame := tone(bands[0])
			b.ReportAllocs()
			for b.Loop() {
				pipe.Pass(audio.Incoming{Frame: audio.CopyFrame(frame)})
			}
		})
	}
}

// sink is a leg that sends at once.
type sink audio.Band

func (s sink) Band() audio.Band       { return audio.Band(s) }
func (sink) Play([]int16)             {}
func (sink) Flush() time.Duration     { return 0 }
func (sink) Queued() time.Duration    { return 40 * time.Millisecond }
func (sink) Caption(string)           {}
func (sink) SendDigits(digits string) {}
