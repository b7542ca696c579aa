package audio

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLevelOfATone(t *testing.T) {
	require.InDelta(t, -20, Level(Tone(time.Second, -20, 440)), 0.2)
	require.Equal(t, Silence, Level(make([]int16, FrameLen)))
	require.Equal(t, Silence, Level(nil))
	require.InDelta(t, 0, Level([]int16{math.MaxInt16, -math.MaxInt16}), 0.01)
}

func TestPurityFindsTheBeep(t *testing.T) {
	beep := Beep(200 * time.Millisecond)[Samples(20*time.Millisecond):][:400]
	require.Greater(t, Purity(beep, 1000), 0.98)
	require.Less(t, Purity(beep, 1400), 0.02)
	require.Zero(t, Purity(make([]int16, 10), 1000))
}

func TestDurationsAndSamples(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, FrameDuration)
	require.Equal(t, FrameDuration, Duration(FrameLen))
	require.Equal(t, FrameLen, Samples(FrameDuration))
	require.Len(t, Tone(50*time.Millisecond, -10, 400), 400)
}
