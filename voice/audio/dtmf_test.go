package audio

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const everyKey = "0123456789*#ABCD"

func hear(d *KeyDetector, pcm []int16) string {
	var keys []byte
	for len(pcm) > 0 { // as a call delivers it: frame by frame
		n := min(FrameLen, len(pcm))
		keys, pcm = d.Push(keys, pcm[:n]), pcm[n:]
	}
	return string(keys)
}

func TestEveryKeyIsHeardOnce(t *testing.T) {
	var d KeyDetector
	require.Equal(t, everyKey, hear(&d, Keys(everyKey)))
}

func TestKeysSurviveG711AndNoise(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for _, law := range []Law{Mu, A} {
		pcm := Keys(everyKey + "1199")
		for i := range pcm {
			pcm[i] = pcm[i]/4 + int16(noise.IntN(200)-100)
		}
		var d KeyDetector
		require.Equal(t, everyKey+"1199", hear(&d, law.Decode(nil, law.Encode(nil, pcm))), law.String())
	}
}

func TestShortKeysAreHeardWhereverTheyBegin(t *testing.T) {
	for begin := 0; begin < keyBlock; begin += 5 {
		pause := make([]int16, Samples(65*time.Millisecond))
		var pcm []int16
		pcm = append(pcm, pause[:begin]...)
		for _, key := range everyKey {
			low, high, ok := keyTones(byte(key))
			require.True(t, ok)
			pcm = append(append(pcm, Tone(65*time.Millisecond, -13, low, high)...), pause...)
		}
		var d KeyDetector
		require.Equal(t, everyKey, hear(&d, pcm), "%d", begin)
	}
}

func TestWhatIsNoKeyIsNotHeard(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 4))
	white := make([]int16, 5*Rate)
	for i := range white {
		white[i] = int16(noise.IntN(8000) - 4000)
	}
	for name, pcm := range map[string][]int16{
		"one tone":       Tone(time.Second, -10, 770),
		"two rows":       Tone(time.Second, -10, 697, 941),
		"dial tone":      Tone(time.Second, -10, 350, 440),
		"with harmonics": Tone(time.Second, -16, 697, 1209, 1394, 2418),
		"too short":      Tone(25*time.Millisecond, -10, 697, 1209),
		"too quiet":      Tone(time.Second, -50, 697, 1209),
		"white noise":    white,
	} {
		var d KeyDetector
		require.Empty(t, hear(&d, pcm), name)
	}
}

func TestOnlyKeysAreKeys(t *testing.T) {
	for c := range 256 {
		require.Equal(t, strings.IndexByte(everyKey, byte(c)) >= 0, IsKey(byte(c)), "%q", c)
	}
	require.Empty(t, Keys("x-+ "))
}

func TestListeningDoesNotAllocate(t *testing.T) {
	var d KeyDetector
	frame := make([]int16, FrameLen)
	require.Zero(t, testing.AllocsPerRun(100, func() { d.Push(nil, frame) }))
}

func FuzzKeyDetector(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, code []byte) {
		var d KeyDetector
		for _, key := range d.Push(nil, Mu.Decode(nil, code)) {
			require.True(t, IsKey(key))
		}
	})
}
