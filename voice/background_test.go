package voice

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
	"github.com/callwright/callwright/voice/vad"
)

// queueLeg is a leg whose clock the test turns.
type queueLeg struct {
	Leg
	band        audio.Band
	queue, sent []int16
}

func (l *queueLeg) Band() audio.Band { return l.band }

func (l *queueLeg) Play(pcm []int16)      { l.queue = append(l.queue, pcm...) }
func (l *queueLeg) Queued() time.Duration { return l.band.Duration(len(l.queue)) }

func (l *queueLeg) Flush() time.Duration {
	dropped := l.Queued()
	l.queue = nil
	return dropped
}

func (l *queueLeg) tick() {
	frame := make([]int16, l.band.FrameLen())
	l.queue = l.queue[copy(frame, l.queue):]
	l.sent = append(l.sent, frame...)
}

// Whatever is played and dropped, at whatever time: the far end hears the speech that it
// would hear without the background, sample by sample, and the background without a seam.
func TestBackgroundChangesNothingElse(t *testing.T) {
	t.Parallel()

	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 3))
		sound := audiotest.Noise(seed, 130*time.Millisecond, -10)
		band := audio.Band(seed % 2)
		plain, leg := &queueLeg{band: band}, &queueLeg{band: band}
		b := newBackgroundLeg(leg, Background{Sound: sound, Gain: -10})
		for range 300 {
			b.advance()
			switch n := random.IntN(20); {
			case n < 3:
				// A whole number of frames: a leg fills up a frame in which speech ends, and
				// with a background there is nothing to fill up.
				speech := audiotest.Noise(random.Uint64(), time.Duration(band.Scale(1+random.IntN(12)))*audio.FrameDuration, -20)
				plain.Play(speech)
				b.Play(speech)
			case n < 4:
				require.Equal(t, plain.Flush(), b.Flush())
			default:
				plain.tick()
				leg.tick()
			}
			require.Equal(t, plain.Queued(), b.Queued(), "seed %d", seed)
		}
		for i, v := range leg.sent {
			at := i / band.Scale(1) % len(sound)
			want := plain.sent[i] + audio.Clamp(float64(sound[at])*audio.Gain(-10))
			if between := i%band.Scale(1) > 0; v != want && !between {
				require.Equal(t, want, v, "seed %d, sample %d", seed, i)
			}
		}
	}
}

func TestBackgroundYieldsToLoudSpeech(t *testing.T) {
	t.Parallel()

	leg := &queueLeg{}
	b := newBackgroundLeg(leg, Background{Sound: []int16{10_000, -10_000}})
	b.Play([]int16{30_000, -30_000, 100, 100})
	require.Equal(t, []int16{32_767, -32_768, 10_100, -9_900}, leg.queue[:4])
}

func TestOffice(t *testing.T) {
	t.Parallel()

	sound := OfficeSound()
	require.Equal(t, sound, OfficeSound())
	require.InDelta(t, officeLevel, audio.Level(sound), 0.2)
	quiet := audiotest.Louder(sound, DefaultBackgroundGain)
	for i := 0; i+800 <= len(quiet); i += 800 {
		require.Less(t, audio.Level(quiet[i:i+800]), -38.0, "at %v", audio.Duration(i))
	}

	detector, err := vad.NewSilero()
	require.NoError(t, err)
	listener, err := vad.NewStream(detector, vad.DefaultGate())
	require.NoError(t, err)
	for range 2 { // across the seam
		listener.Push(audiotest.Louder(sound, -6), func(e vad.Event) { t.Errorf("there is a voice: %+v", e) })
	}
}
